package import JOSE
import JSON

/// What the rules of a configuration give to a good token, rule by rule. For people who ask why; decides nothing.
package struct RuleExplanation: Sendable {
  /// What the issuer asks of each of its tokens (`require`) and this one does not show; then it reaches nothing.
  package let missing: [MissingEvidence]
  /// The rules in their order; empty where the configuration has none, so that good tokens reach the whole stage.
  package let rules: [Rule]
  /// Whether a route that no rule names is reached.
  package let allowsByDefault: Bool

  /// One rule and this token.
  package struct Rule: Sendable {
    /// The routes as they are written.
    package let routes: [String]
    /// What the rule asks for and the token does not show.
    package let missing: [MissingEvidence]
    /// Those of the routes that hold a claim of the token which cannot stand in a path.
    package let unroutable: [String]

    /// Whether the token reaches at least one of the routes by this rule.
    package var isMet: Bool { missing.isEmpty && unroutable.count < routes.count }
  }

  /// Explains what a token reaches under these settings.
  package init(of token: VerifiedToken, settings: Settings) {
    let scopes = ScopeSet(token.claims)
    missing = settings.issuers[token.profileIndex].requirement.missing(in: token, scopes)
    allowsByDefault = settings.rules.map { $0.whenNoRule == .allow } ?? true
    rules = (settings.rules?.rules ?? []).map { rule in
      Rule(
        routes: rule.routes.map { $0.text }, missing: rule.requirement.missing(in: token, scopes),
        unroutable: rule.routes.filter { $0.isOwnership && $0.patterns(for: token.claims).isEmpty }
          .map { $0.text })
    }
  }
}

/// One thing that a requirement asks for and a token does not show.
package struct MissingEvidence: Equatable, Sendable {
  /// `scope admin`, `claim role`, `issuer`.
  package let subject: String
  /// What would do.
  package let expected: String
  /// What the token has there; unverified text of its issuer.
  package let found: String
}

/// The verdict of the rules on the route of an event.
package struct RouteRuling: Sendable {
  /// The route that is asked for: `GET /pets`, `$connect`.
  package let route: String
  /// `allowed`, `forbidden` or `failure`; `unauthorized` where the event holds no single token.
  package let outcome: Outcome
  /// Why it is not allowed.
  package let reason: ReasonCode?
  /// Of a failure: what is wrong, for the operator.
  package let detail: String?
  /// Places of the rules that name the route.
  package let rules: [Int]
}

extension Authorizer {
  /// What the authorizer decides about an event whose token is known to be good: its own verdict, without keys and
  /// without revocations.
  ///
  /// - Throws: `EventFlaw` where it is no authorizer event.
  package func ruling(on event: [UInt8], of token: VerifiedToken) throws(EventFlaw) -> RouteRuling {
    let request = try AuthorizationRequest(parsing: event)
    let form = AnswerForm(kind: request.kind, arn: request.arn, styles: settings.answers)
    let decision: Decision
    do {
      decision = verdict(on: token, request, try request.credential(from: settings), form)
    } catch {
      decision = Decision(unauthorized: error.code, form.answer(unauthorized: error.code))
    }
    var detail: String?
    if case .failure(let failure) = decision.answer { detail = failure.detail }
    let route = request.arn.route
    let naming = (settings.rules?.rules ?? []).enumerated().filter { _, rule in
      rule.routes.contains { $0.widestPatterns.contains { RoutePattern.matches($0, route) } }
    }
    return RouteRuling(
      route: Self.text(of: request.arn), outcome: decision.outcome, reason: decision.reason, detail: detail,
      rules: naming.map { $0.offset })
  }

  /// As rules write it: `GET /pets` for `GET/pets`.
  private static func text(of arn: MethodARN) -> String {
    guard !arn.isConnectRoute, let slash = arn.route.firstIndex(of: 0x2F) else {
      return String(decoding: arn.route, as: UTF8.self)
    }
    return String(decoding: arn.route[..<slash] + [0x20] + arn.route[slash...], as: UTF8.self)
  }
}

extension Requirement {
  /// Everything that is asked for and not there; empty exactly where `unmet` gives no reason.
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
      missing.append(MissingEvidence(subject: "scope " + name, expected: name, found: found))
    }
    return missing
  }
}

extension ClaimRequirement.Condition {
  /// For people: `"admin" or "owner"`.
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
