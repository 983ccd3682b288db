/// A well-known issuer: the properties of its tokens and the URL of its key set. Configuration refers to it by name.
///
/// All values come from the issuer's own documentation. URLs are never discovered at run time: in June 2025 the
/// issuer in Apple's discovery document differed from the issuer in its tokens.
public struct IssuerPreset: Equatable, Sendable {
  /// The spelling in the configuration, argument included: `apple`, `supabase:abcdefgh`.
  public let name: String
  /// The exact values of `iss`; empty if the configuration sets the issuer.
  public let issuers: [String]
  /// The URL of the issuer's key set; `nil` if the configuration sets it.
  public let keysURL: String?
  /// The issuer's signature algorithms; empty if the configuration sets them.
  public let algorithms: [Algorithm]
  /// The accepted values of `typ`.
  public let types: IssuerProfile.TypeRule
  /// The audience, if it is the same for all tokens of the issuer.
  public let fixedAudience: String?
  /// Whether the audience is in `client_id`.
  public let audienceIsClientID: Bool
  /// The maximum lifetime in seconds, for ID tokens.
  public let maximumLifetimeSeconds: Int64?
  /// The rules that distinguish this kind of token from other tokens of the issuer.
  public let claimRules: [ClaimRule]
  /// The claim with the principal, if it is not `sub`.
  public let principal: String?
  /// Whether the tokens have a subject.
  public let hasSubject: Bool
  /// Whether every token has a `kid`.
  public let requiresKeyID: Bool

  /// Whether the preset describes only a kind of token, and the configuration sets the issuer.
  public var isGeneric: Bool { issuers.isEmpty }

  /// The maximum lifetime of ID tokens: one day (observed at Apple; Google's own library: 86,400 s).
  public static let idTokenLifetimeSeconds: Int64 = 86_400

  private init(
    _ name: String, issuers: [String], keys: String?, algorithms: [Algorithm] = [.rs256],
    types: IssuerProfile.TypeRule = .standard, audience: String? = nil, audienceIsClientID: Bool = false,
    maximumLifetimeSeconds: Int64? = nil, rules: [ClaimRule] = [], principal: String? = nil,
    hasSubject: Bool = true, requiresKeyID: Bool = false
  ) {
    self.name = name
    self.issuers = issuers
    keysURL = keys
    self.algorithms = algorithms
    self.types = types
    fixedAudience = audience
    self.audienceIsClientID = audienceIsClientID
    self.maximumLifetimeSeconds = maximumLifetimeSeconds
    claimRules = rules
    self.principal = principal
    self.hasSubject = hasSubject
    self.requiresKeyID = requiresKeyID
  }

  /// The spellings that the configuration accepts, for messages.
  public static let spellings = [
    "apple", "supabase:<ref>", "firebase:<project>", "cognito-id:<pool id>", "cognito-access:<pool id>",
    "auth0:<domain>", "google", "entra:<tenant id>", "entra-v1:<tenant id>", "rfc9068", "oidc",
  ]

  /// Creates the preset with this spelling.
  ///
  /// - Throws: `Flaw` if no preset has the name, or if the argument does not have the issuer's form.
  public init(parsing text: String) throws(Flaw) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let argument = parts.count == 2 ? String(parts[1]) : nil
    func checked(_ form: ArgumentForm) throws(Flaw) -> String {
      guard let argument else { throw .missingArgument(preset: name, form: form.description) }
      guard form.accepts(argument) else { throw .wrongArgument(preset: name, form: form.description) }
      return argument
    }
    switch name {
    case "apple", "google", "rfc9068", "oidc":
      guard argument == nil else { throw .unexpectedArgument(preset: name) }
      self = name == "apple" ? .apple : name == "google" ? .google : name == "oidc" ? .oidc : .rfc9068
    case "supabase": self = .supabase(try checked(.projectReference))
    case "firebase": self = .firebase(try checked(.projectID))
    case "cognito-id": self = .cognito(try checked(.poolID), isAccess: false)
    case "cognito-access": self = .cognito(try checked(.poolID), isAccess: true)
    case "auth0": self = .auth0(try checked(.domain))
    case "entra": self = .entra(try checked(.tenantID), version: "2.0")
    case "entra-v1": self = .entra(try checked(.tenantID), version: "1.0")
    default: throw .unknown(name)
    }
  }

  /// The preset to use for this issuer; `nil` if there is none. A configuration with the plain issuer would lack the
  /// rules that distinguish the issuer's kinds of token.
  public static func spelling(forIssuer issuer: String) -> String? {
    for (prefix, spelling) in [
      ("https://appleid.apple.com", "apple"), ("https://accounts.google.com", "google"),
      ("https://securetoken.google.com/", "firebase:<project>"),
      ("https://cognito-idp.", "cognito-access:<pool id>"),
      ("https://issuer-cognito-idp.", "cognito-access:<pool id>"),
      ("https://login.microsoftonline.com/", "entra:<tenant id>"),
      ("https://sts.windows.net/", "entra-v1:<tenant id>"),
    ] where issuer.utf8.starts(with: prefix.utf8) {
      return spelling
    }
    return nil
  }

  /// The reason why a spelling is not a preset.
  public enum Flaw: Error, Equatable, Sendable {
    case unknown(String)
    case missingArgument(preset: String, form: String)
    case wrongArgument(preset: String, form: String)
    case unexpectedArgument(preset: String)
  }

  /// Identity tokens of Sign in with Apple. Audiences are Services IDs and bundle IDs; the header has no `typ`.
  /// A server-to-server notification has the same issuer, keys and audience, but it has an `events` member.
  private static let apple = IssuerPreset(
    "apple", issuers: ["https://appleid.apple.com"], keys: "https://appleid.apple.com/auth/keys",
    types: .ifPresent(["JWT"]), maximumLifetimeSeconds: idTokenLifetimeSeconds, rules: [.absent("events")])

  /// Apple's server-to-server notifications. The configuration does not accept this preset, because a notification is
  /// never a Bearer token.
  public static let appleNotification = IssuerPreset(
    "apple-notification", issuers: ["https://appleid.apple.com"], keys: "https://appleid.apple.com/auth/keys",
    types: .ifPresent(["JWT"]), maximumLifetimeSeconds: idTokenLifetimeSeconds,
    rules: [.present("events"), .present("iat")], principal: "jti", hasSubject: false)

  /// Google ID tokens; both spellings of the issuer are documented.
  private static let google = IssuerPreset(
    "google", issuers: ["https://accounts.google.com", "accounts.google.com"],
    keys: "https://www.googleapis.com/oauth2/v3/certs", types: .ifPresent(["JWT"]),
    maximumLifetimeSeconds: idTokenLifetimeSeconds, rules: [.authorizedParty])

  /// JWT access tokens of any authorization server (RFC 9068 section 2.2). The configuration sets issuer, algorithms
  /// and keys.
  private static let rfc9068 = IssuerPreset(
    "rfc9068", issuers: [], keys: nil, algorithms: [], types: .required(["at+jwt"]),
    rules: [.present("client_id"), .present("iat"), .present("jti")])

  /// ID tokens of any OpenID provider (OpenID Connect Core section 2). They are not access tokens. The configuration
  /// sets issuer, algorithms and keys.
  private static let oidc = IssuerPreset(
    "oidc", issuers: [], keys: nil, algorithms: [], types: .ifPresent(["JWT"]),
    maximumLifetimeSeconds: idTokenLifetimeSeconds, rules: [.present("iat"), .authorizedParty])

  /// Supabase Auth with asymmetric keys. Configure older projects, which use a secret, as a plain issuer.
  private static func supabase(_ reference: String) -> IssuerPreset {
    let issuer = "https://\(reference).supabase.co/auth/v1"
    return IssuerPreset(
      "supabase:\(reference)", issuers: [issuer], keys: issuer + "/.well-known/jwks.json",
      algorithms: [.es256, .rs256], types: .ifPresent(["JWT"]), audience: "authenticated")
  }

  /// Firebase ID tokens. All rules are from "Verify ID tokens using a third-party JWT library".
  private static func firebase(_ project: String) -> IssuerPreset {
    IssuerPreset(
      "firebase:\(project)", issuers: ["https://securetoken.google.com/\(project)"],
      keys: "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
      types: .ifPresent(["JWT"]), audience: project, maximumLifetimeSeconds: idTokenLifetimeSeconds,
      rules: [.atMostBytes("sub", 128), .inPast("iat"), .inPast("auth_time")], requiresKeyID: true)
  }

  /// Amazon Cognito user pools, with the older and the newer issuer of the same pool. Access tokens have the client in
  /// `client_id` and usually no `aud`.
  ///
  /// A replica in another Region has the same pool ID. In its tokens the newer issuer contains the primary Region;
  /// the older one may contain the replica's Region, which `@<region>` selects (API reference,
  /// "IssuerConfigurationType").
  private static func cognito(_ argument: String, isAccess: Bool) -> IssuerPreset {
    let parts = argument.split(separator: "@")
    let pool = parts[0]
    let home = pool.prefix { $0 != "_" }
    let region = parts.count == 2 ? parts[1] : home
    let issuer = "https://cognito-idp.\(region).amazonaws.com/\(pool)"
    return IssuerPreset(
      (isAccess ? "cognito-access:" : "cognito-id:") + argument,
      issuers: [issuer]
        + (parts.count == 2 ? [] : ["https://issuer-cognito-idp.\(home).amazonaws.com/\(pool)"]),
      keys: issuer + "/.well-known/jwks.json", types: isAccess ? .standard : .ifPresent(["JWT"]),
      audienceIsClientID: isAccess,
      maximumLifetimeSeconds: isAccess ? nil : idTokenLifetimeSeconds,
      rules: [.equals("token_use", isAccess ? "access" : "id")])
  }

  /// Auth0 access tokens; the issuer ends in a slash. ID tokens have the same issuer and keys, but only they contain
  /// `nonce` and `at_hash` (OpenID Connect Core sections 2 and 3.1.3.6): Auth0 does not allow these claims in access
  /// tokens.
  private static func auth0(_ domain: String) -> IssuerPreset {
    let issuer = "https://\(domain)/"
    return IssuerPreset(
      "auth0:\(domain)", issuers: [issuer], keys: issuer + ".well-known/jwks.json",
      rules: [.absent("nonce"), .absent("at_hash")])
  }

  /// Microsoft Entra ID of one tenant. Tokens of version 1.0 have a different issuer and the same keys.
  private static func entra(_ tenant: String, version: String) -> IssuerPreset {
    let isV2 = version == "2.0"
    let login = "https://login.microsoftonline.com/\(tenant)/"
    return IssuerPreset(
      (isV2 ? "entra:" : "entra-v1:") + tenant,
      issuers: [isV2 ? login + "v2.0" : "https://sts.windows.net/\(tenant)/"],
      keys: login + "discovery/v2.0/keys",
      rules: [.equals("tid", tenant), .equals("ver", version), .authorizedParty])
  }
}

/// The forms of preset arguments. They are strict, since arguments become part of URLs and issuers.
private enum ArgumentForm: CustomStringConvertible {
  case projectReference, projectID, poolID, domain, tenantID

  var description: String {
    switch self {
    case .projectReference: "the project's reference, lower-case letters and digits"
    case .projectID: "the project's id, lower-case letters, digits and hyphens"
    case .poolID:
      "the pool's id, such as eu-central-1_AbCdEfGhI; for a replica with @ and its Region, such as @eu-west-1"
    case .domain: "the tenant's domain, such as example.eu.auth0.com"
    case .tenantID: "the tenant's id, a GUID in lower case"
    }
  }

  func accepts(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard 1...128 ~= bytes.count else { return false }
    switch self {
    case .projectReference: return bytes.allSatisfy(Self.isLowerOrDigit)
    case .projectID: return Self.isLabel(bytes[...])
    case .poolID:
      let replica = bytes.split(separator: 0x40, omittingEmptySubsequences: false)
      let parts = replica[0].split(separator: 0x5F, omittingEmptySubsequences: false)
      let isPool =
        parts.count == 2 && Self.isRegion(parts[0]) && !parts[1].isEmpty
        && parts[1].allSatisfy { Self.isLowerOrDigit($0) || 0x41...0x5A ~= $0 }
      guard isPool, replica.count > 1 else { return isPool }
      // The pool's own Region must be omitted, so that each issuer has one spelling.
      return replica.count == 2 && Self.isRegion(replica[1]) && replica[1] != parts[0]
    case .domain:
      let labels = bytes.split(separator: 0x2E, omittingEmptySubsequences: false)
      // With digits only in the last label it could be an IPv4 address (RFC 1123 section 2.1).
      return labels.count >= 2 && labels.allSatisfy(Self.isLabel)
        && labels[labels.count - 1].contains { 0x61...0x7A ~= $0 }
    case .tenantID:
      let groups = bytes.split(separator: 0x2D, omittingEmptySubsequences: false)
      return groups.map { $0.count } == [8, 4, 4, 4, 12]
        && groups.joined().allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
    }
  }

  /// At least as long as the shortest Region name of AWS, `us-east-1`.
  private static func isRegion(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.count >= 9 && isLabel(bytes) }

  /// Lower-case letters, digits and hyphens, no hyphen at either end (RFC 1123 section 2.1).
  private static func isLabel(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, let last = bytes.last else { return false }
    return first != 0x2D && last != 0x2D && bytes.allSatisfy { isLowerOrDigit($0) || $0 == 0x2D }
  }

  private static func isLowerOrDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x61...0x7A ~= byte }
}
