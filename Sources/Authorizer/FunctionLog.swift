/// Everything that one worker says. Belongs to one thread; where the lines go is shared by all of them.
public final class FunctionLog {
  /// The decisions that get a line.
  let decisions: LoggedDecisions
  private let environment: FunctionEnvironment
  private let level: LogLevel
  private var line: LogLine
  private var metrics: DecisionMetrics?
  private let output: LogOutput

  /// A log as the configuration and Lambda want it. A variable of Lambda's that cannot be understood is told of once.
  package init(_ settings: LogSettings, _ environment: FunctionEnvironment) {
    var misreadsDescriptor = false
    let controls = LogControls(reading: environment)
    self.environment = environment
    level = controls.level
    decisions = LoggedDecisions(level: controls.level, scope: settings.decisions)
    line = LogLine(controls.format)
    // Outside of Lambda a function has no name.
    let name = environment.variable("AWS_LAMBDA_FUNCTION_NAME") ?? "local"
    metrics = settings.metrics.map { DecisionMetrics($0, functionName: name, least: controls.level) }
    output = LogOutput(LogSink(environment, isMisread: &misreadsDescriptor))
    for name in controls.misread { write(name + ": unknown word, its default holds", .warn) }
    if misreadsDescriptor {
      write("_LAMBDA_TELEMETRY_LOG_FD: no open descriptor, lines go to standard output", .warn)
    }
  }

  /// A log for another worker, before it has a thread; nil where there is no memory for a lock.
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

  /// Writes a line about an invocation, with members of the caller's own.
  ///
  /// - Parameter now: when the event came, in Unix milliseconds.
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

  /// Writes the line of a decision and that of its numbers, each where it is wanted, in one call.
  ///
  /// - Parameters:
  ///   - now: when the event came, in Unix milliseconds.
  ///   - keyFetches: how many key sets this process has asked for since its start.
  func write(
    _ decision: Decision, requestID: String, at now: Int64, microseconds: Int64, keyFetches: Int
  ) {
    let isTold = decisions.contains(decision)
    if isTold {
      line.write(decision, requestID: requestID, unixMilliseconds: now, microseconds: microseconds)
    }
    if metrics != nil {
      metrics?.set(
        decision, requestID: requestID, unixMilliseconds: now, microseconds: microseconds,
        keyFetches: keyFetches)
    }
    guard isTold || metrics != nil else { return }
    output.write { sink in
      if isTold {
        sink.append(line.bytes, decision.logLevel, line.format, unixMilliseconds: now)
      }
      if let metrics { sink.append(metrics.bytes, metrics.level, line.format, unixMilliseconds: now) }
    }
  }
}
