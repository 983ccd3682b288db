import JSON
import TestSupport
import TestTokens
import Testing

@testable import JOSE

/// Tokens as the known issuers write them, against every preset.
@Suite("C. Presets")
struct PresetTests {
  private static let tenant = "11111111-2222-4333-8444-555555555555"

  /// The spelling of a preset, its configured audience, and the claims of a good token of that issuer.
  struct Shape: Sendable, CustomTestStringConvertible {
    let spelling: String
    let audience: String
    var algorithm = SigningAlgorithm.rs256
    let claims: [(String, String?)]
    /// The header's `typ`.
    var type: String?
    /// The configured issuer, if the preset has none.
    var issuer: String?
    var testDescription: String { spelling }

    func text(_ changes: [(String, String?)] = []) -> String { TokenForge.claims(claims + changes) }
  }

  private static func claims(_ issuer: String, _ audience: String?, _ more: [(String, String?)] = []) -> [(
    String, String?
  )] {
    [("iss", "\"\(issuer)\""), ("aud", audience.map { "\"\($0)\"" })] + more
  }

  private static let now = TokenForge.now
  private static let pool = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example01"

  static let shapes: [Shape] = [
    Shape(
      spelling: "apple", audience: "com.example.app",
      claims: claims(
        "https://appleid.apple.com", "com.example.app",
        [("exp", "\(now + 86_400)"), ("email_verified", "\"true\"")])),
    Shape(
      spelling: "supabase:abcdefghijklmnopqrst", audience: "authenticated", algorithm: .es256,
      claims: claims(
        "https://abcdefghijklmnopqrst.supabase.co/auth/v1", "authenticated", [("role", "\"authenticated\"")])),
    Shape(
      spelling: "firebase:example-project", audience: "example-project",
      claims: claims(
        "https://securetoken.google.com/example-project", "example-project", [("auth_time", "\(now - 5)")])),
    Shape(
      spelling: "cognito-id:eu-central-1_Example01", audience: "1example23456789",
      claims: claims(pool, "1example23456789", [("token_use", "\"id\"")])),
    Shape(
      spelling: "cognito-access:eu-central-1_Example01", audience: "1example23456789",
      claims: claims(pool, nil, [("token_use", "\"access\""), ("client_id", "\"1example23456789\"")])),
    Shape(
      spelling: "auth0:example.eu.auth0.com", audience: "https://api.example.com",
      claims: claims(
        "https://example.eu.auth0.com/", "https://api.example.com",
        [("azp", "\"client\""), ("scope", "\"openid\"")])),
    Shape(
      spelling: "google", audience: "client.apps.googleusercontent.com",
      claims: claims(
        "https://accounts.google.com", "client.apps.googleusercontent.com", [("azp", "\"android\"")])),
    Shape(
      spelling: "entra:\(tenant)", audience: "22222222-3333-4444-8555-666666666666",
      claims: claims(
        "https://login.microsoftonline.com/\(tenant)/v2.0", "22222222-3333-4444-8555-666666666666",
        [("tid", "\"\(tenant)\""), ("ver", "\"2.0\""), ("nbf", "\(now)")])),
    Shape(
      spelling: "entra-v1:\(tenant)", audience: "api://example",
      claims: claims(
        "https://sts.windows.net/\(tenant)/", "api://example", [("tid", "\"\(tenant)\""), ("ver", "\"1.0\"")])
    ),
    Shape(
      spelling: "aws:a1b2c3d4-1177-4468-9351-2f0123456789", audience: "https://api.example.com",
      claims: claims(
        "https://a1b2c3d4-1177-4468-9351-2f0123456789.tokens.sts.global.api.aws", "https://api.example.com",
        [("https://sts.amazonaws.com/", #"{"aws_account":"123456789012"}"#)])),
    Shape(
      spelling: "github:octo-org@65", audience: "https://api.example.com",
      claims: claims(
        "https://token.actions.githubusercontent.com", "https://api.example.com",
        [("repository_owner_id", "\"65\""), ("nbf", "\(now)")])),
    Shape(
      spelling: "rfc9068", audience: "https://api.example.com", algorithm: .es256,
      claims: claims(
        "https://as.example.com", "https://api.example.com", [("client_id", "\"c\""), ("jti", "\"j\"")]),
      type: "at+jwt", issuer: "https://as.example.com"),
    Shape(
      spelling: "oidc", audience: "client", claims: claims("https://op.example.com", "client"),
      issuer: "https://op.example.com"),
  ]

  /// The issuer as it is configured. All issuers share one key set, so that no refusal comes from the keys.
  private static func gatekeeper(_ shape: Shape, audience: String? = nil) throws -> Gatekeeper {
    let preset = try IssuerPreset(parsing: shape.spelling)
    let audiences = [audience ?? shape.audience]
    let profile = try IssuerProfile(
      name: preset.name, issuers: preset.isGeneric ? [shape.issuer ?? ""] : preset.issuers,
      audience: preset.audienceIsClientID ? .clientID(audiences) : .audience(audiences),
      algorithms: preset.isGeneric ? [.rs256, .es256] : preset.algorithms, types: preset.types,
      leewaySeconds: 0,
      maximumLifetimeSeconds: preset.maximumLifetimeSeconds, claimRules: preset.claimRules,
      requiresKeyID: preset.requiresKeyID)
    return Gatekeeper(profile: profile, keys: try Gatekeeper.standard().keys)
  }

  private static func token(_ shape: Shape, _ changes: [(String, String?)] = []) throws -> [UInt8] {
    let keys = try TestKeys.made()
    let key = shape.algorithm == .es256 ? keys.es256 : keys.rsa
    return try TokenForge.token(
      header: header(shape, key), claims: shape.text(changes), key: key)
  }

  private static func header(_ shape: Shape, _ key: SigningKey) -> String {
    let header = TokenForge.header(key.algorithm.rawValue, kid: key.id)
    return shape.type.map { header.dropLast() + ",\"typ\":\"\($0)\"}" } ?? header
  }

  private static func shape(_ name: String) throws -> Shape {
    try #require(shapes.first { $0.spelling.split(separator: ":")[0] == name })
  }

  /// The development tokens of the harness know which issuers send no scopes, without code of the function.
  @Test(arguments: IssuerPreset.rows.map { $0.name })
  func theHarnessKnowsWhichIssuersSendNoScopes(_ name: String) throws {
    let preset = try #require(TokenPreset(name))
    let spelling = TokenPreset.examples.first { $0 == name || $0.hasPrefix(name + ":") }
    let row = try #require(IssuerPreset.rows.first { $0.name == name })
    let sends = try IssuerPreset(parsing: row.takesArgument ? spelling ?? "" : name).sendsScopes
    for claim in ["scope", "scp", "permissions", "cognito:groups", "groups"] {
      #expect(preset.neverSends(claim) == !sends, "\(claim)")
    }
    #expect(!preset.neverSends("email"))
  }

  @Test("every preset is tested")
  func completeness() {
    let names = IssuerPreset.spellings.map { String($0.prefix { $0 != ":" }) }
    #expect(Set(names) == Set(Self.shapes.map { String($0.spelling.prefix { $0 != ":" }) }))
  }

  @Test("a good token of each issuer is accepted by its preset", arguments: shapes)
  func accepted(shape: Shape) throws {
    let verdict = try Self.gatekeeper(shape).verdict(on: Self.token(shape))
    #expect(verdict.rejection == nil)
    #expect(verdict.token?.issuerName == shape.spelling)
  }

  @Test("a good token of each issuer is refused by every other preset", arguments: shapes)
  func crossPreset(shape: Shape) throws {
    let token = try Self.token(shape)
    for other in Self.shapes where other.spelling != shape.spelling {
      // The preset gets the token's audience, so that the audience is not the reason for the refusal.
      let gatekeeper = try Self.gatekeeper(other, audience: shape.audience)
      let rejection = gatekeeper.verdict(on: token).rejection
      let expected: TokenRejection.Code =
        switch (shape.spelling.prefix(9), other.spelling.prefix(9)) {
        case ("cognito-i", "cognito-a"), ("cognito-a", "cognito-i"): .missingClaim
        default: .wrongIssuer
        }
      #expect(rejection?.code == expected, "\(other.spelling)")
    }
  }

  @Test(
    "the minted token of each preset is accepted",
    arguments: IssuerPreset.rows.filter { !$0.isGeneric }.map(\.name))
  func mintedShapes(name: String) throws {
    let keys = try TestKeys.made()
    let shape = try Self.shape(name)
    let recipe = try TokenRecipe(.object([.init(name: "preset", value: .string(name))]), name: name)
    let mint = TokenMint(recipes: TokenRecipes(), keys: try SharedKeys.all(), now: Self.now)
    let segments = TokenForge.segments(of: Array(try mint.token(recipe, name: name).utf8))
    let payload = try #require(Base64URL.decode(segments[1]))
    // Signed again, since the mint uses other keys.
    let key = shape.algorithm == .es256 ? keys.es256 : keys.rsa
    let header = TokenForge.header(key.algorithm.rawValue, kid: key.id)
    let token = try TokenForge.token(header: header.utf8, payload: payload, key: key)
    let audience = [
      "google": "123456789012-example.apps.googleusercontent.com",
      "entra-v1": "api://22222222-3333-4444-8555-666666666666",
    ][name]
    #expect(try Self.gatekeeper(shape, audience: audience).verdict(on: token).rejection == nil)
  }

  @Test("development tokens exist for every preset")
  func names() {
    let presets = IssuerPreset.spellings.map { String($0.prefix { $0 != ":" }) }
    #expect(presets.sorted() == TokenPreset.names.sorted())
  }

  @Test("the page of the gateway lists every preset, the guide for any issuer every kind of token")
  func documents() throws {
    let spellings = TokenPreset.examples.map { spelling in
      let parts = spelling.split(separator: ":")
      return parts.count == 1 ? "`\(spelling)`" : "`\(parts[0]):…`"
    }
    #expect(
      try Checkout.text("docs/harness/gateway.md")
        .contains("| `preset` | the token's shape: \(spellings.joined(separator: ", "));"))
    let guide = try Checkout.text("docs/guides/oidc.md")
    for row in IssuerPreset.rows where row.isGeneric {
      #expect(guide.contains("\"preset\": \"\(row.name)"), "\(row.name)")
    }
  }

  /// One changed claim, and the expected rejection; without a rejection the token must be accepted.
  static let rules: [(preset: String, claim: String, value: String?, rejection: TokenRejection?)] = [
    ("apple", "events", #""{\"type\":\"consent-revoked\"}""#, .wrongType(found: "events")),
    ("apple", "events", "null", .wrongType(found: "events")),
    ("apple", "iss", "\"https://account.apple.com\"", .wrongIssuer(found: "https://account.apple.com")),
    ("apple", "iss", "\"https://appleid.apple.com/\"", .wrongIssuer(found: "https://appleid.apple.com/")),
    ("apple", "sub", nil, .missingClaim("sub")), ("apple", "email_verified", "true", nil),
    ("apple", "exp", "\(now + 86_401)", .lifetimeTooLong(seconds: 86_401, limit: 86_400)),
    ("apple", "iat", nil, .missingClaim("iat")),
    ("supabase", "aud", "\"anon\"", .wrongAudience(found: ["anon"])),
    ("supabase", "aud", "[\"authenticated\"]", nil),
    ("firebase", "sub", "\"\(String(repeating: "s", count: 128))\"", nil),
    ("firebase", "sub", "\"\(String(repeating: "s", count: 129))\"", .malformedClaim("sub")),
    ("firebase", "auth_time", nil, .missingClaim("auth_time")), ("firebase", "auth_time", "\(now)", nil),
    ("firebase", "auth_time", "\(now + 1)", .issuedInFuture(at: now + 1, now: now)),
    ("firebase", "auth_time", "\"1\"", .malformedClaim("auth_time")),
    ("firebase", "iat", nil, .missingClaim("iat")),
    (
      "firebase", "iss", "\"https://session.firebase.google.com/example-project\"",
      .wrongIssuer(found: "https://session.firebase.google.com/example-project")
    ),
    ("rfc9068", "client_id", nil, .missingClaim("client_id")), ("rfc9068", "jti", nil, .missingClaim("jti")),
    ("rfc9068", "iat", nil, .missingClaim("iat")), ("oidc", "iat", nil, .missingClaim("iat")),
    ("oidc", "azp", "\"other\"", nil), ("oidc", "aud", "[\"client\",\"other\"]", nil),
    ("oidc", "exp", "\(now + 86_401)", .lifetimeTooLong(seconds: 86_401, limit: 86_400)),
    ("cognito-id", "token_use", "\"access\"", .wrongType(found: "access")),
    ("cognito-id", "token_use", nil, .missingClaim("token_use")),
    ("cognito-id", "token_use", "[\"id\"]", .malformedClaim("token_use")),
    (
      "cognito-id", "iss", "\"https://issuer-cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example01\"",
      nil
    ),
    ("cognito-id", "iss", "\"\(pool)/\"", .wrongIssuer(found: pool + "/")),
    ("cognito-access", "token_use", "\"id\"", .wrongType(found: "id")),
    ("cognito-access", "client_id", "\"other\"", .wrongAudience(found: ["other"])),
    ("cognito-access", "client_id", nil, .missingClaim("client_id")),
    ("auth0", "aud", "[\"https://api.example.com\",\"https://example.eu.auth0.com/userinfo\"]", nil),
    (
      "auth0", "aud", "\"https://example.eu.auth0.com/userinfo\"",
      .wrongAudience(found: ["https://example.eu.auth0.com/userinfo"])
    ),
    ("auth0", "iss", "\"https://example.eu.auth0.com\"", .wrongIssuer(found: "https://example.eu.auth0.com")),
    ("auth0", "nonce", "\"n\"", .wrongType(found: "nonce")),
    ("auth0", "at_hash", "\"h\"", .wrongType(found: "at_hash")),
    ("google", "iss", "\"accounts.google.com\"", nil), ("google", "azp", "1", .malformedClaim("azp")),
    ("google", "iss", "\"http://accounts.google.com\"", .wrongIssuer(found: "http://accounts.google.com")),
    (
      "google", "aud", "[\"client.apps.googleusercontent.com\",\"other\"]", .wrongAudience(found: ["android"])
    ),
    (
      "entra", "tid", "\"9188040d-6c67-4c5b-b112-36a304b66dad\"",
      .wrongType(found: "9188040d-6c67-4c5b-b112-36a304b66dad")
    ),
    ("entra", "tid", nil, .missingClaim("tid")), ("entra", "ver", "\"1.0\"", .wrongType(found: "1.0")),
    ("entra", "ver", "2.0", .malformedClaim("ver")), ("entra", "ver", nil, .missingClaim("ver")),
    (
      "entra", "iss", "\"https://login.microsoftonline.com/{tenantid}/v2.0\"",
      .wrongIssuer(found: "https://login.microsoftonline.com/{tenantid}/v2.0")
    ),
    (
      "entra", "iss", "\"https://login.microsoftonline.com/common/v2.0\"",
      .wrongIssuer(found: "https://login.microsoftonline.com/common/v2.0")
    ),
    ("aws", "exp", "\(now + 3600)", nil),
    ("aws", "exp", "\(now + 3601)", .lifetimeTooLong(seconds: 3601, limit: 3600)),
    (
      "aws", "iss", "\"https://other.tokens.sts.global.api.aws\"",
      .wrongIssuer(found: "https://other.tokens.sts.global.api.aws")
    ),
    // The owner is a condition of the rules, so a workflow of another owner is a 403.
    ("github", "repository_owner_id", "\"66\"", nil),
    (
      "github", "iss", "\"https://token.actions.githubusercontent.com/octo-enterprise\"",
      .wrongIssuer(found: "https://token.actions.githubusercontent.com/octo-enterprise")
    ),
    ("entra-v1", "ver", "\"2.0\"", .wrongType(found: "2.0")),
    (
      "entra-v1", "iss", "\"https://sts.windows.net/\(tenant)\"",
      .wrongIssuer(found: "https://sts.windows.net/\(tenant)")
    ),
  ]

  @Test("each rule of a preset with good and bad values", arguments: 0..<rules.count)
  func rule(index: Int) throws {
    let (name, claim, value, rejection) = Self.rules[index]
    let shape = try Self.shape(name)
    let found = try Self.gatekeeper(shape).verdict(on: Self.token(shape, [(claim, value)])).rejection
    #expect(found == rejection, "\(name) \(claim) \(value ?? "absent")")
  }

  @Test(
    "presets for ID tokens refuse the type of access tokens",
    arguments: ["apple", "firebase", "google", "cognito-id"])
  func typeOfIDTokens(name: String) throws {
    let shape = try Self.shape(name)
    for (type, rejection): (String, TokenRejection?) in [
      ("JWT", nil), ("at+jwt", .wrongType(found: "at+jwt")),
    ] {
      let header = TokenForge.header(adding: #""typ":"\#(type)""#)
      let token = try TokenForge.token(header: header, claims: shape.text())
      #expect(try Self.gatekeeper(shape).verdict(on: token).rejection == rejection)
    }
  }

  @Test("a preset accepts only the algorithms of its issuer", arguments: shapes.filter { $0.issuer == nil })
  func algorithms(shape: Shape) throws {
    let keys = try TestKeys.made()
    let listed = try IssuerPreset(parsing: shape.spelling).algorithms
    let others: [String: [Algorithm]] = ["supabase": [.es256, .rs256], "aws": [.rs256, .es384]]
    #expect(listed == others[String(shape.spelling.prefix { $0 != ":" })] ?? [.rs256])
    let token = try TokenForge.token(
      header: TokenForge.header("EdDSA", kid: "ed25519"), claims: shape.text(), key: keys.ed25519)
    #expect(try Self.gatekeeper(shape).verdict(on: token).rejection == .algorithmNotAllowed(found: "EdDSA"))
  }

  @Test("access tokens of RFC 9068 need typ at+jwt, and ID tokens must not have it")
  func types() throws {
    var access = try Self.shape("rfc9068")
    access.type = nil
    #expect(try Self.gatekeeper(access).verdict(on: Self.token(access)).rejection == .wrongType(found: ""))
    access.type = "JWT"
    #expect(try Self.gatekeeper(access).verdict(on: Self.token(access)).rejection == .wrongType(found: "JWT"))
    access.type = "application/AT+JWT"
    #expect(try Self.gatekeeper(access).verdict(on: Self.token(access)).rejection == nil)
    var identity = try Self.shape("oidc")
    identity.type = "at+jwt"
    #expect(
      try Self.gatekeeper(identity).verdict(on: Self.token(identity)).rejection == .wrongType(found: "at+jwt")
    )
  }

  @Test("a Firebase token needs a kid even if there is only one key")
  func firebaseKeyID() throws {
    let shape = try Self.shape("firebase")
    let key = try TestKeys.made().rsa
    let token = try TokenForge.token(header: #"{"alg":"RS256"}"#, claims: shape.text(), key: key)
    #expect(try Self.gatekeeper(shape).verdict(on: token).rejection == .malformedToken(.headerMember("kid")))
  }
}
