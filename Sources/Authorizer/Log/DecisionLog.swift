import JSON

/// `"decisionLog"`: which decisions the log contains.
public enum DecisionLogScope: String, CaseIterable, Sendable {
  /// Every decision.
  case all
  /// All decisions that do not allow.
  case refusals
}

/// The decisions that get a log line. Other decisions cost no line and no hash.
public struct LoggedDecisions: Equatable, Sendable {
  /// The minimum level of a line.
  let level: LogLevel
  let scope: DecisionLogScope

  /// Every decision.
  public static let all = LoggedDecisions(level: .trace, scope: .all)

  /// Whether this decision gets a log line.
  public func contains(_ decision: Decision) -> Bool {
    decision.logLevel >= level && (scope == .all || decision.outcome != .allowed)
  }
}

/// Log lines contain codes, hashes and IDs, never a token, a claim or an address.
extension LogLine {
  /// Writes the line of one decision.
  ///
  /// - Parameters:
  ///   - unixMilliseconds: when the event arrived.
  ///   - microseconds: how long the decision took.
  mutating func write(
    _ decision: Decision, _ invocation: LoggedInvocation, unixMilliseconds: Int64, microseconds: Int64
  ) {
    begin(
      decision.logLevel, "decision", requestID: invocation.requestID, unixMilliseconds: unixMilliseconds)
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
    members(of: invocation, decision.apiRequestID)
    end()
  }

  /// Writes the line of a notice about an issuer's keys.
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
