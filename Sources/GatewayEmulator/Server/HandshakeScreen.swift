internal import Text
internal import NIOCore
internal import NIOHTTP1

/// A channel handler before NIO's upgrader. It passes an opening handshake (RFC 6455 section 4.2.1) that is the first
/// request of its connection and targets a WebSocket API, and removes the `Upgrade` header from every other request.
///
/// The upgrader drops the head of a request that is not upgraded, so a client that offers HTTP/2 (`Upgrade: h2c`)
/// would never receive an answer. It also does not answer a first request that is not HTTP; this handler answers 400.
final class HandshakeScreen: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let isWebSocket: (_ host: String, _ path: String) -> Bool
  private let onInvalid: (HTTPParserError) -> Void
  private var isFirst = true

  /// - Parameters:
  ///   - isWebSocket: whether a host and a path are those of a WebSocket API.
  ///   - onInvalid: called for a request that is not HTTP; its connection ends.
  init(
    isWebSocket: @escaping (_ host: String, _ path: String) -> Bool,
    onInvalid: @escaping (HTTPParserError) -> Void
  ) {
    (self.isWebSocket, self.onInvalid) = (isWebSocket, onInvalid)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    defer { isFirst = false }
    guard head.headers.contains(name: "Upgrade"), !(isFirst && isHandshake(head)) else {
      return context.fireChannelRead(data)
    }
    head.headers.remove(name: "Upgrade")
    // The decoder reads nothing after a request that asked for an upgrade.
    head.headers.replaceOrAdd(name: "Connection", value: "close")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A client that leaves before its request is whole has asked nothing.
    if let error = error as? HTTPParserError, error != .invalidEOFState { onInvalid(error) }
    guard isFirst, error is HTTPParserError else { return context.fireErrorCaught(error) }
    let head = HTTPResponseHead(
      version: .http1_1, status: .badRequest, headers: ["Connection": "close", "Content-Length": "0"])
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.close(promise: nil)
  }

  private func isHandshake(_ head: HTTPRequestHead) -> Bool {
    let headers = head.headers
    func isListed(_ token: String, in name: String) -> Bool {
      headers[canonicalForm: name].contains { $0.lowercased() == token }
    }
    let keys = headers["Sec-WebSocket-Key"]
    return head.method == .GET && isListed("websocket", in: "Upgrade")
      && isListed("upgrade", in: "Connection")
      && headers["Sec-WebSocket-Version"] == ["13"]
      && keys.count == 1 && Base64Text.decoded(keys[0])?.count == 16
      && !headers.contains(name: "Transfer-Encoding")
      && headers["Content-Length"].allSatisfy { $0 == "0" }
      && isWebSocket(headers["Host"].first ?? "", GatewayResponder.split(head.uri).path)
  }
}
