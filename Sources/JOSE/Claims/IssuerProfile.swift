/// The requirements for tokens of one issuer; every other token is refused.
///
/// Built once from the configuration. Issuer, audience and algorithms cannot be empty: a check without values would
/// accept every token. A class, so that a token refers to its profile and does not copy it.
package final class IssuerProfile: Sendable {
  /// The issuer's name in logs and rules.
  package let name: String
  /// The exact values of `iss`, compared byte for byte.
  package let issuers: [String]
  /// The required audience.
  package let audience: AudienceRule
  /// The bytes of `issuers` and of the values of `audience`, which are compared with those of claims.
  let issuerTexts: [[UInt8]]
  let audiences: [[UInt8]]
  /// The issuer's signature algorithms: all asymmetric, or all HMAC.
  package let algorithms: [Algorithm]
  /// The media types that `typ` may contain.
  package let types: TypeRule
  /// The tolerance for clock differences in seconds, applied to `exp`, `nbf` and `iat`.
  package let leewaySeconds: Int64
  /// The maximum of `exp` − `iat` in seconds; `nil` for no limit.
  package let maximumLifetimeSeconds: Int64?
  /// The maximum age since `iat` in seconds; `nil` for no limit.
  package let maximumAgeSeconds: Int64?
  /// The rules that distinguish this kind of token from others.
  package let claimRules: [ClaimRule]
  package let principal: ClaimPath
  /// Whether the tokens have a subject: true for all tokens except notifications.
  package let hasSubject: Bool
  /// Whether a token without `kid` is refused even if only one key fits.
  package let requiresKeyID: Bool
  /// Whether the tokens have `exp`: true for all tokens except security event tokens.
  package let requiresExpiry: Bool
  /// How to handle tokens that are bound to a key or a certificate.
  package let proofOfPossession: ProofOfPossession

  /// 300 s: more would accept expired tokens for too long (Google's library uses 300 s).
  package static let maximumLeewaySeconds: Int64 = 300
  /// 60 s, the default of Google, Spring and Envoy.
  package static let defaultLeewaySeconds: Int64 = 60
  /// `sub` is at most 255 ASCII characters (OpenID Connect Core section 2).
  package static let maximumPrincipalBytes = 255

  /// Creates a profile.
  ///
  /// - Throws: `Flaw` if the profile would make a check ineffective.
  package init(
    name: String, issuers: [String], audience: AudienceRule, algorithms: [Algorithm],
    types: TypeRule = .standard, leewaySeconds: Int64 = defaultLeewaySeconds,
    maximumLifetimeSeconds: Int64? = nil, maximumAgeSeconds: Int64? = nil,
    claimRules: [ClaimRule] = [], principal: ClaimPath? = nil, hasSubject: Bool = true,
    requiresKeyID: Bool = false, requiresExpiry: Bool = true,
    proofOfPossession: ProofOfPossession = .refuse
  ) throws(Flaw) {
    guard !issuers.isEmpty, !issuers.contains(where: { $0.isEmpty }) else { throw .noIssuer }
    guard !audience.values.isEmpty, !audience.values.contains(where: { $0.isEmpty }) else {
      throw .noAudience
    }
    guard !algorithms.isEmpty else { throw .noAlgorithm }
    let symmetric = algorithms.count(where: { $0.isSymmetric })
    guard symmetric == 0 || symmetric == algorithms.count else { throw .mixedAlgorithms }
    guard 0...Self.maximumLeewaySeconds ~= leewaySeconds else { throw .leeway }
    for limit in [maximumLifetimeSeconds, maximumAgeSeconds] {
      if let limit, limit < 1 || limit > ClaimReader.latestDate { throw .limit }
    }
    if case .required(let types) = types, types.isEmpty { throw .noType }
    self.name = name
    self.issuers = issuers
    self.audience = audience
    issuerTexts = issuers.map { Array($0.utf8) }
    audiences = audience.values.map { Array($0.utf8) }
    self.algorithms = algorithms
    self.types = types
    self.leewaySeconds = leewaySeconds
    self.maximumLifetimeSeconds = maximumLifetimeSeconds
    self.maximumAgeSeconds = maximumAgeSeconds
    self.claimRules = claimRules
    self.principal = principal ?? .subject
    self.hasSubject = hasSubject
    self.requiresKeyID = requiresKeyID
    self.requiresExpiry = requiresExpiry
    self.proofOfPossession = proofOfPossession
  }

  /// The reason why a profile is refused.
  package enum Flaw: Error, Equatable, Sendable {
    case noIssuer, noAudience, noAlgorithm, noType
    /// HMAC and public-key algorithms in one list, which would allow algorithm confusion (CVE-2022-29217).
    case mixedAlgorithms
    /// A leeway outside 0 to 300 s.
    case leeway
    /// A lifetime or age under one second or past the year 9999.
    case limit

    /// A description of the error for users.
    package var description: String {
      switch self {
      case .noIssuer: "no issuer"
      case .noAudience: "no audience"
      case .noAlgorithm: "no algorithm"
      case .noType: "no type"
      case .mixedAlgorithms: "HMAC and public-key algorithms cannot be mixed"
      case .leeway: "the leeway must be from 0 to \(IssuerProfile.maximumLeewaySeconds) seconds"
      case .limit: "a lifetime or age must be at least one second"
      }
    }
  }

  /// The claim with the audience, and the accepted values.
  package enum AudienceRule: Equatable, Sendable {
    /// `aud` contains one of these (RFC 7519 section 4.1.3).
    case audience([String])
    /// `client_id` is one of these: access tokens of Amazon Cognito have no `aud`.
    case clientID([String])

    var values: [String] {
      switch self {
      case .audience(let values), .clientID(let values): values
      }
    }
  }

  /// The accepted values of `typ` (RFC 8725 section 3.11).
  package enum TypeRule: Equatable, Sendable {
    /// `typ` may be absent; if it is present, it must be one of these.
    case ifPresent([String])
    /// `typ` must be present and one of these.
    case required([String])

    /// Absent, `JWT` or `at+jwt`.
    package static let standard = TypeRule.ifPresent(["JWT", "at+jwt"])
  }
}

/// The handling of bound tokens, set in the issuer's configuration.
package enum ProofOfPossession: Equatable, Sendable {
  /// A bound token is rejected with `boundToken`.
  case refuse
  /// `cnf` is not read: a bound token is accepted like any other.
  case ignore
  /// The caller of the verifier checks these bindings. A token with another one is rejected with `boundToken`.
  case check(key: Bool, certificate: Bool)

  /// Whether tokens with this binding are accepted, because it is checked.
  func checks(_ binding: TokenBinding) -> Bool {
    guard case .check(let key, let certificate) = self else { return false }
    return binding == .key ? key : certificate
  }

  /// Whether the scheme `DPoP` is accepted.
  package var acceptsDPoP: Bool {
    switch self {
    case .refuse: false
    case .ignore: true
    case .check(let key, _): key
    }
  }
}
