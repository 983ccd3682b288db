package import GatewayModel
internal import LambdaEmulator
internal import JSON

/// The backend of a route, and the answers of the gateway itself.
extension Gateway {
  func integrate(
    _ exchange: Exchange, _ grant: AuthorizerGrant?, latencyMilliseconds: Int,
    _ use: AccessRecord.AuthorizerUse, state: State
  ) -> Step {
    if let refused = refusedByResourcePolicy(exchange, use) { return refused }
    var exchange = exchange
    if exchange.evidence == nil, grant != nil { exchange.evidence = AuthorizerEvidence(nil, nil, grant) }
    if let refused = refusedByKey(&exchange, grant, use, state) { return refused }
    if let refused = refusedByStage(exchange, use, state) { return refused }
    let source = ParameterSource(exchange, authorizer: grant?.variables ?? [:])
    let record = AccessRecord(exchange, use)
    let missing = exchange.route.validation.missing(from: source)
    if !missing.isEmpty { return refuse(.parametersMissing(missing), exchange, use) }
    if exchange.connectionID != nil {
      exchange.authorizer = grant.map {
        AuthorizerContext(
          members: $0.textContext(latencyMilliseconds: latencyMilliseconds) ?? .object([]),
          variables: $0.variables)
      }
    }
    switch exchange.route.integration {
    case .unavailable(let finding): return refuse(.notEmulated(finding), exchange, use)
    case .webSocketMock:
      var answer = GatewayAnswer(
        GatewayResponse(status: 200), record, to: exchange.request, of: exchange.api)
      answer.authorizer = exchange.authorizer
      answer.exchange = exchange
      return .answer(answer)
    case .mapped(let integration): return integrate(integration, exchange, source, use)
    case .service(let integration):
      return .integrate(
        BackendCall(exchange: exchange, record: record, target: .service(integration, source)))
    case .function(let name, let format):
      let event = BackendEvent(exchange: exchange, grant: grant, latencyMilliseconds: latencyMilliseconds)
      if exchange.isREST, exchange.request.body.count > Self.bodyBytesInEvent,
        event.tree(format).bytes().count > RuntimeAPILimits.eventBytes
      {
        return refuse(.eventTooLarge, exchange, use)
      }
      return .integrate(
        BackendCall(
          exchange: exchange, record: record,
          target: .function(source.filled(name), event.tree(format), format)))
    case .http(let integration):
      if exchange.isREST,
        let name = integration.changes.lazy.compactMap(\.header).first(where: {
          MappedHeaders.isForbidden($0, onAWS: false)
        })
      {
        return fail("the header \(name) cannot be mapped", exchange, use)
      }
      let request = BackendRequest(integration, source, exchange)
      return .integrate(BackendCall(exchange: exchange, record: record, target: .http(request)))
    }
  }

  /// Smaller bodies fit into an event of Lambda: our bound. In base64 they have at most 5.6 of its 6 MB.
  private static let bodyBytesInEvent = 4 << 20

  /// Finishes an exchange with the outcome of the backend.
  package func finish(_ call: BackendCall, with answer: BackendAnswer) -> GatewayAnswer {
    let exchange = call.exchange
    var record = call.record
    let refusal: Refusal
    switch answer {
    case .mapped(let reply, let reason): return finish(call, with: reply, reason: reason)
    case .echo(let response):
      if exchange.connectionID == nil { record.status = response.status }
      return GatewayAnswer(completed(response, exchange), record, to: exchange.request, of: exchange.api)
    case .notEmulated(let finding): refusal = .notEmulated(finding)
    case .response(let response, let reason):
      let opens = exchange.connectionID != nil && (200...299).contains(response.status)
      record.status = opens ? 101 : response.status
      record.backend = reason.map { "\(call.name): \($0)" }
      let remapped = exchange.isREST ? RemappedHeaders.ofProxy(call.isHTTP).applied(to: response) : response
      let changed = call.changed(remapped)
      if changed.status != response.status { record.status = changed.status }
      return GatewayAnswer(completed(changed, exchange), record, to: exchange.request, of: exchange.api)
    case .functionFailed(let why):
      refusal = .backendFunctionFailed
      record.backend = "\(call.name): \(why)"
    case .unreachable: refusal = .integrationFailed
    case .timedOut: refusal = .integrationTimedOut
    }
    let response = refusal.response(
      to: exchange.request, of: exchange.api, from: ParameterSource(exchange), exchange.identity)
    record.status = response.status
    return GatewayAnswer(
      withCrossOrigin(response, exchange.request, exchange.api), record, to: exchange.request,
      of: exchange.api)
  }

  /// Adds the headers that API Gateway adds to each answer of a backend.
  func completed(_ response: GatewayResponse, _ exchange: Exchange) -> GatewayResponse {
    var response = response
    switch exchange.api.kind {
    case .rest:
      response.headers += [
        .init("x-amzn-RequestId", exchange.identity.requestID),
        .init("x-amz-apigw-id", exchange.identity.extendedRequestID),
      ]
      // Recordings of mocks and HTTP proxies have no trace ID.
      if exchange.route.integration.mock == nil {
        response.headers.append(.init("X-Amzn-Trace-Id", exchange.identity.traceID))
      }
    case .http, .webSocket:
      response.headers.append(.init("Apigw-Requestid", exchange.identity.extendedRequestID))
    }
    return withCrossOrigin(response, exchange.request, exchange.api)
  }

  // MARK: Refusals

  package func refuse(
    _ refusal: Refusal, _ exchange: Exchange, _ use: AccessRecord.AuthorizerUse,
    variables: [String: String] = [:], warning: String? = nil
  ) -> Step {
    let source = ParameterSource(exchange, authorizer: variables)
    let response = refusal.response(to: exchange.request, of: exchange.api, from: source, exchange.identity)
    var record = AccessRecord(exchange, use)
    record.status = response.status
    record.warning = warning
    var answer = GatewayAnswer(
      withCrossOrigin(response, exchange.request, exchange.api), record, to: exchange.request,
      of: exchange.api)
    (answer.exchange, answer.refusal) = (exchange, refusal)
    return .answer(answer)
  }

  package func refuse(
    _ refusal: Refusal, _ request: GatewayRequest, _ api: GatewayAPI, _ ids: ExchangeIdentity, why: String
  ) -> Step {
    let response = refusal.response(to: request, of: api, from: ParameterSource(request, api: api), ids)
    var record = AccessRecord(request, api, ids, routeKey: nil, .unused(why))
    record.status = response.status
    var answer = GatewayAnswer(withCrossOrigin(response, request, api), record, to: request, of: api)
    answer.refusal = refusal
    return .answer(answer)
  }

  private func withCrossOrigin(
    _ response: GatewayResponse, _ request: GatewayRequest, _ api: GatewayAPI
  ) -> GatewayResponse {
    guard case .http(let policy?) = api.kind else { return response }
    return policy.added(to: response, for: request)
  }
}
