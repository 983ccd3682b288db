import IssuerKeys
import JOSE

/// The decision on a verified token, which depends on the settings and on no key.
extension Settings {
  /// Returns the decision on a proven token, in the format for this kind of API; a failure if the API is configured
  /// so that a cached answer would serve other callers.
  ///
  /// - Parameter now: Unix seconds.
  func decision(
    on proven: ProvenToken, _ request: AuthorizationRequest, _ credential: Credential,
    _ format: ResponseFormat, at now: Int64
  ) -> Decision {
    let token = proven.token
    let arn = request.arn
    let setup = GatewaySetup(of: request)
    if let flaw = cacheFlaw(setup, credential) {
      return Decision(failure: .invalidConfiguration, detail: flaw)
    }
    // Each part alone, because a copy of all settings of the issuer counts a reference for each part.
    let position = token.issuer.position
    let requirement = issuers[position].requirement
    var content = issuers[position].content
    let scopes = ScopeSet(token.claims)
    let time = DecisionTime(now: now, leewaySeconds: issuers[position].profile.leewaySeconds)
    let unmet = requirement.isEmpty ? nil : requirement.unmet(by: token, scopes, at: time)
    var access = unmet == nil ? Access.wholeStage : .nothing
    var tools: ToolRuling?
    if unmet == nil, let rules {
      if rules.needsConcretePath,
        let flaw = pathFlaw(setup, of: "rules with wildcards, ${claims} or default allow")
      {
        return Decision(failure: .invalidConfiguration, detail: flaw)
      }
      access = rules.access(for: token, scopes, at: time)
      if rules.needsConcretePath { refuseTemplates(&access, setup, arn) }
      if rules.toolRoutes != nil, let ruling = rules.toolRuling(on: request, token, scopes, at: time) {
        // This request alone: the policy for another one contains no tool route.
        if ruling.refusal == nil { access.grant(arn.route) }
        content.context.add(ruling)
        tools = ruling
      }
    }
    let room = RoutePattern.maximumResourceBytes - arn.stagePrefix.count
    guard room > 0 else {
      return Decision(failure: .answerTooLarge, detail: "the stage's ARN is longer than a Resource may be")
    }
    guard let (fitting, isShorter) = access.limited(toBytes: room) else {
      return Decision(failure: .answerTooLarge, detail: "a restriction is longer than a Resource may be")
    }
    let isPermitted = fitting.permits(arn.route)
    let expiry = issuers[position].profile.end(of: token)
    guard let answer = format.answer(token, scopes, fitting, on: arn, expiresAt: expiry, content: content)
    else {
      var bare = content
      bare.context = ContextTemplate(members: [])
      // If the answer fits without the context, the token's claims are too large, and its user may have chosen them.
      let fitsBare =
        format.answer(token, scopes, fitting, on: arn, expiresAt: expiry, content: bare) != nil
      return Decision(
        failure: .answerTooLarge, detail: "the answer is larger than API Gateway accepts",
        isOfToken: fitsBare)
    }
    var refusal: (reason: ReasonCode, rule: Int?, unmet: Requirement?)?
    if !isPermitted {
      refusal = unmet.map { ($0, nil, requirement) } ?? tools?.refusal
      if refusal == nil, tools == nil { refusal = rules?.refusal(of: arn.route, token, scopes, at: time) }
    }
    var decision = Decision(answer, refusing: isPermitted ? nil : refusal?.reason ?? .noRule)
    decision.rule = refusal?.rule
    if refusal?.reason == .insufficientScope {
      decision.requiredScope = refusal?.unmet?.neededScope(scopes)
    }
    decision.detail = isPermitted ? nil : tools?.detail
    decision.leftOut = fitting.hasUnroutableClaim ? .claimNotRoutable : isShorter ? .answerTooLarge : nil
    let hidesTools = rules?.toolRoutes != nil && !request.kind.hasClientHeaders
    if hidesTools { decision.leftOut = decision.leftOut ?? .mcpHeaders }
    return decision
  }

  /// Returns why API Gateway may serve another caller the answer from its cache; `nil` if it does not.
  ///
  /// Checked only for verified tokens, so that no stranger can make an API look misconfigured. With guests "off" is
  /// compulsory, so it does not show that the API caches nothing. Rules for tools need it too: an answer for one tool
  /// would serve others.
  private func cacheFlaw(_ setup: GatewaySetup, _ credential: Credential) -> String? {
    let promisesNoCache = gatewayCache == .off && guests == nil && rules?.toolRoutes == nil
    guard !promisesNoCache, setup.mayCache(apartFrom: credential.token) else { return nil }
    return
      "the API's identity sources do not contain the token, so a cached answer would serve other callers;"
      + (guests == nil
        ? " add the token's header or cookie to the identity sources"
          + (gatewayCache == .off ? "" : ", or set \"gatewayCache\": \"off\" if the API caches nothing")
        : " remove the identity sources, which guests cannot have, and set the TTL to 0")
  }

  /// Refuses what may be the template of a route and not a path, for rules or guest routes that need the path.
  ///
  /// Refused and not reported as a failure, which any caller could then cause by writing braces into a path.
  func refuseTemplates(_ access: inout Access, _ setup: GatewaySetup, _ arn: MethodARN) {
    guard setup.isHTTP else { return }
    if !isRouteARNConcrete {
      access.refusesTemplates = true
    } else if setup.routeInARN == .either {
      // This route alone, because API Gateway caches the policy for the token's other routes.
      access.refusedPatterns.append(arn.route)
    }
  }

  /// Returns why rules or guest routes that need the path of a request cannot decide on this event; `nil` if they can.
  ///
  /// - Parameter settings: which rules or guest routes need the path, for the operator.
  func pathFlaw(_ setup: GatewaySetup, of settings: String) -> String? {
    guard setup.routeInARN == .template else { return nil }
    return
      "the ARN of this event contains the template of the route, not a path, so \(settings) cannot decide on it:"
      + " write the path as a route of the API and as a route of a rule, both without variables, or use a REST API"
      + (isRouteARNConcrete ? "; remove \"routeArnIsConcrete\", which is wrong for this API" : "")
  }
}
