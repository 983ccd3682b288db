import JSON
import TestSupport
import Testing

@testable import TestTokens

/// Minted tokens.
@Suite struct TokenMintTests {
  @Test("signs header and payload with the key of the header's kid", arguments: SigningAlgorithm.allCases)
  func signs(_ algorithm: SigningAlgorithm) throws {
    let token = DissectedToken(try mint(#""claims":{"sub":"u1"},"algorithm":"\#(algorithm.rawValue)""#))
    let name = algorithm == .edDSA ? "eddsa" : algorithm.rawValue.lowercased()
    #expect(
      token.headerText == #"{"kid":"development-\#(name)","alg":"\#(algorithm.rawValue)","typ":"JWT"}"#)
    #expect(token.payloadText == #"{"sub":"u1"}"#)
    let key = try SharedKeys.all()[DevelopmentKeyName(for: algorithm)]
    if let secret = key.secret {
      let expected = hmac("SHA" + algorithm.rawValue.suffix(3), secret: secret, token.signingInput)
      #expect(token.signature == expected)
    } else {
      let stranger = try PublicKey(try #require(key.publicJWK))
      #expect(try stranger.verifies(token.signature, over: token.signingInput, algorithm.rawValue))
    }
  }

  struct Shape: Sendable, CustomTestStringConvertible {
    let preset: String, header: String, issuer: String, audience: String?, lifetime: Int64
    var testDescription: String { preset }
  }

  @Test(
    "imitates the issuers",
    arguments: [
      Shape(
        preset: "apple", header: #"{"kid":"development-rs256","alg":"RS256"}"#,
        issuer: "https://appleid.apple.com", audience: #""com.example.app""#, lifetime: 86_400),
      Shape(
        preset: "supabase:abc", header: #"{"kid":"development-es256","alg":"ES256","typ":"JWT"}"#,
        issuer: "https://abc.supabase.co/auth/v1", audience: #""authenticated""#, lifetime: 3600),
      Shape(
        preset: "firebase:cycle", header: #"{"kid":"development-rs256","alg":"RS256","typ":"JWT"}"#,
        issuer: "https://securetoken.google.com/cycle", audience: #""cycle""#, lifetime: 3600),
      Shape(
        preset: "cognito-id:us-east-1_X", header: #"{"kid":"development-rs256","alg":"RS256"}"#,
        issuer: "https://cognito-idp.us-east-1.amazonaws.com/us-east-1_X", audience: #""1example23456789""#,
        lifetime: 3600),
      Shape(
        preset: "cognito-access", header: #"{"kid":"development-rs256","alg":"RS256"}"#,
        issuer: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example01", audience: nil,
        lifetime: 3600),
      Shape(
        preset: "google", header: #"{"kid":"development-rs256","alg":"RS256","typ":"JWT"}"#,
        issuer: "https://accounts.google.com",
        audience: #""123456789012-example.apps.googleusercontent.com""#, lifetime: 3600),
      Shape(
        preset: "auth0:t.auth0.com", header: #"{"kid":"development-rs256","alg":"RS256","typ":"JWT"}"#,
        issuer: "https://t.auth0.com/",
        audience: #"["https://api.example.com","https://t.auth0.com/userinfo"]"#,
        lifetime: 86_400),
      Shape(
        preset: "entra:9188040d", header: #"{"kid":"development-rs256","alg":"RS256","typ":"JWT"}"#,
        issuer: "https://login.microsoftonline.com/9188040d/v2.0",
        audience: #""22222222-3333-4444-8555-666666666666""#, lifetime: 3600),
      Shape(
        preset: "oidc:http://127.0.0.1:8080/i",
        header: #"{"kid":"development-rs256","alg":"RS256","typ":"JWT"}"#,
        issuer: "http://127.0.0.1:8080/i", audience: #""api""#, lifetime: 3600),
    ])
  func presets(_ shape: Shape) throws {
    let token = DissectedToken(try mint(#""preset":"\#(shape.preset)""#))
    let payload = try token.payload()
    #expect(token.headerText == shape.header)
    #expect(payload.text("iss") == shape.issuer)
    #expect(payload["aud"].map { String(decoding: $0.bytes(), as: UTF8.self) } == shape.audience)
    #expect(payload["iat"] == .number(String(testTime)))
    #expect(payload["exp"] == .number(String(testTime + shape.lifetime)))
    #expect(!payload.text("sub").isEmpty)
  }

  @Test(
    "writes the claims that only some issuers have",
    arguments: [
      ("apple", "email_verified", #""true""#), ("apple", "is_private_email", #""false""#),
      ("apple", "nonce_supported", "true"), ("apple", "events", nil),
      ("supabase", "role", #""authenticated""#),
      ("supabase", "amr", #"[{"method":"oauth","timestamp":1795255200}]"#),
      ("cognito-id", "token_use", #""id""#), ("cognito-access", "token_use", #""access""#),
      ("cognito-access", "client_id", #""1example23456789""#),
      ("google", "sub", #""110248495921238986420""#), ("auth0", "scope", #""openid profile email""#),
      ("entra:t", "tid", #""t""#), ("entra", "ver", #""2.0""#), ("firebase", "auth_time", "1795255200"),
    ] as [(String, String, String?)])
  func particulars(_ preset: String, _ claim: String, _ value: String?) throws {
    let payload = try DissectedToken(try mint(#""preset":"\#(preset)""#)).payload()
    #expect(payload[claim].map { String(decoding: $0.bytes(), as: UTF8.self) } == value)
  }

  @Test(
    "changes claims and header according to the recipe",
    arguments: [
      #""claims":{"exp":"+10m","iat":"-1h","nbf":"+90s","auth_time":"-2d"}"#:
        #"{"exp":1795255800,"iat":1795251600,"nbf":1795255290,"auth_time":1795082400}"#,
      #""claims":{"exp":1.5e3,"iat":null,"nbf":"soon","x":"+10m"}"#:
        #"{"exp":1.5e3,"iat":null,"nbf":"soon","x":"+10m"}"#,
      #""claims":{"a":1,"b":[{"c":null}]},"omit":"a""#: #"{"b":[{"c":null}]}"#,
      "": "{}",
      #""rawPayload":"{\"exp\":{{time +10m}},\"exp\":1}""#: #"{"exp":1795255800,"exp":1}"#,
      #""rawPayload":"not JSON""#: "not JSON",
    ])
  func payloads(_ recipe: String, _ payload: String) throws {
    #expect(DissectedToken(try mint(recipe)).payloadText == payload)
  }

  @Test(
    "writes any header",
    arguments: [
      (#""header":{"alg":"none"}"#, #"{"kid":"development-rs256","alg":"none","typ":"JWT"}"#),
      (
        #""header":{"kid":"x","crit":["x"]},"omitHeader":["typ"]"#, #"{"kid":"x","alg":"RS256","crit":["x"]}"#
      ),
      (#""rawHeader":"{\"alg\":\"RS256\",\"alg\":\"none\"}""#, #"{"alg":"RS256","alg":"none"}"#),
      (#""key":"other""#, #"{"kid":"development-unknown","alg":"RS256","typ":"JWT"}"#),
      (#""key":"forged-es256""#, #"{"kid":"development-es256","alg":"ES256","typ":"JWT"}"#),
      (#""key":"rs256","algorithm":"PS512""#, #"{"kid":"development-rs256","alg":"PS512","typ":"JWT"}"#),
      (#""secret":"s""#, #"{"alg":"HS256","typ":"JWT"}"#),
      (#""secret":{"publicKey":"rs256"}"#, #"{"kid":"development-rs256","alg":"HS256","typ":"JWT"}"#),
    ])
  func headers(_ recipe: String, _ header: String) throws {
    #expect(DissectedToken(try mint(recipe)).headerText == header)
  }

  @Test("signs forged tokens with material that the published key does not verify")
  func forged() throws {
    let token = DissectedToken(try mint(#""key":"forged""#))
    let keys = try SharedKeys.all()
    let published = try PublicKey(try #require(keys[.rs256].publicJWK))
    let forged = try PublicKey(try #require(keys[.forged].publicJWK))
    #expect(try !published.verifies(token.signature, over: token.signingInput, "RS256"))
    #expect(try forged.verifies(token.signature, over: token.signingInput, "RS256"))
  }

  @Test("signs with a secret, or with a public key's PEM as the secret")
  func secrets() throws {
    let short = DissectedToken(try mint(#""secret":"s","algorithm":"HS512""#))
    #expect(short.signature == hmac("SHA512", secret: [0x73], short.signingInput))
    let confused = DissectedToken(try mint(#""secret":{"publicKey":"es256"}"#))
    let pem = try #require(try SharedKeys.all()[.es256].publicKeyPEM())
    #expect(confused.signature == hmac("SHA256", secret: Array(pem.utf8), confused.signingInput))
  }

  @Test("returns literal text instead of a token")
  func literal() throws { #expect(try mint(#""raw":" a.b ","description":"not a token""#) == " a.b ") }

  @Test("derives identifiers from the name unless the recipe is unique")
  func identifiers() throws {
    func identifier(_ recipe: String, _ name: String) throws -> String {
      try DissectedToken(try mint(recipe, name: name)).payload().text("jti")
    }
    let first = try identifier(#""preset":"oidc""#, "a")
    #expect(first.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}/) != nil)
    #expect(try identifier(#""preset":"oidc""#, "a") == first)
    #expect(try identifier(#""preset":"oidc""#, "b") != first)
    let unique = try identifier(#""preset":"oidc","unique":true"#, "a")
    #expect(try identifier(#""preset":"oidc","unique":true"#, "a") != unique)
  }

  @Test(
    "suggests the nearest name for an unknown token",
    arguments: [
      ("god", "did you mean good?"), ("expire", "did you mean expired?"),
      ("zzzzzz", "use one of good, expired"), ("x", "use one of good, expired"),
    ])
  func unknown(_ name: String, _ hint: String) throws {
    let recipes = try TokenRecipes(parsing: Array(#"{"good":{},"expired":{}}"#.utf8))
    let mint = TokenMint(recipes: recipes, keys: try SharedKeys.all(), now: 0)
    let error = #expect(throws: TokenMintError.self) { try mint.token(named: name) }
    #expect(error == .unknownToken(name: name, known: ["good", "expired"]))
    #expect(error?.hint == hint)
  }

  @Test("mints a recipe without a file, and uses its name in problems")
  func looseRecipe() throws {
    let mint = TokenMint(recipes: TokenRecipes(), keys: try SharedKeys.all(), now: testTime)
    let json = try JSONTree(parsing: Array(#"{"preset":"google"}"#.utf8))
    let token = try mint.token(TokenRecipe(json, name: "command"), name: "command")
    #expect(try DissectedToken(token).payload().text("iss") == "https://accounts.google.com")
    let error = #expect(throws: TokenFileError.self) {
      try TokenRecipe(.object([.init(name: "x", value: .null)]), name: "t")
    }
    #expect(error?.description.hasPrefix("t.x: is not a member of a recipe") == true)
  }
}

/// 2026-11-21T10:00:00Z.
let testTime: Int64 = 1_795_255_200

/// Mints the token of a recipe, given as the body of an object: `"preset":"apple"`.
func mint(_ recipe: String, name: String = "good", now: Int64 = testTime) throws -> String {
  let recipes = try TokenRecipes(parsing: Array("{\"\(name)\":{\(recipe)}}".utf8))
  return try TokenMint(recipes: recipes, keys: SharedKeys.all(), now: now).token(named: name)
}

/// The problems reported for a recipe file.
func problems(of file: String) -> [FileProblem] {
  do throws(TokenFileError) {
    _ = try TokenRecipes(parsing: Array(file.utf8))
    return []
  } catch .invalid(let problems) {
    return problems
  } catch {
    return [FileProblem(path: "", text: "not JSON")]
  }
}
