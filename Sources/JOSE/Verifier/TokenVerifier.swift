public import JSON

/// Verifies tokens. Only this type creates a `VerifiedToken`.
///
/// Verification has two steps, since the caller has to look up a key between them. `candidate` checks issuer,
/// algorithm, type and times, without a key and without cryptography. `verify` checks the signature and then the
/// other claims. Use a verifier from one thread only.
public struct TokenVerifier {
  /// The issuers whose tokens are accepted.
  public let profiles: [IssuerProfile]
  private var checker = SignatureChecker()

  /// Creates a verifier for these issuers.
  public init(profiles: [IssuerProfile]) { self.profiles = profiles }

  /// The number of signatures that libcrypto has checked. Rejections before the signature check do not change it.
  public var signatureChecks: Int { checker.checks }

  /// The first four bytes of a text's SHA-256 in hexadecimal. Identifies the text in logs without revealing it.
  public func fingerprint(_ bytes: ArraySlice<UInt8>) -> [UInt8] { Self.fingerprint(ofDigest: digest(bytes)) }

  /// The SHA-256 of a text; empty if libcrypto fails.
  public func digest(_ bytes: ArraySlice<UInt8>) -> [UInt8] { checker.sha256(bytes) ?? [] }

  /// The first four bytes of a digest in hexadecimal.
  public static func fingerprint(ofDigest digest: [UInt8]) -> [UInt8] {
    digest.isEmpty ? [] : Hexadecimal.encode(digest.prefix(4))
  }

  /// Repeats the checks that depend on time for a token that was verified before.
  ///
  /// - Throws: the reason why the token is no longer valid.
  public func recheck(_ token: VerifiedToken, at now: Int64) throws(TokenRejection) {
    let profile = profiles[token.profileIndex]
    let claims = ClaimReader(claims: token.claims)
    _ = try profile.checkTimes(claims, now: now)
    for rule in profile.claimRules {
      if case .inPast = rule { try profile.check(rule, claims, now: now) }
    }
  }

  /// Selects the issuer by `iss` and makes all checks that need no key.
  ///
  /// - Parameter now: Unix seconds.
  /// - Throws: a rejection that does not depend on the key.
  public func candidate(_ token: UnverifiedToken, at now: Int64) throws(TokenRejection) -> CandidateToken {
    let claims = ClaimReader(claims: token.unverifiedClaims)
    let index = try Self.issuer(claims, among: profiles)
    let profile = profiles[index]
    try profile.checkAlgorithm(token.header.algorithm)
    try profile.checkKeyID(token.header.keyID)
    try profile.types.check(token.header.type)
    let expiry = try profile.checkTimes(claims, now: now)
    return CandidateToken(token: token, profile: profile, profileIndex: index, expiresAt: expiry)
  }

  /// The index of the profile with the token's issuer.
  static func issuer(
    _ claims: ClaimReader, among profiles: [IssuerProfile]
  ) throws(TokenRejection) -> Int {
    let issuer = try claims.requiredText("iss")
    let index = profiles.firstIndex { profile in
      profile.issuers.contains { $0.utf8.elementsEqual(issuer) }
    }
    guard let index else { throw .wrongIssuer(found: String(decoding: issuer, as: UTF8.self)) }
    return index
  }

  /// Checks the signature with an issuer's key, then the remaining claims.
  ///
  /// - Throws: `signatureMismatch`, or the rejection of a claim.
  public mutating func verify(
    _ candidate: CandidateToken, with key: VerificationKey, at now: Int64
  ) throws(TokenRejection) -> VerifiedToken {
    guard checker.verifies(candidate.token.jws, with: key) else { throw .signatureMismatch }
    return try Self.verified(candidate, now: now)
  }

  /// Checks the signature with a secret shared with the issuer, then the remaining claims.
  ///
  /// - Throws: `signatureMismatch`, or the rejection of a claim.
  public mutating func verify(
    _ candidate: CandidateToken, with secret: SharedSecret, at now: Int64
  ) throws(TokenRejection) -> VerifiedToken {
    guard checker.verifies(candidate.token.jws, with: secret) else { throw .signatureMismatch }
    return try Self.verified(candidate, now: now)
  }

  private static func verified(_ candidate: CandidateToken, now: Int64) throws(TokenRejection)
    -> VerifiedToken
  {
    let profile = candidate.profile
    let claims = ClaimReader(claims: candidate.token.unverifiedClaims)
    try profile.checkAudience(claims)
    for rule in profile.claimRules { try profile.check(rule, claims, now: now) }
    let subject = profile.hasSubject ? try claims.identifier(.subject) : nil
    let principal =
      if let subject, profile.principal == .subject { subject } else {
        try claims.identifier(profile.principal)
      }
    // This check is last, because a proof of possession could resolve it. All other reasons take precedence.
    try profile.checkBinding(claims)
    return VerifiedToken(
      issuerName: profile.name, profileIndex: candidate.profileIndex, subject: subject, principal: principal,
      expiresAt: candidate.expiresAt, claims: claims.claims)
  }
}

/// An unverified token that passed all checks that need no key: issuer, algorithm, type and times.
public struct CandidateToken: Sendable {
  /// The token.
  public let token: UnverifiedToken
  /// The profile of the issuer in `iss`.
  public let profile: IssuerProfile
  /// The index of the issuer's profile in the verifier's list.
  public let profileIndex: Int
  fileprivate let expiresAt: Int64

  fileprivate init(token: UnverifiedToken, profile: IssuerProfile, profileIndex: Int, expiresAt: Int64) {
    self.token = token
    self.profile = profile
    self.profileIndex = profileIndex
    self.expiresAt = expiresAt
  }
}

/// A token with a valid signature and valid claims. Only `TokenVerifier` can create one.
public struct VerifiedToken: Sendable {
  /// The name of the issuer's profile.
  public let issuerName: String
  /// The index of the issuer's profile in the verifier's list.
  public let profileIndex: Int
  /// `sub`: 1 to 255 bytes without control characters; `nil` only for notifications.
  public let subject: [UInt8]?
  /// The value of the profile's principal claim, in the same form.
  public let principal: [UInt8]
  /// `exp` in Unix seconds.
  public let expiresAt: Int64
  /// All claims, an object.
  public let claims: JSONValue

  fileprivate init(
    issuerName: String, profileIndex: Int, subject: [UInt8]?, principal: [UInt8], expiresAt: Int64,
    claims: JSONValue
  ) {
    self.issuerName = issuerName
    self.profileIndex = profileIndex
    self.subject = subject
    self.principal = principal
    self.expiresAt = expiresAt
    self.claims = claims
  }
}

extension IssuerProfile {
  /// The first Unix second at which a token of this issuer is no longer valid, leeway included.
  public func end(of token: VerifiedToken) -> Int64 {
    let expiry = token.expiresAt + leewaySeconds
    guard let limit = maximumAgeSeconds, let issued = token.claims["iat"]?.number?.bounds?.ceiling else {
      return expiry
    }
    return min(expiry, issued + limit + leewaySeconds + 1)
  }
}
