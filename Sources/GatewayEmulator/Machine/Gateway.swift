internal import IAMPolicy
internal import AuthorizerContract
package import GatewayModel
package import LambdaEmulator
internal import JSON

/// API Gateway as a state machine without I/O: it takes a request, and each step returns the action that is needed
/// for the next step.
///
/// It reads no clock, opens no connection and calls no function; the caller does that and passes in the result.
package struct Gateway: Sendable {
  /// The APIs that it serves, once for each stage.
  package let apis: [GatewayAPI]
  /// The APIs that it only refuses.
  package let closedAPIs: [ClosedAPI]
  /// The custom domain names.
  package let domains: [GatewayDomain]
  package let place: AWSLocation
  package let settings: UnsettledBehaviors
  /// What API Gateway's own authorizers trust.
  package let trust: NativeTrust
  package let tables: [String: RouteTable]

  /// Creates a gateway for these APIs.
  package init(
    apis: [GatewayAPI], closedAPIs: [ClosedAPI] = [], domains: [GatewayDomain] = [],
    place: AWSLocation, settings: UnsettledBehaviors, trust: NativeTrust = .none
  ) {
    self.trust = trust
    self.domains = domains
    self.apis = apis
    self.closedAPIs = closedAPIs
    self.place = place
    self.settings = settings
    tables = Dictionary(
      apis.map { ($0.address, RouteTable($0, missingMethod: settings.restMissingMethod)) }
    ) { first, _ in first }
  }

  /// Creates a gateway for the APIs of a template or another source.
  ///
  /// - Parameters:
  ///   - trust: what API Gateway's own authorizers trust; their routes are closed without it.
  ///   - keyValues: values of API keys to which the template gives none. A key without a value admits no request.
  package init(
    _ served: ServedAPIs, settings: UnsettledBehaviors, trust: NativeTrust = .none,
    keyValues: [String: String] = [:]
  ) {
    let apis = served.apis.map { api in
      var api = api
      for place in api.access.keys.indices where api.access.keys[place].value == nil {
        api.access.keys[place].value = keyValues[api.access.keys[place].name]
      }
      return api
    }
    self.init(
      apis: apis, closedAPIs: served.closedAPIs, domains: served.domains, place: served.location,
      settings: settings, trust: trust)
  }

  /// Returns the API of a name, for the stage that begins the path; another stage if there is no such stage.
  package func api(_ path: String, where isMeant: (String) -> Bool) -> GatewayAPI? {
    let named = apis.filter { isMeant($0.name) }
    return named.first { $0.stage.isInPath && $0.pathBehindStage(path) != nil } ?? named.first {
      !$0.stage.isInPath
    }
      ?? named.first
  }

  /// The next action.
  package enum Step: Sendable {
    /// Send this answer; the exchange is finished.
    case answer(GatewayAnswer)
    /// Call the authorizer's function, then `resume`.
    case authorize(Authorization)
    /// Call the backend, then `finish`.
    case integrate(BackendCall)
  }

  /// A pending call of an authorizer.
  package struct Authorization: Sendable {
    package let exchange: Exchange
    package let authorizer: GatewayAuthorizer
    package let call: AuthorizerCall
    package let key: AuthorizerCache.Key?
  }

  // MARK: Begin

  /// Starts the exchange of a request to an API.
  ///
  /// - Parameter connectionID: the ID of the connection that a WebSocket handshake requests.
  package func begin(
    _ request: GatewayRequest, to api: GatewayAPI, _ ids: ExchangeIdentity, connectionID: String? = nil,
    state: State
  ) -> Step {
    // "Disable the default endpoint": REST APIs answer 403, HTTP APIs 404, as to a stage that does not exist.
    guard api.access.hasDefaultEndpoint || request.domain != nil else {
      return refuse(
        .noStage, request, api, ids, why: "DisableExecuteApiEndpoint: only a custom domain answers")
    }
    if let (refusal, why) = Self.excess(of: request, to: api) {
      return refuse(refusal, request, api, ids, why: why)
    }
    guard let path = Self.path(of: request, behindStageOf: api) else {
      let stages = apis.filter { $0.name == api.name }.map { "/" + $0.stage.name }.joined(separator: " or ")
      return refuse(.noStage, request, api, ids, why: "the path does not begin with \(stages)")
    }
    let found = route(request, path, api, connectionID)
    // A route that matches OPTIONS, such as `ANY` or `$default`, receives preflight requests too, and so does its
    // authorizer ("Configure CORS for HTTP APIs").
    if case .http(let policy?) = api.kind, CrossOriginPolicy.isPreflight(request), found == nil {
      let response = policy.preflight(for: request)
      let record = AccessRecord(
        request, api, ids, routeKey: "preflight", .unused("a preflight request has no token"),
        status: response.status)
      return .answer(GatewayAnswer(response, record, to: request, of: api))
    }
    guard let found else {
      return refuse(.noRoute, request, api, ids, why: "no route matches")
    }
    if settings.pathReadings == .closed,
      let other = tables[api.address]?.otherwiseGuarded(than: found.route, method: request.method, path: path)
    {
      let finding = TemplateFinding(
        path: found.route.key,
        problem:
          "gets this path as it was sent, and \(other), with another guard, gets another reading of it",
        cure: "test the path on AWS, then write --assume path-readings=as-sent")
      return refuse(.notEmulated(finding), request, api, ids, why: finding.problem)
    }
    let exchange = Exchange(
      api: api, place: place, request: request, path: path, route: found.route,
      pathParameters: found.parameters, identity: ids, connectionID: connectionID, settings: settings)
    if let refused = refusedBeforeAuthorizer(exchange) { return refused }
    switch found.route.access {
    case .open:
      return integrate(
        exchange, nil, latencyMilliseconds: 0, .unused("the route has no authorizer"), state: state)
    case .lambda(let authorizer): return authorize(exchange, authorizer, state)
    case .token(let verifier, let scopes): return decide(exchange, by: verifier, scopes, state)
    case .signature: return decideBySignature(exchange, state)
    case .closed(let findings):
      let finding = findings.first ?? Self.missing("the route")
      return refuse(.notEmulated(finding), exchange, .unused("the route is closed: \(finding.problem)"))
    }
  }

  private static func missing(_ what: String) -> TemplateFinding {
    TemplateFinding(path: what, problem: "is not emulated", cure: "test the route on AWS")
  }

  private func authorize(_ exchange: Exchange, _ authorizer: GatewayAuthorizer, _ state: State) -> Step {
    let call: AuthorizerCall
    do throws(IdentityProblem) {
      call = try authorizer.call(for: exchange, settings: settings)
    } catch {
      return refuse(.unauthorized, exchange, .used(authorizer.name, .notCalled, error.description))
    }
    let key = AuthorizerCache.Key(authorizer, of: exchange, identityValues: call.separateValues)
    let authorization = Authorization(exchange: exchange, authorizer: authorizer, call: call, key: key)
    guard let key, let grant = state.entry(for: key, at: exchange.identity.unixMilliseconds) else {
      return .authorize(authorization)
    }
    return judge(grant, for: authorization, .fromCache, reason: grant.reason(for: call.resourceARN), state)
  }

  // MARK: Resume

  /// Continues with the outcome of the authorizer's function.
  ///
  /// - Parameters:
  ///   - milliseconds: the duration of the call.
  ///   - reason: the function's reason code for its decision, for the log only.
  ///   - hasDecisionLine: whether the function logged its decision, for warnings only.
  ///   - unixMilliseconds: the current time, when the TTL of the answer begins.
  package func resume(
    _ authorization: Authorization, with answer: InvocationAnswer, milliseconds: Int, reason: String?,
    hasDecisionLine: Bool = false, at unixMilliseconds: Int64, state: State
  ) -> Step {
    let (exchange, authorizer) = (authorization.exchange, authorization.authorizer)
    let origin = AccessRecord.Origin.called(milliseconds: milliseconds)
    let rules = AnswerRules(takesSimpleAnswers: authorizer.takesSimpleAnswers, assumptions: settings)
    var grant: AuthorizerGrant
    do throws(Evaluation.Failure) {
      grant = AuthorizerGrant(
        answer: try AuthorizerAnswer(answer, for: authorizer.eventKind, by: rules),
        grantedAt: unixMilliseconds / 1000)
    } catch {
      return conclude(.failure(error), nil, for: authorization, origin, reason: reason, state)
    }
    grant.bytes = answer.response ?? []
    grant.request = OriginalRequest(
      resourceARN: authorization.call.resourceARN, reason: reason, hasDecisionLine: hasDecisionLine,
      pathCredentials: exchange.pathParameters.filter { CredentialNames.isCredentialOfRequest($0.name) }
        .map(\.value))
    // An error is never cached.
    let isCached =
      grant.answer.form != .unauthorized
      || answer.failure == nil && settings.returnedUnauthorizedIsCached == .yes
    if isCached, let key = authorization.key {
      state.store(grant, for: key, seconds: authorizer.timeToLiveSeconds, at: unixMilliseconds)
    }
    return judge(grant, for: authorization, origin, reason: reason, state)
  }

  private func judge(
    _ grant: AuthorizerGrant, for authorization: Authorization, _ origin: AccessRecord.Origin,
    reason: String?, _ state: State
  ) -> Step {
    let exchange = authorization.exchange
    var evaluation = grant.answer.evaluation(
      for: exchange.spellings(of: authorization.call.resourceARN), in: conditions(of: exchange, grant))
    if case .policy(let decision) = evaluation {
      evaluation = self.evaluation(of: decision, for: exchange)
    }
    return conclude(evaluation, grant, for: authorization, origin, reason: reason, state)
  }

  private func conclude(
    _ evaluation: Evaluation, _ grant: AuthorizerGrant?, for authorization: Authorization,
    _ origin: AccessRecord.Origin, reason: String?, _ state: State
  ) -> Step {
    let (authorizer, call) = (authorization.authorizer, authorization.call)
    var exchange = authorization.exchange
    exchange.evidence = AuthorizerEvidence(authorizer, call, grant, evaluation)
    let use = AccessRecord.AuthorizerUse.used(authorizer.name, origin, evaluation.explanation, reason: reason)
    switch evaluation.outcome {
    case .failure: return refuse(.authorizerFailed, exchange, use)
    case .unauthorized: return refuse(.unauthorized, exchange, use)
    case .forbidden:
      let isExplicit = if case .explicitlyDenied? = evaluation.decision { true } else { false }
      let warning =
        origin == .fromCache && !isExplicit ? grant?.narrowness(refusing: call.resourceARN) : nil
      return refuse(
        .accessDenied(isExplicit: isExplicit), exchange, use, variables: grant?.variables ?? [:],
        warning: warning)
    case .allowed:
      let latency = if case .called(let milliseconds) = origin { milliseconds } else { 0 }
      return integrate(exchange, grant, latencyMilliseconds: latency, use, state: state)
    }
  }
}

extension GatewayAuthorizer {
  fileprivate var takesSimpleAnswers: Bool {
    if case .http2(_, simpleAnswers: true) = form { true } else { false }
  }
}
