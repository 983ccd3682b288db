internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix

/// An HTTP server on a free port of 127.0.0.1.
enum LoopbackServer {
  /// Serves for as long as `body` runs, which is given the port.
  ///
  /// - Parameters:
  ///   - responder: answers the requests.
  ///   - connections: is told of each connection.
  ///   - logger: for the server's own troubles.
  /// - Throws: what `body` throws, or the system's error when it cannot listen.
  static func run<Responder: HTTPResponder, Result: Sendable>(
    responder: Responder, _ connections: OpenConnections = OpenConnections(), logger: Logger,
    _ body: @escaping @Sendable (_ port: Int) async throws -> Result
  ) async throws -> Result where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      responder: responder,
      server: HTTPServerBuilder { handler in
        CountedChannel(http: HTTP1Channel(responder: handler), connections: connections)
      },
      configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in
        port.yield(channel.localAddress?.port ?? 0)
        port.finish()
      },
      // One thread, so that connections begin in the order in which they were accepted: see `knock`.
      eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton.next()),
      logger: logger)
    return try await OrderlyService.run(application, logger: logger) {
      // A server that could not listen must end the wait for its port.
      port.finish()
    } _: {
      guard let number = await ports.first(where: { _ in true }) else { throw CancellationError() }
      return try await body(number)
    }
  }

  /// Asks for `/ping`, for the sake of the line: when it returns, whatever connected before has been accepted and is
  /// counted (the system queues connections in the order of their coming, listen(2)).
  static func knock(port: Int) async {
    let request = "GET /ping HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n"
    // A server that is going away has nobody to listen to.
    guard
      let channel = try? await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(host: "127.0.0.1", port: port).get()
    else { return }
    try? await channel.writeAndFlush(ByteBuffer(string: request))
    try? await channel.closeFuture.get()
  }
}
