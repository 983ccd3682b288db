import Testing
import UserStore
import Withdrawals

@testable import Identity

@Suite("POST /auth/logout")
struct LogoutTests {
  /// The context of the authorizer with all kinds.
  static let context =
    #""sub":"alice","issuer":"acme","revocationIssuer":"https://id.example.com","revocationSub":"alice","#
    + #""revocationSid":"s1","revocationOriginJti":"o1","revocationJti":"j1""#

  static func without(_ names: String...) -> String {
    context.split(separator: ",").filter { member in !names.contains { member.hasPrefix("\"\($0)\":") } }
      .joined(separator: ",")
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let fact: String
    var context: String? = LogoutTests.context
    var body: String?
    var type: String? = "application/json"
    let status: Int64
    var reason: String?
    var withdraws: String?
    var testDescription: String { fact }
  }

  @Test(
    "it ends the caller's tokens until now",
    arguments: [
      Row(fact: "without a body: the user", status: 204, withdraws: "sub alice"),
      Row(fact: "an empty body", body: "", status: 204, withdraws: "sub alice"),
      Row(fact: "an empty object", body: "{}", status: 204, withdraws: "sub alice"),
      Row(fact: "session false", body: #"{"session":false}"#, status: 204, withdraws: "sub alice"),
      Row(fact: "session: sid", body: #"{"session":true}"#, status: 204, withdraws: "sid s1"),
      Row(
        fact: "session without sid: origin_jti", context: without("revocationSid"),
        body: #"{"session":true}"#,
        status: 204, withdraws: "origin_jti o1"),
      Row(
        fact: "session without both: jti", context: without("revocationSid", "revocationOriginJti"),
        body: #"{"session":true}"#, status: 204, withdraws: "jti j1"),
      Row(
        fact: "session with nothing to end",
        context: without("revocationSid", "revocationOriginJti", "revocationJti"), body: #"{"session":true}"#,
        status: 409, reason: "notWithdrawable"),
      Row(
        fact: "sub is not looked up", context: without("revocationSub"), status: 409,
        reason: "notWithdrawable"),
      Row(
        fact: "an empty sub", context: without("revocationSub") + #","revocationSub":"""#, status: 409,
        reason: "notWithdrawable"),
      Row(
        fact: "the list form of issuers", context: #""sub":"alice","issuer":"acme""#, status: 409,
        reason: "notWithdrawable"),
      Row(fact: "no authorizer", context: nil, status: 401, reason: "noCaller"),
      Row(fact: "a guest", context: #""principalId":"guest""#, status: 401, reason: "noCaller"),
      Row(
        fact: "a form of another site", body: "session=true", type: "application/x-www-form-urlencoded",
        status: 415, reason: "unsupportedMediaType"),
      Row(
        fact: "a form as text", body: "{}", type: "text/plain", status: 415, reason: "unsupportedMediaType"),
      Row(fact: "no type", type: nil, status: 415, reason: "unsupportedMediaType"),
      Row(fact: "no JSON", body: "x", status: 400, reason: "bodyNotJSON"),
      Row(fact: "a list", body: "[]", status: 400, reason: "bodyNotAnObject"),
      Row(
        fact: "session is no boolean", body: #"{"session":"true"}"#, status: 400, reason: "malformedMember"),
      Row(fact: "another member", body: #"{"all":true}"#, status: 400, reason: "unknownMember"),
    ], PayloadFormat.allCases)
  func logOut(row: Row, format: PayloadFormat) throws {
    var harness = try IdentityHarness()
    let answer = try harness.send(
      ProxyEvent(
        format, method: "POST", path: "/auth/logout", body: row.body, contentType: row.type,
        context: row.context.map { "{\($0)}" }))
    #expect(answer.status == row.status)
    #expect(answer.reason == row.reason)
    #expect(harness.store.writes == (row.withdraws == nil ? 0 : 1))
    let found = harness.store.lastOrder?.withdrawals.map {
      "\($0.key.kind.claim) \(String(decoding: $0.key.value, as: UTF8.self))"
    }
    #expect(found == row.withdraws.map { [$0] })
    if row.withdraws != nil {
      #expect(answer.bodyText.isEmpty)
      #expect(harness.store.lastOrder?.withdrawals.map(\.eventMilliseconds) == [harness.now])
      #expect(
        harness.store.lastOrder?.withdrawals.map(\.key.issuer) == [Array("https://id.example.com".utf8)])
    }
    if row.status == 409 { #expect(answer.code == "not_withdrawable") }
  }

  @Test("the routes of Sign in with Apple do not exist without its audiences, and that of logout does")
  func withoutApple() throws {
    var source = InMemorySource()
    source.variables["IDENTITY_CONFIG"] = #"{"receivers":[],"store":{"sqlite":{"path":"users.sqlite"}}}"#
    let settings = try IdentitySettings(reading: source)
    var service = IdentityService(
      settings, store: ScriptedStore(), transport: NoNetwork(), at: 1_795_000_000)
    let inputs = try IdentityHarness().inputs
    for (method, path, status) in [
      ("POST", "/auth/verify", 404), ("POST", "/auth/nonce", 404), ("POST", "/auth/apple/notifications", 404),
      ("GET", "/users/me", 404), ("POST", "/auth/logout", 204),
    ] as [(String, String, Int64)] {
      let event = ProxyEvent(method: method, path: path, context: "{\(Self.context)}")
      #expect(try service.answer(to: event.bytes, inputs).status == status, "\(path)")
    }
  }
}
