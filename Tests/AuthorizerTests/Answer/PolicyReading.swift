import IAMPolicy
import JSON

/// An answer as API Gateway parses it; accepts only the exact shape.
struct PolicyReading: Equatable {
  let principalID: String
  let statements: [Statement]
  let context: JSONTree
  private let document: [UInt8]

  struct Statement: Equatable {
    let effect: String
    let resources: [String]
    var condition: JSONTree?
  }

  struct Unreadable: Error {}

  init(_ bytes: [UInt8]) throws {
    guard case .object(let answer) = try JSONTree(parsing: bytes),
      answer.map(\.name).filter({ $0 != "usageIdentifierKey" }) == [
        "principalId", "policyDocument", "context",
      ],
      case .string(let principalID) = answer[0].value,
      case .object(let document) = answer[1].value, document.map(\.name) == ["Version", "Statement"],
      document[0].value == .string("2012-10-17"), case .array(let statements) = document[1].value
    else { throw Unreadable() }
    self.principalID = principalID
    self.statements = try statements.map(Self.statement)
    context = answer[2].value
    self.document = answer[1].value.bytes()
  }

  /// The resources of a policy with a single Allow statement.
  var resources: [String] {
    get throws {
      guard statements.count == 1, statements[0].effect == "Allow" else { throw Unreadable() }
      return statements[0].resources
    }
  }

  /// Returns IAM's decision on a call.
  func allows(_ arn: String) throws -> Bool {
    let document = try PolicyDocument(try JSONDocument(parsing: document, limits: .event).root)
    return try PolicyEvaluator(document).decision(for: arn).isAllowed
  }

  private static func statement(_ value: JSONTree) throws -> Statement {
    guard case .object(let members) = value,
      members.map(\.name).filter({ $0 != "Condition" }) == ["Action", "Effect", "Resource"],
      members[0].value == .string("execute-api:Invoke"), case .string(let effect) = members[1].value,
      case .array(let resources) = members[2].value, !resources.isEmpty
    else { throw Unreadable() }
    let texts = try resources.map {
      guard case .string(let text) = $0 else { throw Unreadable() }
      return text
    }
    return Statement(effect: effect, resources: texts, condition: value["Condition"])
  }
}
