internal import LambdaEmulator
internal import POSIX

/// One process of a function under the benchmark's Runtime API. The caller must call `end`.
final class BenchFunction {
  private let server: BenchServer
  private let child: ChildProcess
  /// The time before the process was created.
  private let started: UInt64
  private var invocations = 0
  /// The end of its output, for the report of a failure.
  private(set) var lastWords: [UInt8] = []
  private var waitingSince: UInt64

  /// The time limit in seconds for the first request and for each answer: Lambda's initialization limit (AWS Lambda,
  /// "Lambda execution environment lifecycle").
  static let limitSeconds = 10
  /// The number of invocations after which its output is read, outside of the measured time. A pipe holds 64 KiB
  /// (pipe(7)) and a decision is a line of some 300 bytes, so no write blocks.
  private static let invocationsPerLook = 32
  private static let keptOutputBytes = 8 << 10
  /// The time from SIGTERM until it is killed (our own choice). A profiler that runs the function writes its file in it.
  private static let graceNanoseconds: UInt64 = 2_000_000_000

  /// Starts the command on the function's core.
  ///
  /// - Throws: `notStarted`.
  init(_ command: FunctionCommand, on cores: BenchCores) throws(BenchFault) {
    do throws(SystemError) {
      server = try BenchServer()
      var command = command
      command.environment["AWS_LAMBDA_RUNTIME_API"] = "127.0.0.1:\(server.port)"
      (child, started) = try cores.onFunctionCore { () throws(SystemError) in
        let now = BenchSystemCalls.nanoseconds()
        return (try ChildProcess.start(command), now)
      }
      waitingSince = started
    } catch {
      throw .notStarted(reason: error.reason)
    }
  }

  /// Waits for its first request for an event.
  ///
  /// - Returns: the nanoseconds since before the process was created.
  func awaitInitialization() throws(BenchFault) -> UInt64 {
    let arrival = try awaitRequest()
    switch arrival.request.call {
    case .next: return arrival.nanoseconds - started
    case .initializationError:
      throw .initializationError(String(decoding: arrival.request.body, as: UTF8.self))
    case .response, .error: throw .protocolViolation("an answer before the first event")
    }
  }

  /// Sends it an event, for which it must be waiting, and returns the answer.
  ///
  /// - Returns: the answer, the nanoseconds since before the event was written, and those since before the process
  ///   was created.
  func answer(to event: BenchEvent) throws(BenchFault) -> (body: [UInt8], warm: UInt64, sinceStart: UInt64) {
    let given = server.answer(event.response)
    let arrival = try awaitRequest()
    switch arrival.request.call {
    case .response(let id) where id == event.requestID:
      return (arrival.request.body, arrival.nanoseconds - given, arrival.nanoseconds - started)
    case .response, .error: break
    case .next, .initializationError: throw .protocolViolation("another request before the answer")
    }
    guard case .error(let id) = arrival.request.call, id == event.requestID else {
      throw .protocolViolation("an answer to another event")
    }
    throw .functionError(String(decoding: arrival.request.body, as: UTF8.self))
  }

  /// Accepts the answer, and waits until the process requests the next event.
  func awaitNext() throws(BenchFault) {
    _ = server.answer(Self.accepted)
    let arrival = try awaitRequest()
    guard arrival.request.call == .next else { throw .protocolViolation("a second answer to one event") }
    invocations += 1
    if invocations % Self.invocationsPerLook == 0 { readOutput() }
  }

  /// The CPU time so far, in nanoseconds.
  var processorNanoseconds: UInt64? { BenchSystemCalls.processorNanoseconds(of: child.processID) }

  var peakMemoryKiB: Int? { child.peakMemoryKiB() }

  /// Ends the process: by SIGTERM, or by SIGKILL if it does not end. Must be the last call, and called once.
  func end() {
    child.terminate()
    let end = BenchSystemCalls.nanoseconds() + Self.graceNanoseconds
    while !BenchSystemCalls.hasEnded(child.processID), BenchSystemCalls.nanoseconds() < end {
      readOutput()
      SystemCalls.pause(milliseconds: 1)
    }
    child.killGroup()
    child.waitUntilEnded()
    readOutput()
    SystemCalls.close(child.standardOutput)
    SystemCalls.close(child.standardError)
    _ = child.collect()
  }

  /// A 202 (RFC 9110 section 15.3.3) with Lambda's body.
  private static let accepted = Array(
    "HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{\"status\":\"OK\"}\n"
      .utf8)

  private func awaitRequest() throws(BenchFault) -> BenchServer.Arrival {
    waitingSince = BenchSystemCalls.nanoseconds()
    return try server.nextRequest { () throws(BenchFault) in
      // A process that writes more than a pipe holds would block forever.
      readOutput()
      if BenchSystemCalls.hasEnded(child.processID) { throw .died }
      guard BenchSystemCalls.nanoseconds() - waitingSince < UInt64(Self.limitSeconds) * 1_000_000_000 else {
        throw .timedOut(seconds: Self.limitSeconds)
      }
    }
  }

  /// Reads its output and stores the end of it.
  func readOutput() {
    for descriptor in [child.standardOutput, child.standardError] {
      while case .bytes(let bytes) = ProcessCalls.read(descriptor) { lastWords += bytes }
    }
    if lastWords.count > Self.keptOutputBytes {
      lastWords.removeFirst(lastWords.count - Self.keptOutputBytes)
    }
  }
}
