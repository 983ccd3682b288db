package import AuthorizerContract
package import GatewayModel
package import IAMPolicy

/// What decides about a request beside the authorizer of its route: limits, the resource policy, the API key and its
/// usage plan.
extension Gateway {
  // MARK: Limits

  /// Returns the first limit that the request exceeds, and the reason for the log.
  package static func excess(of request: GatewayRequest, to api: GatewayAPI) -> (Refusal, why: String)? {
    if request.isBodyTooLarge { return (.bodyTooLarge, "the body has more than \(Refusal.bodyBytes) bytes") }
    var bytes = request.headers.reduce(0) { $0 + $1.value.utf8.count }
    let url = request.path.utf8.count + request.query.utf8.count + (request.query.isEmpty ? 0 : 1)
    switch api.kind {
    case .rest:
      if url > Refusal.restURLCharacters {
        return (.arnTooLong, "the URL has \(url) characters, the limit is \(Refusal.restURLCharacters)")
      }
    // `GET /path?query HTTP/1.1`
    case .http: bytes += request.method.utf8.count + url + " HTTP/1.1 ".utf8.count
    case .webSocket: return nil
    }
    guard bytes > Refusal.headerBytes else { return nil }
    return (.headersTooLarge, "the headers have \(bytes) bytes, the limit is \(Refusal.headerBytes)")
  }

  // MARK: Resource policy

  /// Returns the decision of the API's resource policy about a request; `nil` without a policy.
  ///
  /// - Throws: `UndecidedPolicy` if the policy depends on the VPC of a private API.
  func resourceDecision(about exchange: Exchange) throws(UndecidedPolicy) -> PolicyEvaluator.Decision? {
    guard let policy = exchange.api.access.resourcePolicy else { return nil }
    return try PolicyEvaluator(policy).decision(
      forEach: exchange.spellings(of: exchange.resourceARN(concrete: true)), by: exchange.policyCaller,
      in: conditions(of: exchange, at: exchange.identity.unixMilliseconds / 1000))
  }

  /// Returns the evaluation of an authorizer's policy and a resource policy of the same account together: a Deny of
  /// either decides, else an Allow of either ("Policy evaluation outcome tables", table A).
  package func evaluation(of decision: PolicyEvaluator.Decision, for exchange: Exchange) -> Evaluation {
    do throws(UndecidedPolicy) {
      guard let other = try resourceDecision(about: exchange) else { return .policy(decision) }
      if case .explicitlyDenied = decision { return .policy(decision) }
      if case .explicitlyDenied = other { return .policy(other) }
      return .policy(decision.isAllowed ? decision : other)
    } catch {
      return .failure(.undecided(error))
    }
  }

  /// Refuses a request before its authorizer is invoked: if the ARN is too long, if the resource policy denies the
  /// request explicitly, or if the route has no authorizer and the policy does not allow the request ("How API Gateway
  /// resource policies affect authorization workflow").
  func refusedBeforeAuthorizer(_ exchange: Exchange) -> Step? {
    let length = exchange.resourceARN(concrete: true).utf8.count
    let isGuarded = !exchange.route.access.isOpen || exchange.api.access.resourcePolicy != nil
    if exchange.isREST, isGuarded, length > Refusal.restARNBytes {
      return refuse(
        .arnTooLong, exchange, .unused("the ARN has \(length) bytes, the limit is \(Refusal.restARNBytes)"))
    }
    switch exchange.route.access {
    // API Gateway checks the token first, and AWS_IAM needs the name of the caller; `integrate` evaluates the policy.
    case .token, .signature, .closed: return nil
    case .open: return refusedByResourcePolicy(exchange, .unused("the resource policy does not allow it"))
    case .lambda:
      return refusedByResourcePolicy(
        exchange, .unused("the resource policy denies it"), needsAllow: false)
    }
  }

  /// Refuses a request whose caller is known, unless the resource policy permits it.
  ///
  /// Without an authorizer and with a Cognito authorizer the policy must allow the request. With AWS_IAM the identity's own
  /// policy allows it, so the resource policy must not deny it (table A: caller and API have the same account). For a
  /// Lambda authorizer `judge` has combined both policies.
  func refusedByResourcePolicy(_ exchange: Exchange, _ use: AccessRecord.AuthorizerUse) -> Step? {
    switch exchange.route.access {
    case .open, .token: return refusedByResourcePolicy(exchange, use, needsAllow: true)
    case .signature:
      guard exchange.api.access.resourcePolicy == nil || exchange.policyCaller != .anonymous else {
        return refuse(
          .notEmulated(Self.unknownToPolicy("the principal of the request is unknown")), exchange, use)
      }
      return refusedByResourcePolicy(exchange, use, needsAllow: false)
    case .lambda, .closed: return nil
    }
  }

  private func refusedByResourcePolicy(
    _ exchange: Exchange, _ use: AccessRecord.AuthorizerUse, needsAllow: Bool
  ) -> Step? {
    let decision: PolicyEvaluator.Decision?
    do throws(UndecidedPolicy) {
      decision = try resourceDecision(about: exchange)
    } catch {
      return refuse(.notEmulated(Self.unknownToPolicy(error.description)), exchange, use)
    }
    let isExplicit = if case .explicitlyDenied? = decision { true } else { false }
    // A private API must have a policy.
    let lacksPolicy = decision == nil && exchange.api.access.isPrivate
    guard isExplicit || lacksPolicy || needsAllow && decision?.isAllowed == false else { return nil }
    return refuse(
      .resourcePolicy(
        caller: exchange.policyCaller.name, arn: exchange.resourceARN(concrete: true), isExplicit: isExplicit),
      exchange, use)
  }

  private static func unknownToPolicy(_ problem: String) -> TemplateFinding {
    TemplateFinding(path: "the resource policy", problem: problem, cure: "test the API on AWS")
  }

  // MARK: API keys

  /// Refuses a request that needs an API key and has no valid one, or whose key has used up its plan. A valid key is
  /// entered into the exchange.
  ///
  /// The key is checked after the authorizer, which may be its source ("Choose an API key source in API Gateway").
  func refusedByKey(
    _ exchange: inout Exchange, _ grant: AuthorizerGrant?, _ use: AccessRecord.AuthorizerUse,
    _ state: State
  ) -> Step? {
    guard exchange.route.needsAPIKey else { return nil }
    let access = exchange.api.access
    let value: String? =
      switch access.keySource {
      case .header: exchange.headerOfKey
      case .authorizer: grant?.answer.usageIdentifierKey
      }
    guard let value, let (key, plan) = access.use(ofKey: value) else {
      return refuse(
        .keyRefused, exchange, use.adding(value == nil ? "the API key is missing" : "the API key is refused"))
    }
    exchange.apiKey = key
    let excess = state.count(
      key, of: plan, method: plan.methodThrottle(of: exchange), missing: settings.missingThrottleLimit,
      at: exchange.identity.unixMilliseconds)
    switch excess {
    case .throttled?:
      return refuse(.throttled, exchange, use.adding("\(plan.name) throttles the key \(key.name)"))
    case .quota?:
      return refuse(
        .quotaExceeded, exchange, use.adding("the key \(key.name) has used up the quota of \(plan.name)"))
    case nil: return nil
    }
  }

  // MARK: Throttles of the stage

  /// Refuses a request to a route that gets requests faster than its stage allows.
  ///
  /// These limits come after those of usage plans ("Throttle requests to your REST APIs", order), and so after the
  /// authorizer, which may be the source of the key.
  func refusedByStage(
    _ exchange: Exchange, _ use: AccessRecord.AuthorizerUse, _ state: State
  ) -> Step? {
    guard let limit = exchange.api.stage.throttles.limit(of: exchange) else { return nil }
    let route = "\(exchange.api.address) \(exchange.route.key)"
    guard
      !state.count(
        route: route, limit: limit, missing: settings.missingThrottleLimit,
        at: exchange.identity.unixMilliseconds)
    else { return nil }
    return refuse(.throttled, exchange, use.adding("the stage throttles the route"))
  }
}

extension GatewayAPI.Stage.Throttles {
  /// The limit of the route that a request has found.
  fileprivate func limit(of exchange: Exchange) -> UsagePlan.Throttle? {
    guard exchange.isREST else { return own[exchange.route.key] ?? standard }
    let path = exchange.resourcePath
    let methods = [exchange.request.method, "ANY", "*"]
    return methods.lazy.compactMap { own["\($0) \(path)"] }.first
      ?? methods.lazy.compactMap { own["\($0) /*"] }.first ?? standard
  }
}

extension Exchange {
  /// The value of `x-api-key`; `nil` without the header. Repeated headers are one value, which no key has.
  fileprivate var headerOfKey: String? {
    let values = request.values(ofHeader: "x-api-key")
    return values.isEmpty ? nil : values.joined(separator: ",")
  }
}

extension UsagePlan {
  /// The limit that the plan sets for the method of the request, and the name of its bucket.
  fileprivate func methodThrottle(of exchange: Exchange) -> (name: String, limit: Throttle)? {
    for method in [exchange.request.method, "ANY"] {
      let name = "\(exchange.resourcePath)/\(method)"
      if let limit = methodThrottles[name] {
        return ("\(exchange.api.name)/\(exchange.api.stage.name)\(name)", limit)
      }
    }
    return nil
  }
}

extension AccessRecord.AuthorizerUse {
  /// The same use with what decided after it.
  fileprivate func adding(_ why: String) -> AccessRecord.AuthorizerUse {
    switch self {
    case .unused: .unused(why)
    case .used(let name, let origin, let decision, let reason):
      .used(name, origin, "\(decision); \(why)", reason: reason)
    }
  }
}
