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
  package init(of token: VerifiedToken, settings: Settings) {
    let scopes = ScopeSet(token.claims)
    missing = settings[token.issuer].requirement.missing(in: token, scopes)
    allowsByDefault = settings.rules.map { $0.whenNoRule == .allow } ?? true
    rules = (settings.rules?.rules ?? []).map { rule in
      Rule(
        routes: rule.routes.map { $0.text }, missing: rule.requirement.missing(in: token, scopes),
        unroutable: rule.routes.filter { $0.isOwnership && $0.patterns(for: token.claims).isEmpty }
          .map { $0.text }, conditions: rule.requirement.conditions)
    }
  }
}

/// One thing that a requirement expects and a token lacks.
package struct MissingEvidence: Equatable, Sendable {
  /// `scope admin`, `claim role`, `issuer`.
  package let subject: String
  /// The accepted values.
  package let expected: String
  /// The value in the token; unverified text of its issuer.
  package let found: String
  /// All scopes of the token, if a scope is missing.
  package var scopes: [String]?
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
  /// The indexes of the rules that name the route.
  package let rules: [Int]
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
    let naming = (settings.rules?.rules ?? []).enumerated().filter { _, rule in
      rule.routes.contains { $0.widestPatterns.contains { RoutePattern.matches($0, route) } }
    }
    return RouteRuling(
      route: request.arn.routeText, outcome: decision.outcome,
      reason: decision.reason, detail: decision.detail, rules: naming.map { $0.offset },
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
      return settings.decision(on: proven, request, credential, format)
    } catch {
      var decision = Decision(unauthorized: error.reason, on: request.arn, format)
      decision.detail = error.detail
      return decision
    }
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

extension Requirement {
  /// The conditions for people.
  fileprivate var conditions: [String] {
    (issuers.isEmpty ? [] : ["the issuer is " + issuers.joined(separator: " or ")])
      + claims.map { "\($0.claim.text) is \($0.condition.text)" }
      + scopes.map { "scope " + String(decoding: $0, as: UTF8.self) }
  }

  /// Returns everything that is required and missing; empty exactly if `unmet` returns `nil`.
  func missing(in token: VerifiedToken, _ held: ScopeSet) -> [MissingEvidence] {
    var missing: [MissingEvidence] = []
    if !issuers.isEmpty, !issuers.contains(where: { $0.utf8.elementsEqual(token.issuerName.utf8) }) {
      missing.append(
        MissingEvidence(
          subject: "issuer", expected: issuers.joined(separator: " or "), found: token.issuerName))
    }
    for claim in claims where !claim.isMet(by: token.claims) {
      let found = claim.claim.value(in: token.claims).map { String(decoding: $0.source, as: UTF8.self) }
      missing.append(
        MissingEvidence(
          subject: "claim " + claim.claim.text, expected: claim.condition.text, found: found ?? "absent"))
    }
    for scope in scopes where !held.contains(scope) {
      let found = held.scopes.isEmpty ? "no scope" : String(decoding: held.joined, as: UTF8.self)
      let name = String(decoding: scope, as: UTF8.self)
      missing.append(
        MissingEvidence(
          subject: "scope " + name, expected: name, found: found,
          scopes: held.scopes.map { String(decoding: $0, as: UTF8.self) }))
    }
    return missing
  }
}

extension ClaimRequirement.Condition {
  /// The condition for people: `"admin" or "owner"`.
  fileprivate var text: String {
    switch self {
    case .exists(let isThere): isThere ? "present" : "absent"
    case .oneOf(let scalars): scalars.map { $0.text }.joined(separator: " or ")
    case .contains(let scalars): "a list with " + scalars.map { $0.text }.joined(separator: " or ")
    }
  }
}

extension ClaimRequirement.Scalar {
  fileprivate var text: String {
    switch self {
    case .boolean(let value): value ? "true" : "false"
    case .text(let bytes): "\"" + String(decoding: bytes, as: UTF8.self) + "\""
    case .integer(let value): String(value)
    }
  }
}
