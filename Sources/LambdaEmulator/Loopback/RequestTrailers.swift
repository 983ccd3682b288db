internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import Synchronization

/// The trailers of a connection's last request, which the body of HummingbirdCore leaves out.
final class RequestTrailers: ChannelInboundHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart

  private let fields = Mutex(HTTPFields())

  /// Returns the trailers of the request whose body was just read to its end.
  static func last(on channel: any Channel) async -> HTTPFields {
    let handler = try? await channel.pipeline.handler(type: RequestTrailers.self).get()
    return handler?.fields.withLock { $0 } ?? HTTPFields()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .end(let trailers) = Self.unwrapInboundIn(data) {
      fields.withLock { $0 = trailers ?? HTTPFields() }
    }
    context.fireChannelRead(data)
  }
}
