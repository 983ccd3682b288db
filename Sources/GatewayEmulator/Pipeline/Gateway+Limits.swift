internal import GatewayModel

/// The limits of API Gateway for requests ("Amazon API Gateway quotas and important notes").
extension Gateway {
  func refusedByLimits(_ received: ReceivedRequest) -> GatewayAnswer? {
    Self.excess(of: received.request, to: received.api).map { refuse($0, received, why: $1) }
  }

  /// Refuses a request of a REST API whose ARN is too long to be evaluated.
  func refusedByARNLength(_ exchange: RequestContext) -> GatewayAnswer? {
    let length = exchange.resourceARN(concrete: true).utf8.count
    let isGuarded = !exchange.route.access.isOpen || exchange.api.access.resourcePolicy != nil
    guard exchange.isREST, isGuarded, length > GatewayError.restARNBytes else { return nil }
    return refuse(
      .arnTooLong, exchange, .unused("the ARN has \(length) bytes, the limit is \(GatewayError.restARNBytes)")
    )
  }

  /// Returns the first limit that the request exceeds, and the reason for the log.
  private static func excess(of request: GatewayRequest, to api: GatewayAPI) -> (GatewayError, why: String)? {
    if request.isBodyTooLarge {
      return (.bodyTooLarge, "the body has more than \(GatewayError.bodyBytes) bytes")
    }
    var bytes = request.headers.reduce(0) { $0 + $1.value.utf8.count }
    let url = request.path.utf8.count + request.query.utf8.count + (request.query.isEmpty ? 0 : 1)
    switch api.kind {
    case .rest:
      if url > GatewayError.restURLCharacters {
        return (.arnTooLong, "the URL has \(url) characters, the limit is \(GatewayError.restURLCharacters)")
      }
    // `GET /path?query HTTP/1.1`
    case .http: bytes += request.method.utf8.count + url + " HTTP/1.1 ".utf8.count
    case .webSocket: return nil
    }
    guard bytes > GatewayError.headerBytes else { return nil }
    return (.headersTooLarge, "the headers have \(bytes) bytes, the limit is \(GatewayError.headerBytes)")
  }
}
