/// The issuer whose tokens a recipe imitates, with what is particular to one tenant of it.
///
/// Spelled as in the configuration of the function: `supabase:<ref>`, `auth0:<domain>`; without the part after the
/// colon an example tenant is taken.
public enum TokenPreset: Equatable, Sendable {
  /// An identity token of Sign in with Apple.
  case apple
  /// An access token of Supabase Auth for the project `reference`.
  case supabase(reference: String)
  /// An ID token of Firebase Authentication.
  case firebase(project: String)
  /// An ID token of a Cognito user pool such as `eu-central-1_Example01`.
  case cognitoID(pool: String)
  /// An access token of a Cognito user pool, which has `client_id` in place of `aud`.
  case cognitoAccess(pool: String)
  /// An ID token of Google.
  case google
  /// An access token of an Auth0 tenant such as `example.eu.auth0.com`.
  case auth0(domain: String)
  /// A v2.0 access token of Microsoft Entra ID.
  case entra(tenant: String)
  /// An ID token of any OpenID Connect issuer.
  case oidc(issuer: String)

  /// The words before the colon.
  public static let names = [
    "apple", "supabase", "firebase", "cognito-id", "cognito-access", "google", "auth0", "entra", "oidc",
  ]

  /// Reads `NAME` or `NAME:TENANT`; `nil` for an unknown name, for a tenant that is empty or that the issuer cannot
  /// have, and for a tenant where there is none (`apple`, `google`).
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
    case ("entra", let tenant): self = .entra(tenant: tenant ?? "11111111-2222-4333-8444-555555555555")
    case ("oidc", let issuer): self = .oidc(issuer: issuer ?? "https://id.example.com")
    default: return nil
    }
    guard isTenantPossible else { return nil }
  }

  private static let examplePool = "eu-central-1_Example01"

  private var isTenantPossible: Bool {
    switch self {
    case .apple, .google: true
    case .supabase(let name), .firebase(let name), .auth0(let name), .entra(let name): Self.isHostPart(name)
    case .cognitoID(let pool), .cognitoAccess(let pool):
      pool.split(separator: "_", omittingEmptySubsequences: false).count == 2
        && pool.split(separator: "_").count == 2 && Self.isHostPart(pool)
    case .oidc(let issuer): issuer.hasPrefix("https://") || issuer.hasPrefix("http://")
    }
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
    case .cognitoID(let pool), .cognitoAccess(let pool):
      "https://cognito-idp.\(pool.prefix { $0 != "_" }).amazonaws.com/\(pool)"
    case .google: "https://accounts.google.com"
    // With a slash at the end, unlike all the others.
    case .auth0(let domain): "https://\(domain)/"
    case .entra(let tenant): "https://login.microsoftonline.com/\(tenant)/v2.0"
    case .oidc(let issuer): issuer
    }
  }

  /// What the issuer signs with today.
  public var algorithm: SigningAlgorithm {
    switch self {
    case .supabase: .es256
    default: .rs256
    }
  }

  /// Whether the header has `"typ":"JWT"`; Apple and Cognito write `kid` and `alg` only.
  var writesType: Bool {
    switch self {
    case .apple, .cognitoID, .cognitoAccess: false
    default: true
    }
  }
}
