internal import GatewayModel
internal import Text
internal import JSON

/// The event that a function behind a route receives.
struct BackendEvent {
  let exchange: RequestContext
  let grant: AuthorizerGrant?
  let latencyMilliseconds: Int

  func tree(_ format: GatewayIntegration.PayloadFormat) -> JSONTree {
    let parts = EventParts(exchange: exchange)
    let texts = grant?.textContext(latencyMilliseconds: latencyMilliseconds)
    switch format {
    case .rest:
      return proxyEvent(
        parts, version: nil, headers: exchange.headerGroups, authorizer: texts, body: body(.rest))
    case .http1:
      return proxyEvent(
        parts, version: "1.0", headers: parts.lowerCaseHeaders, authorizer: texts, body: body(.http1))
    case .http2: return parts.http2Event(grant: grant?.typedContext, body: body(.http2))
    case .webSocket:
      return .members([
        "headers": EventParts.single(exchange.headerGroups),
        "multiValueHeaders": EventParts.multiple(exchange.headerGroups),
        "queryStringParameters": EventParts.single(exchange.queryGroups).unlessEmpty,
        "multiValueQueryStringParameters": EventParts.multiple(exchange.queryGroups).unlessEmpty,
        "stageVariables": parts.stageVariables.unlessEmpty,
        "requestContext": parts.webSocketContext(authorizer: texts),
        "isBase64Encoded": .boolean(false),
      ])
    }
  }

  private func proxyEvent(
    _ parts: EventParts, version: String?, headers: [(name: String, values: [String])],
    authorizer: JSONTree?, body: (text: JSONTree, isBase64: Bool)
  ) -> JSONTree {
    .members([
      "version": version.map { .string($0) },
      "resource": .string(exchange.resourcePath),
      "path": .string(exchange.eventPath(isAuthorizerEvent: false)),
      "httpMethod": .string(exchange.request.method),
      "headers": EventParts.single(headers), "multiValueHeaders": EventParts.multiple(headers),
      "queryStringParameters": EventParts.single(exchange.queryGroups).nullIfEmpty,
      "multiValueQueryStringParameters": EventParts.multiple(exchange.queryGroups).nullIfEmpty,
      "pathParameters": parts.pathParameters.nullIfEmpty, "stageVariables": parts.stageVariables.nullIfEmpty,
      "requestContext": parts.restContext(authorizer: authorizer),
      "body": exchange.request.body.isEmpty ? .null : body.text, "isBase64Encoded": .boolean(body.isBase64),
    ])
  }

  /// The body as text, or in base64 where the kind of API treats its type as binary, or where it is not UTF-8.
  private func body(_ format: GatewayIntegration.PayloadFormat) -> (text: JSONTree, isBase64: Bool) {
    let type = exchange.request.values(ofHeader: "Content-Type").first
    let isBinary =
      switch format {
      case .rest: MediaType.isBinary(type, among: exchange.api.binaryMediaTypes)
      case .http2: !MediaType.isTextOfHTTPAPI(type)
      case .http1, .webSocket: false
      }
    if !isBinary || exchange.request.body.isEmpty,
      let text = String(validating: exchange.request.body, as: UTF8.self)
    {
      return (.string(text), false)
    }
    return (.string(Base64Text.encoded(exchange.request.body)), true)
  }
}
