internal import Foundation
internal import HTTPTypes
package import HummingbirdCore
package import Logging
package import NIOCore
internal import NIOPosix

/// An HTTP server on a port of 127.0.0.1.
package enum LoopbackServer {
  /// Serves HTTP/1.1 on a free port while `body` runs; `body` gets the port.
  ///
  /// - Parameter respond: returns the response; there is one for every request.
  /// - Throws: the error of `body`, or the system's error if it cannot listen.
  package static func run<Result: Sendable>(
    _ respond: @escaping @Sendable (Request, any Channel) async -> Response,
    _ connections: OpenConnections = OpenConnections(), logger: Logger,
    _ body: @escaping @Sendable (_ port: Int) async throws -> Result
  ) async throws -> Result {
    let channel = CountedChannel(
      http: HTTP1Channel(
        responder: answer(respond), configuration: .init(additionalChannelHandlers: [RequestTrailers()])),
      connections: connections)
    // One thread, so that connections start in the order in which they were accepted: see `awaitEarlierConnections`.
    return try await run(channel, on: MultiThreadedEventLoopGroup.singleton.next(), logger: logger, body)
  }

  /// Serves any kind of connection on `port` while `body` runs; `body` gets the port.
  ///
  /// - Parameter port: the port; 0 for any free port.
  /// - Throws: the error of `body`, or the system's error if it cannot listen.
  package static func run<Result: Sendable>(
    _ channel: some ServerChildChannel, port: Int = 0,
    on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, logger: Logger,
    _ body: @escaping @Sendable (_ port: Int) async throws -> Result
  ) async throws -> Result {
    let (ports, announced) = AsyncStream.makeStream(of: Int.self)
    let server = channel.server(
      configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        announced.yield(channel.localAddress?.port ?? 0)
        announced.finish()
      }, eventLoopGroup: group, logger: logger)
    return try await GracefulShutdown.run(server, logger: logger) {
      // A server that could not listen must end the wait for its port.
      announced.finish()
    } _: {
      guard let number = await ports.first(where: { _ in true }) else { throw CancellationError() }
      return try await body(number)
    }
  }

  /// Returns a request handler that adds `Date` to the responder's response (RFC 9110 section 6.6.1).
  package static func answer(
    _ respond: @escaping @Sendable (Request, any Channel) async -> Response
  ) -> HTTPChannelHandler.Responder {
    { request, writer, channel in
      var response = await respond(request, channel)
      // NIO writes the bytes of a body that no client reads as one: they would be the next response.
      if request.method == .head || [204, 304].contains(response.status.code) {
        response = response.createHeadResponse()
      }
      response.headers[.date] = Timestamp.http(Int64(Date().timeIntervalSince1970 * 1000))
      try await writer.write(response: response.head, body: response.body)
    }
  }

  /// Requests `/ping`. When it returns, every earlier connection has been accepted and counted, because the system
  /// queues connections in order of arrival (listen(2)).
  static func awaitEarlierConnections(port: Int) async {
    let request = "GET /ping HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n"
    // Ignores errors: a server that shuts down does not accept connections.
    guard
      let channel = try? await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(host: "127.0.0.1", port: port).get()
    else { return }
    try? await channel.writeAndFlush(ByteBuffer(string: request))
    try? await channel.closeFuture.get()
  }
}
