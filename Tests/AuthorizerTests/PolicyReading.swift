import JSON
import Testing

/// A policy as API Gateway reads it; only the exact shape with a single Allow is understood.
struct PolicyReading: Equatable {
  let principalID: String
  let resources: [String]

  struct Unreadable: Error {}

  init(_ bytes: [UInt8]) throws {
    guard case .object(let answer) = try JSONTree(parsing: bytes),
      answer.map(\.name) == ["principalId", "policyDocument", "context"],
      case .string(let principalID) = answer[0].value,
      case .object(let document) = answer[1].value, document.map(\.name) == ["Version", "Statement"],
      document[0].value == .string("2012-10-17"), case .array(let statements) = document[1].value,
      statements.count == 1, case .object(let statement) = statements[0],
      statement.map(\.name) == ["Action", "Effect", "Resource"],
      statement[0].value == .string("execute-api:Invoke"), statement[1].value == .string("Allow"),
      case .array(let resources) = statement[2].value
    else { throw Unreadable() }
    self.principalID = principalID
    self.resources = try resources.map {
      guard case .string(let text) = $0 else { throw Unreadable() }
      return text
    }
  }
}
