internal import Bytes
internal import POSIX
internal import Synchronization

/// A running child process of the operating system.
///
/// It leads its own process group, so that killing the group also kills the processes that it started. It has exactly
/// three descriptors, an empty signal mask and no ignored signals, independent of the harness.
package struct ChildProcess: Sendable {
  package let processID: Int32
  /// The non-blocking read ends of its pipes. The caller of `start` must close them.
  package let standardOutput: Int32
  package let standardError: Int32

  /// The running process groups, so that a signal to the harness can kill them all. A group is inserted before its ID
  /// is known elsewhere, and removed in the same critical section in which its ID becomes free.
  private static let groups = Mutex<Set<Int32>>([])

  package static func start(_ command: FunctionCommand) throws(SystemError) -> ChildProcess {
    let output = try ProcessCalls.pipe()
    let error: ProcessCalls.Pipe
    do throws(SystemError) {
      error = try ProcessCalls.pipe()
    } catch {
      output.closeBoth()
      throw error
    }
    defer {
      SystemCalls.close(output.write)
      SystemCalls.close(error.write)
    }
    do throws(SystemError) {
      let processID = try groups.withLock { groups throws(SystemError) in
        let processID = try ProcessCalls.spawn(command, output: output.write, error: error.write)
        groups.insert(processID)
        return processID
      }
      return ChildProcess(processID: processID, standardOutput: output.read, standardError: error.read)
    } catch let failure {
      SystemCalls.close(output.read)
      SystemCalls.close(error.read)
      throw failure
    }
  }

  /// Kills the child and its whole process group.
  package func killGroup() {
    Self.groups.withLock { groups in
      if groups.contains(processID) { ProcessCalls.killGroup(processID) }
    }
  }

  package func terminate() {
    Self.groups.withLock { groups in
      if groups.contains(processID) { ProcessCalls.terminate(processID) }
    }
  }

  /// Kills all running children, before a signal ends the harness itself.
  package static func killAll() {
    groups.withLock { groups in
      for group in groups { ProcessCalls.killGroup(group) }
    }
  }

  /// Blocks until the child has ended, then kills the rest of its group. Does not collect the child.
  package func waitUntilEnded() {
    ProcessCalls.waitWithoutCollecting(processID)
    killGroup()
  }

  /// Collects the ended child, so that no zombie is left. Its process ID is free from then on.
  package func collect() -> ProcessCalls.Collected {
    Self.groups.withLock { groups in
      groups.remove(processID)
      return ProcessCalls.collect(processID)
    }
  }

  /// Returns the peak resident memory in KiB: the largest `VmHWM` of /proc/PID/status (proc(5)) of the child and its
  /// descendants, because the child may be a shell, `npm` or `poetry` that started the real program. `nil` if there
  /// is no /proc or the process has ended.
  package func peakMemoryKiB() -> Int? {
    // The process ID belongs to the child as long as its group is in the set.
    Self.groups.withLock { $0.contains(processID) ? Self.peakMemoryKiB(below: String(processID)) : nil }
  }

  private static func peakMemoryKiB(below process: String) -> Int? {
    var peaks: [Int] = []
    var processes = [process]
    while let process = processes.popLast(), peaks.count < maximumProcesses {
      if let peak = peakMemoryKiB(of: process) { peaks.append(peak) }
      // The children of the main thread, which starts the processes in most programs. Some kernels have no such file.
      let children = ProcessCalls.contents(ofFile: "/proc/\(process)/task/\(process)/children") ?? []
      processes += children.split(separator: .space).map { String(decoding: $0, as: UTF8.self) }
    }
    return peaks.max()
  }

  /// The maximum number of processes of one function that are examined: our choice, to bound the cost.
  private static let maximumProcesses = 64

  /// Returns the peak resident memory of the harness.
  static func ownPeakMemoryKiB() -> Int? { peakMemoryKiB(of: "self") }

  private static func peakMemoryKiB(of process: String) -> Int? {
    guard let text = ProcessCalls.contents(ofFile: "/proc/\(process)/status") else { return nil }
    // Divides the file only up to the line, because it is read for each call of a function.
    var start = 0
    while start < text.count {
      let end = text.span.firstIndex(of: .lineFeed, from: start)
      if text[start..<end].starts(with: "VmHWM:".utf8) {
        return Int(String(decoding: text[start..<end].filter { $0.isDecimalDigit }, as: UTF8.self))
      }
      start = end + 1
    }
    return nil
  }
}
