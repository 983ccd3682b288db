internal import AuthorizerContract
package import GatewayModel
internal import IAMPolicy
internal import LambdaEmulator

/// The authorizer of a route.
extension Gateway {
  package struct Authorization: Sendable {
    package let exchange: RequestContext
    package let authorizer: GatewayAuthorizer
    package let call: AuthorizerCall
    package let key: AuthorizerCache.Key?
  }

  /// What an authorizer decides about a request.
  enum AuthorizerResult {
    case authorized(AuthorizedRequest)
    case refused(GatewayAnswer)
    /// Its function must be called.
    case call(Authorization)
  }

  /// What the answer of an authorizer's function, new or cached, means for a request.
  struct AuthorizerDecision {
    let evaluation: Evaluation
    let grant: AuthorizerGrant?
    let origin: AccessRecord.Origin
    /// The function's reason code, for the log only.
    let reason: String?
  }

  /// Asks the authorizer of the route, if it has one.
  func authorize(_ exchange: RequestContext, _ state: State) -> AuthorizerResult {
    switch exchange.route.access {
    case .open:
      return .authorized(AuthorizedRequest(exchange: exchange, use: .unused("the route has no authorizer")))
    case .lambda(let authorizer): return authorize(exchange, by: authorizer, state)
    case .token(let authorizer, let scopes): return authorize(exchange, by: authorizer, scopes)
    case .signature: return authorizeBySignature(exchange)
    case .closed(let findings):
      let finding =
        findings.first
        ?? Diagnostic(path: "the route", problem: "is not emulated", cure: "test the route on AWS")
      return .refused(
        refuse(.notEmulated(finding), exchange, .unused("the route is closed: \(finding.problem)")))
    }
  }

  private func authorize(
    _ exchange: RequestContext, by authorizer: GatewayAuthorizer, _ state: State
  ) -> AuthorizerResult {
    let call: AuthorizerCall
    do throws(IdentityProblem) {
      call = try authorizer.call(for: exchange)
    } catch {
      return .refused(
        refuse(
          .unauthorized, exchange,
          .used(authorizer.name, .notCalled, error.description, reason: error.reason, why: error.why)))
    }
    let key = AuthorizerCache.Key(authorizer, of: exchange, identityValues: call.identityValues)
    let authorization = Authorization(exchange: exchange, authorizer: authorizer, call: call, key: key)
    guard let key, let grant = state.withCache({ $0.entry(for: key, at: exchange.identity.unixMilliseconds) })
    else {
      return .call(authorization)
    }
    return conclude(
      authorization,
      AuthorizerDecision(
        evaluation: evaluation(of: grant, for: authorization), grant: grant, origin: .fromCache,
        reason: grant.reason(for: call.resourceARN)))
  }

  /// Returns what the outcome of the authorizer's function means, and caches its answer.
  func decision(
    of authorization: Authorization, by outcome: FunctionOutcome, milliseconds: Int,
    at unixMilliseconds: Int64, _ state: State
  ) -> AuthorizerDecision {
    let authorizer = authorization.authorizer
    let origin = AccessRecord.Origin.called(milliseconds: milliseconds)
    let rules = AnswerRules(takesSimpleAnswers: authorizer.takesSimpleAnswers, assumptions: settings)
    var grant: AuthorizerGrant
    do throws(Evaluation.Failure) {
      grant = AuthorizerGrant(
        answer: try AuthorizerAnswer(outcome.answer, for: authorizer.eventKind, by: rules),
        grantedAt: unixMilliseconds / 1000)
    } catch {
      return AuthorizerDecision(
        evaluation: .failure(error), grant: nil, origin: origin, reason: outcome.reason)
    }
    grant.bytes = outcome.answer.response ?? []
    grant.request = OriginalRequest(
      resourceARN: authorization.call.resourceARN, reason: outcome.reason,
      hasDecisionLine: outcome.hasDecisionLine,
      pathCredentials: authorization.exchange.pathParameters.filter {
        CredentialNames.isCredentialOfRequest($0.name)
      }.map(\.value))
    // An error is never cached.
    let isCached =
      grant.answer.form != .unauthorized
      || outcome.answer.failure == nil && settings.returnedUnauthorizedIsCached == .yes
    if isCached, let key = authorization.key {
      state.withCache {
        $0.store(grant, for: key, seconds: authorizer.timeToLiveSeconds, at: unixMilliseconds)
      }
    }
    return AuthorizerDecision(
      evaluation: evaluation(of: grant, for: authorization), grant: grant, origin: origin,
      reason: outcome.reason)
  }

  private func evaluation(of grant: AuthorizerGrant, for authorization: Authorization) -> Evaluation {
    let exchange = authorization.exchange
    let evaluation = grant.answer.evaluation(
      for: exchange.spellings(of: authorization.call.resourceARN), in: conditions(of: exchange, grant))
    guard case .policy(let decision) = evaluation else { return evaluation }
    return self.evaluation(of: decision, for: exchange)
  }

  /// Returns what a decision means for the request: the refusal, or the request with its grant.
  func conclude(_ authorization: Authorization, _ decision: AuthorizerDecision) -> AuthorizerResult {
    let (authorizer, call) = (authorization.authorizer, authorization.call)
    let (evaluation, grant) = (decision.evaluation, decision.grant)
    var exchange = authorization.exchange
    exchange.evidence = AuthorizerEvidence(
      authorizer: authorizer, call: call, grant: grant, evaluation: evaluation)
    let use = AccessRecord.AuthorizerUse.used(
      authorizer.name, decision.origin, evaluation.explanation, reason: decision.reason)
    switch evaluation.outcome {
    case .failure: return .refused(refuse(.authorizerFailed, exchange, use))
    case .unauthorized: return .refused(refuse(.unauthorized, exchange, use))
    case .forbidden:
      let isExplicit = if case .explicitlyDenied? = evaluation.decision { true } else { false }
      let warning =
        decision.origin == .fromCache && !isExplicit ? grant?.narrowness(refusing: call.resourceARN) : nil
      return .refused(
        refuse(
          .accessDenied(isExplicit: isExplicit), exchange, use, variables: grant?.variables ?? [:],
          warning: warning))
    case .allowed:
      let latency = if case .called(let milliseconds) = decision.origin { milliseconds } else { 0 }
      return .authorized(
        AuthorizedRequest(exchange: exchange, grant: grant, use: use, latencyMilliseconds: latency))
    }
  }
}

extension GatewayAuthorizer {
  fileprivate var takesSimpleAnswers: Bool {
    if case .http2(_, simpleAnswers: true) = form { true } else { false }
  }
}
