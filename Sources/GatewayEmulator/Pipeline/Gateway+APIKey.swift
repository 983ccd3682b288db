internal import AuthorizerContract
internal import GatewayModel

/// API keys with their usage plans, and the throttles of a stage.
extension Gateway {
  /// Refuses a request that needs an API key and has no valid one, or whose key has used up its plan. A valid key is
  /// entered into the exchange.
  ///
  /// The key is checked after the authorizer, which may be its source ("Choose an API key source in API Gateway").
  func refusedByAPIKey(_ request: inout AuthorizedRequest, _ state: State) -> GatewayAnswer? {
    let exchange = request.exchange
    guard exchange.route.needsAPIKey else { return nil }
    let access = exchange.api.access
    let value: String? =
      switch access.keySource {
      case .header: exchange.headerOfKey
      case .authorizer: request.grant?.answer.usageIdentifierKey
      }
    guard let value, let (key, plan) = access.use(ofKey: value) else {
      return refuse(
        .keyRefused, request, adding: value == nil ? "the API key is missing" : "the API key is refused")
    }
    request.exchange.apiKey = key
    let excess = state.withUsage {
      $0.count(
        key, of: plan, method: plan.methodThrottle(of: exchange), missing: settings.missingThrottleLimit,
        at: exchange.identity.unixMilliseconds)
    }
    switch excess {
    case .throttled?:
      return refuse(.throttled, request, adding: "\(plan.name) throttles the key \(key.name)")
    case .quota?:
      return refuse(
        .quotaExceeded, request, adding: "the key \(key.name) has used up the quota of \(plan.name)")
    case nil: return nil
    }
  }

  // MARK: Throttles of the stage

  /// Refuses a request to a route that gets requests faster than its stage allows.
  ///
  /// These limits come after those of usage plans ("Throttle requests to your REST APIs", order), and so after the
  /// authorizer, which may be the source of the key.
  func refusedByStageThrottle(_ request: AuthorizedRequest, _ state: State) -> GatewayAnswer? {
    let exchange = request.exchange
    guard let limit = exchange.api.stage.throttles.limit(of: exchange) else { return nil }
    let route = "\(exchange.api.address) \(exchange.route.key)"
    let isCounted = state.withUsage {
      $0.count(
        route: route, limit: limit, missing: settings.missingThrottleLimit,
        at: exchange.identity.unixMilliseconds)
    }
    return isCounted ? nil : refuse(.throttled, request, adding: "the stage throttles the route")
  }

  private func refuse(
    _ refusal: GatewayError, _ request: AuthorizedRequest, adding why: String
  ) -> GatewayAnswer {
    refuse(refusal, request.exchange, request.use.adding(why))
  }
}

extension GatewayAPI.Stage.Throttles {
  /// The limit of the route that a request has found.
  fileprivate func limit(of exchange: RequestContext) -> UsagePlan.Throttle? {
    guard exchange.isREST else { return own[exchange.route.key] ?? standard }
    let path = exchange.resourcePath
    let methods = [exchange.request.method, "ANY", "*"]
    return methods.lazy.compactMap { own["\($0) \(path)"] }.first
      ?? methods.lazy.compactMap { own["\($0) /*"] }.first ?? standard
  }
}

extension RequestContext {
  /// The value of `x-api-key`; `nil` without the header. Repeated headers are one value, which no key has.
  fileprivate var headerOfKey: String? {
    let values = request.values(ofHeader: "x-api-key")
    return values.isEmpty ? nil : values.joined(separator: ",")
  }
}

extension UsagePlan {
  /// The limit that the plan sets for the method of the request, and the name of its bucket.
  fileprivate func methodThrottle(of exchange: RequestContext) -> (name: String, limit: Throttle)? {
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
    case .used(let name, let origin, let decision, let reason, _):
      .used(name, origin, "\(decision); \(why)", reason: reason)
    }
  }
}
