public import JSON

/// The issuer whose tokens a recipe imitates, with its tenant.
///
/// The spelling is the same as in the configuration of the function: `supabase:<ref>`, `auth0:<domain>`. Without the
/// part after the colon, an example tenant is used.
public enum TokenPreset: Equatable, Sendable {
  /// An identity token of Sign in with Apple.
  case apple
  /// An access token of Supabase Auth for the project `reference`.
  case supabase(reference: String)
  /// An ID token of Firebase Authentication.
  case firebase(project: String)
  /// An ID token of a Cognito user pool such as `eu-central-1_Example01`.
  case cognitoID(pool: String)
  /// An access token of a Cognito user pool, which has `client_id` instead of `aud`.
  case cognitoAccess(pool: String)
  /// An ID token of Google.
  case google
  /// An access token of an Auth0 tenant such as `example.eu.auth0.com`.
  case auth0(domain: String)
  /// A v2.0 access token of Microsoft Entra ID.
  case entra(tenant: String)
  /// A v1.0 access token of Microsoft Entra ID.
  case entraV1(tenant: String)
  /// An access token of any authorization server (RFC 9068 section 2).
  case rfc9068(issuer: String)
  /// An ID token of any OpenID Connect issuer.
  case oidc(issuer: String)

  /// The names before the colon.
  public static let names = [
    "apple", "supabase", "firebase", "cognito-id", "cognito-access", "google", "auth0", "entra", "entra-v1",
    "rfc9068", "oidc",
  ]

  /// Parses `NAME` or `NAME:TENANT`; `nil` for an unknown name, for a tenant that is empty or not valid for the
  /// issuer, and for a tenant of an issuer without tenants (`apple`, `google`).
  public init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let tenant = parts.count == 2 ? String(parts[1]) : nil
    guard tenant?.isEmpty != true else { return nil }
    switch (String(parts[0]), tenant) {
    case ("apple", nil): self = .apple
    case ("google", nil): self = .google
    case ("supabase", let reference): self = .supabase(reference: reference ?? "abcdefghijklmnopqrst")
    case ("firebase", let project): self = .firebase(project: project ?? "example-project")
    case ("cognito-id", let pool):
      self = .cognitoID(pool: pool ?? Self.examplePool)
    case ("cognito-access", let pool):
      self = .cognitoAccess(pool: pool ?? Self.examplePool)
    case ("auth0", let domain): self = .auth0(domain: domain ?? "example.eu.auth0.com")
    case ("entra", let tenant): self = .entra(tenant: tenant ?? Self.exampleTenant)
    case ("entra-v1", let tenant): self = .entraV1(tenant: tenant ?? Self.exampleTenant)
    case ("rfc9068", let issuer): self = .rfc9068(issuer: issuer ?? Self.exampleIssuer)
    case ("oidc", let issuer): self = .oidc(issuer: issuer ?? Self.exampleIssuer)
    default: return nil
    }
    guard isTenantPossible else { return nil }
  }

  private static let examplePool = "eu-central-1_Example01"
  private static let exampleTenant = "11111111-2222-4333-8444-555555555555"
  private static let exampleIssuer = "https://id.example.com"

  private var isTenantPossible: Bool {
    switch self {
    case .apple, .google: true
    case .supabase(let name), .firebase(let name), .auth0(let name), .entra(let name), .entraV1(let name):
      Self.isHostPart(name)
    case .cognitoID(let text), .cognitoAccess(let text): Self.isPool(text)
    case .rfc9068(let issuer), .oidc(let issuer): issuer.hasPrefix("https://") || issuer.hasPrefix("http://")
    }
  }

  /// Whether this is the ID of a pool, for a replica followed by `@` and its Region.
  private static func isPool(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    let names = parts[0].split(separator: "_", omittingEmptySubsequences: false)
    return parts.count <= 2 && names.count == 2 && (parts + names).allSatisfy { !$0.isEmpty }
      && parts.allSatisfy { isHostPart(String($0)) }
  }

  private static func isHostPart(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
      default: false
      }
    }
  }

  /// The `iss` of the tokens.
  public var issuer: String {
    switch self {
    case .apple: "https://appleid.apple.com"
    case .supabase(let reference): "https://\(reference).supabase.co/auth/v1"
    case .firebase(let project): "https://securetoken.google.com/\(project)"
    case .cognitoID(let text), .cognitoAccess(let text): Self.issuer(ofPool: text)
    case .google: "https://accounts.google.com"
    // Unlike the other issuers, this one ends in a slash.
    case .auth0(let domain): "https://\(domain)/"
    case .entra(let tenant): "https://login.microsoftonline.com/\(tenant)/v2.0"
    case .entraV1(let tenant): "https://sts.windows.net/\(tenant)/"
    case .rfc9068(let issuer), .oidc(let issuer): issuer
    }
  }

  private static func issuer(ofPool text: String) -> String {
    let parts = text.split(separator: "@")
    let region = parts.count == 2 ? parts[1] : parts[0].prefix { $0 != "_" }
    return "https://cognito-idp.\(region).amazonaws.com/\(parts[0])"
  }

  /// The claim with the audience; `nil` if the issuer's tokens cannot have this number of audiences. Access tokens of a
  /// Cognito user pool have their only client in `client_id`.
  public func audienceClaim(_ audiences: [String]) -> JSONTree.Member? {
    if case .cognitoAccess = self {
      guard audiences.count == 1 else { return nil }
      return .init(name: "client_id", value: .string(audiences[0]))
    }
    return Self.standardAudienceClaim(audiences)
  }

  /// `aud`: a string for one audience, an array for several (RFC 7519 section 4.1.3).
  public static func standardAudienceClaim(_ audiences: [String]) -> JSONTree.Member? {
    guard let first = audiences.first else { return nil }
    return .init(
      name: "aud", value: audiences.count == 1 ? .string(first) : .array(audiences.map { .string($0) }))
  }

  /// The issuer's current signature algorithm.
  public var algorithm: SigningAlgorithm {
    switch self {
    case .supabase: .es256
    default: .rs256
    }
  }

  /// The header's `typ`; the headers of Apple and Cognito have only `kid` and `alg`.
  var type: String? {
    switch self {
    case .apple, .cognitoID, .cognitoAccess: nil
    case .rfc9068: "at+jwt"
    default: "JWT"
    }
  }
}
