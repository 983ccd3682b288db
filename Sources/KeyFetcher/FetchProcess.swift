import POSIX

/// One running `fetch-keys`. Its process is reaped and its descriptors are closed when ``result`` is set, by
/// ``end()``, and when the last reference is released.
final class FetchProcess {
  private var process: Int32
  private var output: OutputStream
  private var diagnosis: OutputStream
  /// The result; nil while the process runs.
  private(set) var result: KeyFetchResult?

  private init(process: Int32, output: OutputStream, diagnosis: OutputStream) {
    self.process = process
    self.output = output
    self.diagnosis = diagnosis
  }

  deinit { end() }

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - arguments: the path and the arguments, which every process of the machine can read.
  ///   - environment: the complete environment, each entry as `NAME=value`.
  ///   - input: the bytes of standard input; at most 4096, which a pipe accepts without a reader (pipe(7)).
  static func started(
    arguments: [String], environment: [String], input: [UInt8]
  ) -> Result<FetchProcess, KeyFetchError> {
    guard let pipes = Pipes(input: input) else {
      return .failure(.startFailed(errorNumber: SystemCalls.errorNumber))
    }
    let spawned = SystemCalls.spawn(
      arguments: arguments, environment: environment, input: pipes.input, output: pipes.output.writeEnd,
      errorOutput: pipes.diagnosis.writeEnd)
    SystemCalls.close(pipes.input)
    SystemCalls.close(pipes.output.writeEnd)
    SystemCalls.close(pipes.diagnosis.writeEnd)
    guard spawned.errorNumber == 0 else {
      SystemCalls.close(pipes.output.readEnd)
      SystemCalls.close(pipes.diagnosis.readEnd)
      return .failure(
        SystemCalls.isMissingFile(spawned.errorNumber)
          ? .executableMissing(path: arguments[0], errorNumber: spawned.errorNumber)
          : .startFailed(errorNumber: spawned.errorNumber))
    }
    return .success(
      FetchProcess(
        process: spawned.process,
        output: OutputStream(
          pipes.output.readEnd, byteLimit: FetchLimit.statusLineBytes + FetchLimit.bodyBytes),
        diagnosis: OutputStream(pipes.diagnosis.readEnd, byteLimit: FetchLimit.diagnosisBytes)))
  }

  /// Waits until one of the processes has written or ended, and reads the available output.
  static func advance(_ processes: [FetchProcess], upToMilliseconds limit: Int64) {
    let descriptors = processes.flatMap {
      [$0.output.descriptor, $0.diagnosis.descriptor].compactMap { $0 }
    }
    // A process closes its streams shortly before it can be reaped, and there is no event for that, so this polls.
    let isEnding = processes.contains { $0.hasClosedItsStreams }
    let ready = SystemCalls.wait(for: descriptors, milliseconds: isEnding ? 1 : limit)
    for process in processes { process.advance(ready) }
  }

  /// Kills the process and its children if it still runs, and reaps it.
  func end() {
    output.close()
    diagnosis.close()
    guard process > 0 else { return }
    SystemCalls.killGroup(process)
    _ = SystemCalls.reap(process, waits: true)
    process = 0
  }

  private var hasClosedItsStreams: Bool { output.descriptor == nil && diagnosis.descriptor == nil }

  private func advance(_ ready: [Int32]) {
    output.read(ifIn: ready)
    diagnosis.read(ifIn: ready)
    if output.isOverrun || diagnosis.isOverrun {
      end()
      result = .failure(.malformedOutput)
    } else if hasClosedItsStreams {
      switch SystemCalls.reap(process, waits: false) {
      case .running: return
      case .exited(let code):
        process = 0
        result = FetchOutput.result(exitCode: code, output: output.bytes, diagnosis: diagnosis.bytes)
      case .lost:
        process = 0
        result = .failure(.malformedOutput)
      }
    }
  }
}

/// The standard streams of a child.
private struct Pipes {
  /// The read end of a pipe that already contains the complete input.
  let input: Int32
  let output: (readEnd: Int32, writeEnd: Int32)
  let diagnosis: (readEnd: Int32, writeEnd: Int32)

  /// Nil if the system refuses; then `errno` is set and all descriptors are closed.
  init?(input bytes: [UInt8]) {
    guard let input = SystemCalls.pipe() else { return nil }
    let isWritten = SystemCalls.write(bytes, to: input.writeEnd) == 0
    SystemCalls.close(input.writeEnd)
    guard isWritten, let output = SystemCalls.pipe() else {
      SystemCalls.close(input.readEnd)
      return nil
    }
    guard let diagnosis = SystemCalls.pipe() else {
      for descriptor in [input.readEnd, output.readEnd, output.writeEnd] { SystemCalls.close(descriptor) }
      return nil
    }
    self.input = input.readEnd
    self.output = output
    self.diagnosis = diagnosis
  }
}

/// The read end of a pipe from a child, with a limit for its bytes.
private struct OutputStream {
  private(set) var descriptor: Int32?
  private(set) var bytes: [UInt8] = []
  private(set) var isOverrun = false
  private let byteLimit: Int

  init(_ descriptor: Int32, byteLimit: Int) {
    self.descriptor = descriptor
    self.byteLimit = byteLimit
  }

  mutating func read(ifIn ready: [Int32]) {
    guard let descriptor, ready.contains(descriptor) else { return }
    let count = SystemCalls.read(descriptor, atMost: 16 << 10, appendingTo: &bytes)
    isOverrun = bytes.count > byteLimit
    if count <= 0 { close() }
  }

  mutating func close() {
    guard let descriptor else { return }
    SystemCalls.close(descriptor)
    self.descriptor = nil
  }
}
