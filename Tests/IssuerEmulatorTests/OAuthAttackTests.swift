@testable import GatewayModel
@testable import IssuerEmulator
import Testing

/// Attacks on the authorization server, each with the error that the standards name for it.
@Suite struct OAuthAttackTests {
  typealias Parameters = OAuthStage.Parameters

  // MARK: Registration

  private static let registrations: [(metadata: String, error: String)] =
    [
      "https://evil.example/cb", "http://evil.example/cb", "http://127.0.0.1.evil.example/cb",
      "http://evil.example@127.0.0.1/cb", "http://127.0.0.1@evil.example/cb", "http://localhost:99999/cb",
      "http://127.1/cb", "http://0.0.0.0/cb", "http://[::]/cb", "http://10.0.0.1/cb", "//127.0.0.1/cb",
      "http:127.0.0.1/cb", "http:/127.0.0.1/cb", "HTTP://127.0.0.1/cb", "javascript:alert(1)",
      "data:text/html,x", "file:///etc/passwd", "vbscript:x", "myapp:/cb", "com.example.app:", "",
      "http://127.0.0.1/cb#fragment", "http://127.0.0.1/cb;form-action%20*", "http://127.0.0.1/ cb",
      #"http://127.0.0.1/\r\n"#, "http://127.0.0.1/cb?code=x", "http://127.0.0.1/cb?a=b&state=x",
      "http://127.0.0.1/cb?iss", "http://127.0.0.1/cb?c%6Fde=", "com.example.app:/cb?error=x",
      "http://127.0.0.1/'", "http://127.0.0.1\\\\@evil.example/cb",
      "http://127.0.0.1/\(String(repeating: "a", count: 2000))", ".com:/cb", "1.com:/cb",
    ].map { (#"{"redirect_uris":["\#($0)"]}"#, "invalid_redirect_uri") } + [
      ("{}", "invalid_redirect_uri"), (#"{"redirect_uris":[]}"#, "invalid_redirect_uri"),
      (#"{"redirect_uris":"http://127.0.0.1/cb"}"#, "invalid_redirect_uri"),
      (#"{"redirect_uris":[7]}"#, "invalid_redirect_uri"),
      (
        #"{"redirect_uris":["http://127.0.0.1/cb","https://evil.example/cb"]}"#, "invalid_redirect_uri"
      ),
      (
        #"{"redirect_uris":[\#((0...10).map { "\"http://127.0.0.1/\($0)\"" }.joined(separator: ","))]}"#,
        "invalid_redirect_uri"
      ),
      ("", "invalid_client_metadata"), ("[]", "invalid_client_metadata"), ("{", "invalid_client_metadata"),
      (good(#""client_name":7"#), "invalid_client_metadata"),
      (good(#""client_name":"a\u0007b""#), "invalid_client_metadata"),
      (good(#""client_name":"\#(String(repeating: "n", count: 201))""#), "invalid_client_metadata"),
      (good(#""grant_types":["implicit"]"#), "invalid_client_metadata"),
      (good(#""grant_types":["client_credentials"]"#), "invalid_client_metadata"),
      (good(#""grant_types":["refresh_token"]"#), "invalid_client_metadata"),
      (good(#""response_types":["token"]"#), "invalid_client_metadata"),
      (good(#""application_type":"Native""#), "invalid_client_metadata"),
      (good(#""application_type":"""#), "invalid_client_metadata"),
      (good(#""application_type":["web"]"#), "invalid_client_metadata"),
      (#"{"redirect_uris":["com.example.app:/cb"],"application_type":"web"}"#, "invalid_redirect_uri"),
      (good(#""scope":"a\"b""#), "invalid_client_metadata"),
      (good(#""scope":["a"]"#), "invalid_client_metadata"),
      (good(#""client_uri":"\#(String(repeating: "u", count: 16 << 10))""#), "invalid_client_metadata"),
    ]

  private static func good(_ member: String) -> String {
    #"{"redirect_uris":["http://127.0.0.1/cb"],\#(member)}"#
  }

  @Test(arguments: registrations)
  func refusesRegistrations(_ metadata: String, _ error: String) throws {
    let answer = try OAuthStage().register(metadata)
    #expect(answer.status == 400)
    #expect(answer.error == error)
  }

  @Test(arguments: [
    "http://127.0.0.1/cb", "http://127.0.0.1:1/cb?a=b", "http://localhost:3000/", "http://[::1]:8000/cb",
    "https://localhost/cb", "com.example.app:/oauth", "com.example.app://oauth/cb",
  ]) func registersNativeApps(_ uri: String) throws {
    let answer = try OAuthStage().register(
      #"{"redirect_uris":["\#(uri)"],"token_endpoint_auth_method":"client_secret_post"}"#)
    #expect(answer.status == 201)
    #expect(answer["token_endpoint_auth_method"] == "none")
    #expect(answer["client_secret"] == nil)
  }

  /// OpenID Connect Dynamic Client Registration section 2, as MCP 2026-07-28 requires it.
  @Test(
    arguments: [
      ("http://127.0.0.1/cb", #""native""#, "native"), ("com.example.app:/cb", #""native""#, "native"),
      ("http://127.0.0.1/cb", #""web""#, "web"), ("https://localhost/cb", #""web""#, "web"),
      ("com.example.app:/cb", "null", nil),
    ] as [(String, String, String?)])
  func registersTheKindOfApplication(_ uri: String, _ type: String, _ registered: String?) throws {
    let answer = try OAuthStage().register(#"{"redirect_uris":["\#(uri)"],"application_type":\#(type)}"#)
    #expect(answer.status == 201)
    #expect(answer["application_type"] == registered)
  }

  @Test func aPrivateUseSchemeWithoutAPeriodIsRefusedWithTheRule() throws {
    let answer = try OAuthStage().register(#"{"redirect_uris":["cursor://anysphere.cursor-mcp/callback"]}"#)
    #expect(answer.error == "invalid_redirect_uri")
    let description = try #require(answer["error_description"])
    for part in ["RFC 8252 section 7.1", "period", "http://127.0.0.1/callback"] {
      #expect(description.contains(part), "\(part)")
    }
  }

  @Test func aRegistrationIsJSON() throws {
    let body = #"{"redirect_uris":["http://127.0.0.1/cb"]}"#
    for type in ["application/json ; charset=utf-8", "Application/JSON"] {
      #expect(try OAuthStage().send("POST", "/dev/oauth/register", body: body, type: type).status == 201)
    }
    for type in ["text/plain", "application/jsonx", nil] {
      let answer = try OAuthStage().send("POST", "/dev/oauth/register", body: body, type: type)
      #expect(answer.error == "invalid_client_metadata")
    }
  }

  @Test func aNewClientReplacesTheOldestWithoutUsers() throws {
    let stage = try OAuthStage()
    let (granted, waiting, idle) = (try stage.client(), try stage.client(), try stage.client())
    let code = try stage.code(granted)
    let page = try stage.open(waiting)
    let last = try (0..<OAuthLimits.clients - 2).map { _ in try stage.client() }.last
    #expect(try stage.open(idle).status == 400)
    #expect(try stage.answer(page).status == 303)
    #expect(try stage.exchange(granted, code).status == 200)
    #expect(try stage.open(try #require(last)).status == 200)
  }

  @Test func theClientAfterTheLimitIsRefusedWhileAllHaveUsers() throws {
    let stage = try OAuthStage()
    let body = #"{"redirect_uris":["http://127.0.0.1/cb"]}"#
    for _ in 0..<OAuthLimits.clients { _ = try stage.code(try stage.client()) }
    let answer = try stage.register(body)
    #expect(answer.status == 503)
    #expect(answer.error == "temporarily_unavailable")
    stage.move(OAuthLimits.codeSeconds)
    #expect(try stage.register(body).status == 201)
  }

  // MARK: Authorization requests

  /// Requests that must not redirect: the client or its address is not known (RFC 6749 section 4.1.2.1).
  @Test(
    arguments: [
      ["client_id": nil], ["client_id": "unknown"], ["redirect_uri": nil],
      ["redirect_uri": "http://127.0.0.1:53682/callback/"],
      ["redirect_uri": "http://127.0.0.1:53682/callback?x"],
      ["redirect_uri": "http://127.0.0.1:53682/Callback"],
      ["redirect_uri": "http://127.0.0.1:53682/call%62ack"],
      ["redirect_uri": "http://127.0.0.1:53682/x/../callback"],
      ["redirect_uri": "http://127.0.0.1:53682/callback#"],
      ["redirect_uri": "http://localhost:53682/callback"],
      ["redirect_uri": "https://127.0.0.1:53682/callback"],
      ["redirect_uri": "http://127.0.0.1:53682@evil.example/callback"],
      ["redirect_uri": "http://127.0.0.1:53682/callback", "redirect_uri": "https://evil.example/"],
      ["redirect_uri": "https://evil.example/callback"], ["redirect_uri": "http://127.0.0.2:53682/callback"],
    ] as [Parameters]) func doesNotRedirectToAnUnknownAddress(_ changes: Parameters) throws
  {
    let stage = try OAuthStage()
    let answer = try stage.open(try stage.client(), changes)
    #expect(answer.status == 400)
    #expect(answer.response.header("Location") == nil)
    #expect(answer.response.header("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true)
  }

  /// RFC 8252 section 7.3: the port of a loopback redirect URI is the app's choice at each login.
  @Test func theLoopbackPortMayDiffer() throws {
    let (stage, client) = try OAuthStage.withClient()
    let other = "http://127.0.0.1:61023/callback"
    let code = try stage.code(client, ["redirect_uri": other])
    #expect(try stage.exchange(client, code, ["redirect_uri": other]).status == 200)
    // The code is for the exact address, with its port.
    let next = try stage.code(client, ["redirect_uri": other])
    #expect(try stage.exchange(client, next).error == "invalid_grant")
  }

  @Test(
    arguments: [
      (["response_type": nil], "invalid_request"), (["response_type": "token"], "unsupported_response_type"),
      (["response_type": "code id_token"], "unsupported_response_type"),
      (["code_challenge": nil], "invalid_request"), (["code_challenge_method": nil], "invalid_request"),
      (["code_challenge_method": "plain"], "invalid_request"),
      (["code_challenge_method": "s256"], "invalid_request"),
      (["code_challenge": "short"], "invalid_request"),
      (["code_challenge": OAuthStage.challenge + "="], "invalid_request"),
      (["code_challenge": OAuthStage.challenge, "code_challenge": OAuthStage.challenge], "invalid_request"),
      (["state": "a", "state": "b"], "invalid_request"),
      (["state": String(repeating: "s", count: 2001)], "invalid_request"),
      (["state": "é"], "invalid_request"), (["state": "a\u{7}"], "invalid_request"),
      (["dpop_jkt": "short"], "invalid_request"),
      (["dpop_jkt": String(repeating: "a", count: 3000)], "invalid_request"),
      (["dpop_jkt": OAuthStage.challenge + "="], "invalid_request"),
      (["resource": "http://:"], "invalid_target"), (["resource": "http://:80/mcp"], "invalid_target"),
      (["resource": "https://a@b.example/mcp"], "invalid_target"),
      (["scope": "a\"b"], "invalid_scope"), (["scope": "a\\b"], "invalid_scope"),
      (["scope": "é"], "invalid_scope"),
      (["scope": String(repeating: "s", count: 1001)], "invalid_scope"),
      (["resource": nil], "invalid_target"),
      (["resource": "mcp"], "invalid_target"), (["resource": "/mcp"], "invalid_target"),
      (["resource": "https://"], "invalid_target"), (["resource": "https:///mcp"], "invalid_target"),
      (["resource": "urn:x:y"], "invalid_target"),
      (["resource": "https://a.example/mcp#x"], "invalid_target"),
      (["resource": "https://a.example/<b>"], "invalid_target"),
      (["resource": "https://a.example/mcp", "resource": "https://b.example/mcp"], "invalid_target"),
    ] as [(Parameters, String)]) func tellsTheClient(_ changes: Parameters, _ error: String) throws
  {
    let stage = try OAuthStage()
    let answer = try stage.open(try stage.client(), changes)
    #expect(answer.status == 303)
    #expect(answer.response.header("Location")?.hasPrefix(OAuthStage.redirectURI + "?") == true)
    #expect(answer.redirect?.only("error") == error)
    #expect(answer.redirect?.only("iss") == OAuthStage.issuer)
  }

  /// Bytes that are not UTF-8 would come back as others.
  @Test func aStateThatWouldComeBackChangedIsNotSentBack() throws {
    let stage = try OAuthStage()
    let query = OAuthStage.form(
      [
        ("response_type", "code"), ("client_id", try stage.client()),
        ("redirect_uri", OAuthStage.redirectURI),
        ("code_challenge", OAuthStage.challenge), ("code_challenge_method", "S256"),
        ("resource", OAuthStage.resource),
      ], [:])
    let answer = try stage.send("GET", "/dev/oauth/authorize", query: query + "&state=%FF")
    #expect(answer.redirect?.only("error") == "invalid_request")
    #expect(answer.redirect?.all("state") == [])
  }

  // MARK: The login page

  @Test func thePageForAWrongNameDoesNotBlameTheAddress() throws {
    let stage = try OAuthStage()
    let page = try stage.open(try stage.client())
    let answer = try stage.answer(page, ["user": String(repeating: "u", count: 256)])
    #expect(answer.text.contains("1 to 255 characters"))
    #expect(!answer.text.contains("address is not known"))
    // The page still counts.
    #expect(try stage.answer(page).status == 303)
    #expect(try stage.open("unknown").text.contains("address is not known"))
  }

  @Test(
    arguments: [
      ["ticket": nil], ["ticket": "0"], ["decision": nil], ["decision": "maybe"], ["user": nil],
      ["user": "a\u{7}"], ["user": " "], ["user": "\u{202E}ecila"], ["user": "a\u{2028}b"],
      ["user": String(repeating: "u", count: 256)], ["ticket": "a", "ticket": "b"],
    ] as [Parameters]) func refusesForms(_ changes: Parameters) throws
  {
    let stage = try OAuthStage()
    let answer = try stage.answer(try stage.open(try stage.client()), changes)
    #expect(answer.status == 400)
    #expect(answer.response.header("Location") == nil)
  }

  @Test(
    arguments: [
      [.init("Origin", "http://localhost:8080")], [.init("Origin", "http://127.0.0.1:5173")],
      [.init("Origin", "null")], [.init("Origin", "https://evil.example")],
      [.init("Sec-Fetch-Site", "cross-site")], [.init("Sec-Fetch-Site", "same-site")],
      [.init("Sec-Fetch-Site", "none")],
    ] as [[GatewayRequest.Header]]) func refusesFormsOfOtherPages(_ headers: [GatewayRequest.Header]) throws
  {
    let stage = try OAuthStage()
    let answer = try stage.answer(try stage.open(try stage.client()), headers: headers)
    #expect(answer.status == 403)
    #expect(answer.response.header("Location") == nil)
  }

  @Test func aFormNeedsTheCookieOfItsPage() throws {
    let (stage, client) = try OAuthStage.withClient()
    let page = try stage.open(client)
    #expect(try stage.answer(page, hasCookie: false).status == 400)
    let other = try stage.open(client).response.header("Set-Cookie")?.prefix { $0 != ";" } ?? ""
    let answer = try stage.answer(page, headers: [.init("Cookie", String(other))], hasCookie: false)
    #expect(answer.status == 400)
    // The page is still valid in its own browser.
    #expect(try stage.answer(page, headers: [.init("Origin", OAuthStage.base)]).status == 303)
    #expect(try stage.answer(page).status == 400)
  }

  @Test func aLoginPageExpires() throws {
    let stage = try OAuthStage()
    let page = try stage.open(try stage.client())
    stage.move(600)
    #expect(try stage.answer(page).status == 400)
  }

  @Test func aFloodOfLoginPagesRemovesTheOldest() throws {
    let (stage, client) = try OAuthStage.withClient()
    let first = try stage.open(client)
    stage.move(1)
    for _ in 0..<OAuthLimits.logins { _ = try stage.open(client) }
    #expect(try stage.answer(first).status == 400)
  }

  @Test func aFloodOfLoginPagesRemovesThoseOfItsClientOnly() throws {
    let stage = try OAuthStage()
    let page = try stage.open(try stage.client())
    let flooder = try stage.client()
    for _ in 0..<OAuthLimits.logins + 1 { _ = try stage.open(flooder) }
    #expect(try stage.answer(page).status == 303)
  }

  @Test func theGrantAfterTheLimitReplacesTheOldest() throws {
    let (stage, client) = try OAuthStage.withClient()
    let first = try #require(try stage.exchange(client, try stage.code(client))["refresh_token"])
    let second = try #require(try stage.exchange(client, try stage.code(client))["refresh_token"])
    for _ in 0..<OAuthLimits.grants - 2 { _ = try stage.code(client) }
    let newest = try stage.code(client)
    #expect(try stage.refresh(client, first).error == "invalid_grant")
    #expect(try stage.refresh(client, second).status == 200)
    #expect(try stage.exchange(client, newest).status == 200)
  }
}
