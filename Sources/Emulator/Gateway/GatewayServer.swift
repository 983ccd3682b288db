internal import Hummingbird
internal import HummingbirdCore
public import Logging
internal import NIOCore

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
    let router = Router(context: BasicRequestContext.self)
    invocations?.addRoutes(to: router)
    let responder = GatewayResponder(
      service: service, development: DevelopmentEndpoint(service: service, issuer: issuer),
      invocations: invocations == nil ? nil : router.buildResponder())
    let (ports, announced) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      responder: responder,
      server: HTTPServerBuilder { handler in WebSocketChannel(responder: handler, gateway: responder) },
      configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        announced.yield(channel.localAddress?.port ?? 0)
        announced.finish()
      },
      logger: logger)
    return try await OrderlyService.run(application, logger: logger) {
      // A server that could not listen must end the wait for its port.
      announced.finish()
    } _: {
      guard let number = await ports.first(where: { _ in true }) else { throw CancellationError() }
      return try await body(number)
    }
  }
}
