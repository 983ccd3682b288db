import FunctionHost

/// `"decisionLog"`: which decisions the log contains.
package enum DecisionLogScope: String, CaseIterable, Sendable {
  /// Every decision.
  case all
  /// All decisions that do not allow.
  case refusals
}

/// The decisions that get a log line. Other decisions cost no line and no hash.
package struct LoggedDecisions: Equatable, Sendable {
  /// The minimum level of a line.
  let level: LogLevel
  let scope: DecisionLogScope

  /// Every decision.
  package static let all = LoggedDecisions(level: .trace, scope: .all)

  /// Whether this decision gets a log line.
  package func contains(_ decision: Decision) -> Bool {
    decision.logLevel >= level && (scope == .all || decision.outcome != .allowed)
  }
}
