@testable import GatewayModel
import Testing

/// JWT authorizers of HTTP APIs.
@Suite struct TokenVerdictTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let recipe: String
    let code: String?
    var scopes: [String] = []

    init(_ members: String, _ code: String?, scopes: [String] = []) {
      recipe = #"{"preset":"oidc:https://id.example.com"\#(members.isEmpty ? "" : ",")\#(members)}"#
      (self.code, self.scopes) = (code, scopes)
    }

    var testDescription: String { "\(recipe) \(scopes): \(code ?? "allowed")" }
  }

  @Test(arguments: [
    Case("", nil), Case(#""claims":{"aud":["x","other-api"]}"#, nil),
    Case(#""algorithm":"RS384""#, nil), Case(#""algorithm":"RS512""#, nil),
    // client_id counts only without aud.
    Case(#""omit":"aud","claims":{"client_id":"api"}"#, nil),
    Case(#""claims":{"aud":"x","client_id":"api"}"#, "wrongAudience"),
    Case(#""omit":"aud","claims":{"client_id":"x"}"#, "wrongAudience"),
    Case(#""omit":"aud""#, "missingClaim"), Case(#""claims":{"aud":7}"#, "malformedClaim"),
    Case(#""claims":{"aud":["api",7]}"#, "malformedClaim"), Case(#""claims":{"aud":[]}"#, "wrongAudience"),
    Case(#""claims":{"aud":null,"client_id":"api"}"#, "malformedClaim"),
    Case(#""claims":{"aud":"API"}"#, "wrongAudience"),
    // A slash at the end makes another issuer.
    Case(#""claims":{"iss":"https://id.example.com/"}"#, "wrongIssuer"),
    Case(#""claims":{"iss":"https://evil.example"}"#, "wrongIssuer"),
    Case(#""claims":{"iss":["https://id.example.com"]}"#, "malformedClaim"),
    Case(#""omit":"iss""#, "missingClaim"),
    // No leeway.
    Case(#""claims":{"exp":"+0s"}"#, "expired"), Case(#""claims":{"exp":"+1s"}"#, nil),
    Case(#""claims":{"exp":"-1h"}"#, "expired"), Case(#""omit":"exp""#, "missingClaim"),
    Case(#""claims":{"exp":true}"#, "malformedClaim"), Case(#""claims":{"exp":-1}"#, "malformedClaim"),
    Case(#""claims":{"exp":1e400}"#, "malformedClaim"),
    Case(#""claims":{"nbf":"+1s"}"#, "notYetValid"), Case(#""claims":{"nbf":"+0s"}"#, nil),
    Case(#""claims":{"nbf":[]}"#, "malformedClaim"),
    Case(#""claims":{"iat":"+1s"}"#, "issuedInFuture"), Case(#""omit":"iat""#, nil),
  ]) func claims(_ test: Case) throws { try check(test) }

  @Test(arguments: [
    // Only RSA with PKCS #1.
    Case(#""algorithm":"PS256""#, "algorithmNotAllowed"),
    Case(#""algorithm":"ES256""#, "algorithmNotAllowed"),
    Case(#""algorithm":"EdDSA""#, "algorithmNotAllowed"),
    Case(#""algorithm":"HS256""#, "algorithmNotAllowed"),
    Case(#""header":{"alg":"none"}"#, "algorithmNotAllowed"),
    Case(#""header":{"alg":"none"},"damage":"dropSignature""#, "algorithmNotAllowed"),
    Case(#""header":{"alg":"rs256"}"#, "algorithmNotAllowed"),
    Case(#""header":{"alg":7}"#, "malformedToken"), Case(#""omitHeader":"alg""#, "malformedToken"),
    // The public key as the secret of an HMAC.
    Case(#""secret":{"publicKey":"rs256"}"#, "algorithmNotAllowed"),
    Case(#""secret":{"publicKey":"rs256"},"header":{"alg":"RS256"}"#, "signatureMismatch"),
    // Keys of others.
    Case(#""key":"other""#, "unknownKey"), Case(#""key":"forged""#, "signatureMismatch"),
    Case(#""omitHeader":"kid""#, "unknownKey"), Case(#""header":{"kid":"x"}"#, "unknownKey"),
    Case(#""header":{"kid":"development-rs384"}"#, "unknownKey"),
    Case(#""header":{"kid":"development-ps256"}"#, "unknownKey"),
    Case(#""header":{"kid":"development-hs256"}"#, "unknownKey"),
    Case(#""header":{"alg":"RS384"}"#, "unknownKey"),
    Case(#""header":{"jku":"https://evil.example/jwks.json","kid":"evil"}"#, "unknownKey"),
    Case(#""header":{"crit":["exp"]}"#, "malformedToken"),
    // Damage.
    Case(#""damage":"signature""#, "signatureMismatch"), Case(#""damage":"payload""#, "signatureMismatch"),
    Case(#""damage":"zeroSignature""#, "signatureMismatch"),
    Case(#""damage":"dropSignature""#, "malformedToken"), Case(#""damage":"twoSegments""#, "malformedToken"),
    Case(#""damage":"extraSegment""#, "malformedToken"), Case(#""damage":"padding""#, "malformedToken"),
    Case(#""damage":"trailingBits""#, "malformedToken"), Case(#""damage":"whitespace""#, "malformedToken"),
  ]) func signatures(_ test: Case) throws { try check(test) }

  @Test(arguments: [
    Case(#""claims":{"scope":"x read"}"#, nil, scopes: ["read", "write"]),
    Case(#""claims":{"scope":"x"}"#, "insufficientScope", scopes: ["read", "write"]),
    Case(#""claims":{"scope":"readwrite"}"#, "insufficientScope", scopes: ["read", "write"]),
    Case(#""claims":{"scope":"Read"}"#, "insufficientScope", scopes: ["read"]),
    Case(#""claims":{"scope":""}"#, "insufficientScope", scopes: ["read"]),
    Case("", "insufficientScope", scopes: ["read"]),
    Case(#""claims":{"scp":["x","read"]}"#, nil, scopes: ["read"]),
    Case(#""claims":{"scp":"x read"}"#, nil, scopes: ["read"]),
    Case(#""claims":{"scp":["read x"]}"#, "insufficientScope", scopes: ["read"]),
    Case(#""claims":{"scp":["read",7]}"#, "insufficientScope", scopes: ["read"]),
    // Not documented: an array in scope, and two claims that disagree.
    Case(#""claims":{"scope":["read"]}"#, "insufficientScope", scopes: ["read"]),
    Case(#""claims":{"scope":"x","scp":["read"]}"#, "insufficientScope", scopes: ["read"]),
    Case(#""claims":{"scope":"read","scp":["x"]}"#, "insufficientScope", scopes: ["read"]),
    Case(#""claims":{"scope":"read","scp":["read"]}"#, nil, scopes: ["read"]),
  ]) func scopes(_ test: Case) throws { try check(test) }

  private func check(_ test: Case) throws {
    let token = try TokenSamples.token(test.recipe)
    let verdict = try TokenSamples.jwt.verdict("Bearer " + token, scopes: test.scopes)
    #expect(verdict.code == test.code)
    #expect(try TokenSamples.jwt.verdict(token, scopes: test.scopes) == verdict)
  }

  @Test(
    arguments: [
      (nil, "missingToken"), ("", "missingToken"), ("Bearer ", "missingToken"), ("Bearer", "malformedToken"),
      ("bearer TOKEN", "malformedToken"), ("Bearer  TOKEN", "malformedToken"),
      ("Basic TOKEN", "malformedToken"),
      ("Bearer Bearer TOKEN", "malformedToken"), ("TOKEN,TOKEN", "malformedToken"),
      (" TOKEN", "malformedToken"),
      ("x.y.z", "malformedToken"),
    ] as [(String?, String)]) func forms(_ value: String?, _ code: String) throws
  {
    let token = try TokenSamples.token(#"{"preset":"oidc:https://id.example.com"}"#)
    let value = value?.replacing("TOKEN", with: token)
    #expect(try TokenSamples.jwt.verdict(value).code == code)
  }

  /// An authorizer without issuer or audience accepts nothing.
  @Test func emptyConfigurations() throws {
    let token = try TokenSamples.token(#"{"preset":"oidc:https://id.example.com","claims":{"aud":""}}"#)
    for kind: TokenAuthorizer.Kind in [
      .jwt(issuer: TokenSamples.issuer, audiences: []), .jwt(issuer: TokenSamples.issuer, audiences: [""]),
      .jwt(issuer: "", audiences: ["api"]), .userPools([]), .userPools([""]),
    ] {
      let authorizer = TokenAuthorizer(name: "Jwt", kind: kind, source: .header("Authorization"))
      #expect(try authorizer.verdict(token).code != nil, "\(kind)")
    }
    let unnamed = try TokenSamples.token(#"{"preset":"oidc:https://id.example.com","claims":{"iss":""}}"#)
    let empty = TokenAuthorizer(
      name: "Jwt", kind: .jwt(issuer: "", audiences: ["api"]), source: .header("Authorization"))
    #expect(try empty.verdict(unnamed).code == "wrongIssuer")
  }

  /// As recorded from an HTTP API: all values are strings, arrays in brackets, and `null` is left out.
  @Test func claimsAreStrings() throws {
    let token = try TokenSamples.token(
      #"{"preset":"oidc:https://id.example.com","claims":{"sub":"u","n":1.50,"yes":true,"none":null,"#
        + #""groups":["a","b c"],"empty":[],"nested":{"x":[1]},"exp":"+1h"}}"#)
    let claims = try TokenSamples.jwt.verdict(token).claims
    for (name, value) in [
      "sub": "u", "n": "1.50", "yes": "true", "groups": "[a b c]", "empty": "[]", "nested": #"{"x":[1]}"#,
      "exp": "1718640123", "email_verified": "true",
    ] {
      #expect(claims["claims." + name] == value, "\(name)")
    }
    #expect(claims["claims.none"] == nil)
  }
}
