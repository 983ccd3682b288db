import FunctionHost

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
