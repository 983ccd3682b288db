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
    if evaluation.outcome == .failure, result.decision?.reason == Self.keysUnavailable {
      self = .keep("the function had no keys to verify the token with (\(Self.keysUnavailable))")
      return
    }
    var members: [JSONTree.Member] = [.init(name: "outcome", value: .string(evaluation.outcome.rawValue))]
    if old == nil || old?.reason != nil, let reason = result.decision?.reason {
      members.append(.init(name: "reason", value: .string(reason)))
    }
    switch result.answer {
    case .died, .timedOut, .initializationFailed:
      self = .keep(evaluation.explanation)
      return
    case .response(let bytes):
      if old == nil || old?.response != nil || old?.error.isEmpty == false {
        guard let found = try? JSONTree(parsing: bytes) else {
          self = .keep("the answer is not JSON")
          return
        }
        guard let response = Self.updated(old?.response, to: found) else {
          self = .keep(Self.handWritten)
          return
        }
        members.append(.init(name: "response", value: Self.anyTime(tokenTimes, in: response)))
      }
      if old?.error.contains(where: { $0.value.hasMatchers }) == true {
        self = .keep(Self.handWritten)
        return
      }
    case .error(let report):
      if old?.response?.hasMatchers == true {
        self = .keep(Self.handWritten)
        return
      }
      if old == nil || old?.response != nil || old?.error.isEmpty == false {
        guard let error = Self.error(report, old) else {
          self = .keep(Self.handWritten)
          return
        }
        members.append(.init(name: "error", value: Self.anyTime(tokenTimes, in: .object(error))))
      }
    }
    self = .write(JSONTree.object(members).bytes(indentedBy: 2) + [0x0A])
  }

  /// The reason code of a decision without the issuer's keys. It says nothing about the token.
  private static let keysUnavailable = "keysUnavailable"

  private static let handWritten = "one of its matchers does not match; edit the file by hand"

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
