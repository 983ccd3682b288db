/// Everything that the function says. Belongs to one thread.
public final class FunctionLog {
  /// The decisions that get a line.
  let decisions: LoggedDecisions
  private let environment: FunctionEnvironment
  private let level: LogLevel
  private var line: LogLine
  private var metrics: DecisionMetrics?
  private var sink: LogSink

  /// A log as the configuration and Lambda want it. A variable of Lambda's that cannot be understood is told of once.
  init(_ settings: LogSettings, _ environment: FunctionEnvironment) {
    var misreadsDescriptor = false
    let controls = LogControls(reading: environment)
    self.environment = environment
    level = controls.level
    decisions = LoggedDecisions(level: controls.level, scope: settings.decisions)
    line = LogLine(controls.format)
    // Outside of Lambda a function has no name.
    let name = environment.variable("AWS_LAMBDA_FUNCTION_NAME") ?? "local"
    metrics = settings.metrics.map { DecisionMetrics($0, functionName: name, least: controls.level) }
    sink = LogSink(environment, isMisread: &misreadsDescriptor)
    for name in controls.misread { write(name + ": unknown word, its default holds", .warn) }
    if misreadsDescriptor {
      write("_LAMBDA_TELEMETRY_LOG_FD: no open descriptor, lines go to standard output", .warn)
    }
  }

  /// Writes a line about the function itself.
  public func write(_ message: String, _ level: LogLevel, requestID: String? = nil) {
    guard level >= self.level else { return }
    let now = environment.unixMilliseconds
    line.begin(level, message, requestID: requestID, unixMilliseconds: now)
    line.end()
    sink.append(line.bytes, level, line.format, unixMilliseconds: now)
    sink.flush()
  }

  /// Writes a line about an issuer's keys.
  func write(_ notice: Notice) {
    guard Notice.logLevel >= level else { return }
    let now = environment.unixMilliseconds
    line.write(notice, unixMilliseconds: now)
    sink.append(line.bytes, Notice.logLevel, line.format, unixMilliseconds: now)
    sink.flush()
  }

  /// Writes the line of a decision and that of its numbers, each where it is wanted, in one call.
  ///
  /// - Parameters:
  ///   - now: when the event came, in Unix milliseconds.
  ///   - keyFetches: how many key sets this process has asked for since its start.
  func write(
    _ decision: Decision, requestID: String, at now: Int64, microseconds: Int64, keyFetches: Int
  ) {
    if decisions.contains(decision.outcome) {
      line.write(decision, requestID: requestID, unixMilliseconds: now, microseconds: microseconds)
      sink.append(line.bytes, decision.outcome.logLevel, line.format, unixMilliseconds: now)
    }
    if metrics != nil {
      metrics?.set(
        decision, requestID: requestID, unixMilliseconds: now, microseconds: microseconds,
        keyFetches: keyFetches)
    }
    if let metrics { sink.append(metrics.bytes, metrics.level, line.format, unixMilliseconds: now) }
    sink.flush()
  }
}
