import Bytes
import IssuerKeys
package import JOSE
import JSON

/// What the rules of a configuration allow a token, rule by rule. Used for explanations only.
package struct RuleExplanation: Sendable {
  /// What the issuer requires of each of its tokens (`require`) and this one lacks. If not empty, the token reaches
  /// no route.
  package let missing: [MissingEvidence]
  /// The rules in order; empty if there are none, so that accepted tokens reach the whole stage.
  package let rules: [Rule]
  /// Whether a route that no rule names is allowed.
  package let allowsByDefault: Bool

  /// The result of one rule for this token.
  package struct Rule: Sendable {
    /// The routes as written.
    package let routes: [String]
    /// What the rule grants on them, if it names something of MCP: `tools get_*`. Empty for everything else.
    package let names: [String]
    /// What the rule requires and the token lacks.
    package let missing: [MissingEvidence]
    /// The routes with a claim whose value in this token cannot be part of a path.
    package let unroutable: [String]
    /// What the rule requires, for people: `scope admin`, `role is "owner" or "chief"`. Empty for any valid token.
    package let conditions: [String]

    /// Whether this rule lets the token reach at least one of its routes.
    package var isMet: Bool { missing.isEmpty && unroutable.count < routes.count }
  }

  /// Explains what a token reaches under these settings.
  ///
  /// - Parameter now: Unix seconds.
  package init(of token: VerifiedToken, settings: Settings, at now: Int64) {
    let scopes = ScopeSet(token.claims)
    let issuer = settings[token.issuer]
    let time = DecisionTime(now: now, leewaySeconds: issuer.profile.leewaySeconds)
    missing = issuer.requirement.missing(in: token, scopes, at: time)
    allowsByDefault = settings.rules.map { $0.whenNoRule == .allow } ?? true
    let names = settings.ruleNames.map { kinds in
      kinds.flatMap { kind, patterns in patterns.map { "\(kind.rawValue) \($0)" } }
    }
    rules = zip(settings.rules?.rules ?? [], names).map { rule, names in
      Rule(
        routes: rule.routes.map { $0.text }, names: names,
        missing: rule.requirement.missing(in: token, scopes, at: time),
        unroutable: rule.routes.filter { $0.isOwnership && $0.patterns(for: token.claims).isEmpty }
          .map { $0.text }, conditions: rule.requirement.conditions)
    }
  }
}

/// The decision of the rules on the route of an event.
package struct RouteRuling: Sendable {
  /// The requested route: `GET /pets`, `$connect`.
  package let route: String
  /// `allowed`, `forbidden` or `failure`; `unauthorized` if the event does not have exactly one token, or not the proof
  /// of a bound token.
  package let outcome: Outcome
  /// Why it is not allowed.
  package let reason: ReasonCode?
  /// The cause of a failure or of a rejected proof, for the operator.
  package let detail: String?
  /// What the request asks for on a route whose rules name tools: `tools/call search`; `nil` for other methods.
  package let call: String?
  /// The indexes of the rules that name the route and the call.
  package let rules: [Int]
  /// Those that name it for this token too, with the claims that make the path the caller's own: `sub is bob`.
  package let own: [(rule: Int, claims: String)]
  /// Whether the path holds two dots, `%2e`, `%25` or `%00`, which wildcard grants and restrictions deny.
  package let holdsEscape: Bool
}

extension Authorizer {
  /// Returns the authorizer's decision on an event whose token is already verified, without keys and without
  /// revocations. The proof or the certificate of a bound token is checked and not remembered.
  ///
  /// - Parameter now: Unix seconds.
  /// - Throws: `EventFlaw` if it is not an authorizer event.
  package func ruling(
    on event: [UInt8], of token: VerifiedToken, at now: Int64
  ) throws(EventFlaw) -> RouteRuling {
    let request = try AuthorizationRequest(parsing: event)
    let format = ResponseFormat(of: request.kind, settings.answers)
    let decision = decision(on: request, of: token, at: now, format)
    let route = request.arn.route
    var naming = (settings.rules?.rules ?? []).enumerated().filter { _, rule in
      rule.routes.contains { $0.widestPatterns.contains { RoutePattern.matches($0, route) } }
    }.map { $0.offset }
    var call: String?
    if let rules = settings.rules, let place = rules.toolRoutes?.requested(route) {
      let asked = try? MCPRequest(request)
      naming = asked.map { rules.rules(granting: $0, on: place) } ?? []
      call = asked.flatMap { asked in
        asked.kind.map { "\($0.method) \(String(decoding: asked.name, as: UTF8.self))" }
      }
    }
    let own = naming.compactMap { index -> (rule: Int, claims: String)? in
      let routes = (settings.rules?.rules[index].routes ?? []).filter { own in
        own.patterns(for: token.claims).contains { RoutePattern.matches($0, route) }
      }
      guard let route = routes.first(where: { !$0.isOwnership }) ?? routes.first else { return nil }
      return (index, route.claimText(in: token.claims))
    }
    return RouteRuling(
      route: request.arn.routeText, outcome: decision.outcome,
      reason: decision.reason, detail: decision.detail, call: call, rules: naming, own: own,
      holdsEscape: Access.escapes.contains { RoutePattern.matches($0, route) })
  }

  private func decision(
    on request: AuthorizationRequest, of token: VerifiedToken, at now: Int64, _ format: ResponseFormat
  ) -> Decision {
    let credential: Credential
    do throws(CredentialFlaw) {
      credential = try request.credential(in: settings.places)
    } catch {
      return Decision(unauthorized: ReasonCode(error), on: request.arn, format)
    }
    do throws(PossessionFlaw) {
      var possession = PossessionCheck()
      let proven = try possession.proven(
        token, in: request, credential, settings.proof(of: token.issuer), at: now)
      return settings.decision(on: proven, request, credential, format, at: now)
    } catch {
      var decision = Decision(unauthorized: error.reason, on: request.arn, format)
      decision.detail = error.detail
      return decision
    }
  }
}

extension Route {
  /// The claims of the path with their values, for people: `sub is bob`.
  fileprivate func claimText(in claims: JSONValue) -> String {
    path.compactMap { piece -> String? in
      guard case .claim(let claim) = piece, let value = claim.value(in: claims)?.utf8 else { return nil }
      return "\(claim.text) is \(String(decoding: value, as: UTF8.self))"
    }.joined(separator: ", ")
  }
}

extension MethodARN {
  /// The route in the format of rules: `GET /pets` for `GET/pets`.
  var routeText: String {
    guard !isConnectRoute, let slash = route.firstIndex(of: .slash) else {
      return String(decoding: route, as: UTF8.self)
    }
    return String(decoding: route[..<slash] + [0x20] + route[slash...], as: UTF8.self)
  }
}
