public import JSON

/// Turns unverified tokens into verified ones; the only maker of `VerifiedToken`.
///
/// In two steps, since a key stands between them: `candidate` refuses whatever shape, issuer, algorithm, type and time
/// can refuse, without a key and without cryptography; `verify` checks the signature and then all that is left.
/// Belongs to one thread.
public struct TokenVerifier {
  /// The issuers whose tokens are looked at.
  public let profiles: [IssuerProfile]
  private var checker = SignatureChecker()

  /// A verifier for these issuers.
  public init(profiles: [IssuerProfile]) { self.profiles = profiles }

  /// How many signatures libcrypto has looked at: cheap refusals leave it where it is.
  public var signatureChecks: Int { checker.checks }

  /// The first four bytes of a text's SHA-256 in hexadecimal, for logs: names it without giving it away.
  public func fingerprint(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    guard let digest = checker.sha256(bytes) else { return [] }
    return Hexadecimal.encode(digest.prefix(4))
  }

  /// The SHA-256 of a text; empty where libcrypto fails.
  public func digest(_ bytes: ArraySlice<UInt8>) -> [UInt8] { checker.sha256(bytes) ?? [] }

  /// The first four bytes of a digest in hexadecimal.
  public static func fingerprint(ofDigest digest: [UInt8]) -> [UInt8] {
    digest.isEmpty ? [] : Hexadecimal.encode(digest.prefix(4))
  }

  /// Checks all that time can change about a token that was verified before.
  ///
  /// - Throws: what the token is refused for by now.
  public func recheck(_ token: VerifiedToken, at now: Int64) throws(TokenRejection) {
    let profile = profiles[token.profileIndex]
    let claims = ClaimReader(claims: token.claims)
    _ = try profile.checkTimes(claims, now: now)
    for rule in profile.claimRules {
      if case .inPast = rule { try profile.check(rule, claims, now: now) }
    }
  }

  /// Chooses the issuer by `iss` and checks all that needs no key.
  ///
  /// - Parameter now: Unix seconds.
  /// - Throws: a rejection that no key could change.
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

  /// The place of the profile whose issuer the token names.
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

  /// Checks the signature with an issuer's key, then the claims that only a genuine token can be asked for.
  ///
  /// - Throws: `signatureMismatch`, or what the claims are refused for.
  public mutating func verify(
    _ candidate: CandidateToken, with key: VerificationKey, at now: Int64
  ) throws(TokenRejection) -> VerifiedToken {
    guard checker.verifies(candidate.token.jws, with: key) else { throw .signatureMismatch }
    return try Self.verified(candidate, now: now)
  }

  /// The same with a secret that is shared with the issuer.
  ///
  /// - Throws: `signatureMismatch`, or what the claims are refused for.
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
    // Last: a proof could make this token good, so every reason that no proof can change comes first.
    try profile.checkBinding(claims)
    return VerifiedToken(
      issuerName: profile.name, profileIndex: candidate.profileIndex, subject: subject, principal: principal,
      expiresAt: candidate.expiresAt, claims: claims.claims)
  }
}

/// A token that is worth a key: its issuer is one of ours, its algorithm and times fit. Not verified.
public struct CandidateToken: Sendable {
  /// The token.
  public let token: UnverifiedToken
  /// The issuer that the token says it comes from.
  public let profile: IssuerProfile
  /// Place of the issuer among the verifier's profiles.
  public let profileIndex: Int
  fileprivate let expiresAt: Int64

  fileprivate init(token: UnverifiedToken, profile: IssuerProfile, profileIndex: Int, expiresAt: Int64) {
    self.token = token
    self.profile = profile
    self.profileIndex = profileIndex
    self.expiresAt = expiresAt
  }
}

/// A token whose signature and claims have been checked. To hold one is the proof: nothing else makes it.
public struct VerifiedToken: Sendable {
  /// The name of the issuer's profile.
  public let issuerName: String
  /// Place of the issuer among the verifier's profiles.
  public let profileIndex: Int
  /// `sub`: 1 to 255 bytes without control characters; `nil` for notifications alone.
  public let subject: [UInt8]?
  /// The value of the profile's principal claim, of the same form.
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
