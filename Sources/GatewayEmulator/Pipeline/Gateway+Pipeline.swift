package import GatewayModel

/// The checks of a request, in the order of API Gateway. Each is a file beside this one.
extension Gateway {
  package enum Step: Sendable {
    /// Send this answer; the exchange is finished.
    case answer(GatewayAnswer)
    /// Call the authorizer's function, then `resume`.
    case authorize(Authorization)
    /// Call the backend, then `finish`.
    case integrate(BackendCall)
  }

  /// Starts the exchange of a request.
  package func begin(_ received: ReceivedRequest, state: State) -> Step {
    if let refused = refusedByEndpoint(received) ?? refusedByLimits(received) { return .answer(refused) }
    let exchange: RequestContext
    switch route(received) {
    case .answer(let answer): return .answer(answer)
    case .found(let found): exchange = found
    }
    if let refused = refusedByARNLength(exchange) ?? refusedByResourcePolicyAlone(exchange) {
      return .answer(refused)
    }
    return proceed(after: authorize(exchange, state), state)
  }

  /// Continues with the outcome of the authorizer's function.
  ///
  /// - Parameter unixMilliseconds: the current time, when the TTL of the answer begins.
  package func resume(
    _ authorization: Authorization, with outcome: FunctionOutcome, milliseconds: Int,
    at unixMilliseconds: Int64, state: State
  ) -> Step {
    let decision = decision(
      of: authorization, by: outcome, milliseconds: milliseconds, at: unixMilliseconds, state)
    return proceed(after: conclude(authorization, decision), state)
  }

  private func proceed(after result: AuthorizerResult, _ state: State) -> Step {
    var request: AuthorizedRequest
    switch result {
    case .call(let authorization): return .authorize(authorization)
    case .refused(let answer): return .answer(answer)
    case .authorized(let authorized): request = authorized
    }
    if let refused = refusedByResourcePolicy(request) { return .answer(refused) }
    request.noteGrant()
    let refused =
      refusedByAPIKey(&request, state) ?? refusedByStageThrottle(request, state)
      ?? refusedByValidation(request)
    return refused.map { .answer($0) } ?? integrate(request)
  }
}

/// A request to an API, whose route is not known yet.
package struct ReceivedRequest: Sendable {
  let request: GatewayRequest
  let api: GatewayAPI
  let identity: RequestIdentity
  /// The ID of the connection that a WebSocket handshake requests.
  let connectionID: String?

  package init(
    _ request: GatewayRequest, to api: GatewayAPI, _ identity: RequestIdentity, connectionID: String? = nil
  ) {
    (self.request, self.api, self.identity, self.connectionID) = (request, api, identity, connectionID)
  }
}

/// A request that its authorizer permits, or whose route has none.
struct AuthorizedRequest: Sendable {
  var exchange: RequestContext
  var grant: AuthorizerGrant?
  let use: AccessRecord.AuthorizerUse
  /// The duration of the authorizer's call.
  var latencyMilliseconds = 0

  var source: ParameterSource { ParameterSource(exchange, authorizer: grant?.variables ?? [:]) }

  /// Notes what an authorizer of API Gateway itself granted, for records of the decision.
  mutating func noteGrant() {
    if exchange.evidence == nil, grant != nil { exchange.evidence = AuthorizerEvidence(grant: grant) }
  }
}
