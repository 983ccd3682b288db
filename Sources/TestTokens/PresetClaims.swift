import JSON

/// The claims of each issuer for one user, the same in every token.
struct PresetClaims {
  let issuer: String
  let tenant: String
  let now: Int64
  let identifiers: TokenIdentifiers
  /// The user's name, which is their `sub`; `nil` for the user of recipes, Ada.
  var user: String?

  private var email: String {
    guard let user else { return "ada@example.com" }
    // Only these characters need no quotes in an address (RFC 5321 section 4.1.2, Dot-string).
    let isPlain =
      TokenRecipes.isName(user)
      && !user.utf8.split(separator: 0x2e, omittingEmptySubsequences: false).contains { $0.isEmpty }
    let own = TokenIdentifiers(name: user, salt: 0).hexadecimal("email", digitCount: 8)
    return (isPlain && user.utf8.count <= Self.maximumLocalPart ? user : "user-" + own) + "@example.com"
  }
  private var givenName: String {
    guard let user else { return "Ada" }
    return user.prefix(1).uppercased() + user.dropFirst()
  }
  private static let familyName = "Example"
  private var fullName: String { givenName + " " + Self.familyName }
  /// Bytes of the part of an address before the `@` (RFC 5321 section 4.5.3.1.1).
  private static let maximumLocalPart = 64
  private static let userID = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"
  /// IDs of Google accounts are decimal and exceed the precision of a `Double`.
  private static let googleUserID = "110248495921238986420"
  /// The issuers' default lifetimes in seconds.
  private static let hour: Int64 = 3600
  private static let day: Int64 = 86_400

  typealias Member = JSONTree.Member

  /// Some booleans are strings, as in Apple's own tokens (Apple, "Authenticating users with Sign in with Apple").
  var apple: [Member] {
    [
      text("iss", issuer), text("aud", "com.example.app"), time("exp", Self.day), time("iat"),
      text("sub", "001234.0123456789abcdef0123456789abcdef.0123"), text("email", email),
      text("email_verified", "true"), text("is_private_email", "false"), time("auth_time"),
      flag("nonce_supported", true),
    ]
  }

  var supabase: [Member] {
    [
      text("iss", issuer), text("sub", Self.userID), text("aud", "authenticated"), time("exp", Self.hour),
      time("iat"), text("email", email), text("phone", ""),
      .init(
        name: "app_metadata",
        value: .object([text("provider", "apple"), list("providers", ["apple"])])),
      .init(
        name: "user_metadata", value: .object([text("email", email), flag("email_verified", true)])),
      text("role", "authenticated"), text("aal", "aal1"),
      .init(name: "amr", value: .array([.object([text("method", "oauth"), time("timestamp")])])),
      text("session_id", identifiers.uuid("session_id")), flag("is_anonymous", false),
    ]
  }

  var firebase: [Member] {
    let userID = user ?? "AbCdEfGhIjKlMnOpQrStUvWxYz01"
    let identities = JSONTree.object([
      list("apple.com", ["001234.0123456789abcdef0123456789abcdef.0123"]), list("email", [email]),
    ])
    return [
      text("iss", issuer), text("aud", tenant), time("auth_time"), text("user_id", userID),
      text("sub", userID), time("iat"), time("exp", Self.hour), text("email", email),
      flag("email_verified", true),
      .init(
        name: "firebase",
        value: .object([
          .init(name: "identities", value: identities), text("sign_in_provider", "apple.com"),
        ])),
    ]
  }

  var cognitoID: [Member] {
    [
      text("sub", Self.userID), flag("email_verified", true), text("iss", issuer),
      text("cognito:username", user ?? Self.userID), text("origin_jti", identifiers.uuid("origin_jti")),
      text("aud", "1example23456789"), text("event_id", identifiers.uuid("event_id")),
      text("token_use", "id"), time("auth_time"), time("exp", Self.hour), time("iat"),
      text("jti", identifiers.uuid("jti")), text("email", email),
    ]
  }

  var cognitoAccess: [Member] {
    [
      text("sub", Self.userID), text("iss", issuer), text("client_id", "1example23456789"),
      text("origin_jti", identifiers.uuid("origin_jti")), text("event_id", identifiers.uuid("event_id")),
      text("token_use", "access"), text("scope", "openid email"), time("auth_time"),
      time("exp", Self.hour), time("iat"), text("jti", identifiers.uuid("jti")),
      text("username", user ?? Self.userID),
    ]
  }

  var google: [Member] {
    let client = "123456789012-example.apps.googleusercontent.com"
    return [
      text("iss", issuer), text("azp", client), text("aud", client), text("sub", Self.googleUserID),
      text("email", email), flag("email_verified", true), text("name", fullName),
      text("given_name", givenName), text("family_name", Self.familyName), time("iat"),
      time("exp", Self.hour),
    ]
  }

  /// Auth0 adds the second audience if the scope `openid` was requested.
  var auth0: [Member] {
    [
      text("iss", issuer), text("sub", "auth0|0123456789abcdef01234567"),
      list("aud", ["https://api.example.com", issuer + "userinfo"]), time("iat"), time("exp", Self.day),
      text("scope", "openid profile email"), text("azp", "ExampleClientOfAuth0"),
    ]
  }

  var entra: [Member] {
    [
      text("aud", "22222222-3333-4444-8555-666666666666"), text("iss", issuer), time("iat"), time("nbf"),
      time("exp", Self.hour), text("azp", "33333333-4444-4555-8666-777777777777"), text("azpacr", "0"),
      text("name", fullName), text("oid", Self.userID), text("preferred_username", email),
      text("scp", "access_as_user"), text("sub", "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE"),
      text("tid", tenant), text("uti", identifiers.hexadecimal("uti", digitCount: 22)),
      text("ver", "2.0"),
    ]
  }

  /// In version 1.0 the client is in `appid` (Microsoft, "Access token claims reference").
  var entraV1: [Member] {
    [
      text("aud", "api://22222222-3333-4444-8555-666666666666"), text("iss", issuer), time("iat"),
      time("nbf"),
      time("exp", Self.hour), text("acr", "1"), text("appid", "33333333-4444-4555-8666-777777777777"),
      text("appidacr", "0"), text("name", fullName), text("oid", Self.userID),
      text("scp", "access_as_user"), text("sub", "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE"),
      text("tid", tenant), text("unique_name", email),
      text("uti", identifiers.hexadecimal("uti", digitCount: 22)), text("ver", "1.0"),
    ]
  }

  /// What AWS knows of the principal is below a member whose name has dots.
  var aws: [Member] {
    let account = "123456789012"
    let role = "arn:aws:iam::\(account):role/Example"
    return [
      text("iss", issuer), text("aud", "https://api.example.com"), text("sub", role), time("iat"),
      time("exp", 300), text("jti", identifiers.uuid("jti")),
      .init(
        name: "https://sts.amazonaws.com/",
        value: .object([
          text("aws_account", account), text("source_region", "eu-west-1"), text("org_id", "o-example1234"),
          text("principal_id", role),
        ])),
    ]
  }

  /// Numbers of owner, repository and run are text.
  var github: [Member] {
    let parts = tenant.utf8.split(separator: UInt8(ascii: "@")).map { String(Substring($0)) }
    let (owner, ownerID) = (parts.first ?? "", parts.last ?? "")
    let (repository, branch) = (owner + "/example", "refs/heads/main")
    return [
      text("iss", issuer), text("aud", "https://api.example.com"),
      text("sub", "repo:\(repository):ref:\(branch)"), time("nbf"), time("iat"), time("exp", 300),
      text("jti", identifiers.uuid("jti")), text("repository", repository), text("repository_id", "74"),
      text("repository_owner", owner), text("repository_owner_id", ownerID),
      text("repository_visibility", "private"), text("ref", branch), text("ref_type", "branch"),
      text("event_name", "push"), text("workflow", "deploy"), text("actor", owner), text("run_id", "1"),
    ]
  }

  var rfc9068: [Member] {
    [
      text("iss", issuer), text("sub", Self.userID), text("aud", "api"), time("exp", Self.hour), time("iat"),
      text("jti", identifiers.uuid("jti")), text("client_id", "example-client"),
      text("scope", "openid email"),
    ]
  }

  var oidc: [Member] {
    [
      text("iss", issuer), text("sub", Self.userID), text("aud", "api"), time("exp", Self.hour),
      time("iat"), time("auth_time"), text("email", email), flag("email_verified", true),
      text("jti", identifiers.uuid("jti")),
    ]
  }

  private func text(_ name: String, _ value: String) -> Member { .init(name: name, value: .string(value)) }

  private func flag(_ name: String, _ value: Bool) -> Member { .init(name: name, value: .boolean(value)) }

  private func list(_ name: String, _ values: [String]) -> Member {
    .init(name: name, value: .array(values.map { .string($0) }))
  }

  private func time(_ name: String, _ secondsFromNow: Int64 = 0) -> Member {
    .init(name: name, value: .number(String(now + secondsFromNow)))
  }
}
