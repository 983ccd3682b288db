public import JSON

/// The verdict on a token and the result of every check, in the verifier's order.
///
/// The verdict comes from `TokenVerifier`. The checks are the functions that it calls; they continue after the first
/// failure, so later failures are reported too. For diagnosis only: the authorizer does not use it to decide.
public struct TokenExplanation: Sendable {
  /// The verifier's verdict.
  public let verdict: Verdict
  /// The checks in order. If the verdict is a rejection, the first failed check has the same reason.
  public let steps: [Step]
  /// The header, if it is a JSON object. Unverified.
  public let header: JSONValue?
  /// The claims, if the payload is a JSON object. Unverified.
  public let claims: JSONValue?
  /// The index of the profile that the token was compared with.
  public let profileIndex: Int?

  /// The verdict on a token.
  public enum Verdict: Sendable {
    /// The token is valid.
    case accepted(VerifiedToken)
    /// The token is rejected.
    case rejected(TokenRejection)
    /// All checks that need no key passed, but no key is available for the signature.
    case materialMissing
  }

  /// One check and its result.
  public struct Step: Equatable, Sendable {
    /// The check.
    public let check: TokenCheck
    /// Its result.
    public let result: Result
  }

  /// The result of a check.
  public enum Result: Equatable, Sendable {
    case passed
    case failed(TokenRejection)
    /// The check needs a value that is missing or invalid according to an earlier check.
    case notReached
  }

  /// Whether the verifier accepts the token.
  public var isAccepted: Bool {
    if case .accepted = verdict { true } else { false }
  }

  /// The reason if the verifier rejects the token.
  public var rejection: TokenRejection? {
    if case .rejected(let rejection) = verdict { rejection } else { nil }
  }

  /// Explains a token.
  ///
  /// A token of an unknown issuer is compared with the probable profile: the only one, or the one whose issuer
  /// differs only by slashes at the end.
  ///
  /// - Parameters:
  ///   - text: the bytes of the token, without scheme or white space.
  ///   - profiles: the configured issuers.
  ///   - now: Unix seconds.
  ///   - material: returns the key set or secret of the profile with this index; `nil` if it is not available.
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

  /// The verdict, from exactly the same calls as in the authorizer.
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

  /// The checks that run for every profile.
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

  /// Checks algorithm, type and times, which need no key.
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
    // Lifetime and age are checked for an expired token too, if its dates are readable.
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

  /// Checks the claims that the verifier checks after the signature.
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

/// A date that an earlier check has already validated.
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
