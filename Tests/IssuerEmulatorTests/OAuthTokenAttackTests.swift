@testable import IssuerEmulator
@testable import GatewayModel
import Testing

/// Attacks on the token endpoint, each with the error that the standards name for it.
@Suite struct OAuthTokenAttackTests {
  typealias Parameters = OAuthStage.Parameters

  @Test(
    arguments: [
      (["grant_type": nil], "invalid_request"), (["grant_type": "password"], "unsupported_grant_type"),
      (["grant_type": "client_credentials"], "unsupported_grant_type"), (["code": nil], "invalid_request"),
      (["code": "x"], "invalid_grant"), (["code": "x.y"], "invalid_grant"),
      (["client_id": nil], "invalid_request"),
      (["client_id": "unknown"], "invalid_client"), (["client_secret": "x"], "invalid_client"),
      (["redirect_uri": nil], "invalid_request"),
      (["redirect_uri": "http://127.0.0.1:53683/callback"], "invalid_grant"),
      (["redirect_uri": "http://127.0.0.1:53682/callback/"], "invalid_grant"),
      (["code_verifier": nil], "invalid_request"), (["code_verifier": OAuthStage.challenge], "invalid_grant"),
      (["code_verifier": "short"], "invalid_grant"),
      (["code_verifier": OAuthStage.verifier, "code_verifier": "x"], "invalid_request"),
      (["resource": OAuthStage.resource + "/"], "invalid_target"),
      (["resource": "https://other.example/mcp"], "invalid_target"), (["resource": "x"], "invalid_target"),
      (["resource": OAuthStage.resource, "resource": "https://other.example/"], "invalid_target"),
    ] as [(Parameters, String)]) func refusesTokenRequests(_ changes: Parameters, _ error: String) throws
  {
    let (stage, client) = try OAuthStage.withClient()
    let answer = try stage.exchange(client, try stage.code(client), changes)
    #expect(answer.status == (error == "invalid_client" ? 401 : 400))
    #expect(answer.error == error)
    #expect(answer["access_token"] == nil)
  }

  @Test func tokenRequestsAreFormsWithoutCredentials() throws {
    let stage = try OAuthStage()
    let basic = try stage.exchange("x", "y", headers: [.init("Authorization", "Basic eDp5")])
    #expect(basic.status == 401)
    #expect(basic.error == "invalid_client")
    #expect(basic.response.header("WWW-Authenticate")?.hasPrefix("Basic") == true)
    let json = try stage.send("POST", "/dev/oauth/token", body: "{}", type: "application/json")
    #expect(json.error == "invalid_request")
    #expect(try stage.send("GET", "/dev/oauth/token").status == 405)
  }

  @Test func aCodeExpiresAfterAMinute() throws {
    let (stage, client) = try OAuthStage.withClient()
    let (late, early) = (try stage.code(client), try stage.code(client))
    stage.move(59)
    #expect(try stage.exchange(client, early).status == 200)
    stage.move(1)
    #expect(try stage.exchange(client, late).error == "invalid_grant")
  }

  @Test func aReplayedCodeRevokesItsRefreshTokens() throws {
    let (stage, client) = try OAuthStage.withClient()
    let code = try stage.code(client)
    let token = try #require(try stage.exchange(client, code)["refresh_token"])
    #expect(try stage.exchange(client, code).error == "invalid_grant")
    #expect(try stage.refresh(client, token).error == "invalid_grant")
  }

  @Test func aReusedRefreshTokenRevokesItsSuccessors() throws {
    let (stage, client) = try OAuthStage.withClient()
    let first = try #require(try stage.exchange(client, try stage.code(client))["refresh_token"])
    let second = try #require(try stage.refresh(client, first)["refresh_token"])
    let third = try #require(try stage.refresh(client, second)["refresh_token"])
    #expect(try stage.refresh(client, first).error == "invalid_grant")
    #expect(try stage.refresh(client, third).error == "invalid_grant")
  }

  @Test func codesAndRefreshTokensAreForOneClient() throws {
    let stage = try OAuthStage()
    let (client, thief) = (try stage.client(), try stage.client())
    let code = try stage.code(client)
    #expect(try stage.exchange(thief, code).error == "invalid_grant")
    // It was stolen, so its client cannot use it either.
    #expect(try stage.exchange(client, code).error == "invalid_grant")
    let token = try #require(try stage.exchange(client, try stage.code(client))["refresh_token"])
    #expect(try stage.refresh(thief, token).error == "invalid_grant")
    #expect(try stage.refresh(client, token).error == "invalid_grant")
  }

  @Test func aCodeWithTheWrongVerifierIsSpent() throws {
    let (stage, client) = try OAuthStage.withClient()
    let code = try stage.code(client)
    let wrong = String(repeating: "v", count: 43)
    #expect(try stage.exchange(client, code, ["code_verifier": wrong]).error == "invalid_grant")
    #expect(try stage.exchange(client, code).error == "invalid_grant")
  }

  @Test func aCodeIsNoRefreshTokenAndTheOtherWayRound() throws {
    let (stage, client) = try OAuthStage.withClient()
    #expect(try stage.refresh(client, try stage.code(client)).error == "invalid_grant")
    let token = try #require(try stage.exchange(client, try stage.code(client))["refresh_token"])
    #expect(try stage.exchange(client, token).error == "invalid_grant")
  }

  @Test(
    arguments: [
      (["resource": "https://other.example/mcp"], "invalid_target"),
      (["scope": "mcp:tools files admin"], "invalid_scope"), (["refresh_token": nil], "invalid_request"),
      (["refresh_token": "x", "refresh_token": "y"], "invalid_request"),
    ] as [(Parameters, String)]) func refusesRefreshRequests(_ changes: Parameters, _ error: String) throws
  {
    let (stage, client) = try OAuthStage.withClient()
    let token = try #require(try stage.exchange(client, try stage.code(client))["refresh_token"])
    #expect(try stage.refresh(client, token, changes).error == error)
    // The client can correct such a request.
    #expect(try stage.refresh(client, token).status == 200)
  }

  @Test func anUnusedRefreshTokenExpires() throws {
    let (stage, client) = try OAuthStage.withClient()
    let token = try #require(try stage.exchange(client, try stage.code(client))["refresh_token"])
    stage.move(86_400)
    #expect(try stage.refresh(client, token).error == "invalid_grant")
  }

  /// The same server under another name is another issuer: a client that mixes them up gets nothing.
  @Test func codesAndPagesAreForOneIssuer() throws {
    let stage = try OAuthStage()
    var other = stage
    other.base = "http://localhost:8080"
    let client = try stage.client()
    let page = try stage.open(client)
    #expect(try other.answer(page).status == 400)
    let redirect = try #require(try stage.answer(page).redirect)
    #expect(redirect.only("iss") == OAuthStage.issuer)
    #expect(try other.exchange(client, try #require(redirect.only("code"))).error == "invalid_grant")
  }
}
