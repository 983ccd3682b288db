import FunctionHost
import Withdrawals

/// Writes a line and the metrics of each decision. Belongs to the worker of its log.
struct DecisionLog {
  /// The decisions that get a log line.
  let decisions: LoggedDecisions
  private var log: FunctionLog
  private var line: LogLine
  private var metrics: DecisionMetrics?

  /// - Parameter functionName: `nil` outside Lambda, where a function has no name.
  init(_ settings: LogSettings, functionName: String?, to log: FunctionLog) {
    self.log = log
    decisions = LoggedDecisions(level: log.level, scope: settings.decisions)
    line = LogLine(log.format)
    metrics = settings.metrics.map {
      DecisionMetrics($0, functionName: functionName ?? "local", least: log.level)
    }
  }

  /// Returns the same for the log of another worker.
  func forAnotherWorker(_ log: FunctionLog) -> DecisionLog {
    var other = self
    other.log = log
    return other
  }

  /// Writes the decision line and the metrics line, if enabled, in one call.
  ///
  /// - Parameters:
  ///   - now: when the event arrived, in Unix milliseconds.
  ///   - keyFetches: the number of key set fetches of this process since its start.
  mutating func write(
    _ decision: Decision, _ invocation: LoggedInvocation, at now: Int64, microseconds: Int64, keyFetches: Int
  ) {
    let isLogged = decisions.contains(decision)
    if isLogged {
      line.write(decision, invocation, unixMilliseconds: now, microseconds: microseconds)
    }
    metrics?.set(
      decision, requestID: invocation.requestID, unixMilliseconds: now, microseconds: microseconds,
      keyFetches: keyFetches)
    guard isLogged || metrics != nil else { return }
    // Read before the closure, which would otherwise copy the whole decision.
    let level = decision.logLevel
    log.write { sink in
      if isLogged { sink.append(line, level, unixMilliseconds: now) }
      if let metrics { sink.append(metrics.bytes, metrics.level, line.format, unixMilliseconds: now) }
    }
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
    if decision.isGuest { member("anonymous", true) }
    if let reason = decision.reason { member("reason", reason.rawValue) }
    if let rule = decision.rule { member("rule", Int64(rule)) }
    if let scope = decision.requiredScope { member("requiredScope", utf8: scope.span) }
    if let reason = decision.leftOut { member("leftOut", reason.rawValue) }
    if let detail = decision.detail { member("detail", detail) }
    if let first = decision.notLookedUp.first {
      member("notLookedUp", decision.notLookedUp.dropFirst().reduce(first.claim) { $0 + " " + $1.claim })
    }
    if let issuer = decision.issuerName { member("issuer", issuer) }
    if let hash = decision.keyIDHash { member("kidHash", utf8: hash.span) }
    if let hash = decision.tokenHash { member("tokenHash", utf8: hash.span) }
    if let kind = decision.eventKind { member("eventKind", kind.rawValue) }
    member("microseconds", microseconds)
    if decision.keyFetches > 0 { member("fetches", Int64(decision.keyFetches)) }
    members(of: invocation, decision.apiRequestID)
    end()
  }
}
