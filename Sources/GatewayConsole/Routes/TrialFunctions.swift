internal import GatewayEmulator
internal import Synchronization

/// Authorizers beside those of the gateway, for replays at another time: the clock of a real one is that of every request.
///
/// One replay after the other uses them, because each moves their clock.
package final class TrialFunctions: Sendable {
  private let functions: [String: any FunctionInvoking]
  private let running: String
  private let isTaken = Mutex(false)

  /// - Parameter running: what runs if it is taken.
  init(_ functions: [String: any FunctionInvoking], running: String = "another replay or matrix") {
    (self.functions, self.running) = (functions, running)
  }

  /// Runs the body with authorizers whose clock has this offset to the machine's, and with the names of those that can
  /// be moved.
  ///
  /// - Throws: `busy`, and the errors of the body.
  func run<Result>(
    offsetSeconds: Int64,
    _ body: ([String: any FunctionInvoking], _ moved: Set<String>) async throws(ConsoleProblem) -> Result
  ) async throws(ConsoleProblem) -> Result {
    try await alone { () async throws(ConsoleProblem) in
      let moved = functions.filter { $0.value.setClockOffset(seconds: offsetSeconds) }
      return try await body(functions, Set(moved.keys))
    }
  }

  /// Runs the body while no other does.
  ///
  /// - Throws: `busy`, and the errors of the body.
  func alone<Result>(
    _ body: () async throws(ConsoleProblem) -> Result
  ) async throws(ConsoleProblem) -> Result {
    let isFree = isTaken.withLock { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
    guard isFree else { throw .busy("\(running) is running; send it again") }
    defer { isTaken.withLock { $0 = false } }
    return try await body()
  }
}
