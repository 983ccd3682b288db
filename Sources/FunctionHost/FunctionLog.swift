/// The log of one worker. Belongs to one thread; all workers share the output.
package final class FunctionLog {
  private let environment: FunctionEnvironment
  /// The minimum level of a line.
  package let level: LogLevel
  private var line: LogLine
  private let output: LogOutput

  /// Creates the log for Lambda's variables. Logs once which of them are invalid.
  package init(_ environment: FunctionEnvironment) {
    var misreadsDescriptor = false
    let controls = LogControls(reading: environment)
    self.environment = environment
    level = controls.level
    line = LogLine(controls.format)
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
    environment = other.environment
    level = other.level
    line = LogLine(other.line.format)
    output = other.output
  }

  package var format: LogFormat { line.format }

  /// Writes a line about the function itself.
  package func write(_ message: String, _ level: LogLevel, requestID: String? = nil) {
    guard level >= self.level else { return }
    let now = environment.unixMilliseconds
    line.begin(level, message, requestID: requestID.map { Array($0.utf8)[...] }, unixMilliseconds: now)
    line.end()
    output.write { $0.append(line, level, unixMilliseconds: now) }
  }

  /// Writes a line about an invocation, with additional members.
  ///
  /// - Parameter now: when the event arrived, in Unix milliseconds.
  package func write(
    _ message: String, _ level: LogLevel, requestID: ArraySlice<UInt8>, at now: Int64,
    members: (inout LogLine) -> Void
  ) {
    guard level >= self.level else { return }
    line.begin(level, message, requestID: requestID, unixMilliseconds: now)
    members(&line)
    line.end()
    output.write { $0.append(line, level, unixMilliseconds: now) }
  }

  /// Writes a line about an issuer's keys.
  package func write(_ notice: Notice) {
    guard notice.level >= level else { return }
    let now = environment.unixMilliseconds
    line.write(notice, unixMilliseconds: now)
    output.write { $0.append(line, notice.level, unixMilliseconds: now) }
  }

  /// Writes all lines that are added, in one call.
  package func write(_ addLines: (inout LogSink) -> Void) { output.write(addLines) }
}
