@testable import GatewayModel
@testable import Text

/// What an API demands of a request, to find what a mutation takes away.
struct Strictness {
  private let api: GatewayAPI

  init(_ api: GatewayAPI) { self.api = api }

  /// Returns what the API demands no longer, beside what the mutated property itself says.
  func lost(in now: GatewayAPI, _ mutation: TemplateMutation) -> String? {
    if api.access.isPrivate, !now.access.isPrivate, !mutation.decides(["EndpointConfiguration"]) {
      return "is private no longer"
    }
    if !api.access.hasDefaultEndpoint, now.access.hasDefaultEndpoint,
      !mutation.decides(["DisableExecuteApiEndpoint", "disableExecuteApiEndpoint"])
    {
      return "has its own address again"
    }
    if let policy = api.access.resourcePolicy, now.access.resourcePolicy != policy,
      now.access.resourcePolicy == nil
        || !mutation.decides(TemplateMutation.policies.union(["StageName"]))
          // Policies of events are about the path of the event, which is closed then.
          && !mutation.path.contains("Events")
    {
      return "has another resource policy"
    }
    if now.access.keySource != api.access.keySource, !mutation.decides(["ApiKeySourceType"]) {
      return "takes API keys from elsewhere"
    }
    if !isLimited(now, mutation) { return "is limited less" }
    return nil
  }

  /// Whether the limits of requests are the same, or let nothing pass; but for those that the mutation removes.
  private func isLimited(_ now: GatewayAPI, _ mutation: TemplateMutation) -> Bool {
    let limits: Set = [
      "Throttle", "Quota", "UsagePlan", "MethodSettings", "DefaultRouteSettings", "RouteSettings",
      "ApiStages",
    ]
    if mutation.decides(limits), [.removed, .map, .list].contains(mutation.kind) { return true }
    let (before, after) = (api.stage.throttles, now.stage.throttles)
    let isStage =
      Self.isTight(after.standard, as: before.standard)
      && before.own.allSatisfy { Self.isTight(after.own[$0.key] ?? after.standard, as: $0.value) }
    return isStage
      && now.access.plans.allSatisfy { plan in
        guard let own = api.access.plans.first(where: { $0.name == plan.name }) else { return true }
        return Self.isTight(plan.throttle, as: own.throttle) && own.quota == plan.quota
          && own.methodThrottles.allSatisfy { Self.isTight(plan.methodThrottles[$0.key], as: $0.value) }
      }
  }

  private static func isTight(_ now: UsagePlan.Throttle?, as before: UsagePlan.Throttle?) -> Bool {
    before == nil || now == before || now == .unreadable
  }

  /// Returns what a route demands no longer, beside what the mutated property itself says.
  func lost(from before: GatewayRoute, in now: GatewayRoute, _ mutation: TemplateMutation) -> String? {
    if case .closed = now.access { return nil }
    if before.needsAPIKey, !now.needsAPIKey { return "needs no API key" }
    switch (before.access, now.access) {
    case (.open, _), (.signature, .signature): return nil
    case (.closed, _): return mutation.path.last == "AuthorizerId" ? nil : "is closed no longer"
    case (.lambda(let one), .lambda(let other)):
      if one.function != other.function { return "has the authorizer \(other.function)" }
      let isSame = one.form == other.form && one.timeToLiveSeconds == other.timeToLiveSeconds
      return isSame || mutation.decides(Self.details) ? nil : "reads the credential from elsewhere"
    case (.token(let one, let scopes), .token(let other, let others)):
      if !Self.isAsNarrow(other, as: one) { return "accepts other tokens" }
      if one.source != other.source || one.validation != other.validation,
        !mutation.decides(Self.details)
      {
        return "reads the token from elsewhere"
      }
      let isSubset = scopes.isEmpty || Set(others).isSubset(of: scopes) && !others.isEmpty
      return isSubset || mutation.decides(["AuthorizationScopes"]) ? nil : "needs no scope"
    default: return "is \(now.guardText) after \(before.guardText)"
    }
  }

  /// What says how an authorizer reads the credential; AWS has a default for each of them.
  private static let details: Set = [
    "Identity", "Header", "Headers", "QueryStrings", "ValidationExpression", "ReauthorizeEvery",
    "FunctionPayloadType", "IdentitySource", "identitySource", "AuthorizerPayloadFormatVersion",
    "EnableSimpleResponses", "AuthorizerResultTtlInSeconds", "authorizerResultTtlInSeconds", "Type", "type",
    "name",
  ]

  /// Whether an authorizer accepts only tokens that another one accepts. Fewer audiences accept fewer tokens.
  private static func isAsNarrow(_ other: TokenAuthorizer, as one: TokenAuthorizer) -> Bool {
    switch (one.kind, other.kind) {
    case (.jwt(let issuer, let audiences), .jwt(let otherIssuer, let others)):
      issuer == otherIssuer && !others.isEmpty && Set(others).isSubset(of: audiences)
    case (.restJWT(let trust), .restJWT(let other)):
      !other.algorithms.isEmpty && Set(other.algorithms).isSubset(of: trust.algorithms)
        && other.issuers.allSatisfy { issuer in
          guard let own = trust.issuer(issuer.name) else { return false }
          return !issuer.audiences.isEmpty && Set(issuer.audiences).isSubset(of: own.audiences)
            && own.claims.allSatisfy { issuer.claims.contains($0) }
        }
    case (.userPools(let pools), .userPools(let others)):
      !others.isEmpty && Set(others).isSubset(of: pools)
    default: false
    }
  }
}
