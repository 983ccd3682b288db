/// One `fetch-keys` under way. Its process is reaped and its descriptors are closed once ``result`` is there, after
/// ``end()``, and when the last reference goes.
final class FetchProcess {
  private var process: Int32
  private var output: OutputStream
  private var diagnosis: OutputStream
  /// How it ended; nil while it goes on.
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
  ///   - arguments: its path and the words after it, which every process of the machine may read.
  ///   - environment: `NAME=value`, the whole of it.
  ///   - input: what it reads from standard input; at most 4096 bytes, which a pipe holds without a reader (pipe(7)).
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

  /// Waits until one of the processes has written or ended, and takes what is there.
  static func advance(_ processes: [FetchProcess], upToMilliseconds limit: Int64) {
    let descriptors = processes.flatMap {
      [$0.output.descriptor, $0.diagnosis.descriptor].compactMap { $0 }
    }
    // A process closes its streams a moment before it can be reaped, and nothing says when it can.
    let isEnding = processes.contains { $0.hasClosedItsStreams }
    let ready = SystemCalls.wait(for: descriptors, milliseconds: isEnding ? 1 : limit)
    for process in processes { process.advance(ready) }
  }

  /// Kills the process where it still runs, with all that it started, and reaps it.
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
  /// Its end of a pipe that holds all there is to read.
  let input: Int32
  let output: (readEnd: Int32, writeEnd: Int32)
  let diagnosis: (readEnd: Int32, writeEnd: Int32)

  /// Nil, with the `errno` and nothing left open, where the system has no more of them.
  init?(input bytes: [UInt8]) {
    guard let input = SystemCalls.pipe() else { return nil }
    let isWritten = SystemCalls.write(bytes, to: input.writeEnd)
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

/// The reading end of a pipe from a child, with an end to what is taken from it.
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
    let count = SystemCalls.read(descriptor, appendingTo: &bytes)
    isOverrun = bytes.count > byteLimit
    if count <= 0 { close() }
  }

  mutating func close() {
    guard let descriptor else { return }
    SystemCalls.close(descriptor)
    self.descriptor = nil
  }
}
