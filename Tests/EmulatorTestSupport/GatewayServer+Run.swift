@testable import GatewayEmulator
import Logging

extension GatewayServer {
  /// Serves while `body` runs.
  ///
  /// - Parameter port: 0 for any free port.
  func run<Result: Sendable>(
    port: Int = 0, logger: Logger, _ body: @escaping @Sendable (_ port: Int) async throws -> Result
  ) async throws -> Result {
    let listener = GatewayListener()
    listener.open(self)
    return try await listener.listen(port: port, logger: logger, body)
  }
}
