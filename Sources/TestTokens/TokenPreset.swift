internal import Bytes
package import JSON

/// The issuer whose tokens a recipe imitates, with its tenant.
///
/// The spelling is the same as in the configuration of the function: `supabase:<ref>`, `auth0:<domain>`. Without the
/// part after the colon, an example tenant is used.
package struct TokenPreset: Equatable, Sendable {
  private let row: Row
  private let tenant: String

  /// The names before the colon.
  package static let names = rows.map(\.name)

  /// The spellings, each with its example tenant.
  package static let examples = rows.map { row in row.tenant.map { "\(row.name):\($0.example)" } ?? row.name }

  /// Parses `NAME` or `NAME:TENANT`; `nil` for an unknown name, for a tenant that is empty or not valid for the
  /// issuer, and for a tenant of an issuer without tenants (`apple`, `google`).
  package init?(_ text: String) {
    let parts = text.utf8.split(separator: .colon, maxSplits: 1, omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
    guard let row = Self.rows.first(where: { $0.name == parts[0] }) else { return nil }
    self.row = row
    guard parts.count == 2 else {
      tenant = row.tenant?.example ?? ""
      return
    }
    tenant = parts[1]
    guard row.tenant?.accepts(tenant) == true else { return nil }
  }

  /// The `iss` of the tokens.
  package var issuer: String { row.issuer(tenant) }

  /// The claims of a valid token of this issuer, issued at `now` (seconds since 1970).
  func claims(at now: Int64, _ identifiers: TokenIdentifiers, user: String? = nil) -> [JSONTree.Member] {
    row.claims(PresetClaims(issuer: issuer, tenant: tenant, now: now, identifiers: identifiers, user: user))
  }

  /// The claims that name a user: `sub`, and those of the preset that differ between users, such as `email`.
  package func claims(of user: String) -> [JSONTree.Member] {
    let identifiers = TokenIdentifiers(name: "", salt: 0)
    let others = claims(at: 0, identifiers)
    return [.init(name: "sub", value: .string(user))]
      + claims(at: 0, identifiers, user: user).filter { $0.name != "sub" && !others.contains($0) }
  }

  /// Whether the tokens have their only client in `client_id`, and no `aud`.
  package var audienceIsClientID: Bool { row.audienceIsClientID }

  /// The claim with the audience; `nil` if the issuer's tokens cannot have this number of audiences. Access tokens of a
  /// Cognito user pool have their only client in `client_id`.
  package func audienceClaim(_ audiences: [String]) -> JSONTree.Member? {
    if audienceIsClientID {
      guard audiences.count == 1 else { return nil }
      return .init(name: "client_id", value: .string(audiences[0]))
    }
    return Self.standardAudienceClaim(audiences)
  }

  /// `aud`: a string for one audience, an array for several (RFC 7519 section 4.1.3).
  package static func standardAudienceClaim(_ audiences: [String]) -> JSONTree.Member? {
    guard let first = audiences.first else { return nil }
    return .init(
      name: "aud", value: audiences.count == 1 ? .string(first) : .array(audiences.map { .string($0) }))
  }

  /// Whether no token of the issuer has this claim in production, so that a rule that requires it allows no request.
  package func neverSends(_ claim: String) -> Bool {
    row.hasOnlyDocumentedClaims && Self.authorizationClaims.contains(claim)
  }

  /// Claims with scopes, groups and roles (RFC 9068 section 2.2.3, RFC 8693 section 4.2, and those of issuers).
  package static let authorizationClaims = [
    "scope", "scp", "permissions", "cognito:groups", "groups", "roles", "entitlements",
  ]

  /// The issuer's current signature algorithm.
  package var algorithm: SigningAlgorithm { row.algorithm }

  /// The header's `typ`; the headers of Apple and Cognito have only `kid` and `alg`.
  var type: String? { row.type }
}

extension TokenPreset {
  /// All issuers, in the order of messages. `PresetClaims` has the claims of each.
  private static let rows: [Row] = [
    Row(
      name: "apple", type: nil, hasOnlyDocumentedClaims: true, issuer: { _ in "https://appleid.apple.com" },
      claims: { $0.apple }),
    Row(
      name: "supabase", tenant: .name("abcdefghijklmnopqrst"), algorithm: .es256,
      issuer: { "https://\($0).supabase.co/auth/v1" }, claims: { $0.supabase }),
    Row(
      name: "firebase", tenant: .name("example-project"), issuer: { "https://securetoken.google.com/\($0)" },
      claims: { $0.firebase }),
    Row(
      name: "cognito-id", tenant: examplePool, type: nil, issuer: issuer(ofPool:), claims: { $0.cognitoID }),
    Row(
      name: "cognito-access", tenant: examplePool, type: nil, audienceIsClientID: true,
      issuer: issuer(ofPool:), claims: { $0.cognitoAccess }),
    Row(
      name: "google", hasOnlyDocumentedClaims: true, issuer: { _ in "https://accounts.google.com" },
      claims: { $0.google }),
    // Unlike the other issuers, this one ends in a slash.
    Row(
      name: "auth0", tenant: .name("example.eu.auth0.com"), issuer: { "https://\($0)/" }, claims: { $0.auth0 }
    ),
    Row(
      name: "entra", tenant: exampleDirectory, issuer: { "https://login.microsoftonline.com/\($0)/v2.0" },
      claims: { $0.entra }),
    Row(
      name: "entra-v1", tenant: exampleDirectory, issuer: { "https://sts.windows.net/\($0)/" },
      claims: { $0.entraV1 }),
    Row(
      name: "aws", tenant: .name("a1b2c3d4-1177-4468-9351-2f0123456789"), hasOnlyDocumentedClaims: true,
      issuer: { "https://\($0).tokens.sts.global.api.aws" }, claims: { $0.aws }),
    Row(
      name: "github", tenant: .owner("octo-org@65"), hasOnlyDocumentedClaims: true,
      issuer: { _ in "https://token.actions.githubusercontent.com" }, claims: { $0.github }),
    Row(name: "rfc9068", tenant: exampleIssuer, type: "at+jwt", issuer: { $0 }, claims: { $0.rfc9068 }),
    Row(name: "oidc", tenant: exampleIssuer, issuer: { $0 }, claims: { $0.oidc }),
  ]

  /// An issuer as a recipe names it.
  private struct Row: Equatable, Sendable {
    let name: String
    /// The tenants; `nil` for an issuer without tenants.
    var tenant: Tenant?
    var algorithm = SigningAlgorithm.rs256
    var type: String? = "JWT"
    var audienceIsClientID = false
    /// Whether the issuer documents all claims, none for scopes or groups, and no customer can add one.
    var hasOnlyDocumentedClaims = false
    let issuer: @Sendable (_ tenant: String) -> String
    let claims: @Sendable (PresetClaims) -> [JSONTree.Member]

    static func == (left: Row, right: Row) -> Bool { left.name == right.name }
  }

  private static let examplePool = Tenant.pool("eu-central-1_Example01")
  private static let exampleDirectory = Tenant.name("11111111-2222-4333-8444-555555555555")
  private static let exampleIssuer = Tenant.address("https://id.example.com")

  private static func issuer(ofPool text: String) -> String {
    let parts = text.utf8.split(separator: UInt8(ascii: "@")).map { Substring($0) }
    let region = parts.count == 2 ? parts[1] : parts[0].prefix { $0 != "_" }
    return "https://cognito-idp.\(region).amazonaws.com/\(parts[0])"
  }

  /// The tenants of an issuer: their form, and an example.
  private enum Tenant: Sendable {
    /// A part of a host name.
    case name(String)
    /// The ID of a Cognito user pool, for a replica followed by `@` and its Region.
    case pool(String)
    /// The owner of repositories, `@` and the owner's ID.
    case owner(String)
    /// The address of any issuer.
    case address(String)

    var example: String {
      switch self {
      case .name(let example), .pool(let example), .owner(let example), .address(let example): example
      }
    }

    func accepts(_ text: String) -> Bool {
      switch self {
      case .name: return TokenRecipes.isName(text)
      case .pool:
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        let names = parts[0].split(separator: .underscore, omittingEmptySubsequences: false)
        return parts.count <= 2 && names.count == 2
          && (names + parts.dropFirst()).allSatisfy { TokenRecipes.isName(Substring($0)) }
      case .owner:
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { TokenRecipes.isName(Substring($0)) }
      case .address: return ["https://", "http://"].contains { text.utf8.starts(with: $0.utf8) }
      }
    }
  }
}
