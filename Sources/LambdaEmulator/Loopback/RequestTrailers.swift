internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import Synchronization

/// The trailers of a connection's requests, which the bodies of HummingbirdCore leave out. A connection's requests are
/// answered one after the other, but the next ones may be read before.
final class RequestTrailers: ChannelInboundHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart

  private struct Requests {
    /// How many ends were read, and how many requests were begun to be answered.
    var (read, begun) = (0, 0)
    /// The trailers of requests that are not answered, by their number.
    var trailers: [Int: HTTPFields] = [:]
  }

  private let requests = Mutex(Requests())

  /// Begins to answer the next request, and returns what gives its trailers when its body was read to its end; `nil` if
  /// the connection is gone, and they with it.
  static func next(on channel: any Channel) async -> (@Sendable () -> HTTPFields)? {
    guard let handler = try? await channel.pipeline.handler(type: RequestTrailers.self).get() else {
      return nil
    }
    let number = handler.requests.withLock { requests in
      requests.begun += 1
      requests.trailers = requests.trailers.filter { $0.key >= requests.begun }
      return requests.begun
    }
    return { handler.requests.withLock { $0.trailers[number] ?? HTTPFields() } }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .end(let trailers) = Self.unwrapInboundIn(data) {
      requests.withLock { requests in
        requests.read += 1
        if let trailers, !trailers.isEmpty, requests.read >= requests.begun {
          requests.trailers[requests.read] = trailers
        }
      }
    }
    context.fireChannelRead(data)
  }
}
