/// The log of one worker. Belongs to one thread; all workers share the output.
public final class FunctionLog {
  /// The decisions that get a log line.
  let decisions: LoggedDecisions
  private let environment: FunctionEnvironment
  private let level: LogLevel
  private var line: LogLine
  private var metrics: DecisionMetrics?
  private let output: LogOutput

  /// Creates the log for the configuration and Lambda's variables. Logs once which of Lambda's variables are invalid.
  package init(_ settings: LogSettings, _ environment: FunctionEnvironment) {
    var misreadsDescriptor = false
    let controls = LogControls(reading: environment)
    self.environment = environment
    level = controls.level
    decisions = LoggedDecisions(level: controls.level, scope: settings.decisions)
    line = LogLine(controls.format)
    // Outside Lambda a function has no name.
    let name = environment.variable("AWS_LAMBDA_FUNCTION_NAME") ?? "local"
    metrics = settings.metrics.map { DecisionMetrics($0, functionName: name, least: controls.level) }
    output = LogOutput(LogSink(environment, isMisread: &misreadsDescriptor))
    for name in controls.misread { write(name + ": unknown value, using the default", .warn) }
    if misreadsDescriptor {
      write("_LAMBDA_TELEMETRY_LOG_FD: not an open descriptor, writing to standard output", .warn)
    }
  }

  /// Returns a log for another worker. Call it before the worker's thread starts. Returns nil if there is no memory
  /// for a lock.
  package func forAnotherWorker() -> FunctionLog? { output.share() ? FunctionLog(sharing: self) : nil }

  private init(sharing other: FunctionLog) {
    decisions = other.decisions
    environment = other.environment
    level = other.level
    line = LogLine(other.line.format)
    metrics = other.metrics
    output = other.output
  }

  /// Writes a line about the function itself.
  public func write(_ message: String, _ level: LogLevel, requestID: String? = nil) {
    guard level >= self.level else { return }
    let now = environment.unixMilliseconds
    line.begin(level, message, requestID: requestID, unixMilliseconds: now)
    line.end()
    output.write { $0.append(line.bytes, level, line.format, unixMilliseconds: now) }
  }

  /// Writes a line about an invocation, with additional members.
  ///
  /// - Parameter now: when the event arrived, in Unix milliseconds.
  package func write(
    _ message: String, _ level: LogLevel, requestID: String, at now: Int64, members: (inout LogLine) -> Void
  ) {
    guard level >= self.level else { return }
    line.begin(level, message, requestID: requestID, unixMilliseconds: now)
    members(&line)
    line.end()
    output.write { $0.append(line.bytes, level, line.format, unixMilliseconds: now) }
  }

  /// Writes a line about an issuer's keys.
  package func write(_ notice: Notice) {
    guard notice.level >= level else { return }
    let now = environment.unixMilliseconds
    line.write(notice, unixMilliseconds: now)
    output.write { $0.append(line.bytes, notice.level, line.format, unixMilliseconds: now) }
  }

  /// Writes the decision line and the metrics line, if enabled, in one call.
  ///
  /// - Parameters:
  ///   - now: when the event arrived, in Unix milliseconds.
  ///   - keyFetches: the number of key set fetches of this process since its start.
  func write(
    _ decision: Decision, _ invocation: LoggedInvocation, at now: Int64, microseconds: Int64, keyFetches: Int
  ) {
    let isLogged = decisions.contains(decision)
    if isLogged {
      line.write(decision, invocation, unixMilliseconds: now, microseconds: microseconds)
    }
    if metrics != nil {
      metrics?.set(
        decision, requestID: invocation.requestID, unixMilliseconds: now, microseconds: microseconds,
        keyFetches: keyFetches)
    }
    guard isLogged || metrics != nil else { return }
    output.write { sink in
      if isLogged {
        sink.append(line.bytes, decision.logLevel, line.format, unixMilliseconds: now)
      }
      if let metrics { sink.append(metrics.bytes, metrics.level, line.format, unixMilliseconds: now) }
    }
  }
}
