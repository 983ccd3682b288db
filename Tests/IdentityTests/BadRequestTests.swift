import JSON
import Testing
import UserStore

@testable import Identity

@Suite("Refused requests")
struct BadRequestTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var method = "POST"
    var path = "/auth/verify"
    /// `TOKEN` is replaced by a valid token.
    var body: String? = #"{"identity_token":"TOKEN"}"#
    var isBase64 = false
    var contentType: String? = "application/json"
    let status: Int64
    let code: String
    let reason: String
    var testDescription: String { "\(status) \(reason): \(method) \(path) \(body?.prefix(60) ?? "")" }

    static func type(_ contentType: String?) -> Row {
      Row(
        contentType: contentType, status: 415, code: "unsupported_media_type", reason: "unsupportedMediaType")
    }

    static func body(_ body: String?, _ reason: String, isBase64: Bool = false) -> Row {
      Row(body: body, isBase64: isBase64, status: 400, code: "invalid_request", reason: reason)
    }

    static func user(_ user: String, _ reason: String = "malformedMember") -> Row {
      .body(#"{"identity_token":"TOKEN","user":\#(user)}"#, reason)
    }

    static func method(_ method: String, _ path: String) -> Row {
      Row(method: method, path: path, status: 405, code: "method_not_allowed", reason: "methodNotAllowed")
    }

    static func path(_ path: String, method: String = "POST") -> Row {
      Row(method: method, path: path, status: 404, code: "not_found", reason: "unknownPath")
    }
  }

  static let large = #"{"identity_token":"\#(String(repeating: "a", count: 1 << 20))"}"#

  static let rows: [Row] = [
    .type(nil), .type(""), .type("text/plain"), .type("application/x-www-form-urlencoded"),
    .type("application/jsonp"), .type("application/json; charset=iso-8859-1"),
    .type("application/json; charset=utf-8; charset=utf-8"), .type("application/json;"),
    .type("application/json, application/json"), .type("application/vnd.api+json"),
    Row(body: large, status: 413, code: "payload_too_large", reason: "bodyTooLarge"),
    Row(
      body: Base64Text.encode(Array(large.utf8)), isBase64: true, status: 413, code: "payload_too_large",
      reason: "bodyTooLarge"),
    .body(nil, "bodyNotJSON"), .body("", "bodyNotJSON"), .body("{", "bodyNotJSON"),
    .body("identity_token=TOKEN", "bodyNotJSON"), .body("[]", "bodyNotAnObject"),
    .body(#""TOKEN""#, "bodyNotAnObject"), .body("null", "bodyNotAnObject"),
    .body(#"{"identity_token":"TOKEN"} {}"#, "bodyNotJSON"),
    .body(#"{"identity_token":"TOKEN","identity_token":"TOKEN"}"#, "bodyNotJSON"),
    .body(#"{"identity_token":"TOKEN","identity\u005ftoken":"x"}"#, "bodyNotJSON"),
    .body(#"{"identity_token":"TOKEN","deep":[[[[[[[[[[]]]]]]]]]]}"#, "bodyNotJSON"),
    .body("not base64!", "bodyNotBase64", isBase64: true),
    .body(#"{"identity_token":"TOKEN"}"#, "bodyNotBase64", isBase64: true),
    .body("{}", "missingMember"), .body(#"{"identity_token":null}"#, "missingMember"),
    .body(#"{"identityToken":"TOKEN"}"#, "missingMember"),
    .body(#"{"identity_token":""}"#, "malformedMember"), .body(#"{"identity_token":1}"#, "malformedMember"),
    .body(#"{"identity_token":["TOKEN"]}"#, "malformedMember"),
    .body(#"{"identity_token":"TOKEN","nonce":1}"#, "malformedMember"),
    .body(#"{"identity_token":"TOKEN","nonce":""}"#, "malformedMember"),
    .body(#"{"identity_token":"TOKEN","nonce":"a b c d e f g h i j"}"#, "malformedMember"),
    .body(
      #"{"identity_token":"TOKEN","nonce":"\#(String(repeating: "n", count: 257))"}"#, "malformedMember"),
    .body(#"{"identity_token":"TOKEN","email":"eve@example.com"}"#, "unknownMember"),
    .body(#"{"identity_token":"TOKEN","sub":"001234.x"}"#, "unknownMember"),
    .user("[]"), .user("1"), .user("\"\"", "bodyNotJSON"), .user(#""{""#, "bodyNotJSON"), .user(#""[]""#),
    .user(#"{"name":"Ada"}"#), .user(#"{"name":{"firstName":1}}"#),
    .user(#"{"name":{"firstName":"A\u0000da"}}"#), .user(#"{"name":{"lastName":"A\u0085"}}"#),
    .user(#"{"name":{"firstName":"\#(String(repeating: "a", count: 257))"}}"#),
    .user(#"{"email":"ada"}"#), .user(#"{"email":"@example.com"}"#), .user(#"{"email":"ada@"}"#),
    .user(#"{"email":"ada @example.com"}"#), .user(#"{"email":"ada@example.com\r\nBcc: x"}"#),
    .user(#"{"email":"\#(String(repeating: "a", count: 251))@a.b"}"#), .user(#"{"email":{}}"#),
    .user(#"{"email":"a@b.c","email":"d@e.f"}"#, "bodyNotJSON"),
    .method("GET", "/auth/verify"), .method("post", "/auth/verify"), .method("OPTIONS", "/auth/verify"),
    .method("HEAD", "/auth/nonce"), .method("PUT", "/auth/apple"),
    .method("GET", "/auth/apple/notifications"),
    .method("POST", "/users/me"), .method("DELETE", "/users/x"),
    .path("/"), .path("/auth"), .path("/auth/verify/"), .path("//auth/verify"), .path("/auth//verify"),
    .path("/Auth/verify"), .path("/auth/%76erify"), .path("/auth/verify?x=1"), .path("/auth/apple/"),
    .path("/users", method: "GET"), .path("/users/", method: "GET"), .path("/users/a/b", method: "GET"),
    .path("/../auth/verify"), .path("/auth/verify\u{0}"), .path("/v1/auth/verify"),
  ]

  @Test("an invalid request gets its status and code, and nothing is stored", arguments: rows)
  func refused(row: Row) throws {
    var harness = try IdentityHarness()
    let token = try harness.token()
    for format in PayloadFormat.allCases {
      var event = ProxyEvent(
        format, method: row.method, path: row.path, body: row.body?.replacing("TOKEN", with: token),
        contentType: row.contentType)
      event.isBase64 = row.isBase64
      let answer = try harness.send(event)
      #expect(answer.status == row.status)
      if row.method != "HEAD" { #expect(answer.code == row.code) }
      #expect(answer.reason == row.reason)
      #expect((answer.headers?["Allow"] != nil) == (row.status == 405))
    }
    #expect(harness.store.writes == 0)
  }

  @Test(
    "405 lists the allowed methods",
    arguments: [("/auth/nonce", "POST"), ("/users/me", "GET, HEAD"), ("/users/x", "GET, HEAD")])
  func allow(path: String, methods: String) throws {
    var harness = try IdentityHarness()
    let answer = try harness.send(ProxyEvent(method: "PATCH", path: path))
    #expect(answer.headers?["Allow"] == .string(methods))
  }

  @Test(
    "an invalid token is refused without its reason",
    arguments: [
      (#""aud":"com.example.other""#, "wrongAudience"),
      (#""iss":"https://account.apple.com""#, "wrongIssuer"),
      (#""exp":"-1h","iat":"-2h""#, "expired"), (#""iat":"-12m","exp":"+1h""#, "tooOld"),
      (#""iat":"+1h""#, "issuedInFuture"), (#""exp":"+9d""#, "lifetimeTooLong"),
      (#""sub":1"#, "malformedClaim"),
      (#""nbf":"+1h""#, "notYetValid"),
    ])
  func tokens(claims: String, reason: String) throws {
    var harness = try IdentityHarness()
    let answer = try harness.signIn(claims)
    #expect(answer.status == 401)
    #expect(answer.code == "invalid_credential")
    #expect(answer.reason == reason)
    #expect(
      answer.bodyText == #"{"error":{"code":"invalid_credential","message":"Invalid or expired token"}}"#)
    #expect(harness.store.writes == 0)
  }

  @Test(
    "text that is not a token of Apple's is refused",
    arguments: [
      ("x", "malformedToken"), ("a.b.c", "malformedToken"), ("a.b.c.d.e", "encryptedToken"),
      ("e30.e30.", "malformedToken"), ("\u{1F600}", "malformedToken"),
      (String(repeating: "a", count: 60_000), "malformedToken"),
    ])
  func noToken(text: String, reason: String) throws {
    var harness = try IdentityHarness()
    let answer = try harness.post("/auth/verify", IdentityHarness.body(text))
    #expect(answer.status == 401)
    #expect(answer.reason == reason)
    #expect(answer.record.tokenHash?.count == 8)
  }

  @Test(
    "a forged token is refused",
    arguments: [
      (#","damage":"signature""#, "signatureMismatch"), (#","header":{"kid":"unknown"}"#, "unknownKey"),
      (#","header":{"alg":"none"}"#, "algorithmNotAllowed"),
      (#","secret":{"publicKey":"rs256"},"algorithm":"HS256""#, "algorithmNotAllowed"),
    ])
  func forged(more: String, reason: String) throws {
    var harness = try IdentityHarness()
    let token: String
    do { token = try harness.token(more: more) } catch { throw error }
    let answer = try harness.post("/auth/verify", IdentityHarness.body(token))
    #expect(answer.status == 401)
    #expect(answer.reason == reason)
    #expect(harness.store.writes == 0)
  }

  @Test("without Apple's keys or the store the answer is 503")
  func unavailable() throws {
    var keyless = try IdentityHarness(hasKeys: false)
    let first = try keyless.signIn()
    #expect(first.status == 503)
    #expect(first.code == "temporarily_unavailable")
    #expect(first.reason == "keysUnavailable")
    #expect(first.record.outcome == .failure)
    #expect(keyless.store.writes == 0)
    var harness = try IdentityHarness()
    for failure: (StoreError) in [.unavailable("x"), .refused("x"), .unreadable("x")] {
      harness.store.failure = failure
      let answer = try harness.signIn()
      #expect(answer.status == 503)
      #expect(answer.reason == failure.code)
      #expect(!answer.bodyText.contains("store"))
    }
  }
}
