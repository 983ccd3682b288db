internal import GatewayModel
internal import HTTPTypes
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1
internal import NIOWebSocket
internal import Synchronization

/// A connection for HTTP, and for WebSocket (RFC 6455) after an accepted handshake.
///
/// The authorizer is invoked before the 101. A refusal is an ordinary HTTP response that closes the connection.
struct WebSocketChannel: ServerChildChannel, HTTPChannelHandler {
  let responder: HTTPChannelHandler.Responder
  let listener: GatewayListener
  var encryption: (any ConnectionEncryption)?

  typealias HTTPParts = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

  enum Negotiated: Sendable {
    case http(HTTPParts)
    case refused(HTTPParts, GatewayResponse)
    case socket(WebSocketConnection.Frames, WebSocketConnection)
  }

  struct Value: ServerChildChannelValue {
    let channel: any Channel
    let negotiated: EventLoopFuture<Negotiated>
    fileprivate let handshake: Handshake
  }

  /// The result of a connection's handshake, passed from the upgrade decision to the pipeline.
  fileprivate final class Handshake: Sendable {
    enum State {
      case none
      case refused(GatewayResponse)
      case allowed(WebSocketConnection)
    }

    let state = Mutex(State.none)
    let isQuiescing = Mutex(false)

    var connection: WebSocketConnection? {
      state.withLock { if case .allowed(let connection) = $0 { connection } else { nil } }
    }
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let handshake = Handshake()
    let listener = listener
    let upgrader = NIOTypedWebSocketServerUpgrader<Negotiated>(
      maxFrameSize: WebSocketAssembly.frameBytes, enableAutomaticErrorHandling: false,
      shouldUpgrade: { channel, head in
        channel.eventLoop.makeFutureWithTask {
          await listener.withContent(for: channel) { served in
            let headers = await Self.headers(of: handshake, head, on: channel, served.content)
            if headers != nil { listener.keep(channel, of: served.generation) }
            return headers
          }
        }
      },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture { try Self.socket(on: channel, handshake) }
      })
    let encryption = encryption
    return channel.eventLoop.makeCompletedFuture {
      try encryption?.install(on: channel)
      try channel.pipeline.syncOperations.addHandler(QuiescingHandler(handshake))
      let configuration = NIOTypedHTTPServerUpgradeConfiguration(
        upgraders: [upgrader],
        notUpgradingCompletionHandler: { channel in
          channel.eventLoop.makeCompletedFuture { try Self.http(on: channel, handshake) }
        })
      return Value(
        channel: channel, negotiated: try Self.pipeline(of: channel, configuration, listener),
        handshake: handshake)
    }
  }

  /// NIO's pipeline of a server with upgrades, with `HandshakeScreen` before the upgrader.
  private static func pipeline(
    of channel: any Channel, _ configuration: NIOTypedHTTPServerUpgradeConfiguration<Negotiated>,
    _ listener: GatewayListener
  ) throws -> EventLoopFuture<Negotiated> {
    let encoder = HTTPResponseEncoder()
    let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
    let validator = NIOHTTPResponseHeadersValidator()
    let screen = HandshakeScreen {
      listener.takesHandshake(host: $0, path: $1)
    } onInvalid: {
      listener.refuse("the request is not HTTP/1.1: \($0)")
    }
    let upgrader = NIOTypedHTTPServerUpgradeHandler(
      httpEncoder: encoder, extraHTTPHandlers: [decoder, validator, screen],
      upgradeConfiguration: configuration)
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(encoder)
    try pipeline.addHandler(decoder)
    try pipeline.addHandler(validator)
    try pipeline.addHandler(screen)
    try pipeline.addHandler(upgrader)
    return upgrader.upgradeResultFuture
  }

  func handle(value: Value, logger: Logger) async {
    var messages: [Task<Void, Never>] = []
    do {
      switch try await value.negotiated.get() {
      case .http(let parts): await handleHTTP(asyncChannel: parts, logger: logger)
      case .refused(let parts, let response): try await Self.refuse(parts, response)
      case .socket(let frames, let connection): messages = await connection.serve(frames)
      }
    } catch {
      logger.debug("a connection ended: \(error)")
    }
    // A server that shuts down does not wait for functions.
    guard let connection = value.handshake.connection, !value.handshake.isQuiescing.withLock({ $0 }) else {
      return
    }
    await connection.end(messages)
  }

  // MARK: Handshake

  /// Returns headers for the 101, or `nil` for a refusal.
  private static func headers(
    of handshake: Handshake, _ head: HTTPRequestHead, on channel: any Channel,
    _ content: GatewayListener.Content
  ) async -> HTTPHeaders? {
    let host = head.headers["Host"].first ?? ""
    let (path, query) = GatewayResponder.split(head.uri)
    var request = GatewayRequest(
      method: head.method.rawValue, path: path, sentPath: path, query: query,
      headers: head.headers.map { GatewayRequest.Header($0.name, $0.value) })
    let gateway: GatewayResponder
    switch content {
    case .gateway(let responder): gateway = responder
    case .failure(let failure):
      handshake.state.withLock { $0 = .refused(failure.answer(request)) }
      return nil
    }
    guard let target = gateway.webSocket(host: host, path: path) else {
      // It waited for a gateway that has no such API.
      let response = await gateway.answer(request)
      handshake.state.withLock { $0 = .refused(response) }
      return nil
    }
    request.path = target.path
    request.domain = target.domain
    let connectionID = GatewayService.extendedRequestID()
    let answer = await gateway.service.answer(request, to: target.api, connectionID: connectionID)
    guard (200...299).contains(answer.response.status) else {
      handshake.state.withLock { $0 = .refused(answer.response) }
      return nil
    }
    let session = WebSocketSession(
      identifier: connectionID, api: target.api, request: request,
      connectedAt: gateway.service.unixMilliseconds, authorizer: answer.authorizer)
    let link = WebSocketLink(clock: gateway.service.clock) { channel.close(promise: nil) }
    handshake.state.withLock {
      $0 = .allowed(WebSocketConnection(service: gateway.service, session: session, link: link))
    }
    // Before the 101, so that the client's first request to a backend finds the connection.
    gateway.service.openSocket(session, link)
    // Other headers of the integration do not reach the client. Nothing behind this checks the values of a 101.
    return HTTPHeaders(
      answer.response.headers.filter {
        $0.name.lowercased() == "sec-websocket-protocol" && HTTPHead.isValid($0)
      }.map { ("Sec-WebSocket-Protocol", $0.value) })
  }

  private static func socket(on channel: any Channel, _ handshake: Handshake) throws -> Negotiated {
    guard case .allowed(let connection) = handshake.state.withLock({ $0 }) else { throw ChannelError.eof }
    return .socket(try WebSocketConnection.Frames(wrappingChannelSynchronously: channel), connection)
  }

  private static func http(on channel: any Channel, _ handshake: Handshake) throws -> Negotiated {
    try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
    let parts = try HTTPParts(
      wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    if case .refused(let response) = handshake.state.withLock({ $0 }) { return .refused(parts, response) }
    return .http(parts)
  }

  private static func refuse(_ parts: HTTPParts, _ response: GatewayResponse) async throws {
    try await parts.executeThenClose { _, outbound in
      var fields = HTTPHead.fields(response.headers)
      fields[.contentLength] = String(response.body.count)
      fields[.connection] = "close"
      try await outbound.write(
        .head(HTTPResponse(status: HTTPHead.status(response.status), headerFields: fields)))
      try await outbound.write(.body(ByteBuffer(bytes: response.body)))
      try await outbound.write(.end(nil))
    }
  }
}

/// Closes a connection at a shutdown, which it would block forever, or with the gateway that it belongs to.
private final class QuiescingHandler: ChannelInboundHandler {
  typealias InboundIn = NIOAny

  private let handshake: WebSocketChannel.Handshake

  init(_ handshake: WebSocketChannel.Handshake) { self.handshake = handshake }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent {
      handshake.isQuiescing.withLock { $0 = true }
      context.close(promise: nil)
    }
    context.fireUserInboundEventTriggered(event)
  }
}
