import JSON

/// `"decisionLog"`: which decisions an operator wants to see.
public enum DecisionLogScope: String, CaseIterable, Sendable {
  /// Every decision.
  case all
  /// All but those that allow.
  case refusals
}

/// The decisions that get a line. For all others nothing is built, and nothing is hashed.
public struct LoggedDecisions: Equatable, Sendable {
  /// The least level that is written.
  let level: LogLevel
  let scope: DecisionLogScope

  /// Every decision.
  public static let all = LoggedDecisions(level: .trace, scope: .all)

  /// Whether this decision gets a line.
  public func contains(_ decision: Decision) -> Bool {
    decision.logLevel >= level && (scope == .all || decision.outcome != .allowed)
  }
}

/// Codes and hashes, never a token, a claim or an address.
extension LogLine {
  /// The line of one decision.
  ///
  /// - Parameters:
  ///   - unixMilliseconds: when the event came.
  ///   - microseconds: how long the decision took.
  mutating func write(
    _ decision: Decision, requestID: String, unixMilliseconds: Int64, microseconds: Int64
  ) {
    begin(
      decision.logLevel, "decision", requestID: requestID, unixMilliseconds: unixMilliseconds)
    member("outcome", decision.outcome.rawValue)
    if let reason = decision.reason { member("reason", reason.rawValue) }
    if let scope = decision.requiredScope { member("requiredScope", utf8: scope) }
    if let reason = decision.leftOut { member("leftOut", reason.rawValue) }
    if let detail = decision.detail { member("detail", detail) }
    if let issuer = decision.issuerName { member("issuer", issuer) }
    if let hash = decision.keyIDHash { member("kidHash", utf8: hash) }
    if let hash = decision.tokenHash { member("tokenHash", utf8: hash) }
    if let kind = decision.eventKind { member("eventKind", kind.rawValue) }
    member("microseconds", microseconds)
    if decision.keyFetches > 0 { member("fetches", Int64(decision.keyFetches)) }
    end()
  }

  /// The line of something about an issuer's keys.
  mutating func write(_ notice: Notice, unixMilliseconds: Int64) {
    begin(notice.level, notice.code, requestID: nil, unixMilliseconds: unixMilliseconds)
    if !notice.issuerName.isEmpty { member("issuer", notice.issuerName) }
    if let detail = notice.detail { member("detail", detail) }
    if let key = notice.key {
      if let keyID = key.keyID { member("kid", keyID) }
      if let name = key.member { member("member", name) }
      member("because", key.reason)
    }
    end()
  }
}
