internal import JSON

/// A pending call of a backend.
struct BackendCall: Sendable {
  let exchange: Exchange
  let record: AccessRecord
  let target: Target

  enum Target: Sendable {
    /// A function of the template, and its event.
    case function(String, JSONTree, GatewayIntegration.PayloadFormat)
    case http(BackendRequest)
  }

  /// The name of the backend in the log.
  var name: String { if case .function(let name, _, _) = target { name } else { "HTTP" } }

  /// How long API Gateway waits, in milliseconds: 29 s on REST and WebSocket APIs, 30 s on HTTP APIs ("Amazon API Gateway
  /// quotas").
  var patienceMilliseconds: Int { if case .http = exchange.api.kind { 30_000 } else { 29_000 } }

  /// The response if the backend is not available here: everything that it would have received.
  var echo: GatewayResponse {
    let description: JSONTree =
      switch target {
      case .function(let name, let event, _):
        .members(["backend": .string("function \(name)"), "event": event])
      case .http(let request):
        .members([
          "backend": .string("HTTP"), "method": .string(request.method), "url": .string(request.address),
          "headers": .object(request.headers.map { .init(name: $0.name, value: .string($0.value)) }),
          "body": .string(String(decoding: request.body, as: UTF8.self)),
          "requestContext": .members(["authorizer": request.authorizer]),
        ])
      }
    return GatewayResponse(
      status: 200, headers: [.init("Content-Type", "application/json"), .init("X-Backend", "echo")],
      body: description.bytes(indentedBy: 2) + [0x0A])
  }
}

/// How a call of a backend ended.
enum BackendAnswer: Sendable {
  /// - Parameter reason: the function's reason code, for the log only.
  case response(GatewayResponse, reason: String? = nil)
  /// - Parameter why: the reason, for the log only.
  case functionFailed(why: String)
  case unreachable
  case timedOut
}

/// The event that a function behind a route receives.
struct BackendEvent {
  let exchange: Exchange
  let grant: AuthorizerGrant?
  let latencyMilliseconds: Int

  func tree(_ format: GatewayIntegration.PayloadFormat) -> JSONTree {
    let parts = EventParts(exchange: exchange)
    let texts = grant?.textContext(latencyMilliseconds: latencyMilliseconds)
    switch format {
    case .rest: return proxyEvent(parts, version: nil, parts.exchange.headerGroups, texts)
    case .http1: return proxyEvent(parts, version: "1.0", parts.lowerCaseHeaders, texts)
    case .http2: return http2Event(parts)
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
    _ parts: EventParts, version: String?, _ headers: [(name: String, values: [String])],
    _ authorizer: JSONTree?
  ) -> JSONTree {
    .members([
      "version": version.map { .string($0) },
      "resource": .string(exchange.resourcePath), "path": .string(exchange.path),
      "httpMethod": .string(exchange.request.method),
      "headers": EventParts.single(headers), "multiValueHeaders": EventParts.multiple(headers),
      "queryStringParameters": EventParts.single(exchange.queryGroups).nullIfEmpty,
      "multiValueQueryStringParameters": EventParts.multiple(exchange.queryGroups).nullIfEmpty,
      "pathParameters": parts.pathParameters.nullIfEmpty, "stageVariables": parts.stageVariables.nullIfEmpty,
      "requestContext": parts.restContext(authorizer: authorizer),
      "body": exchange.request.body.isEmpty ? .null : body.text, "isBase64Encoded": .boolean(body.isBase64),
    ])
  }

  private func http2Event(_ parts: EventParts) -> JSONTree {
    .members([
      "version": .string("2.0"), "routeKey": .string(exchange.route.key),
      "rawPath": .string(exchange.pathWithStage), "rawQueryString": .string(exchange.request.query),
      "cookies": parts.cookies,
      "headers": EventParts.joined(parts.lowerCaseHeaders.filter { $0.name != "cookie" }),
      "queryStringParameters": EventParts.joined(exchange.queryGroups).unlessEmpty,
      "requestContext": parts.httpContext(authorizer: grant?.typedContext),
      "pathParameters": parts.pathParameters.unlessEmpty, "stageVariables": parts.stageVariables.unlessEmpty,
      "body": exchange.request.body.isEmpty ? nil : body.text, "isBase64Encoded": .boolean(body.isBase64),
    ])
  }

  /// The body as text, or in base64 where it is not UTF-8.
  private var body: (text: JSONTree, isBase64: Bool) {
    if let text = String(validating: exchange.request.body, as: UTF8.self) { return (.string(text), false) }
    return (.string(Base64Text.encoded(exchange.request.body)), true)
  }
}

/// A request as an HTTP backend receives it.
struct BackendRequest: Equatable, Sendable {
  var method: String
  var address: String
  var headers: [GatewayRequest.Header]
  var body: [UInt8]
  /// The authorizer's context, for the echo only: an HTTP backend sees only what the template maps.
  let authorizer: JSONTree?

  init(_ integration: HTTPIntegration, _ source: ParameterSource, _ exchange: Exchange) {
    method = integration.method ?? exchange.request.method
    body = exchange.request.body
    headers = exchange.headerLines.filter {
      $0.name.lowercased() != "host" && $0.name.lowercased() != "content-length"
    }
    let given = source.variables.authorizerValues
    authorizer = given.isEmpty ? nil : .texts(given)
    var query = exchange.request.query.split(separator: "&").map(String.init)
    var pathValues = Dictionary(exchange.pathParameters.map { ($0.name, $0.value) }) { _, last in last }
    var wholePath: String?
    for change in integration.changes {
      let value = change.value?.text(from: source)
      switch change.place {
      case .header(let name): Self.apply(change.action, name, value, to: &headers)
      case .query(let name):
        if change.action != .append { query.removeAll { $0 == name || $0.hasPrefix(name + "=") } }
        if change.action != .remove, let value {
          query.append("\(name)=\(PercentText.encoded(value, keeping: ""))")
        }
      case .path(let name): if let value { pathValues[name] = PercentText.encoded(value, keeping: "") }
      case .wholePath: wholePath = value
      }
    }
    var address = integration.address
    for (name, value) in pathValues {
      address = address.replacing("{\(name)}", with: value).replacing("{\(name)+}", with: value)
    }
    for (name, value) in source.stageVariables {
      address = address.replacing("${stageVariables.\(name)}", with: value)
    }
    if let wholePath { address = Self.origin(of: address) + wholePath }
    let joint = address.contains("?") ? "&" : "?"
    self.address = query.isEmpty ? address : address + joint + query.joined(separator: "&")
  }

  private static func apply(
    _ action: HTTPIntegration.Change.Action, _ name: String, _ value: String?,
    to headers: inout [GatewayRequest.Header]
  ) {
    if action != .append { headers.removeAll { $0.name.lowercased() == name.lowercased() } }
    if action != .remove, let value { headers.append(.init(name, value)) }
  }

  /// `https://host:port` of an address.
  static func origin(of address: String) -> String {
    guard let start = address.firstRange(of: "://") else { return address }
    return String(
      address[..<(address[start.upperBound...].firstIndex { "/?".contains($0) } ?? address.endIndex)])
  }
}
