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
struct GatewayResponder: LoopbackResponder {
  let service: GatewayService
  let development: DevelopmentEndpoint
  /// Lambda's Invoke API for the same functions, if enabled.
  let invocations: InvokeAPI?
  /// The console, if there is one.
  var console: (any DevelopmentConsole)?
  /// The connection; `nil` in tests without one.
  var channel: (any Channel)?
  var client = ConnectionClient.unasked

  func respond(to request: Request) async -> Response {
    let host = request.head.authority ?? ""
    if let invocations, request.uri.path.hasBytePrefix(InvokeAPI.path), LoopbackHost.isLoopback(host),
      !isConsole(host), api(named: host, path: request.uri.path) == nil
    {
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
    guard let incoming = await Self.incoming(request) else {
      return Self.response(Self.text(400, "the body of the request is incomplete\n"))
    }
    if let response = await reply(of: console, to: incoming) { return response }
    return Self.response(await answer(incoming))
  }

  /// Returns the console's answer; `nil` for requests that are not for it: those of APIs and of custom domains, and
  /// those of other hosts, which ``answer(_:)`` refuses.
  private func reply(of console: (any DevelopmentConsole)?, to request: GatewayRequest) async -> Response? {
    let host = request.values(ofHeader: "Host").first ?? ""
    guard let console, request.path.hasBytePrefix("/dev/"), domain(of: host) == nil,
      LoopbackHost.isLoopback(host),
      isConsole(host) || api(named: host, path: request.path) == nil
    else { return nil }
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

  /// The API that an address names, and the rest of the path.
  struct Target {
    let api: GatewayAPI
    let path: String
    var domain: GatewayDomain.Use?
    /// The client certificate, where the domain has mutual TLS.
    var certificate: CallerCertificate?
  }

  func target(host: String, path: String) -> Target? {
    guard !isConsole(host) else { return nil }
    if let domain = domain(of: host) {
      if case .api(let target) = DomainTarget(domain, host: host, path: path, in: service.gateway) {
        return target
      }
      return nil
    }
    if let api = api(named: host, path: path) { return Target(api: api, path: path) }
    let name = path.dropFirst(bytes: 1).head(before: "/")
    let rest = path.dropFirst(bytes: 1 + name.utf8.count)
    let inner = rest.isEmpty ? "/" : String(rest)
    return service.gateway.api(inner) { $0.hasSameBytes(as: name) }.map { Target(api: $0, path: inner) }
  }

  /// Whether requests with this host are answered: a loopback name, or a custom domain of the template.
  func accepts(_ host: String) -> Bool { LoopbackHost.isLoopback(host) || domain(of: host) != nil }

  /// Whether only the console is served under this name, even where an API has the name `Console`.
  private func isConsole(_ host: String) -> Bool { console != nil && ConsoleHost.isHost(host) }

  /// The custom domain of a host. Its names are those of the template, so no other page can use them by DNS rebinding.
  func domain(of host: String) -> GatewayDomain? {
    LoopbackHost.name(of: host).flatMap { service.gateway.domains.answering($0) }
  }

  /// The response of an API that is not served.
  private func refusal(host: String, path: String) -> GatewayResponse? {
    let name = path.dropFirst(bytes: 1).head(before: "/")
    let closed = service.gateway.closedAPIs.first {
      $0.name.hasSameBytes(as: name) || isHost(host, of: $0.name)
    }
    return closed?.findings.first.map(Refusal.local)
  }

  /// The API that a host names. All paths of that host belong to the API, including those of a stage `dev`.
  private func api(named host: String, path: String) -> GatewayAPI? {
    service.gateway.api(path) { isHost(host, of: $0) }
  }

  private func isHost(_ host: String, of name: String) -> Bool {
    LoopbackHost.name(of: host) == name.lowercased() + ".localhost"
  }

  /// Answers a request by its host and path.
  func answer(_ request: GatewayRequest) async -> GatewayResponse {
    let host = request.values(ofHeader: "Host").first ?? ""
    if let domain = domain(of: host) {
      switch DomainTarget(domain, host: host, path: request.path, in: service.gateway, client: client) {
      case .api(let target): return await answer(request, at: target)
      case .closed(let finding): return Refusal.local(finding)
      case .nothing: return noMapping(domain)
      case .noCertificate: return Self.forbidden
      }
    }
    guard LoopbackHost.isLoopback(host) else {
      return Self.text(403, "the Host header must be a loopback name such as localhost\n")
    }
    if isConsole(host), !ConsoleHost.otherPaths.contains(request.path) {
      return Self.text(
        404, "only the console has this name, at \(ConsoleHost.page); APIs are at 127.0.0.1\n")
    }
    if !request.isBodyTooLarge, isConsole(host) || api(named: host, path: request.path) == nil,
      let response = development.answer(request)
    {
      return response
    }
    if let refusal = refusal(host: host, path: request.path) { return refusal }
    guard let target = target(host: host, path: request.path) else {
      if request.isBodyTooLarge { return Self.text(413, "the body is too large\n") }
      let index =
        "available addresses:\n" + Self.index(service.gateway.apis) + DomainTarget.index(service.gateway)
        + development.index
      return ["/", "/dev"].contains(request.path)
        ? Self.text(200, index) : Self.text(404, "no such API; " + index)
    }
    return await answer(request, at: target)
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

  private func answer(_ request: GatewayRequest, at target: Target) async -> GatewayResponse {
    if case .webSocket = target.api.kind {
      if let response = connections(request, at: target) { return response }
      return Self.text(
        426, "this is a WebSocket API; send an upgrade request\n",
        headers: [.init("Upgrade", "websocket"), .init("Sec-WebSocket-Version", "13")])
    }
    var inner = GatewayRequest(
      method: request.method, path: target.path, sentPath: request.path, query: request.query,
      headers: request.headers, body: request.body, sourceAddress: request.sourceAddress,
      isBodyTooLarge: request.isBodyTooLarge)
    inner.domain = target.domain
    inner.certificate = target.certificate
    return await service.answer(inner, to: target.api).response
  }

  /// Answers a request to `@connections`; returns `nil` for other paths.
  private func connections(_ request: GatewayRequest, at target: Target) -> GatewayResponse? {
    guard let identifier = ConnectionsAPI.connectionID(in: target.path, of: target.api) else { return nil }
    let inner = GatewayRequest(
      method: request.method, path: target.path, query: request.query, headers: request.headers,
      body: request.body, sourceAddress: request.sourceAddress)
    return ConnectionsAPI(service: service).answer(inner, to: target.api, identifier)
  }

  static func index(_ apis: [GatewayAPI]) -> String {
    apis.map { api in
      "  /\(api.name)\(api.stage.isInPath ? "/" + api.stage.name : "")  "
        + api.routes.map(\.key).joined(separator: ", ") + "\n"
    }.joined()
  }

  // MARK: HTTP

  static func text(_ status: Int, _ text: String, headers: [GatewayRequest.Header] = []) -> GatewayResponse {
    GatewayResponse(
      status: status, headers: headers + [.init("Content-Type", "text/plain")], body: Array(text.utf8))
  }

  /// Returns `nil` where the body is incomplete.
  private static func incoming(_ request: Request) async -> GatewayRequest? {
    var body: [UInt8] = []
    var isTooLarge = false
    switch await BoundedBody.read(request, limit: Refusal.bodyBytes) {
    case .whole(let bytes): body = bytes
    case .tooLarge: isTooLarge = true
    case .truncated: return nil
    }
    var headers = request.headers.map { GatewayRequest.Header($0.name.rawName, $0.value) }
    if let host = request.head.authority { headers.insert(.init("Host", host), at: 0) }
    let (path, query) = split(request.head.path ?? "/")
    return GatewayRequest(
      method: request.method.rawValue, path: path, query: query, headers: headers,
      body: body, isBodyTooLarge: isTooLarge)
  }

  static func split(_ target: String) -> (path: String, query: String) {
    let parts = Substring(target).utf8.split(
      separator: .questionMark, maxSplits: 1, omittingEmptySubsequences: false
    ).map { String(Substring($0)) }
    return (parts.first ?? "/", parts.count == 2 ? parts[1] : "")
  }

  private static func response(_ response: GatewayResponse) -> Response {
    Response(
      status: HTTPHead.status(response.status), headers: HTTPHead.fields(response.headers),
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
  }
}
