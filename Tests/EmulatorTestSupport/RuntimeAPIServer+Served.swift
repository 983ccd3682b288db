import Logging
import TestSupport

@testable import LambdaEmulator

extension Logger {
  static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

extension RuntimeAPIServer {
  /// Serves the Runtime API for a scripted client.
  static func served<Result: Sendable>(
    clock: LambdaClock = .longTimeouts,
    _ body: @escaping @Sendable (RuntimeAPIServer, LoopbackClient) async throws -> Result
  ) async throws -> Result {
    var limits = ExecutionEnvironment.Limits()
    limits.initializationMilliseconds = HangLimit.milliseconds
    return try await run(clock: clock, limits: limits, logger: .silent) { server in
      server.processStarted()
      return try await body(server, LoopbackClient(base: "http://\(server.address)/2018-06-01"))
    }
  }
}

extension LambdaClock {
  /// This machine's clocks, with long timeouts of API Gateway and of ending processes, which no test depends on.
  static let longTimeouts = LambdaClock.system.multiplyingTimeouts(by: HangLimit.seconds)
}
