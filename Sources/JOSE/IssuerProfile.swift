/// What the tokens of one issuer look like; whatever differs is refused.
///
/// Built once from configuration. Issuer, audience and algorithms cannot be empty: a check that nobody configured is a
/// check that always passes.
public struct IssuerProfile: Sendable {
  /// The name under which logs and rules speak of this issuer.
  public let name: String
  /// The exact values of `iss`, compared byte for byte.
  public let issuers: [String]
  /// Who the tokens must be meant for.
  public let audience: AudienceRule
  /// The algorithms the issuer signs with: all asymmetric, or all HMAC.
  public let algorithms: [Algorithm]
  /// The media types that `typ` may name.
  public let types: TypeRule
  /// Tolerance for clocks in seconds, applied to `exp`, `nbf` and `iat` alike.
  public let leewaySeconds: Int64
  /// Longest `exp` − `iat` in seconds; `nil` where the issuer sets no bound.
  public let maximumLifetimeSeconds: Int64?
  /// Largest age since `iat` in seconds; `nil` where age does not matter.
  public let maximumAgeSeconds: Int64?
  /// What else tells this kind of token from others.
  public let claimRules: [ClaimRule]
  /// The claim that names the principal.
  public let principal: ClaimPath
  /// Whether the tokens speak of a subject; all do but notifications.
  public let hasSubject: Bool
  /// Whether a token without `kid` is refused even where only one key could be meant.
  public let requiresKeyID: Bool
  /// What is done with tokens that are bound to a key or a certificate.
  public let proofOfPossession: ProofOfPossession

  /// 300 s: more would make an expired token good for longer than a person notices (Google's library uses 300 s).
  public static let maximumLeewaySeconds: Int64 = 300
  /// Google's, Spring's and Envoy's default.
  public static let defaultLeewaySeconds: Int64 = 60
  /// `sub` is at most 255 ASCII characters (OpenID Connect Core section 2).
  public static let maximumPrincipalBytes = 255

  /// Makes a profile.
  ///
  /// - Throws: `Flaw` where the profile would leave a check without effect.
  public init(
    name: String, issuers: [String], audience: AudienceRule, algorithms: [Algorithm],
    types: TypeRule = .standard, leewaySeconds: Int64 = defaultLeewaySeconds,
    maximumLifetimeSeconds: Int64? = nil, maximumAgeSeconds: Int64? = nil,
    claimRules: [ClaimRule] = [], principal: ClaimPath? = nil, hasSubject: Bool = true,
    requiresKeyID: Bool = false, proofOfPossession: ProofOfPossession = .refuse
  ) throws(Flaw) {
    guard !issuers.isEmpty, !issuers.contains("") else { throw .noIssuer }
    guard !audience.values.isEmpty, !audience.values.contains("") else { throw .noAudience }
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
    self.algorithms = algorithms
    self.types = types
    self.leewaySeconds = leewaySeconds
    self.maximumLifetimeSeconds = maximumLifetimeSeconds
    self.maximumAgeSeconds = maximumAgeSeconds
    self.claimRules = claimRules
    self.principal = principal ?? .subject
    self.hasSubject = hasSubject
    self.requiresKeyID = requiresKeyID
    self.proofOfPossession = proofOfPossession
  }

  /// Why a profile cannot be made.
  public enum Flaw: Error, Equatable, Sendable {
    case noIssuer, noAudience, noAlgorithm, noType
    /// HMAC and public-key algorithms in one list: the door to algorithm confusion (CVE-2022-29217).
    case mixedAlgorithms
    /// Leeway outside of 0 to 300 s.
    case leeway
    /// A lifetime or age under one second or past the year 9999.
    case limit

    /// What is wrong, for a person.
    public var description: String {
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

  /// How the audience is found.
  public enum AudienceRule: Equatable, Sendable {
    /// One of these stands in `aud` (RFC 7519 section 4.1.3).
    case audience([String])
    /// `client_id` is one of these: access tokens of Amazon Cognito have no `aud`.
    case clientID([String])

    var values: [String] {
      switch self {
      case .audience(let values), .clientID(let values): values
      }
    }
  }

  /// Which values of `typ` fit (RFC 8725 section 3.11).
  public enum TypeRule: Equatable, Sendable {
    /// Absent is fine; what is present must be one of these.
    case ifPresent([String])
    /// Must be present and one of these.
    case required([String])

    /// `JWT` or `at+jwt`, if anything.
    public static let standard = TypeRule.ifPresent(["JWT", "at+jwt"])
  }
}

/// A condition that tells an issuer's tokens of one kind from its tokens of another.
public enum ClaimRule: Equatable, Sendable {
  /// The claim is this string, else `wrongType`.
  case equals(String, String)
  /// The claim is absent, else `wrongType`.
  case absent(String)
  /// The claim is present, else `missingClaim`.
  case present(String)
  /// The claim is a string of at most this many bytes, else `malformedClaim`.
  case atMostBytes(String, Int)
  /// The claim is a NumericDate that has come, leeway included, else `issuedInFuture`.
  case inPast(String)
  /// Where `aud` has several members and `azp` is present, `azp` is a configured audience (OpenID Connect Core
  /// section 3.1.3.7), else `wrongAudience`.
  case authorizedParty
}
