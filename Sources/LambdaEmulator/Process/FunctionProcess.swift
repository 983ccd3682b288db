internal import Foundation
internal import POSIX
internal import Synchronization

/// A running function process: its output lines, its exit and its memory.
///
/// It has two threads: one waits for the exit, the other reads the output. Both end with the process.
package final class FunctionProcess: Sendable {
  private let child: ChildProcess
  private let command: FunctionCommand
  /// A byte on this pipe makes the reader read now; its end tells the reader that the process has ended.
  private let wake: ProcessCalls.Pipe
  private let shared = Mutex(Shared())
  private let readerIsDone = DispatchSemaphore(value: 0)
  private let onLine: (@Sendable (FunctionLogLine) -> Void)?
  /// The peak memory of the harness when it started the process.
  private let parentPeakKiB: Int?

  private struct Shared {
    var lines: [FunctionLogLine] = []
    /// `nil` once the process has ended.
    var drains: [CheckedContinuation<Void, Never>]? = []
    var exit: ProcessExit?
    var waiters: [CheckedContinuation<ProcessExit, Never>] = []
    var peakMemoryKiB: Int?
  }

  /// The maximum number of lines stored between two calls of `takeLines`; the oldest are dropped. Our choice.
  static let keptLines = 10_000
  /// The maximum bytes of these lines, 16 MiB; the oldest are dropped. Our choice.
  package static let keptBytes = 16 << 20

  /// Starts the command.
  ///
  /// - Parameter onLine: called with each line, on a separate thread.
  /// - Throws: `FunctionStartError` with the system's reason.
  package init(
    _ command: FunctionCommand, onLine: (@Sendable (FunctionLogLine) -> Void)? = nil
  ) throws(FunctionStartError) {
    do throws(SystemError) {
      wake = try ProcessCalls.pipe()
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

  /// Kills the process and its whole process group.
  package func kill() {
    child.killGroup()
  }

  package func terminate() {
    child.terminate()
  }

  /// Waits for the exit; every line has been read by then.
  package func exit() async -> ProcessExit {
    await withCheckedContinuation { continuation in
      let exit = shared.withLock { shared in
        if shared.exit == nil { shared.waiters.append(continuation) }
        return shared.exit
      }
      if let exit { continuation.resume(returning: exit) }
    }
  }

  /// Returns the lines written since the previous call.
  ///
  /// Everything that a function wrote before it posted its answer is in the pipe by then. So a caller that has the
  /// answer gets all of its lines.
  package func takeLines() async -> [FunctionLogLine] {
    await withCheckedContinuation { continuation in
      let hasEnded = shared.withLock { shared in
        guard shared.drains != nil else { return true }
        shared.drains?.append(continuation)
        _ = SystemCalls.write([1], to: wake.write)
        return false
      }
      if hasEnded { continuation.resume() }
    }
    return shared.withLock { shared in
      defer { shared.lines = [] }
      return shared.lines
    }
  }

  /// The peak resident memory of the process and its descendants in KiB, from the samples taken before it ended;
  /// `nil` if the system does not report it.
  package var peakMemoryKiB: Int? {
    let seen = child.peakMemoryKiB()
    return shared.withLock { shared in
      shared.peakMemoryKiB = [shared.peakMemoryKiB, seen].compactMap { $0 }.max()
      return shared.peakMemoryKiB
    }
  }

  // MARK: The two threads

  private func awaitEnd() {
    child.waitUntilEnded()
    // The lock ensures that no thread is between reading `drains` and writing to the pipe.
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
      let ready = SystemCalls.wait(
        for: [wake.read] + sources.filter(\.isOpen).map(\.descriptor), milliseconds: -1)
      var drains: [CheckedContinuation<Void, Never>] = []
      if ready.contains(wake.read) {
        if case .end = ProcessCalls.read(wake.read) { processRuns = false }
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
      shared.lines.dropOldestLines(\.text)
    }
    if let onLine { lines.forEach(onLine) }
  }
}

/// The error of a command that the system could not start.
package struct FunctionStartError: Error, Equatable, Sendable {
  package let executable: String
  package let reason: String
}

private struct Source {
  let descriptor: Int32
  var splitter: LineSplitter
  var isOpen = true

  /// The maximum bytes of one read: 1 MiB, the maximum capacity of a Linux pipe for an unprivileged user (pipe(7)). A
  /// function that writes without pause must not block the reader.
  private static let bytesPerLook = 1 << 20

  mutating func read() -> [FunctionLogLine] {
    var lines: [FunctionLogLine] = []
    var total = 0
    while isOpen, total < Self.bytesPerLook {
      switch ProcessCalls.read(descriptor) {
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
