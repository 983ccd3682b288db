internal import Foundation
internal import Synchronization

/// A running function: its output by lines, its end, its memory.
///
/// Two threads serve it, one that waits for its end and one that reads its output; both end with it.
public final class FunctionProcess: Sendable {
  private let child: ChildProcess
  private let command: FunctionCommand
  /// A byte on it asks the reader to look now; its end tells the reader that the process is gone.
  private let wake: SystemCalls.Pipe
  private let shared = Mutex(Shared())
  private let readerIsDone = DispatchSemaphore(value: 0)
  private let onLine: (@Sendable (FunctionLogLine) -> Void)?
  /// What the harness itself had needed when it started the process.
  private let parentPeakKiB: Int?

  private struct Shared {
    var lines: [FunctionLogLine] = []
    /// Null once the process has ended.
    var drains: [CheckedContinuation<Void, Never>]? = []
    var exit: ProcessExit?
    var waiters: [CheckedContinuation<ProcessExit, Never>] = []
    var peakMemoryKiB: Int?
  }

  /// Lines kept between two calls of `takeLines`; older ones are dropped first. Ours: enough for any sane function.
  static let keptLines = 10_000

  /// Starts the command.
  ///
  /// - Parameters:
  ///   - command: what to start.
  ///   - onLine: called with each line as it comes, on a thread of its own.
  /// - Throws: `FunctionStartError` with the system's reason.
  public init(
    _ command: FunctionCommand, onLine: (@Sendable (FunctionLogLine) -> Void)? = nil
  ) throws(FunctionStartError) {
    do throws(SystemError) {
      wake = try SystemCalls.pipe()
      do throws(SystemError) {
        child = try ChildProcess.start(command)
        parentPeakKiB = ChildProcess.ownPeakMemoryKiB()
      } catch {
        wake.closeBoth()
        throw error
      }
    } catch {
      throw FunctionStartError(executable: command.executable, reason: error.reason)
    }
    self.onLine = onLine
    self.command = command
    Thread.detachNewThread { self.readOutput() }
    Thread.detachNewThread { self.awaitEnd() }
  }

  /// Ends the process and everything in its group, at once.
  public func kill() {
    child.killGroup()
  }

  /// Asks the process to end by itself (SIGTERM).
  func terminate() {
    child.terminate()
  }

  /// Ends every function process of this program: for the moment in which a signal ends the program itself.
  public static func killAll() {
    ChildProcess.killAll()
  }

  /// Waits for the end; by then every line has been read.
  public func exit() async -> ProcessExit {
    await withCheckedContinuation { continuation in
      let exit = shared.withLock { shared in
        if shared.exit == nil { shared.waiters.append(continuation) }
        return shared.exit
      }
      if let exit { continuation.resume(returning: exit) }
    }
  }

  /// Everything written before this call and not taken before.
  ///
  /// What a function wrote before it posted its answer is in the pipe by then, so a caller that has the answer gets
  /// the lines that belong to it.
  public func takeLines() async -> [FunctionLogLine] {
    await withCheckedContinuation { continuation in
      let hasEnded = shared.withLock { shared in
        guard shared.drains != nil else { return true }
        shared.drains?.append(continuation)
        SystemCalls.writeByte(wake.write)
        return false
      }
      if hasEnded { continuation.resume() }
    }
    return shared.withLock { shared in
      defer { shared.lines = [] }
      return shared.lines
    }
  }

  /// The most memory that the process or one that it started ever had resident, in KiB, as far as anybody looked before it
  /// ended; `nil` where the system does not say.
  public var peakMemoryKiB: Int? {
    let seen = child.peakMemoryKiB()
    return shared.withLock { shared in
      shared.peakMemoryKiB = [shared.peakMemoryKiB, seen].compactMap { $0 }.max()
      return shared.peakMemoryKiB
    }
  }

  // MARK: The two threads

  private func awaitEnd() {
    child.waitUntilEnded()
    // Under the lock nobody is between looking at `drains` and writing to the pipe.
    let drains = shared.withLock { shared in
      defer { shared.drains = nil }
      SystemCalls.close(wake.write)
      return shared.drains ?? []
    }
    readerIsDone.wait()
    for drain in drains { drain.resume() }
    let collected = child.collect()
    let exit = command.exit(collected.exit)
    let waiters = shared.withLock { shared in
      shared.exit = exit
      if let parentPeakKiB, collected.peakMemoryKiB > parentPeakKiB {
        shared.peakMemoryKiB = max(collected.peakMemoryKiB, shared.peakMemoryKiB ?? 0)
      }
      defer { shared.waiters = [] }
      return shared.waiters
    }
    for waiter in waiters { waiter.resume(returning: exit) }
  }

  private func readOutput() {
    var sources = [
      Source(descriptor: child.standardOutput, splitter: LineSplitter(.standardOutput)),
      Source(descriptor: child.standardError, splitter: LineSplitter(.standardError)),
    ]
    var processRuns = true
    while processRuns {
      let ready = SystemCalls.waitUntilReadable([wake.read] + sources.filter(\.isOpen).map(\.descriptor))
      var drains: [CheckedContinuation<Void, Never>] = []
      if ready.contains(wake.read) {
        if case .end = SystemCalls.read(wake.read) { processRuns = false }
        drains = shared.withLock { shared in
          guard let waiting = shared.drains else { return [] }
          shared.drains = []
          return waiting
        }
      }
      let everything = ready.contains(wake.read)
      for index in sources.indices where everything || ready.contains(sources[index].descriptor) {
        keep(sources[index].read())
      }
      for drain in drains { drain.resume() }
    }
    for index in sources.indices { keep(sources[index].finish()) }
    SystemCalls.close(wake.read)
    readerIsDone.signal()
  }

  private func keep(_ lines: [FunctionLogLine]) {
    guard !lines.isEmpty else { return }
    shared.withLock { shared in
      shared.lines += lines
      if shared.lines.count > Self.keptLines { shared.lines.removeFirst(shared.lines.count - Self.keptLines) }
    }
    if let onLine { lines.forEach(onLine) }
  }
}

/// A command that the system would not start.
public struct FunctionStartError: Error, Equatable, Sendable {
  /// Path of the executable.
  public let executable: String
  /// The system's words.
  public let reason: String
}

/// One output of a process.
private struct Source {
  let descriptor: Int32
  var splitter: LineSplitter
  var isOpen = true

  /// What one look gives: up to 1 MiB, the most that a Linux pipe holds for an ordinary user (pipe(7)); a function
  /// that writes without pause must not keep the reader from anything else.
  private static let bytesPerLook = 1 << 20

  mutating func read() -> [FunctionLogLine] {
    var lines: [FunctionLogLine] = []
    var total = 0
    while isOpen, total < Self.bytesPerLook {
      switch SystemCalls.read(descriptor) {
      case .bytes(let bytes):
        total += bytes.count
        lines += splitter.lines(appending: bytes)
      case .wouldBlock: return lines
      case .end: isOpen = false
      }
    }
    return lines
  }

  mutating func finish() -> [FunctionLogLine] {
    let lines = read() + (splitter.last().map { [$0] } ?? [])
    SystemCalls.close(descriptor)
    isOpen = false
    return lines
  }
}
