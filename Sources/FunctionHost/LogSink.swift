import Bytes

/// The log output that all workers of a process share. Lines never mix.
final class LogOutput {
  private var sink: LogSink
  /// Nil for a process with one worker, which needs no lock.
  private var monitor: Monitor?

  init(_ sink: LogSink) { self.sink = sink }

  /// Enables locking; call before other threads start. Returns false if there is no memory for a lock.
  func share() -> Bool {
    if monitor == nil { monitor = Monitor() }
    return monitor != nil
  }

  /// Writes the added lines in one call.
  func write(_ addLines: (inout LogSink) -> Void) {
    monitor?.lock()
    addLines(&sink)
    sink.flush()
    monitor?.unlock()
  }
}

/// The destination of log lines: standard output with a line feed after each, or frames to the descriptor that Lambda
/// names.
///
/// Whole lines are written in one call. If the reader is gone, or does not read from a nonblocking descriptor, lines
/// are lost but the function continues. Lines that cannot be written are dropped; a partly written line is completed
/// first. A full pipe that blocks delays the function, as it would any program.
package struct LogSink {
  private let descriptor: Int32
  private let isFramed: Bool
  private var output: [UInt8] = []
  private var written = 0
  /// Whether the last line could not be written in time; the next one then does not wait.
  private var isStalled = false

  /// The buffer limit in bytes for a slow reader. Our own: the capacity of a pipe on Linux (pipe(7)).
  static let bufferedBytes = 64 << 10
  /// How often to wait for a full nonblocking descriptor, and for how many milliseconds each time. Our own limits: an
  /// authorizer has 10 s for its answer.
  static let waits = 5
  static let waitMilliseconds: Int32 = 20

  /// A sink for this descriptor.
  init(descriptor: Int32, isFramed: Bool) {
    self.descriptor = descriptor
    self.isFramed = isFramed
    output.reserveCapacity(2048)
  }

  /// A sink for the descriptor that Lambda chooses: `_LAMBDA_TELEMETRY_LOG_FD` if set, which managed runtimes get.
  ///
  /// Removes the variable from the environment; child processes do not inherit the descriptor.
  ///
  /// - Parameter isMisread: becomes true if the variable does not name a writable descriptor.
  init(_ environment: FunctionEnvironment, isMisread: inout Bool) {
    environment.holdStandardStreams()
    let name = "_LAMBDA_TELEMETRY_LOG_FD"
    guard let text = environment.variable(name) else {
      self.init(descriptor: FunctionEnvironment.standardOutput, isFramed: false)
      return
    }
    environment.unset(name)
    guard let descriptor = Int32(text), environment.adopt(descriptor) else {
      isMisread = true
      self.init(descriptor: FunctionEnvironment.standardOutput, isFramed: false)
      return
    }
    self.init(descriptor: descriptor, isFramed: true)
  }

  package mutating func append(_ line: LogLine, _ level: LogLevel, unixMilliseconds: Int64) {
    guard begin(byteCount: line.text.count, level, line.format, at: unixMilliseconds) else { return }
    line.text.append(to: &output)
    if !isFramed { output.append(.lineFeed) }
  }

  /// Adds a line without a line feed.
  package mutating func append(
    _ line: [UInt8], _ level: LogLevel, _ format: LogFormat, unixMilliseconds: Int64
  ) {
    guard begin(byteCount: line.count, level, format, at: unixMilliseconds) else { return }
    output.append(copying: line)
    if !isFramed { output.append(.lineFeed) }
  }

  /// Adds the head of a frame, if the output has frames. Returns whether the line fits in the buffer.
  private mutating func begin(
    byteCount: Int, _ level: LogLevel, _ format: LogFormat, at unixMilliseconds: Int64
  ) -> Bool {
    guard output.count - written + byteCount + Self.frameHeadBytes <= Self.bufferedBytes else { return false }
    if isFramed {
      // Type and level, length, time in microseconds, all big-endian, as Lambda's own runtimes write them.
      let type: UInt32 = format == .json ? 0xA55A_0002 : 0xA55A_0003
      append(bigEndian: UInt64(type | UInt32(level.rawValue) << 2) << 32 | UInt64(byteCount))
      append(bigEndian: UInt64(clamping: unixMilliseconds) &* 1000)
    }
    return true
  }

  private static let frameHeadBytes = 16

  /// Writes the added lines.
  mutating func flush() {
    var waits = isStalled ? 0 : Self.waits
    while written < output.count {
      switch FunctionEnvironment.write(output, from: written, to: descriptor) {
      case .wrote(let count): written += count
      case .wouldBlock:
        guard waits > 0 else { return stall() }
        waits -= 1
        FunctionEnvironment.waitUntilWritable(descriptor, milliseconds: Self.waitMilliseconds)
      case .failed:
        written = output.count
      }
    }
    output.removeAll(keepingCapacity: true)
    written = 0
    isStalled = false
  }

  private mutating func stall() {
    output.removeFirst(written)
    written = 0
    isStalled = true
  }

  private mutating func append(bigEndian value: UInt64) {
    var shift: UInt64 = 64
    while shift > 0 {
      shift -= 8
      output.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}
