internal import Foundation
internal import HTTPTypes
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix

/// Answers the HTTP requests of a server.
protocol LoopbackResponder: Sendable {
  /// The answer, whatever became of the request.
  func respond(to request: Request) async -> Response
}

/// An HTTP server on a port of 127.0.0.1.
enum LoopbackServer {
  /// Serves connections of HTTP/1.1 on a free port for as long as `body` runs, which is given the port.
  ///
  /// - Parameters:
  ///   - responder: answers the requests.
  ///   - connections: is told of each connection.
  ///   - logger: for the server's own errors.
  /// - Throws: what `body` throws, or the system's error when it cannot listen.
  static func run<Result: Sendable>(
    responder: some LoopbackResponder, _ connections: OpenConnections = OpenConnections(), logger: Logger,
    _ body: @escaping @Sendable (_ port: Int) async throws -> Result
  ) async throws -> Result {
    let channel = CountedChannel(
      http: HTTP1Channel(responder: answer(by: responder)), connections: connections)
    // One thread, so that connections begin in the order in which they were accepted: see `knock`.
    return try await run(channel, on: MultiThreadedEventLoopGroup.singleton.next(), logger: logger, body)
  }

  /// Serves any kind of connection on `port` for as long as `body` runs, which is given the port.
  ///
  /// - Parameters:
  ///   - channel: sets up and serves a connection.
  ///   - port: 0 for any that is free.
  ///   - logger: for the server's own errors.
  /// - Throws: what `body` throws, or the system's error when it cannot listen.
  static func run<Result: Sendable>(
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
    return try await OrderlyService.run(server, logger: logger) {
      // A server that could not listen must end the wait for its port.
      announced.finish()
    } _: {
      guard let number = await ports.first(where: { _ in true }) else { throw CancellationError() }
      return try await body(number)
    }
  }

  /// What a connection does with a request: the responder's answer with a `Date` (RFC 9110 section 6.6.1).
  static func answer(by responder: some LoopbackResponder) -> HTTPChannelHandler.Responder {
    { request, writer, _ in
      var response = await responder.respond(to: request)
      response.headers[.date] = Timestamp.http(.now)
      try await writer.write(response: response.head, body: response.body)
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
