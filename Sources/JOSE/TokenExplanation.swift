public import JSON

/// The verdict on a token, and every check that leads to it, in the verifier's order.
///
/// The verdict is `TokenVerifier`'s own. The checks are the functions that it calls, each called on its own and none left
/// out after the first refusal: what would be refused next shows too. For people who ask why; decides nothing.
public struct TokenExplanation: Sendable {
  /// What the verifier says.
  public let verdict: Verdict
  /// The checks in order; where the verdict is a rejection, the first that failed failed for the same.
  public let steps: [Step]
  /// The header, as far as it is a JSON object. Unverified.
  public let header: JSONValue?
  /// The claims, as far as the payload is a JSON object. Unverified.
  public let claims: JSONValue?
  /// The place of the profile that the token was compared with.
  public let profileIndex: Int?

  /// What became of a token.
  public enum Verdict: Sendable {
    /// The token is good.
    case accepted(VerifiedToken)
    /// The token is bad.
    case rejected(TokenRejection)
    /// Nothing was found wrong without a key, and no key is at hand to go on with.
    case materialMissing
  }

  /// One check and what came of it.
  public struct Step: Equatable, Sendable {
    /// Which check.
    public let check: TokenCheck
    /// What came of it.
    public let result: Result
  }

  /// What came of a check.
  public enum Result: Equatable, Sendable {
    case passed
    case failed(TokenRejection)
    /// It needs something that an earlier check has found missing or wrong.
    case notReached
  }

  /// Whether the verifier takes the token.
  public var isAccepted: Bool {
    if case .accepted = verdict { true } else { false }
  }

  /// Why the verifier refuses it.
  public var rejection: TokenRejection? {
    if case .rejected(let rejection) = verdict { rejection } else { nil }
  }

  /// Explains a token.
  ///
  /// A token of an unknown issuer is compared with the profile it probably belongs to: the only one, or the one whose
  /// issuer differs by slashes at the end.
  ///
  /// - Parameters:
  ///   - text: the bytes of the token, without scheme or blanks.
  ///   - profiles: the configured issuers.
  ///   - now: Unix seconds.
  ///   - material: what a profile's tokens are checked with, by the profile's place; `nil` where it is not at hand.
  public init(
    of text: [UInt8], profiles: [IssuerProfile], at now: Int64, material: (Int) -> VerificationMaterial?
  ) {
    let form = FormSteps(text)
    var steps = form.steps
    var profile: Int?
    if let claims = form.claims {
      let named = steps.record(.issuer) { () throws(TokenRejection) in
        try TokenVerifier.issuer(ClaimReader(claims: claims), among: profiles)
      }
      profile = named ?? Self.probableProfile(claims, profiles)
    } else {
      steps.skip(.issuer)
    }
    let found = profile.flatMap { material($0) }
    if let profile, let claims = form.claims {
      let reader = ClaimReader(claims: claims)
      Self.compare(form, reader, with: profiles[profile], now: now, &steps)
      Self.checkSignature(form, found, &steps)
      Self.checkClaims(reader, of: profiles[profile], now: now, &steps)
    } else {
      for check in Self.checksOfEveryProfile { steps.skip(check) }
    }
    verdict = Self.verdict(on: text, profiles, at: now, found)
    self.steps = steps.steps
    header = form.header
    claims = form.claims
    profileIndex = profile
  }

  /// What the authorizer does with a token, to the letter.
  private static func verdict(
    on text: [UInt8], _ profiles: [IssuerProfile], at now: Int64, _ material: VerificationMaterial?
  ) -> Verdict {
    var verifier = TokenVerifier(profiles: profiles)
    do throws(TokenRejection) {
      let token = try UnverifiedToken(parsing: text)
      let candidate = try verifier.candidate(token, at: now)
      switch material {
      case .keys(let keys):
        guard let key = keys.key(for: token.header) else { throw .unknownKey }
        return .accepted(try verifier.verify(candidate, with: key, at: now))
      case .secret(let secret):
        return .accepted(try verifier.verify(candidate, with: secret, at: now))
      case nil:
        return .materialMissing
      }
    } catch {
      return .rejected(error)
    }
  }

  /// The checks of a profile that needs nothing beyond the compulsory.
  private static let checksOfEveryProfile: [TokenCheck] = [
    .algorithm, .type, .expiry, .notBefore, .issuedAt, .key, .signature, .audience, .subject, .binding,
  ]

  private static func probableProfile(_ claims: JSONValue, _ profiles: [IssuerProfile]) -> Int? {
    if profiles.count == 1 { return 0 }
    guard let issuer = claims["iss"]?.utf8 else { return nil }
    return profiles.firstIndex { profile in
      profile.issuers.contains { withoutSlashes($0.utf8).elementsEqual(withoutSlashes(issuer)) }
    }
  }

  private static func withoutSlashes(_ text: some BidirectionalCollection<UInt8>) -> [UInt8] {
    var text = Array(text)
    while text.last == 0x2F { text.removeLast() }
    return text
  }

  /// Algorithm, type and times: all that needs no key.
  private static func compare(
    _ form: FormSteps, _ claims: ClaimReader, with profile: IssuerProfile, now: Int64,
    _ steps: inout StepList
  ) {
    steps.record(.algorithm, form.algorithm) { value throws(TokenRejection) in
      try profile.checkAlgorithm(value)
    }
    if profile.requiresKeyID {
      steps.record(.requiredKeyID, form.keyID) { value throws(TokenRejection) in
        try profile.checkKeyID(value)
      }
    }
    steps.record(.type, form.type) { value throws(TokenRejection) in try profile.types.check(value) }
    steps.record(.expiry) { () throws(TokenRejection) in _ = try profile.checkExpiry(claims, now: now) }
    steps.record(.notBefore) { () throws(TokenRejection) in
      try profile.checkNotBefore(claims, now: now)
    }
    steps.record(.issuedAt) { () throws(TokenRejection) in
      _ = try profile.checkIssuedAt(claims, now: now)
    }
    // An expired token has a lifetime and an age too, if its dates can be read at all.
    let issued = ReadDate(claims, "iat", .up)
    if profile.maximumLifetimeSeconds != nil {
      let dates = ReadDate(claims, "exp", .down).seconds.flatMap { expiry in
        issued.isReadable ? (expiry: expiry, issued: issued.seconds) : nil
      }
      steps.record(.lifetime, dates) { dates throws(TokenRejection) in
        try profile.checkLifetime(expiry: dates.expiry, issued: dates.issued)
      }
    }
    if profile.maximumAgeSeconds != nil {
      steps.record(.age, issued.isReadable ? issued : nil) { issued throws(TokenRejection) in
        try profile.checkAge(issued: issued.seconds, now: now)
      }
    }
  }

  private static func checkSignature(
    _ form: FormSteps, _ material: VerificationMaterial?, _ steps: inout StepList
  ) {
    var checker = SignatureChecker()
    switch material {
    case .keys(let keys):
      let key = steps.record(.key, form.tokenHeader) { header throws(TokenRejection) in
        guard let key = keys.key(for: header) else { throw .unknownKey }
        return key
      }
      let signed = key.flatMap { key in form.jws.map { (jws: $0, key: key) } }
      steps.record(.signature, signed) { signed throws(TokenRejection) in
        guard checker.verifies(signed.jws, with: signed.key) else { throw .signatureMismatch }
      }
    case .secret(let secret):
      steps.record(.signature, form.jws) { jws throws(TokenRejection) in
        guard checker.verifies(jws, with: secret) else { throw .signatureMismatch }
      }
    case nil:
      steps.skip(.key)
      steps.skip(.signature)
    }
  }

  /// What only a genuine token can be asked for.
  private static func checkClaims(
    _ claims: ClaimReader, of profile: IssuerProfile, now: Int64, _ steps: inout StepList
  ) {
    steps.record(.audience) { () throws(TokenRejection) in try profile.checkAudience(claims) }
    for rule in profile.claimRules {
      steps.record(.rule(rule)) { () throws(TokenRejection) in
        try profile.check(rule, claims, now: now)
      }
    }
    if profile.hasSubject {
      steps.record(.subject) { () throws(TokenRejection) in _ = try claims.identifier(.subject) }
    }
    if profile.principal != .subject || !profile.hasSubject {
      steps.record(.principal(profile.principal)) { () throws(TokenRejection) in
        _ = try claims.identifier(profile.principal)
      }
    }
    if profile.proofOfPossession == .refuse {
      steps.record(.binding) { () throws(TokenRejection) in try profile.checkBinding(claims) }
    }
  }
}

/// A date that an earlier check has judged already.
private struct ReadDate {
  let seconds: Int64?
  let isReadable: Bool

  init(_ claims: ClaimReader, _ name: String, _ rounding: ClaimReader.Rounding) {
    do throws(TokenRejection) {
      seconds = try claims.date(name, rounding: rounding)
      isReadable = true
    } catch {
      seconds = nil
      isReadable = false
    }
  }
}
