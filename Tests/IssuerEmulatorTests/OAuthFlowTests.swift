@testable import GatewayModel
@testable import IssuerEmulator
import JSON
import TestSupport
import Testing

/// What a client gets that follows the standards.
@Suite struct OAuthFlowTests {
  static func claims(_ answer: OAuthStage.Answer) throws -> JSONTree {
    try DissectedToken(try #require(answer["access_token"])).payload()
  }

  @Test func aCodeBecomesATokenForTheResourceAndItsUser() throws {
    let (stage, client) = try OAuthStage.withClient()
    let answer = try stage.exchange(client, try stage.code(client))
    #expect(answer.status == 200)
    #expect(answer.response.header("Cache-Control") == "no-store")
    #expect(answer["token_type"] == "Bearer")
    #expect(answer["scope"] == "mcp:tools files")
    let claims = try Self.claims(answer)
    for (name, value) in [
      "iss": OAuthStage.issuer, "aud": OAuthStage.resource, "sub": "alice", "client_id": client,
      "scope": "mcp:tools files",
    ] {
      #expect(claims[name] == .string(value), "\(name)")
    }
  }

  @Test func theRedirectNamesStateAndIssuer() throws {
    let stage = try OAuthStage()
    let answer = try stage.answer(try stage.open(try stage.client()))
    #expect(answer.status == 303)
    let redirect = try #require(answer.redirect)
    #expect(redirect.only("state") == "s t&te")
    #expect(redirect.only("iss") == OAuthStage.issuer)
    #expect(redirect.only("error") == nil)
  }

  @Test func aUserWhoDeniesSendsTheClientAnError() throws {
    let stage = try OAuthStage()
    let page = try stage.open(try stage.client())
    let redirect = try #require(try stage.answer(page, ["decision": "deny", "user": nil]).redirect)
    #expect(redirect.only("error") == "access_denied")
    #expect(redirect.only("code") == nil)
    #expect(redirect.only("state") == "s t&te")
    #expect(redirect.only("iss") == OAuthStage.issuer)
    #expect(try stage.answer(page).status == 400)
  }

  @Test func aUserMayGrantFewerScopes() throws {
    let (stage, client) = try OAuthStage.withClient()
    let fewer = try stage.exchange(client, try stage.code(client, answer: ["scope": "files"]))
    #expect(fewer["scope"] == "files")
    let none = try stage.exchange(client, try stage.code(client, answer: ["scope": nil]))
    #expect(none["scope"] == "")
    #expect(try Self.claims(none)["scope"] == nil)
    let more = try stage.exchange(client, try stage.code(client, answer: ["scope": "admin"]))
    #expect(more["scope"] == "")
  }

  @Test func refreshTokensRotate() throws {
    let (stage, client) = try OAuthStage.withClient()
    var token = try #require(try stage.exchange(client, try stage.code(client))["refresh_token"])
    var seen: Set<String> = [token]
    for _ in 0..<3 {
      let answer = try stage.refresh(client, token)
      #expect(answer.status == 200)
      #expect(try Self.claims(answer)["aud"] == .string(OAuthStage.resource))
      token = try #require(answer["refresh_token"])
      #expect(seen.insert(token).inserted)
    }
    #expect(try stage.refresh(client, token, ["scope": "files"])["scope"] == "files")
  }

  @Test func tokensOfALoginHaveItsSession() throws {
    let (stage, client) = try OAuthStage.withClient()
    let first = try stage.exchange(client, try stage.code(client))
    let session = try #require(try Self.claims(first)["sid"])
    #expect(try Self.claims(first)["origin_jti"] == session)
    let refreshed = try Self.claims(try stage.refresh(client, try #require(first["refresh_token"])))
    #expect(refreshed["sid"] == session && refreshed["origin_jti"] == session)
    #expect(try refreshed["jti"] != Self.claims(first)["jti"])
    let other = try stage.exchange(client, try stage.code(client))
    #expect(try Self.claims(other)["sid"] != session)
  }

  /// RFC 9068 section 2.2.1: a refresh is no login.
  @Test func tokensTellWhenTheirUserLoggedIn() throws {
    let stage = try OAuthStage()
    let client = try stage.client()
    let first = try stage.exchange(client, try stage.code(client))
    let login = try Self.claims(first)
    #expect(login["auth_time"] == login["iat"])
    stage.move(600)
    let refreshed = try Self.claims(try stage.refresh(client, try #require(first["refresh_token"])))
    #expect(refreshed["auth_time"] == login["auth_time"] && refreshed["iat"] != login["iat"])
    let again = try Self.claims(try stage.exchange(client, try stage.code(client)))
    #expect(again["auth_time"] == again["iat"] && again["auth_time"] != login["auth_time"])
  }

  @Test func aClientWithoutTheGrantTypeGetsNoRefreshToken() throws {
    let stage = try OAuthStage()
    let client = try stage.client(refreshes: false)
    let answer = try stage.exchange(client, try stage.code(client))
    #expect(answer.status == 200)
    #expect(answer["refresh_token"] == nil)
  }

  @Test func theMetadataIsAtThePlaceOfAnIssuerWithAPath() throws {
    let answer = try OAuthStage().send("GET", "/.well-known/oauth-authorization-server/dev/oauth")
    #expect(answer.status == 200)
    // RFC 8414 section 3.3: the issuer is the URL from which the metadata's URL was made.
    #expect(answer["issuer"] == OAuthStage.issuer)
    for name in ["authorization_endpoint", "token_endpoint", "registration_endpoint", "jwks_uri"] {
      #expect(answer[name]?.hasPrefix(OAuthStage.base + "/") == true, "\(name)")
    }
    #expect(answer.body["code_challenge_methods_supported"] == .array([.string("S256")]))
    #expect(answer.body["authorization_response_iss_parameter_supported"] == .boolean(true))
  }

  @Test(arguments: [
    "/.well-known/oauth-authorization-server/dev/oauth", "/dev/oauth/token", "/dev/oauth/register",
  ]) func pagesOfThisMachineMayRead(_ path: String) throws {
    let origin = GatewayRequest.Header("Origin", "http://localhost:5173")
    let preflight = try OAuthStage().send(
      "OPTIONS", path,
      headers: [
        origin, .init("Access-Control-Request-Method", "POST"),
        .init("Access-Control-Request-Headers", "content-type,dpop"),
      ])
    #expect(preflight.status == 204)
    #expect(preflight.response.header("Access-Control-Allow-Origin") == "http://localhost:5173")
    #expect(preflight.response.header("Access-Control-Allow-Headers")?.contains("dpop") == true)
    let foreign = try OAuthStage().send("POST", path, headers: [.init("Origin", "https://evil.example")])
    #expect(foreign.status == 403)
    #expect(foreign.response.header("Access-Control-Allow-Origin") == nil)
  }

  @Test func theLoginPageIsNotReadableForOtherPages() throws {
    let stage = try OAuthStage()
    let page = try stage.open(try stage.client())
    #expect(page.response.header("Access-Control-Allow-Origin") == nil)
    #expect(page.response.header("X-Frame-Options") == "DENY")
    let policy = try #require(page.response.header("Content-Security-Policy"))
    #expect(policy.contains("default-src 'none'"))
    #expect(policy.contains("frame-ancestors 'none'"))
    // It would count for the redirects of the client's callback too.
    #expect(!policy.contains("form-action"))
    #expect(!policy.contains("unsafe-inline"))
    #expect(page.response.header("Set-Cookie")?.contains("HttpOnly; SameSite=Strict") == true)
  }

  @Test(arguments: [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onfocus='alert(1)", "&lt;b&gt;",
    "</main><b>",
  ]) func foreignTextStaysText(_ text: String) throws {
    let stage = try OAuthStage()
    let page = try stage.open(try stage.client(name: text), ["scope": text.replacing("\"", with: "")])
    let name = page.text.split(separator: "id=\"client\"><bdi>").last?.prefix { $0 != "<" }
    #expect(name.map(String.init) == LoginPage.escaped(text))
    #expect(!page.text.contains(text))
    #expect(page.text.contains(LoginPage.escaped(text)))
  }

  @Test func theCookieEndsWithItsPage() throws {
    let stage = try OAuthStage()
    let page = try stage.open(try stage.client())
    let cookie = try #require(page.response.header("Set-Cookie"))
    let ended = try #require(try stage.answer(page).response.header("Set-Cookie"))
    #expect(ended.prefix { $0 != "=" } == cookie.prefix { $0 != "=" })
    #expect(ended.contains("=; Path=/dev/oauth/authorize; Max-Age=0;"))
  }

  @Test func aBlankNameOfAClientIsNone() throws {
    let stage = try OAuthStage()
    for name in ["", " \u{3000}"] {
      #expect(try stage.open(try stage.client(name: name)).text.contains("A client without a name"))
    }
  }

  @Test func theMetadataListsTheAlgorithmsOfProofs() throws {
    let answer = try OAuthStage().send("GET", "/.well-known/oauth-authorization-server/dev/oauth")
    #expect(answer.body["dpop_signing_alg_values_supported"] == .array([.string("ES256"), .string("EdDSA")]))
  }

  /// The issuer has a place of its own, and no keys of its own.
  @Test func theTokenEndpointOfDevelopmentNamesThisIssuerToo() throws {
    let answer = try OAuthStage().send(
      "POST", "/dev/token", body: "preset=rfc9068:\(OAuthStage.issuer)",
      type: "application/x-www-form-urlencoded")
    #expect(try Self.claims(answer)["iss"] == .string(OAuthStage.issuer))
  }

  @Test func twoPagesCanBeOpenAtOnce() throws {
    let (stage, client) = try OAuthStage.withClient()
    let first = try stage.open(client)
    let second = try stage.open(client)
    #expect(try stage.answer(second).status == 303)
    #expect(try stage.answer(first).status == 303)
  }
}
