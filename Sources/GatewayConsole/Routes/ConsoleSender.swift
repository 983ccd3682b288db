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
    "api", "stage", "method", "path", "query", "headers", "body", "user", "scope",
  ]
  /// The most headers of a request: our choice.
  private static let maximumHeaders = 100

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
    let path = try order.text("path") ?? "/"
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
    guard user != nil || scope != nil else { return request }
    guard !console.usesRealKeys else { throw .impossible(ConsoleProblem.realKeys) }
    let service = connection.service
    let tokens = ConsoleTokens(
      issuer: connection.issuer, base: base, now: service.unixMilliseconds / 1000)
    let route = service.gateway.tables[api.address]?.route(method: method, path: path)?.route
    let token = try tokens.token(user: user, scope: scope, for: route)
    return tokens.request(request, with: token, insteadOf: nil, for: route)
  }

  private static func isOfTarget(_ text: String) -> Bool {
    text.utf8.count <= GatewayError.headerBytes
      && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }
  }
}
