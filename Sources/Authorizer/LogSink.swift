/// The one place of a process where lines go, whichever worker writes them: each whole, none inside another.
final class LogOutput {
  private var sink: LogSink
  /// Nil for a process of one worker, which pays for no lock.
  private var monitor: Monitor?

  init(_ sink: LogSink) { self.sink = sink }

  /// Has everybody take a lock from here on; before there is another thread. False where there is no memory for one.
  func share() -> Bool {
    if monitor == nil { monitor = Monitor() }
    return monitor != nil
  }

  /// Writes the lines that are added, in one call.
  func write(_ addLines: (inout LogSink) -> Void) {
    monitor?.lock()
    addLines(&sink)
    sink.flush()
    monitor?.unlock()
  }
}

/// Where lines go: standard output, a line feed after each, or the descriptor that Lambda names, in frames.
///
/// Whole lines are written in one call. A reader that has gone costs lines and never the function, and so does one that does not
/// read where the descriptor does not block: what cannot be written is dropped, and a line of which a part is written is
/// finished first. A full pipe that blocks holds up the function, as it would any program.
struct LogSink {
  private let descriptor: Int32
  private let isFramed: Bool
  private var output: [UInt8] = []
  private var written = 0
  /// The last line could not be written in time: the next one does not wait at all.
  private var isStalled = false

  /// Bytes that are kept for a reader that does not read: ours, as much as a pipe of Linux holds (pipe(7)).
  static let keptBytes = 64 << 10
  /// How often, and for how many milliseconds each time, a full descriptor that does not block is waited for: ours. An
  /// authorizer has 10 s for its answer.
  static let waits = 5
  static let waitMilliseconds: Int32 = 20

  /// Lines to this descriptor.
  init(descriptor: Int32, isFramed: Bool) {
    self.descriptor = descriptor
    self.isFramed = isFramed
    output.reserveCapacity(2048)
  }

  /// Lines to where Lambda wants them: to `_LAMBDA_TELEMETRY_LOG_FD` where it is set, which managed runtimes get.
  ///
  /// The variable is gone from the environment afterwards, and no program started later has the descriptor.
  ///
  /// - Parameter isMisread: becomes true where the variable names nothing that can be written to.
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

  /// Adds a line, which has no line feed in it.
  mutating func append(_ line: [UInt8], _ level: LogLevel, _ format: LogFormat, unixMilliseconds: Int64) {
    guard output.count - written + line.count + Self.frameHeadBytes <= Self.keptBytes else { return }
    if isFramed {
      // Type and level, length, time in microseconds, all big-endian, as Lambda's own runtimes write them.
      let type: UInt32 = format == .json ? 0xA55A_0002 : 0xA55A_0003
      append(bigEndian: UInt64(type | UInt32(level.rawValue) << 2) << 32 | UInt64(line.count))
      append(bigEndian: UInt64(clamping: unixMilliseconds) &* 1000)
      output += line
    } else {
      output += line
      output.append(0x0A)
    }
  }

  private static let frameHeadBytes = 16

  /// Writes what has been added.
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
