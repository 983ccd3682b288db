internal import LambdaEmulator
internal import Bytes
internal import Authorizer
internal import IssuerKeys
internal import JOSE
internal import JSON
internal import Withdrawals

/// An explanation with everything that its texts need.
struct ExplainedToken {
  let explanation: TokenExplanation
  let reading: ExplainedConfiguration.Reading
  let text: [UInt8]
  let now: Int64

  /// The issuer that the token was compared with.
  var issuer: Settings.IssuerSettings? { explanation.issuer.map { reading.settings[$0] } }

  var profile: IssuerProfile? { issuer?.profile }

  var header: JSONValue? { explanation.header }

  var claims: JSONValue? { explanation.claims }

  var algorithmName: String? { header?["alg"]?.text }

  var firstFailedCheck: TokenCheck? {
    explanation.steps.first { if case .failed = $0.result { true } else { false } }?.check
  }

  var verdict: VerdictWords {
    switch explanation.verdict {
    case .accepted(let token):
      return VerdictWords(
        code: VerdictWords.accepted,
        sentence:
          "valid token of \(token.issuerName) for \(String(decoding: token.principal, as: UTF8.self))")
    case .rejected(let rejection):
      let words = RejectionWords(self, rejection)
      return VerdictWords(code: rejection.code.rawValue, sentence: words.sentence, hint: words.hint)
    case .materialMissing:
      return VerdictWords(
        code: ReasonCode.keysUnavailable.rawValue,
        sentence: "all checks so far passed, but there is no key to verify the signature",
        hint: "give the issuer's key set with --jwks FILE; "
          + (reading.problem ?? "the configuration has no seed"))
    }
  }

  var issuerText: String {
    guard let profile else {
      return "none of " + reading.settings.issuers.map(\.profile.name).joined(separator: ", ")
    }
    let isNamed = explanation.steps.contains { $0.check == .issuer && $0.result == .passed }
    return profile.name + (isNamed ? "" : ", which is not the iss of the token")
  }

  var keysText: String {
    guard let issuer, reading.problem == nil else { return reading.keys }
    return "\(reading.keys), \(ExplanationWords.count(issuer.keys.deployed))"
  }

  /// The check after all others of a valid token. It depends on a store that is not read here.
  var revocationText: String? {
    guard let revocation = reading.settings.revocation, let issuer = explanation.issuer,
      revocation.issuers.contains(issuer)
    else { return nil }
    let issued =
      seconds("iat").map { "no event of \(Moment.text($0, seenFrom: now)) or later" } ?? "no event"
    let user = "not checked here: valid only if \(revocation.place) has \(issued) for this sub"
    guard let lookup = revocation.lookups.first(where: { $0.issuer == issuer }) else { return user }
    let absent = lookup.kinds.filter { claims?[$0.claim] == nil }.map(\.claim).joined(separator: ", ")
    let named = lookup.kinds.filter { $0 != .subject && claims?[$0.claim] != nil }.map(\.claim)
    let others = named.joined(separator: ", ")
    let text =
      lookup.kinds.contains(.subject)
      ? user + (others.isEmpty ? "" : ", and no event for this \(others)")
      : others.isEmpty
        ? "nothing is looked up"
        : "not checked here: valid only if \(revocation.place) has no event for this \(others)"
    return text + (absent.isEmpty ? "" : "; not looked up, since absent: \(absent)")
  }

  /// Why the function refuses this valid token before it looks anything up; `nil` if it does not.
  var withdrawalVerdict: VerdictWords? {
    guard case .accepted(let token) = explanation.verdict,
      let lookup = reading.settings.revocation?.lookups.first(where: { $0.issuer == token.issuer })
    else { return nil }
    do throws(WithdrawalFlaw) {
      _ = try lookup.keys(of: token)
      return nil
    } catch {
      return VerdictWords(
        code: error.reason.rawValue, sentence: "the token is valid, but " + error.detail,
        hint: "\"revocation\".\"issuers\" says which claims a token must have (docs/revocation.md)")
    }
  }

  /// What a valid token of this caller still needs. Without an event there is nothing to compare it with.
  var possessionText: String? {
    guard case .accepted(let token) = explanation.verdict else { return nil }
    let bindings = token.confirmation.bindings
    guard !bindings.isEmpty else { return nil }
    let proofs = bindings.map { $0 == .key ? "a DPoP proof" : "the client certificate" }
    return "not checked here: valid only with \(proofs.joined(separator: " and ")), which an event contains"
  }

  var rows: [ExplanationReport.Row] {
    explanation.steps.map { step in
      var row = ExplanationReport.Row(
        check: step.check.name, title: ExplanationWords.title(step.check), result: "passed",
        expected: expected(step.check), found: found(step.check))
      switch step.result {
      case .passed: break
      case .failed(let rejection):
        (row.result, row.reason) = ("FAILED", rejection.code.rawValue)
      case .notReached: row.result = ExplanationReport.notReached
      }
      return row
    }
  }

  private func expected(_ check: TokenCheck) -> String {
    switch check {
    case .size: "at most \(CompactJWS.maximumBytes) bytes"
    case .segments: "three segments of base64url"
    case .header, .payload: "a JSON object in base64url"
    case .headerMembers: "no crit, b64, encryption or nesting"
    case .algorithmName: "a known algorithm"
    case .requiredKeyID: "present"
    case .keyID: "absent, or at most \(TokenHeader.maximumKeyIDBytes) bytes of ASCII"
    case .typeName: "absent, or a string"
    case .signatureEncoding: "base64url"
    case .issuer:
      reading.settings.issuers.flatMap(\.profile.issuers).joined(separator: " or ")
    case .algorithm, .type, .expiry, .notBefore, .issuedAt, .lifetime, .age, .audience:
      profile.map { ExplanationWords.expected(check, $0) } ?? "depends on the issuer"
    case .key: "one key of the issuer with this kid, for this alg"
    case .signature: "valid with that key"
    case .rule(let rule): ExplanationWords.expected(rule, profile)
    case .subject: "1 to \(IssuerProfile.maximumPrincipalBytes) bytes without control characters"
    case .principal(let path):
      "\(path.text): 1 to \(IssuerProfile.maximumPrincipalBytes) bytes without control characters"
    case .binding: bindingText
    }
  }

  /// The bindings that the issuer accepts.
  private var bindingText: String {
    guard case .check(let key, let certificate)? = profile?.proofOfPossession else {
      return "no jkt, no x5t#S256"
    }
    return key && certificate ? "absent, jkt or x5t#S256" : key ? "absent or jkt" : "absent or x5t#S256"
  }

  private func found(_ check: TokenCheck) -> String {
    switch check {
    case .size: return "\(text.count) bytes"
    case .segments: return "\(text.split(separator: .dot, omittingEmptySubsequences: false).count)"
    case .header: return source(header)
    case .headerMembers:
      return header.map { $0.members.compactMap { $0.name.text }.joined(separator: ", ") } ?? ""
    case .algorithmName, .algorithm: return source(header?["alg"])
    case .keyID, .requiredKeyID: return source(header?["kid"])
    case .typeName, .type: return source(header?["typ"])
    case .signatureEncoding:
      let segments = text.split(separator: .dot, omittingEmptySubsequences: false)
      return segments.count == 3 ? "\(segments[2].count) characters" : ""
    case .payload: return claims.map { "\(Array($0.members).count) claims" } ?? ""
    case .issuer: return source(claims?["iss"])
    case .expiry: return date("exp")
    case .notBefore: return date("nbf")
    case .issuedAt: return date("iat")
    case .lifetime: return span(from: "iat", to: "exp")
    case .age: return seconds("iat").map { Moment.duration(max(0, now - $0)) } ?? source(claims?["iat"])
    case .key: return "kid \(source(header?["kid"])), alg \(source(header?["alg"]))"
    case .signature: return signatureText
    case .audience: return ExplanationWords.audienceFound(claims, profile)
    case .rule(let rule): return ruleFound(rule)
    case .subject: return source(claims?["sub"])
    case .principal(let path): return source(claims.flatMap { path.value(in: $0) })
    case .binding: return source(claims?["cnf"])
    }
  }

  /// Returns the JSON text of a value.
  private func source(_ value: JSONValue?) -> String {
    value.map { String(decoding: $0.source, as: UTF8.self) } ?? "absent"
  }

  private var signatureText: String {
    for step in explanation.steps where step.check == .signature {
      switch step.result {
      case .passed: return "valid"
      case .failed: return "invalid: another key or changed content"
      case .notReached: return ""
      }
    }
    return ""
  }

  private func ruleFound(_ rule: ClaimRule) -> String {
    switch rule {
    case .equals(let name, _), .absent(let name), .present(let name), .atMostBytes(let name, _):
      source(claims?[name])
    case .inPast(let name): date(name)
    case .authorizedParty: "azp \(source(claims?["azp"])), aud \(source(claims?["aud"]))"
    }
  }

  /// Returns a NumericDate in whole seconds; `nil` if the claim is not one.
  func seconds(_ name: String) -> Int64? { claims?[name]?.number?.bounds?.floor }

  private func date(_ name: String) -> String {
    seconds(name).map { Moment.text($0, seenFrom: now) } ?? source(claims?[name])
  }

  private func span(from start: String, to end: String) -> String {
    guard let start = seconds(start), let end = seconds(end) else { return "unknown" }
    let (difference, overflows) = end.subtractingReportingOverflow(start)
    return overflows || difference < 0 ? "exp is before iat" : Moment.duration(difference)
  }
}
