extension IssuerPreset {
  /// All presets, in the order of messages. Configuration, schema and help have no other list.
  package static let rows: [Row] = [
    Row(name: "apple", issuers: ["https://appleid.apple.com"], preset: apple),
    Row(name: "supabase", argument: .projectReference, preset: supabase),
    Row(
      name: "firebase", argument: .projectID, issuers: ["https://securetoken.google.com/"], preset: firebase),
    Row(name: "cognito-id", argument: .poolID) { cognito($0, $1, isAccess: false) },
    Row(
      name: "cognito-access", argument: .poolID,
      issuers: ["https://cognito-idp.", "https://issuer-cognito-idp."], note: "with @<region> for a replica"
    ) { cognito($0, $1, isAccess: true) },
    Row(name: "auth0", argument: .domain, preset: auth0),
    Row(name: "google", issuers: ["https://accounts.google.com"], preset: google),
    Row(name: "entra", argument: .tenantID, issuers: ["https://login.microsoftonline.com/"], preset: entra),
    Row(name: "entra-v1", argument: .tenantID, issuers: ["https://sts.windows.net/"], preset: entraV1),
    Row(name: "aws", argument: .accountIssuerID, preset: aws),
    Row(
      name: "github", argument: .repositoryOwner, issuers: [IssuerPreset.workflowIssuer],
      preset: github),
    Row(name: "rfc9068", note: "JWT access tokens", preset: rfc9068),
    Row(name: "oidc", note: "ID tokens", preset: oidc),
  ]

  /// A preset as the configuration names it.
  package struct Row: Sendable {
    /// The name before the colon.
    package let name: String
    /// The argument after the colon; `nil` if the preset takes none.
    var argument: ArgumentForm?
    /// The issuers for which no plain issuer may be configured; one that ends in a slash or dot is a beginning.
    var issuers: [String] = []
    /// More about the preset, for the schema.
    package internal(set) var note: String?
    /// The preset with this spelling and argument.
    let preset: @Sendable (_ spelling: String, _ argument: String) -> IssuerPreset

    /// The name, with a placeholder for the argument.
    package var spelling: String { argument.map { name + ":" + $0.placeholder } ?? name }

    /// Whether the preset takes an argument.
    package var takesArgument: Bool { argument != nil }

    /// Whether the preset describes only a kind of token, and the configuration sets the issuer.
    package var isGeneric: Bool { argument == nil && preset(name, "").isGeneric }
  }

  /// Identity tokens of Sign in with Apple. Audiences are Services IDs and bundle IDs; the header has no `typ`.
  /// A server-to-server notification has the same issuer, keys and audience, but it has an `events` member.
  private static func apple(_ spelling: String, _: String) -> IssuerPreset {
    IssuerPreset(
      name: spelling, issuers: [appleIssuer], keysURL: appleKeys, types: .ifPresent(["JWT"]),
      maximumLifetimeSeconds: idTokenLifetimeSeconds, claimRules: [.absent("events")], sendsScopes: false)
  }

  /// Apple's server-to-server notifications. The configuration does not accept this preset, because a notification is
  /// never a Bearer token.
  package static let appleNotification = IssuerPreset(
    name: "apple-notification", issuers: [appleIssuer], keysURL: appleKeys, types: .ifPresent(["JWT"]),
    maximumLifetimeSeconds: idTokenLifetimeSeconds, claimRules: [.present("events"), .present("iat")],
    principal: "jti", hasSubject: false)

  /// `iss` of all tokens of Apple.
  package static let appleIssuer = "https://appleid.apple.com"
  private static let appleKeys = "https://appleid.apple.com/auth/keys"

  /// Supabase Auth with asymmetric keys. Configure older projects, which use a secret, as a plain issuer.
  private static func supabase(_ spelling: String, _ reference: String) -> IssuerPreset {
    let issuer = "https://\(reference).supabase.co/auth/v1"
    return IssuerPreset(
      name: spelling, issuers: [issuer], keysURL: issuer + "/.well-known/jwks.json",
      algorithms: [.es256, .rs256], types: .ifPresent(["JWT"]), fixedAudience: "authenticated")
  }

  /// Firebase ID tokens. All rules are from "Verify ID tokens using a third-party JWT library".
  private static func firebase(_ spelling: String, _ project: String) -> IssuerPreset {
    IssuerPreset(
      name: spelling, issuers: ["https://securetoken.google.com/\(project)"],
      keysURL: "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
      types: .ifPresent(["JWT"]), fixedAudience: project, maximumLifetimeSeconds: idTokenLifetimeSeconds,
      claimRules: [.atMostBytes("sub", 128), .inPast("iat"), .inPast("auth_time")], requiresKeyID: true)
  }

  /// Amazon Cognito user pools, with the older and the newer issuer of the same pool. Access tokens have the client in
  /// `client_id` and usually no `aud`.
  ///
  /// A replica in another Region has the same pool ID. In its tokens the newer issuer contains the primary Region;
  /// the older one may contain the replica's Region, which `@<region>` selects (API reference,
  /// "IssuerConfigurationType").
  private static func cognito(_ spelling: String, _ argument: String, isAccess: Bool) -> IssuerPreset {
    let parts = argument.utf8.split(separator: 0x40).map { Substring($0) }
    let pool = parts[0]
    let home = pool.prefix { $0 != "_" }
    let region = parts.count == 2 ? parts[1] : home
    let issuer = "https://cognito-idp.\(region).amazonaws.com/\(pool)"
    return IssuerPreset(
      name: spelling,
      issuers: [issuer]
        + (parts.count == 2 ? [] : ["https://issuer-cognito-idp.\(home).amazonaws.com/\(pool)"]),
      keysURL: issuer + "/.well-known/jwks.json", types: isAccess ? .standard : .ifPresent(["JWT"]),
      audienceIsClientID: isAccess,
      maximumLifetimeSeconds: isAccess ? nil : idTokenLifetimeSeconds,
      claimRules: [.equals("token_use", isAccess ? "access" : "id")])
  }

  /// Auth0 access tokens; the issuer ends in a slash. ID tokens have the same issuer and keys, but only they contain
  /// `nonce` and `at_hash` (OpenID Connect Core sections 2 and 3.1.3.6): Auth0 does not allow these claims in access
  /// tokens.
  private static func auth0(_ spelling: String, _ domain: String) -> IssuerPreset {
    let issuer = "https://\(domain)/"
    return IssuerPreset(
      name: spelling, issuers: [issuer], keysURL: issuer + ".well-known/jwks.json",
      claimRules: [.absent("nonce"), .absent("at_hash")])
  }

  /// Google ID tokens; both spellings of the issuer are documented.
  private static func google(_ spelling: String, _: String) -> IssuerPreset {
    IssuerPreset(
      name: spelling, issuers: ["https://accounts.google.com", "accounts.google.com"],
      keysURL: "https://www.googleapis.com/oauth2/v3/certs", types: .ifPresent(["JWT"]),
      maximumLifetimeSeconds: idTokenLifetimeSeconds, claimRules: [.authorizedParty], sendsScopes: false)
  }

  /// Microsoft Entra ID of one tenant.
  private static func entra(_ spelling: String, _ tenant: String) -> IssuerPreset {
    entraPreset(spelling, tenant, issuer: "https://login.microsoftonline.com/\(tenant)/v2.0", version: "2.0")
  }

  /// Tokens of version 1.0, with a different issuer and the same keys.
  private static func entraV1(_ spelling: String, _ tenant: String) -> IssuerPreset {
    entraPreset(spelling, tenant, issuer: "https://sts.windows.net/\(tenant)/", version: "1.0")
  }

  private static func entraPreset(
    _ spelling: String, _ tenant: String, issuer: String, version: String
  ) -> IssuerPreset {
    IssuerPreset(
      name: spelling, issuers: [issuer],
      keysURL: "https://login.microsoftonline.com/\(tenant)/discovery/v2.0/keys",
      claimRules: [.equals("tid", tenant), .equals("ver", version), .authorizedParty], verifiesEmail: false)
  }

  /// Tokens of `sts:GetWebIdentityToken` for the principals of one AWS account (IAM, "Getting started with outbound
  /// identity federation"). They are valid for an hour at most (STS, API reference).
  private static func aws(_ spelling: String, _ account: String) -> IssuerPreset {
    let issuer = "https://\(account).tokens.sts.global.api.aws"
    return IssuerPreset(
      name: spelling, issuers: [issuer], keysURL: issuer + "/.well-known/jwks.json",
      algorithms: [.rs256, .es384], types: .ifPresent(["JWT"]), maximumLifetimeSeconds: 3600,
      sendsScopes: false)
  }

  /// Tokens of GitHub Actions (GitHub, "OpenID Connect reference"). All owners of repositories share the issuer, and an
  /// owner can be renamed, so that only the ID says whose workflow it is. The default audience is the owner's URL.
  private static func github(_ spelling: String, _ argument: String) -> IssuerPreset {
    let issuer = IssuerPreset.workflowIssuer
    return IssuerPreset(
      name: spelling, issuers: [issuer], keysURL: issuer + "/.well-known/jwks",
      types: .ifPresent(["JWT"]), sendsScopes: false,
      repositoryOwnerID: argument.utf8.split(separator: 0x40).last.map { String(Substring($0)) },
      defaultAudienceSite: "https://github.com")
  }

  /// JWT access tokens of any authorization server (RFC 9068 section 2.2). The configuration sets issuer, algorithms
  /// and keys.
  private static func rfc9068(_ spelling: String, _: String) -> IssuerPreset {
    IssuerPreset(
      name: spelling, issuers: [], keysURL: nil, algorithms: [], types: .required(["at+jwt"]),
      claimRules: [.present("client_id"), .present("iat"), .present("jti")])
  }

  /// ID tokens of any OpenID provider (OpenID Connect Core section 2). They are not access tokens. The configuration
  /// sets issuer, algorithms and keys.
  private static func oidc(_ spelling: String, _: String) -> IssuerPreset {
    IssuerPreset(
      name: spelling, issuers: [], keysURL: nil, algorithms: [], types: .ifPresent(["JWT"]),
      maximumLifetimeSeconds: idTokenLifetimeSeconds,
      claimRules: [.present("iat"), .absent("events"), .authorizedParty])
  }
}
