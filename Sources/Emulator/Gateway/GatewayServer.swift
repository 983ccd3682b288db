public import Logging

/// The gateway on a port of 127.0.0.1.
public enum GatewayServer {
  /// Serves for as long as `body` runs.
  ///
  /// - Parameters:
  ///   - service: the gateway.
  ///   - issuer: the development issuer beside it.
  ///   - invocations: Lambda's Invoke API for the same functions, where it shall be there.
  ///   - port: 0 for any that is free.
  ///   - logger: for the server's own troubles.
  ///   - body: is given the port.
  /// - Throws: what `body` throws, or the system's error when it cannot listen.
  public static func run<Result: Sendable>(
    _ service: GatewayService, issuer: DevelopmentIssuer, invocations: InvokeAPI? = nil, port: Int = 0,
    logger: Logger,
    _ body: @escaping @Sendable (_ port: Int) async throws -> Result
  ) async throws -> Result {
    let responder = GatewayResponder(
      service: service, development: DevelopmentEndpoint(service: service, issuer: issuer),
      invocations: invocations)
    let channel = WebSocketChannel(responder: LoopbackServer.answer(by: responder), gateway: responder)
    return try await LoopbackServer.run(channel, port: port, logger: logger, body)
  }
}
