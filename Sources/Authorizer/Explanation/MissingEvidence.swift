package import JOSE
import JSON

/// One thing that a requirement expects and a token lacks.
package struct MissingEvidence: Equatable, Sendable {
  /// `scope admin`, `claim role`, `issuer`, `one of`, or a whole requirement in parentheses.
  package let subject: String
  /// The accepted values.
  package let expected: String
  /// The value in the token; unverified text of its issuer.
  package let found: String
  /// All scopes of the token, if a scope is missing.
  package var scopes: [String]?
  /// What the token lacks for each member of an `any`; empty for everything else.
  package var alternatives: [[MissingEvidence]] = []
}

extension Requirement {
  /// The conditions for people.
  package var conditions: [String] {
    var conditions: [String] = issuers.isEmpty ? [] : ["the issuer is " + issuers.joined(separator: " or ")]
    conditions += claims.map { "\($0.claim.text) is \($0.condition.text)" }
    conditions += scopes.map { "scope " + String(decoding: $0, as: UTF8.self) }
    if let seconds = authenticatedWithinSeconds { conditions.append("authenticated within \(seconds) s") }
    if !any.isEmpty {
      conditions.append(
        "one of " + any.map { "(\($0.conditions.joined(separator: ", ")))" }.joined(separator: " or "))
    }
    return conditions + not.map { "not (\($0.conditions.joined(separator: ", ")))" }
  }

  /// Returns everything that is required and not met; empty exactly if `unmet` returns `nil`.
  func missing(
    in token: VerifiedToken, _ held: ScopeSet, at time: DecisionTime
  ) -> [MissingEvidence] {
    var missing: [MissingEvidence] = []
    if !names(token.issuerName) {
      missing.append(
        MissingEvidence(
          subject: "issuer", expected: issuers.joined(separator: " or "), found: token.issuerName))
    }
    for claim in claims where claim.truth(in: token.claims) != .met {
      missing.append(
        MissingEvidence(
          subject: "claim " + claim.claim.text, expected: claim.condition.text,
          found: claim.claim.found(in: token)))
    }
    for scope in scopes where !held.contains(scope) {
      let name = String(decoding: scope, as: UTF8.self)
      missing.append(
        MissingEvidence(
          subject: "scope " + name, expected: name, found: held.text,
          scopes: held.scopes.map { String(decoding: $0, as: UTF8.self) }))
    }
    if let seconds = authenticatedWithinSeconds,
      !time.isRecent(token.claims["auth_time"], within: seconds)
    {
      missing.append(
        MissingEvidence(
          subject: "claim auth_time", expected: "at most \(seconds) s before \(time.now)",
          found: ClaimPath(name: "auth_time").found(in: token)))
    }
    let alternatives = any.map { $0.missing(in: token, held, at: time) }
    if !any.isEmpty, !alternatives.contains([]) {
      missing.append(
        MissingEvidence(
          subject: "one of",
          expected: any.map { $0.conditions.joined(separator: ", ") }.joined(separator: " or "),
          found: "none", alternatives: alternatives))
    }
    return missing
      + not.filter { $0.finding(on: token, held, at: time).truth != .isFalse }.flatMap {
        $0.evidence(againstDenying: token, held, at: time)
      }
  }

  /// Returns why a `not` with this requirement is not met: what the token has and must not have, or what leaves it open.
  private func evidence(
    againstDenying token: VerifiedToken, _ held: ScopeSet, at time: DecisionTime
  ) -> [MissingEvidence] {
    if let claim = claims.first {
      return [
        MissingEvidence(
          subject: "claim " + claim.claim.text, expected: "not " + claim.condition.text,
          found: claim.claim.found(in: token))
      ]
    }
    if let scope = scopes.first {
      let expected = "without " + String(decoding: scope, as: UTF8.self)
      return [MissingEvidence(subject: "scopes", expected: expected, found: held.text)]
    }
    if !issuers.isEmpty {
      let expected = "not " + issuers.joined(separator: " or ")
      return [MissingEvidence(subject: "issuer", expected: expected, found: token.issuerName)]
    }
    return any.compactMap { denied in
      let truth = denied.finding(on: token, held, at: time).truth
      guard truth != .isFalse else { return nil }
      return MissingEvidence(
        subject: "(\(denied.conditions.joined(separator: ", ")))", expected: "false",
        found: truth == .met ? "true" : "undecided, as a claim is absent or of another kind")
    }
  }
}

extension Settings {
  /// What a token has of all that rules and issuers read, in the form of what one lacks. Used for explanations only.
  package func evidence(in token: VerifiedToken) -> [MissingEvidence] {
    let scopes = ScopeSet(token.claims).scopes.map { String(decoding: $0, as: UTF8.self) }
    var evidence = [MissingEvidence(subject: "scope", expected: "", found: "", scopes: scopes)]
    var requirements = issuers.map { $0.requirement } + (rules?.rules ?? []).map { $0.requirement }
    while let requirement = requirements.popLast() {
      evidence += requirement.claims.map {
        MissingEvidence(subject: "claim " + $0.claim.text, expected: "", found: $0.claim.found(in: token))
      }
      requirements += requirement.any + requirement.not
    }
    return evidence
  }
}

extension ClaimPath {
  /// The claim as the token has it, for people.
  fileprivate func found(in token: VerifiedToken) -> String {
    value(in: token.claims).map { String(decoding: $0.source, as: UTF8.self) } ?? "absent"
  }
}

extension ScopeSet {
  /// The scopes, for people.
  fileprivate var text: String {
    (scopes.isEmpty ? "no scope" : String(decoding: joined, as: UTF8.self))
      + (isMalformed ? " (a claim with scopes is malformed)" : "")
  }
}

extension ClaimRequirement.Condition {
  /// The condition for people: `"admin" or "owner"`.
  package var text: String {
    switch self {
    case .exists(let isThere): isThere ? "present" : "absent"
    case .oneOf(let scalars): scalars.map { $0.text }.joined(separator: " or ")
    case .contains(let scalars): "a list with " + scalars.map { $0.text }.joined(separator: " or ")
    case .prefix(let bytes): "text that begins with " + ClaimRequirement.Scalar.text(bytes).text
    case .suffix(let bytes): "text that ends with " + ClaimRequirement.Scalar.text(bytes).text
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
