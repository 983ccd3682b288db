internal import GatewayModel

/// The answers of backends, and the refusals of the gateway itself.
extension Gateway {
  /// Finishes an exchange with the outcome of the backend.
  package func finish(_ call: BackendCall, with answer: BackendAnswer) -> GatewayAnswer {
    let exchange = call.exchange
    var record = call.record
    let refusal: GatewayError
    switch answer {
    case .mapped(let reply, let message, let reason):
      return finish(call, with: reply, errorMessage: message, reason: reason)
    case .echo(let response):
      if exchange.connectionID == nil { record.status = response.status }
      return GatewayAnswer(completed(response, exchange), record, of: exchange)
    case .notEmulated(let finding): refusal = .notEmulated(finding)
    case .response(let response, let reason):
      let opens = exchange.connectionID != nil && (200...299).contains(response.status)
      record.status = opens ? 101 : response.status
      record.backend = reason.map { "\(call.name): \($0)" }
      let remapped =
        exchange.isREST ? MappedHeaders.remapped(response, isHTTP: call.isHTTP) : response
      let changed = call.changed(remapped)
      if changed.status != response.status { record.status = changed.status }
      record.warning = call.toolHeaderWarning(changed.status)
      return GatewayAnswer(completed(changed, exchange), record, of: exchange)
    case .functionFailed(let why):
      refusal = call.isStreamed ? .integrationMisconfigured : .backendFunctionFailed
      record.backend = "\(call.name): \(why)"
    case .unreachable: refusal = .integrationFailed
    case .timedOut: refusal = .integrationTimedOut
    }
    let response = response(to: exchange.received, refusal, from: ParameterSource(exchange))
    record.status = response.status
    return GatewayAnswer(response, record, of: exchange)
  }

  /// Adds the headers that API Gateway adds to each answer of a backend.
  func completed(_ response: GatewayResponse, _ exchange: RequestContext) -> GatewayResponse {
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
    return withCrossOrigin(response, exchange.received)
  }

  // MARK: Refusals

  /// Refuses a request to a route.
  ///
  /// - Parameter variables: what the authorizer granted, for gateway responses.
  func refuse(
    _ refusal: GatewayError, _ exchange: RequestContext, _ use: AccessRecord.AuthorizerUse,
    variables: [String: String] = [:], warning: String? = nil
  ) -> GatewayAnswer {
    let source = ParameterSource(exchange, authorizer: variables)
    let response = response(to: exchange.received, refusal, from: source)
    var record = AccessRecord(exchange, use)
    record.status = response.status
    record.warning = warning
    return GatewayAnswer(response, record, of: exchange, refusal: refusal)
  }

  func refuse(_ refusal: GatewayError, _ received: ReceivedRequest, why: String) -> GatewayAnswer {
    let source = ParameterSource(received.request, api: received.api)
    let response = response(to: received, refusal, from: source)
    let record = AccessRecord(received, routeKey: nil, .unused(why), status: response.status)
    return GatewayAnswer(response, record, to: received, refusal: refusal)
  }

  private func response(
    to received: ReceivedRequest, _ refusal: GatewayError, from source: ParameterSource
  ) -> GatewayResponse {
    withCrossOrigin(refusal.response(to: received, from: source), received)
  }

  private func withCrossOrigin(_ response: GatewayResponse, _ received: ReceivedRequest) -> GatewayResponse {
    guard case .http(let policy?) = received.api.kind else { return response }
    return policy.added(to: response, for: received.request)
  }
}
