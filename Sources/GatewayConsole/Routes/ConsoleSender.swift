internal import Text
internal import GatewayEmulator
internal import GatewayModel
internal import Bytes
internal import JSON

/// Sends a request of the page through the gateway, like a client, with a token that is made here.
struct ConsoleSender {
  let console: Console
  let connection: ConsoleConnection
  /// The address of the gateway, as the client of this request wrote it.
  let base: String

  private static let members = [
    "api", "stage", "method", "path", "parameters", "query", "headers", "body", "user", "scope", "claims",
  ]
  /// The most headers of a request: our choice.
  private static let maximumHeaders = 100

  /// Sends the request of an order, and returns `status`, `headers` and `body` of its answer and the ID of its `decision`.
  ///
  /// - Parameter order: `api`, `stage`, `method`, `path`, `query`, `headers` (an object of strings), `body`, `user`,
  ///   `scope`, `claims`; each is optional. `path` may be that of a route, such as `/users/{id}/{proxy+}`: then `parameters`
  ///   has the value of each of its parameters, not encoded: `{"id": "7", "proxy": "a/b"}`.
  /// - Throws: `invalid`, also for a parameter without a value; a brace itself is `%7B` or `%7D`.
  func answer(_ order: ConsoleRequest) async throws(ConsoleProblem) -> JSONTree {
    try order.check(known: Self.members)
    let api = try api(order)
    let request = try request(order, to: api)
    let served = await connection.service.answerUnobserved(request, to: api).served
    let decision = console.log.keep(served, replayOf: nil)
    let text = DecisionText(decision)
    return .members([
      "status": text.response["status"], "headers": text.response["headers"], "body": text.response["body"],
      "decision": .integer(Int64(decision.id)),
    ])
  }

  private func api(_ order: ConsoleRequest) throws(ConsoleProblem) -> GatewayAPI {
    let (name, stage) = (try order.text("api"), try order.text("stage"))
    let apis = connection.service.gateway.apis
    guard
      let api = apis.first(where: {
        (name == nil || $0.name.hasSameBytes(as: name ?? ""))
          && (stage == nil || $0.stage.name.hasSameBytes(as: stage ?? ""))
      })
    else { throw .notFound("there is no such API; GET /dev/session lists them") }
    if case .webSocket = api.kind {
      throw .impossible("a WebSocket API needs a WebSocket client, such as websocat")
    }
    return api
  }

  private func request(
    _ order: ConsoleRequest, to api: GatewayAPI
  ) throws(ConsoleProblem) -> GatewayRequest {
    let method = try order.text("method") ?? "GET"
    guard !method.isEmpty, method.utf8.count <= 32, method.utf8.allSatisfy({ (0x41...0x5A).contains($0) })
    else {
      throw .invalid("method must be a method such as GET")
    }
    let path = try Self.filled(try order.text("path") ?? "/", try order.texts("parameters"))
    guard path.hasBytePrefix("/"), Self.isOfTarget(path), !path.containsBytes(of: "?") else {
      throw .invalid("path must begin with a slash and have no query, no blanks and no control characters")
    }
    let query = try order.text("query") ?? ""
    guard Self.isOfTarget(query) else { throw .invalid("query must have no blanks; write %20") }
    var headers = try order.texts("headers").map { GatewayRequest.Header($0.name, $0.value) }
    guard headers.count <= Self.maximumHeaders, headers.allSatisfy(HTTPHead.isValid) else {
      throw .invalid("headers must be at most \(Self.maximumHeaders) valid names and values")
    }
    headers.removeAll { ["host", "content-length", "transfer-encoding"].contains($0.name.lowercased()) }
    let host = base.splitBytes(at: "/").last.map(String.init) ?? "127.0.0.1"
    let body = Array((try order.text("body") ?? "").utf8)
    let inner = api.stage.isInPath ? "/\(api.stage.name)\(path)" : path
    let request = GatewayRequest(
      method: method, path: inner, sentPath: "/\(api.name)\(inner)", query: query,
      headers: [.init("Host", host)] + headers, body: body)
    let (user, scope) = (try order.text("user"), try order.text("scope"))
    let claims = order.tree["claims"]
    guard user != nil || scope != nil || claims != nil else { return request }
    guard !console.usesRealKeys else { throw .impossible(ConsoleProblem.realKeys) }
    let service = connection.service
    let tokens = ConsoleTokens(
      issuer: connection.issuer, base: base, now: service.unixMilliseconds / 1000)
    let route = service.gateway.tables[api.address]?.route(method: method, path: path)?.route
    let token = try tokens.token(user: user, scope: scope, claims: claims, for: route)
    return tokens.request(request, with: token, insteadOf: nil, for: route)
  }

  /// Returns a path with the values of its parameters.
  private static func filled(
    _ path: String, _ parameters: [(name: String, value: String)]
  ) throws(ConsoleProblem) -> String {
    guard path.containsBytes(of: "{") || path.containsBytes(of: "}") || !parameters.isEmpty else {
      return path
    }
    guard let pattern = PathPattern(path) else {
      throw .invalid("each {name} of path must be a whole segment; write %7B and %7D for braces")
    }
    var unused = parameters
    func value(of name: String, keeping kept: String) throws(ConsoleProblem) -> String {
      guard let index = unused.firstIndex(where: { $0.name.hasSameBytes(as: name) }),
        case let value = unused.remove(at: index).value, !value.isEmpty
      else { throw .invalid("path has the parameter {\(name)}: give its value in parameters") }
      return PercentText.encoded(value, keeping: kept)
    }
    var parts: [String] = []
    for segment in pattern.segments {
      switch segment {
      case .literal(let text): parts.append(text)
      case .parameter(let name): parts.append(try value(of: name, keeping: ""))
      case .greedy(let name): parts.append(try value(of: name, keeping: "/"))
      }
    }
    if let name = unused.first?.name { throw .invalid("path has no parameter {\(name)}") }
    return "/" + parts.joined(separator: "/") + (path.hasByteSuffix("/") ? "/" : "")
  }

  private static func isOfTarget(_ text: String) -> Bool {
    text.utf8.count <= GatewayError.headerBytes
      && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }
  }
}
