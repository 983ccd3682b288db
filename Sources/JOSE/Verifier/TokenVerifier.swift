import Bytes
package import JSON

/// Verifies tokens. Only this type creates a `VerifiedToken`.
///
/// Verification has two steps, since the caller has to look up a key between them. `candidate` checks issuer,
/// algorithm, type and times, without a key and without cryptography. `verify` checks the signature and then the
/// other claims. Use a verifier from one thread only.
package struct TokenVerifier {
  /// The issuers whose tokens are accepted.
  package let profiles: [IssuerProfile]
  private var checker = SignatureChecker()
  /// The headers of tokens that were verified.
  private(set) var headers = VerifiedHeaders()

  /// Creates a verifier for these issuers.
  package init(profiles: [IssuerProfile]) { self.profiles = profiles }

  /// The number of signatures that libcrypto has checked. Rejections before the signature check do not change it.
  package var signatureChecks: Int { checker.checks }

  /// The first four bytes of a text's SHA-256 in hexadecimal. Identifies the text in logs without revealing it.
  package func fingerprint(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    Self.fingerprint(ofDigest: digest(bytes))
  }

  /// The fingerprint of the key identifier of a token. That of a verified token is not computed again.
  package func fingerprint(ofKeyID keyID: [UInt8]) -> [UInt8] {
    headers.fingerprint(ofKeyID: keyID) ?? fingerprint(keyID[...])
  }

  /// The SHA-256 of a text; empty if libcrypto fails.
  package func digest(_ bytes: ArraySlice<UInt8>) -> [UInt8] { checker.sha256(bytes) ?? [] }

  /// The first four bytes of a digest in hexadecimal.
  package static func fingerprint(ofDigest digest: [UInt8]) -> [UInt8] {
    [UInt8](hexadecimal: digest.span.extracting(first: 4))
  }

  /// Parses a token as `UnverifiedToken.init(parsing:)` does, with the same result. The header of a token that was
  /// verified is not parsed again.
  package func token(parsing text: [UInt8]) throws(TokenRejection) -> UnverifiedToken {
    if let known = headers.entry(for: text), let token = UnverifiedToken(parsing: text, withHeaderOf: known) {
      return token
    }
    // Only this tells why a token is malformed.
    return try UnverifiedToken(parsing: text)
  }

  /// Repeats the checks that depend on time for a token that was verified before.
  ///
  /// - Throws: the reason why the token is no longer valid.
  package func recheck(_ token: VerifiedToken, at now: Int64) throws(TokenRejection) {
    var recorder = FirstFailure()
    let profile = profiles[token.issuer.position]
    let claims = ClaimReader(claims: token.claims)
    _ = try TokenChecks(profile: profile, claims: claims, now: now).times(&recorder)
    for rule in profile.claimRules {
      if case .inPast = rule { try profile.check(rule, claims, now: now) }
    }
  }

  /// Selects the issuer by `iss` and makes all checks that need no key.
  ///
  /// - Parameter now: Unix seconds.
  /// - Throws: a rejection that does not depend on the key.
  package func candidate(_ token: UnverifiedToken, at now: Int64) throws(TokenRejection) -> CandidateToken {
    var recorder = FirstFailure()
    let claims = token.unverifiedClaims
    let issuer = try TokenChecks.issuer(of: .success(claims), among: profiles, &recorder).get()
    let profile = profiles[issuer.position]
    let checks = TokenChecks(profile: profile, claims: ClaimReader(claims: claims), now: now)
    let expiry = try checks.withoutKey(token.header.members, &recorder).get()
    return CandidateToken(token: token, profile: profile, issuer: issuer, expiresAt: expiry)
  }

  /// Checks the signature with an issuer's key, then the remaining claims.
  ///
  /// - Throws: `signatureMismatch`, or the rejection of a claim.
  package mutating func verify(
    _ candidate: CandidateToken, with key: VerificationKey, at now: Int64
  ) throws(TokenRejection) -> VerifiedToken {
    try verify(candidate, with: .key(key), at: now)
  }

  /// Checks the signature with a secret shared with the issuer, then the remaining claims.
  ///
  /// - Throws: `signatureMismatch`, or the rejection of a claim.
  package mutating func verify(
    _ candidate: CandidateToken, with secret: SharedSecret, at now: Int64
  ) throws(TokenRejection) -> VerifiedToken {
    try verify(candidate, with: .secret(secret), at: now)
  }

  private mutating func verify(
    _ candidate: CandidateToken, with signatureKey: SignatureKey, at now: Int64
  ) throws(TokenRejection) -> VerifiedToken {
    var recorder = FirstFailure()
    let profile = candidate.profile
    let claims = candidate.token.unverifiedClaims
    let checks = TokenChecks(profile: profile, claims: ClaimReader(claims: claims), now: now)
    let (subject, principal, confirmation) = try checks.withKey(
      .success(signatureKey), of: .success(candidate.token.jws), &checker, &recorder)
    if !candidate.token.hasKnownHeader { addHeader(of: candidate.token.jws) }
    return VerifiedToken(
      issuerName: profile.name, issuer: candidate.issuer, subject: try subject?.get(),
      principal: try principal.get(), expiresAt: candidate.expiresAt, claims: claims,
      confirmation: try confirmation?.get() ?? .none)
  }

  private mutating func addHeader(of verified: CompactJWS) {
    // Another token may have added it since this one was parsed, or this one was not parsed with `token(parsing:)`.
    guard headers.entry(for: verified.text) == nil else { return }
    headers.insert(verified, keyIDFingerprint: verified.header.keyID.map { fingerprint($0[...]) })
  }
}

/// An unverified token that passed all checks that need no key: issuer, algorithm, type and times.
package struct CandidateToken: Sendable {
  package let token: UnverifiedToken
  /// The profile of the issuer in `iss`.
  package let profile: IssuerProfile
  /// The issuer in `iss`.
  package let issuer: IssuerID
  // Its access makes that of the initializer the same.
  fileprivate let expiresAt: Int64
}

/// A token with a valid signature and valid claims. Only `TokenVerifier` can create one.
package struct VerifiedToken: Sendable {
  /// The name of the issuer's profile.
  package let issuerName: String
  /// The issuer whose key or secret verified the token.
  package let issuer: IssuerID
  /// `sub`: 1 to 255 bytes without control characters; `nil` only for notifications.
  package let subject: [UInt8]?
  /// The value of the profile's principal claim, in the same form.
  package let principal: [UInt8]
  /// `exp` in Unix seconds; the year 9999 for a security event token.
  package let expiresAt: Int64
  /// All claims, an object.
  package let claims: JSONValue
  /// What the token is bound to, and its caller must still prove; without bindings if the issuer's are ignored.
  package let confirmation: Confirmation

  fileprivate init(
    issuerName: String, issuer: IssuerID, subject: [UInt8]?, principal: [UInt8], expiresAt: Int64,
    claims: JSONValue, confirmation: Confirmation
  ) {
    self.issuerName = issuerName
    self.issuer = issuer
    self.subject = subject
    self.principal = principal
    self.expiresAt = expiresAt
    self.claims = claims
    self.confirmation = confirmation
  }
}

extension IssuerProfile {
  /// The first Unix second at which a token of this issuer is no longer valid, leeway included.
  package func end(of token: VerifiedToken) -> Int64 {
    let expiry = token.expiresAt + leewaySeconds
    guard let limit = maximumAgeSeconds, let issued = token.claims["iat"]?.number?.bounds?.ceiling else {
      return expiry
    }
    return min(expiry, issued + limit + leewaySeconds + 1)
  }
}
