internal import Synchronization

/// A started child process as the operating system sees it.
///
/// It leads a process group of its own, so that ending it ends what it started. It has exactly three descriptors, an
/// empty signal mask and no ignored signal, whatever the harness has.
struct ChildProcess: Sendable {
  let processID: Int32
  /// Read ends of its pipes; not blocking. Whoever started the child closes them.
  let standardOutput: Int32
  let standardError: Int32

  /// Process groups that are alive, so that a signal to the harness can end them all. A group enters before anybody
  /// knows its number and leaves in the same breath as its number becomes free.
  private static let groups = Mutex<Set<Int32>>([])

  static func start(_ command: FunctionCommand) throws(SystemError) -> ChildProcess {
    let output = try SystemCalls.pipe()
    let error: SystemCalls.Pipe
    do throws(SystemError) {
      error = try SystemCalls.pipe()
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
        let processID = try SystemCalls.spawn(command, output: output.write, error: error.write)
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

  /// Ends the child and everything in its group.
  func killGroup() {
    Self.groups.withLock { groups in
      if groups.contains(processID) { SystemCalls.killGroup(processID) }
    }
  }

  /// Asks the child itself to end (SIGTERM).
  func terminate() {
    Self.groups.withLock { groups in
      if groups.contains(processID) { SystemCalls.terminate(processID) }
    }
  }

  /// Ends every child that is alive: for the harness's own last moment.
  static func killAll() {
    groups.withLock { groups in
      for group in groups { SystemCalls.killGroup(group) }
    }
  }

  /// Blocks until the child has ended, ends the rest of its group, and leaves the child to be collected.
  func waitUntilEnded() {
    SystemCalls.waitWithoutCollecting(processID)
    killGroup()
  }

  /// Collects the ended child: no zombie stays, and its number is free from here on.
  func collect() -> SystemCalls.Collected {
    Self.groups.withLock { groups in
      groups.remove(processID)
      return SystemCalls.collect(processID)
    }
  }

  /// The most memory that it or a process below it ever had resident, in KiB: the largest `VmHWM` of /proc/PID/status
  /// (proc(5)), since a shell, `npm` or `poetry` stands before the real one. `nil` where there is no /proc or the process has
  /// ended.
  func peakMemoryKiB() -> Int? {
    // The number is the child's own for as long as its group is known.
    Self.groups.withLock { $0.contains(processID) ? Self.peakMemoryKiB(below: String(processID)) : nil }
  }

  private static func peakMemoryKiB(below process: String) -> Int? {
    var peaks: [Int] = []
    var processes = [process]
    while let process = processes.popLast(), peaks.count < maximumProcesses {
      if let peak = peakMemoryKiB(of: process) { peaks.append(peak) }
      // Of the main thread, which is the one that starts processes in most programs; absent where the kernel has no such file.
      let children = SystemCalls.contents(ofFile: "/proc/\(process)/task/\(process)/children") ?? []
      processes += children.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
    }
    return peaks.max()
  }

  /// Processes of one function that are looked at; ours, so that one that starts many costs no more.
  private static let maximumProcesses = 64

  /// The same of the harness.
  static func ownPeakMemoryKiB() -> Int? { peakMemoryKiB(of: "self") }

  private static func peakMemoryKiB(of process: String) -> Int? {
    guard let text = SystemCalls.contents(ofFile: "/proc/\(process)/status") else { return nil }
    for line in text.split(separator: 0x0A) where line.starts(with: "VmHWM:".utf8) {
      return Int(String(decoding: line.filter { (0x30...0x39).contains($0) }, as: UTF8.self))
    }
    return nil
  }
}
