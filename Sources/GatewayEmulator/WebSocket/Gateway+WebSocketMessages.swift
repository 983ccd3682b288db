internal import GatewayModel
internal import JSON

/// Messages of open WebSockets, and `$disconnect`.
extension Gateway {
  package enum MessageStep: Sendable {
    case answer(WebSocketAnswer)
    /// Call the backend, then `finish`.
    case integrate(BackendCall)
  }

  /// Starts the exchange of a message or of the end of a connection.
  ///
  /// A message that selects no route goes to `$default`; without that, the client receives an error. `$disconnect` has
  /// no such fallback: it returns `nil` where the API does not have it.
  package func begin(
    _ event: WebSocketEvent, _ message: [UInt8], of session: WebSocketSession, _ ids: RequestIdentity
  ) -> MessageStep? {
    func refused(_ problem: String, _ record: AccessRecord, status: Int) -> MessageStep {
      var record = record
      record.status = status
      return .answer(WebSocketAnswer(problem: problem, connectionID: session.identifier, ids, record))
    }
    let exchange: RequestContext
    switch route(of: event, message, session.api) {
    case .found(let route):
      exchange = RequestContext(
        of: event, message: message, session: session, route: route, identity: ids, location: served.location)
    case .nothingToDo: return nil
    case .unknown(let key):
      let received = ReceivedRequest(RequestContext.request(event, message, session), to: session.api, ids)
      let record = AccessRecord(received, routeKey: nil, .unused("no route \(key ?? "$default")"))
      return refused("Forbidden", record, status: 403)
    }
    var record = AccessRecord(exchange, .unused("the connection is open"))
    record.status = 200
    func closed(_ finding: Diagnostic) -> MessageStep {
      refused("serve does not emulate this: " + finding.line(in: "template"), record, status: 501)
    }
    switch exchange.route.access {
    case .open where !exchange.route.needsAPIKey: break
    case .closed(let findings):
      if let finding = findings.first { return closed(finding) }
      fallthrough
    case .open, .lambda, .token, .signature:
      // Only `$connect` can have an authorizer or need an API key here, so readers close such a route.
      return refused("Forbidden", record, status: 403)
    }
    let source = ParameterSource(exchange, authorizer: session.authorizer?.variables ?? [:])
    switch exchange.route.integration {
    case .webSocketMock: return .answer(WebSocketAnswer(text: nil, record: record))
    case .function(let name, let format):
      let event = EventParts(exchange: exchange).webSocketEvent(
        authorizer: session.authorizer?.members, message)
      return .integrate(
        BackendCall(exchange: exchange, record: record, target: .function(source.filled(name), event, format))
      )
    case .http(let integration):
      var request = BackendRequest(integration, source, exchange)
      // The client's headers belong to the handshake. A recorded request to a backend has these.
      request.headers.removeAll { $0.name.lowercased() == "user-agent" }
      request.headers += [
        .init("User-Agent", "AmazonAPIGateway_" + session.api.identifier),
        .init("Content-Type", "application/json"), .init("Accept", "application/json"),
      ]
      if request.method == event.name { request.method = "POST" }
      return .integrate(BackendCall(exchange: exchange, record: record, target: .http(request)))
    case .unavailable(let finding): return closed(finding)
    case .mapped, .restFunction, .service:
      // Readers make no such integration of a WebSocket API.
      return refused("Internal server error", record, status: 500)
    }
  }

  /// Finishes the exchange of a message. The client receives the echo from every route.
  package func finish(message call: BackendCall, with answer: BackendAnswer) -> WebSocketAnswer {
    let exchange = call.exchange
    var record = call.record
    let problem: String
    let isSent = exchange.webSocketEvent.closure == nil
    switch answer {
    case .echo(let response):
      record.status = response.status
      return WebSocketAnswer(text: isSent ? response.body : nil, record: record)
    case .response(let response, let reason), .mapped(let response, _, let reason):
      record.status = response.status
      record.backend = reason.map { "\(call.name): \($0)" }
      let isSent = isSent && isTwoWay(exchange)
      return WebSocketAnswer(text: isSent && !response.body.isEmpty ? response.body : nil, record: record)
    case .notEmulated(let finding):
      problem = "serve does not emulate this: " + finding.line(in: "template")
      record.status = 501
    case .functionFailed(let why):
      (problem, record.status) = ("Internal server error", 500)
      record.backend = "\(call.name): \(why)"
    case .unreachable: (problem, record.status) = ("Internal server error", 502)
    case .timedOut: (problem, record.status) = ("Endpoint request timed out", 504)
    }
    guard isSent else { return WebSocketAnswer(text: nil, record: record) }
    return WebSocketAnswer(
      problem: problem, connectionID: exchange.connectionID, exchange.identity, record)
  }

  private func isTwoWay(_ exchange: RequestContext) -> Bool {
    switch exchange.route.reply {
    case .none: false
    case .oneOfBoth: settings.webSocketReply == .either
    case .both: true
    }
  }

  // MARK: Routes

  private enum MessageRoute {
    case found(GatewayRoute)
    case unknown(key: String?)
    case nothingToDo
  }

  private func route(of event: WebSocketEvent, _ message: [UInt8], _ api: GatewayAPI) -> MessageRoute {
    guard case .webSocket(let selection) = api.kind else { return .nothingToDo }
    switch event {
    case .connect: return .nothingToDo
    case .disconnect:
      return api.routes.first { $0.match == .message("$disconnect") }.map { .found($0) } ?? .nothingToDo
    case .message:
      let key = selection.key(in: message)
      return RouteTable(api).route(key: key ?? "$default").map { .found($0) } ?? .unknown(key: key)
    }
  }
}

/// What the client of a WebSocket receives for its message.
package struct WebSocketAnswer: Sendable {
  let text: [UInt8]?
  let record: AccessRecord

  init(text: [UInt8]?, record: AccessRecord) { (self.text, self.record) = (text, record) }

  /// An error, in the spelling of API Gateway.
  init(problem: String, connectionID: String?, _ ids: RequestIdentity, _ record: AccessRecord) {
    let quoted = ParameterSource.quoted
    self.init(
      text: Array(
        (#"{"message": \#(quoted(problem)), "connectionId":\#(quoted(connectionID ?? "")), "#
          + #""requestId":\#(quoted(ids.extendedRequestID))}"#).utf8), record: record)
  }
}

extension RequestContext {
  init(
    of event: WebSocketEvent, message: [UInt8], session: WebSocketSession, route: GatewayRoute,
    identity: RequestIdentity, location: AWSLocation
  ) {
    self.init(
      api: session.api, location: location, request: Self.request(event, message, session), path: "/",
      route: route,
      pathParameters: [], identity: identity, connectionID: session.identifier)
    webSocketEvent = event
    connectedAt = session.connectedAt
  }

  /// The message as a request, for templates and the log. Of the handshake, only address and user agent remain.
  fileprivate static func request(
    _ event: WebSocketEvent, _ message: [UInt8], _ session: WebSocketSession
  ) -> GatewayRequest {
    GatewayRequest(
      method: event.name, path: "/\(session.api.stage.name)/@connections/\(session.identifier)",
      headers: session.request.headers.filter { $0.name.lowercased() == "user-agent" }, body: message,
      sourceAddress: session.request.sourceAddress)
  }
}

extension EventParts {
  /// The event of a message or of `$disconnect`; names, order and absent members match recorded events.
  fileprivate func webSocketEvent(authorizer: JSONTree?, _ message: [UInt8]) -> JSONTree {
    let context = webSocketContext(authorizer: authorizer)
    guard exchange.webSocketEvent.closure != nil else {
      return .members([
        "requestContext": context, "stageVariables": stageVariables.unlessEmpty,
        "body": .string(String(decoding: message, as: UTF8.self)), "isBase64Encoded": .boolean(false),
      ])
    }
    let headers = [
      (name: "Host", values: [exchange.domainName]), ("x-api-key", [""]), ("X-Forwarded-For", [""]),
      ("x-restapi", [""]),
    ]
    return .members([
      "headers": Self.single(headers), "multiValueHeaders": Self.multiple(headers),
      "requestContext": context, "stageVariables": stageVariables.unlessEmpty,
      "isBase64Encoded": .boolean(false),
    ])
  }
}
