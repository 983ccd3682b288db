import Foundation
import TestSupport

/// The process of `crashing-function`, with a server of the test.
final class FunctionUnderTest {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let errors = Pipe()
  private let watchdog: DispatchWorkItem

  /// Starts the process with the address and `variables` as its environment.
  ///
  /// - Parameter errorsAreFull: whether its standard error is a full pipe until `finish` reads it.
  init(_ address: String, _ variables: [String: String] = [:], errorsAreFull: Bool = false) throws {
    if errorsAreFull { Self.fill(errors) }
    process.executableURL = Checkout.built("crashing-function")
    process.environment = variables.merging([
      "AWS_LAMBDA_RUNTIME_API": address, "SWIFT_BACKTRACE": "enable=no",
    ]) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // A failing test must not wait forever.
    watchdog = HangLimit.killer(of: process.processIdentifier)
  }

  deinit {
    watchdog.cancel()
    if process.isRunning { send(SIGKILL) }
  }

  private static func fill(_ pipe: Pipe) {
    let writer = pipe.fileHandleForWriting
    _ = fcntl(writer.fileDescriptor, F_SETFL, O_NONBLOCK)
    // Writes whole pages, then single bytes, until the pipe is full and refuses (pipe(7)).
    for size in [4096, 1] { while (try? writer.write(contentsOf: Data(count: size))) != nil {} }
    _ = fcntl(writer.fileDescriptor, F_SETFL, 0)
  }

  var processID: Int32 { process.processIdentifier }

  func send(_ signal: Int32) { kill(processID, signal) }

  /// Waits until the process performs the act `hold`.
  func waitUntilHeld() { _ = try? output.fileHandleForReading.read(upToCount: 1) }

  /// Ends the act `hold`.
  func release() throws { try input.fileHandleForWriting.write(contentsOf: Data([0])) }

  /// The end of a process.
  enum End: Equatable {
    case status(Int32)
    case signal(Int32)
  }

  /// Waits for the end of the process; also returns its standard error.
  func finish() throws -> (end: End, errors: String) {
    let text = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    watchdog.cancel()
    let status = process.terminationStatus
    let end: End = process.terminationReason == .exit ? .status(status) : .signal(status)
    return (end, String(decoding: text, as: UTF8.self))
  }
}
