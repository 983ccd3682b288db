internal import Text
package import LambdaEmulator
internal import JSON

/// The change that `--update` makes to an expectation that is not met or does not exist.
package enum ContractUpdate: Equatable, Sendable {
  /// Write these bytes to the file.
  case write([UInt8])
  /// Leave the file unchanged, for this reason.
  case keep(String)

  /// Creates an expectation of this result that asserts the same parts as the old one.
  ///
  /// Matchers that match stay. If one does not match, the file is left unchanged, because the user wrote the matcher.
  /// The result of a process that crashed or timed out, or that had no keys, is never written.
  ///
  /// - Parameters:
  ///   - old: the current expectation; `nil` if there is none, which asserts the whole answer.
  ///   - tokenTimes: the times in the event's tokens, which differ in the next run. A whole number of the answer, or
  ///     a text of one, that is between the earliest and ``leewaySeconds`` after the latest becomes
  ///     `{"$present": true}`.
  package init(
    _ old: ContractFile?, evaluation: Evaluation, result: InvocationResult, tokenTimes: Set<Int64> = []
  ) {
    do throws(Obstacle) {
      let members = try Self.members(old, evaluation, result, tokenTimes)
      self = .write(JSONTree.object(members).bytes(indentedBy: 2) + [0x0A])
    } catch {
      self = .keep(error.reason)
    }
  }

  private struct Obstacle: Error { let reason: String }

  private static func members(
    _ old: ContractFile?, _ evaluation: Evaluation, _ result: InvocationResult, _ tokenTimes: Set<Int64>
  ) throws(Obstacle) -> [JSONTree.Member] {
    if evaluation.outcome == .failure, result.decision?.reason == keysUnavailable {
      throw Obstacle(reason: "the function had no keys to verify the token with (\(keysUnavailable))")
    }
    var members: [JSONTree.Member] = [.init(name: "outcome", value: .string(evaluation.outcome.rawValue))]
    if old == nil || old?.reason != nil, let reason = result.decision?.reason {
      members.append(.init(name: "reason", value: .string(reason)))
    }
    let assertsAnswer = old == nil || old?.response != nil || old?.error.isEmpty == false
    switch result.answer {
    case .died, .timedOut, .initializationFailed: throw Obstacle(reason: evaluation.explanation)
    case .response(let bytes):
      if assertsAnswer {
        guard let found = try? JSONTree(parsing: bytes) else {
          throw Obstacle(reason: "the answer is not JSON")
        }
        guard let response = updated(old?.response, to: found) else { throw handWritten }
        members.append(.init(name: "response", value: anyTime(tokenTimes, in: response)))
      }
      if old?.error.contains(where: { $0.value.hasMatchers }) == true { throw handWritten }
    case .error(let report):
      if old?.response?.hasMatchers == true { throw handWritten }
      if assertsAnswer {
        guard let error = error(report, old) else { throw handWritten }
        members.append(.init(name: "error", value: anyTime(tokenTimes, in: .object(error))))
      }
    }
    return members
  }

  /// The reason code of a decision without the issuer's keys. It says nothing about the token.
  private static let keysUnavailable = "keysUnavailable"

  private static let handWritten = Obstacle(
    reason: "one of its matchers does not match; edit the file by hand")

  /// The maximum leeway of an issuer. A policy that ends with the token ends this much after its `exp` at the latest,
  /// or at another time after `iat` if the token's age is limited.
  private static let leewaySeconds: Int64 = 300

  /// Returns the expectation with each time derived from these times replaced by a matcher; existing matchers stay
  /// unchanged.
  private static func anyTime(_ times: Set<Int64>, in tree: JSONTree) -> JSONTree {
    guard let earliest = times.min(), let latest = times.max() else { return tree }
    let (end, isTooLarge) = latest.addingReportingOverflow(leewaySeconds)
    return anyTime(from: earliest, through: isTooLarge ? latest : end, in: tree)
  }

  private static func anyTime(from first: Int64, through last: Int64, in tree: JSONTree) -> JSONTree {
    switch tree {
    case .number(let text), .string(let text):
      if let time = Int64(text), first <= time, time <= last, String(time) == text {
        ExpectedValue.present.tree
      } else {
        tree
      }
    case .array(let elements): .array(elements.map { anyTime(from: first, through: last, in: $0) })
    case .object(let members):
      if let only = members.first, only.name.hasBytePrefix("$"), only.name != "$includes" {
        tree
      } else {
        .object(
          members.map { .init(name: $0.name, value: anyTime(from: first, through: last, in: $0.value)) })
      }
    case .boolean, .null: tree
    }
  }

  private static func updated(_ old: ExpectedValue?, to found: JSONTree) -> JSONTree? {
    guard let old else { return found }
    guard let new = old.updated(to: found) else { return nil }
    return new ?? found
  }

  /// Returns the members that the old expectation names, or both if it names none; `nil` if a matcher does not match.
  private static func error(_ report: FunctionErrorReport, _ old: ContractFile?) -> [JSONTree.Member]? {
    let document = try? JSONTree(parsing: report.document)
    let named = old?.error ?? []
    if named.isEmpty {
      return ["errorMessage", "errorType"].compactMap { name in
        document?[name].map { .init(name: name, value: $0) }
      }
    }
    var members: [JSONTree.Member] = []
    for member in named {
      guard let new = member.value.updated(to: document?[member.name]) else { return nil }
      if let new { members.append(.init(name: member.name, value: new)) }
    }
    return members
  }
}
