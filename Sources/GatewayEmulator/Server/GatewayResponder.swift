internal import Text
internal import GatewayModel
internal import LambdaEmulator
internal import Bytes
internal import HTTPTypes
internal import HummingbirdCore
internal import JSON
internal import NIOCore
internal import Synchronization

/// Routes HTTP requests by their address to the gateway, the development issuer and the control endpoint.
///
/// `http://127.0.0.1:PORT/API/…` and `http://API.localhost:PORT/…` are the addresses of an API. The rest of the path
/// is the same as on AWS, including the stage.
struct GatewayResponder {
  let service: GatewayService
  let development: DevelopmentEndpoint
  /// Lambda's Invoke API for the same functions, if enabled.
  let invocations: InvokeAPI?
  var console: (any DevelopmentConsole)?
  /// The connection; `nil` in tests without one.
  var channel: (any Channel)?
  var client = ConnectionClient.unasked

  func respond(to request: Request) async -> Response {
    let (path, _) = Self.split(request.head.path ?? "/")
    let destination = destination(host: request.head.authority ?? "", path: path)
    if case .invokeAPI = destination, let invocations { return await invoke(request, invocations) }
    let incoming: GatewayRequest
    switch await BoundedBody.read(request, limit: GatewayError.bodyBytes) {
    case .whole(let bytes): incoming = Self.incoming(request, body: bytes)
    case .tooLarge: incoming = Self.incoming(request, isBodyTooLarge: true)
    case .truncated:
      let why = "the body of the request is incomplete"
      return Self.response(refuse(Self.incoming(request), with: Self.text(400, why + "\n"), why: why))
    }
    if let response = await consoleReply(to: incoming, at: destination) { return response }
    return Self.response(await answer(incoming, at: destination))
  }

  private func invoke(_ request: Request, _ invocations: InvokeAPI) async -> Response {
    // A page can send such a request without a preflight request, and a function would be invoked with its body.
    if let origin = HTTPField.Name("Origin").flatMap({ request.headers[$0] }),
      !LoopbackHost.isLoopback(origin: origin)
    {
      return Self.response(Self.text(403, "requests from pages of other machines are refused\n"))
    }
    guard development.secret.isSent(in: request.headers) else {
      return InvokeAPI.response(.accessDenied(development.secret.invocationRefusal))
    }
    return await invocations.respond(to: request)
  }

  /// Returns the console's answer; `nil` for requests that are not for it.
  private func consoleReply(to request: GatewayRequest, at destination: Destination) async -> Response? {
    switch destination {
    case .console, .development: break
    case .invokeAPI, .api, .closed, .noMapping, .noCertificate, .index, .refused: return nil
    }
    guard let console, request.path.hasBytePrefix("/dev/") else { return nil }
    let channel = channel
    let connection = ConsoleConnection(
      service: service, issuer: development.issuer, secret: development.secret, scheme: development.scheme,
      close: { channel?.close(promise: nil) },
      whenClosed: { ended in channel?.closeFuture.whenComplete { _ in ended() } })
    switch await console.reply(to: request, from: connection) {
    case nil: return nil
    case .response(let response)?: return Self.response(response)
    case .stream(let head, let body)?:
      return Response(
        status: HTTPHead.status(head.status), headers: HTTPHead.fields(head.headers),
        body: ResponseBody { writer in
          try await body { part in try await writer.write(ByteBuffer(bytes: part)) }
          try await writer.finish(nil)
        })
    }
  }

  /// The WebSocket API that a handshake is for; `nil` for any other destination.
  func webSocket(host: String, path: String) -> Destination.Target? {
    guard case .api(let target) = destination(host: host, path: path, isHandshake: true),
      case .webSocket = target.api.kind
    else { return nil }
    return target
  }

  /// Answers a request by its host and path.
  func answer(_ request: GatewayRequest) async -> GatewayResponse {
    let host = request.values(ofHeader: "Host").first ?? ""
    return await answer(request, at: destination(host: host, path: request.path))
  }

  private func answer(_ request: GatewayRequest, at destination: Destination) async -> GatewayResponse {
    switch destination {
    case .api(let target): return await answer(request, at: target)
    case .closed(let finding):
      return refuse(
        request, with: GatewayError.local(finding), .notEmulated(finding), why: finding.line(in: "template"))
    case .noMapping(let domain):
      return refuse(
        request, at: domain.name, with: noMapping(domain), why: "no mapping of the domain is for the path")
    case .noCertificate(let domain):
      return refuse(
        request, at: domain.name, with: Self.forbidden, .accessDenied(isExplicit: false),
        why: "the client sent no certificate, which the domain's mutual TLS requires")
    case .refused:
      let why = "the Host header must be a loopback name such as localhost"
      return refuse(request, with: Self.text(403, why + "\n"), why: why)
    case .console where !ConsoleHost.otherPaths.contains(request.path):
      return Self.text(
        404, "only the console has this name, at \(ConsoleHost.page); APIs are at 127.0.0.1\n")
    case .console, .development, .invokeAPI, .index:
      if request.isBodyTooLarge { return Self.text(413, "the body is too large\n") }
      if let response = await development.signal(request) { return response }
      return development.answer(request) ?? index(for: request)
    }
  }

  /// Answers a request that no API gets, with a line in the log.
  func refuse(
    _ request: GatewayRequest, at name: String = "none", with response: GatewayResponse,
    _ refusal: GatewayError = .noRoute, why: String
  ) -> GatewayResponse {
    service.refuse(request, at: name, with: response, refusal, why: why)
  }

  /// The addresses, with a 404 for a path that is none of them.
  private func index(for request: GatewayRequest) -> GatewayResponse {
    let addresses =
      "available addresses:\n" + Self.index(service.gateway.apis) + Self.index(service.gateway.domains)
      + development.index
      + (invocations == nil
        ? "" : "POST \(InvokeAPI.path)functions/NAME/invocations is Lambda's Invoke API: curl -H @FILE\n")
    if ["/", "/dev"].contains(request.path) { return Self.text(200, addresses) }
    return refuse(
      request, with: Self.text(404, "no such API; " + addresses), why: "no API has this address")
  }

  /// The answer to a request to a domain without a mapping for its path (observed on AWS: Miserlou/Zappa issue 1248).
  private func noMapping(_ domain: GatewayDomain) -> GatewayResponse {
    let gateway = service.gateway
    let isHTTPAlone = domain.mappings.allSatisfy { mapping in
      switch mapping.target {
      case .api(let name), .stage(let name, _):
        gateway.apis.contains { if case .http = $0.kind { $0.name == name } else { false } }
      case .closed: false
      }
    }
    if isHTTPAlone, gateway.settings.httpDomainWithoutMapping == .notFound {
      return GatewayResponse(
        status: 404, headers: [.init("Content-Type", "application/json")],
        body: Array(#"{"message":"Not Found"}"#.utf8))
    }
    return Self.forbidden
  }

  private static let forbidden = GatewayResponse(
    status: 403,
    headers: [.init("Content-Type", "application/json"), .init("x-amzn-ErrorType", "ForbiddenException")],
    body: Array(#"{"message":"Forbidden"}"#.utf8))

  private func answer(_ request: GatewayRequest, at target: Destination.Target) async -> GatewayResponse {
    if case .webSocket = target.api.kind {
      if let response = connections(request, at: target) { return response }
      let why = "this is a WebSocket API; send an upgrade request"
      let headers: [GatewayRequest.Header] = [
        .init("Upgrade", "websocket"), .init("Sec-WebSocket-Version", "13"),
      ]
      return refuse(
        request, at: target.api.name, with: Self.text(426, why + "\n", headers: headers), why: why)
    }
    var inner = request
    inner.path = target.path
    inner.domain = target.domain
    inner.certificate = target.certificate
    return await service.answer(inner, to: target.api).response
  }

  /// Answers a request to `@connections`; returns `nil` for other paths.
  private func connections(_ request: GatewayRequest, at target: Destination.Target) -> GatewayResponse? {
    guard let identifier = ConnectionsAPI.connectionID(in: target.path, of: target.api) else { return nil }
    var inner = request
    inner.path = target.path
    return ConnectionsAPI(service: service).answer(inner, to: target.api, identifier)
  }

  private static func index(_ apis: [GatewayAPI]) -> String {
    apis.map { api in
      "  /\(api.name)\(api.stage.isInPath ? "/" + api.stage.name : "")  "
        + api.routes.map(\.key).joined(separator: ", ") + "\n"
    }.joined()
  }

  /// The lines of the list of addresses, one for each mapping.
  private static func index(_ domains: [GatewayDomain]) -> String {
    domains.flatMap { domain in
      let host = "  Host: \(domain.name)\(domain.certificateFinding == nil ? "" : " (mutual TLS)")"
      if domain.closure != nil { return ["\(host)  closed\n"] }
      return domain.mappings.map { mapping in
        switch mapping.target {
        case .stage(let api, let stage): "\(host), /\(mapping.basePath)  \(api), stage \(stage)\n"
        case .api(let api): "\(host), /\(mapping.basePath)  \(api), with the stage in the path\n"
        case .closed: "\(host), /\(mapping.basePath)  closed\n"
        }
      }
    }.joined()
  }

  // MARK: HTTP

  static func text(_ status: Int, _ text: String, headers: [GatewayRequest.Header] = []) -> GatewayResponse {
    GatewayResponse(
      status: status, headers: headers + [.init("Content-Type", "text/plain")], body: Array(text.utf8))
  }

  static func incoming(
    _ request: Request, body: [UInt8] = [], isBodyTooLarge: Bool = false
  ) -> GatewayRequest {
    var headers = request.headers.map { GatewayRequest.Header($0.name.rawName, $0.value) }
    if let host = request.head.authority { headers.insert(.init("Host", host), at: 0) }
    let (path, query) = split(request.head.path ?? "/")
    return GatewayRequest(
      method: request.method.rawValue, path: path, query: query, headers: headers,
      body: body, isBodyTooLarge: isBodyTooLarge)
  }

  static func split(_ target: String) -> (path: String, query: String) {
    let parts = Substring(target).utf8.split(
      separator: .questionMark, maxSplits: 1, omittingEmptySubsequences: false
    ).map { String(Substring($0)) }
    return (parts.first ?? "/", parts.count == 2 ? parts[1] : "")
  }

  static func response(_ response: GatewayResponse) -> Response {
    Response(
      status: HTTPHead.status(response.status), headers: HTTPHead.fields(response.headers),
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
  }
}
