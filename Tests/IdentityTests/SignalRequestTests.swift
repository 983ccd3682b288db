import FunctionHost
import JSON
import Testing
import UserStore
import UserStoreContract

@testable import Identity

@Suite("Requests of senders")
struct SignalRequestTests {
  struct Request: Sendable, CustomTestStringConvertible {
    let fact: String
    var path = "/signals/idp/logout"
    var method = "POST"
    var body = "logout_token=TOKEN"
    var type: String? = "application/x-www-form-urlencoded"
    let status: Int64
    let reason: String?
    var testDescription: String { fact }
  }

  @Test(
    "a request is what its protocol says",
    arguments: [
      Request(
        fact: "2.5: other fields are ignored", body: "a=b&logout_token=TOKEN&c", status: 200, reason: nil),
      Request(
        fact: "2.5: a field in percent-encoding", body: "logout%5Ftoken=TOKEN", status: 200, reason: nil),
      Request(
        fact: "2.5: with a charset", type: "application/x-www-form-urlencoded; charset=UTF-8", status: 200,
        reason: nil),
      Request(fact: "2.5: no field", body: "token=TOKEN", status: 400, reason: "missingMember"),
      Request(fact: "2.5: an empty field", body: "logout_token=", status: 400, reason: "missingMember"),
      Request(
        fact: "2.5: two fields", body: "logout_token=TOKEN&logout_token=TOKEN", status: 400,
        reason: "malformedMember"),
      Request(fact: "2.5: JSON", type: "application/json", status: 400, reason: "unsupportedMediaType"),
      Request(fact: "2.5: no type", type: nil, status: 400, reason: "unsupportedMediaType"),
      Request(
        fact: "2.8: a large body", body: String(repeating: "a", count: 1 << 20), status: 400,
        reason: "bodyTooLarge"),
      Request(fact: "no such receiver", path: "/signals/absent/logout", status: 404, reason: "unknownPath"),
      Request(
        fact: "a kind that is not accepted", path: "/signals/closed/logout", status: 404,
        reason: "unknownPath"),
      Request(fact: "no such signal", path: "/signals/idp/other", status: 404, reason: "unknownPath"),
      Request(fact: "a longer path", path: "/signals/idp/logout/x", status: 404, reason: "unknownPath"),
      Request(fact: "another method", method: "GET", status: 405, reason: "methodNotAllowed"),
      Request(
        fact: "RFC 8935 2: another type", path: "/signals/idp/events", body: "TOKEN", type: "application/jwt",
        status: 400, reason: "unsupportedMediaType"),
      Request(
        fact: "RFC 8935 2: an empty body", path: "/signals/idp/events", body: "",
        type: "application/secevent+jwt", status: 400, reason: "malformedToken"),
    ])
  func request(row: Request) throws {
    var harness = try SignalHarness()
    let token = try harness.token(.logout)
    let answer = try harness.service.send(
      ProxyEvent(
        method: row.method, path: row.path, body: row.body.replacing("TOKEN", with: token),
        contentType: row.type))
    #expect(answer.status == row.status)
    #expect(answer.reason == row.reason)
    #expect((harness.store.writes == 0) == (row.reason != nil))
  }

  @Test(
    "Authorization is compared first, as a whole",
    arguments: [
      (IdentityHarness.secret, nil), (nil, "wrongAuthorization"), ("", "wrongAuthorization"),
      ("Bearer " + IdentityHarness.secret, "wrongAuthorization"),
      (String(IdentityHarness.secret.dropLast()), "wrongAuthorization"),
      (IdentityHarness.secret + "x", "wrongAuthorization"),
    ] as [(String?, String?)])
  func authorization(value: String?, reason: String?) throws {
    var harness = try SignalHarness()
    for body in [try harness.token(.event), "x"] {
      var event = ProxyEvent(
        method: "POST", path: "/signals/closed/events", body: body, contentType: "application/secevent+jwt")
      event.authorization = value
      let answer = try harness.service.send(event)
      #expect(answer.reason == (reason ?? (body == "x" ? "malformedToken" : nil)))
      if reason != nil {
        #expect(answer.status == 400)
        #expect(answer.body?["err"] == .string("authentication_failed"))
        #expect(harness.store.writes == 0)
      }
    }
  }

  @Test(
    "a refused signal that its sender signed is an error in the log, and nothing else is",
    arguments: [
      ([:], "", .info), (["aud": "\"other\""], "", .error), (["jti": ""], "", .error),
      (["jti": "\"\(String(repeating: "j", count: 256))\""], "", .error), (["events": "[]"], "", .error),
      (["aud": "\"other\""], #","damage":"signature""#, .info), (["iat": "\"+1h\"", "exp": ""], "", .info),
      // A token that the issuer gives to any user.
      (["events": ""], "", .info), (["events": "", "aud": "\"other\""], "", .info),
    ] as [([String: String], String, LogLevel)])
  func level(changes: [String: String], damage: String, level: LogLevel) throws {
    for kind in SignalKind.allCases {
      var harness = try SignalHarness()
      let answer = try harness.send(kind, try harness.token(kind, changes, more: damage))
      #expect(answer.record.level == level, "\(kind)")
    }
    var harness = try SignalHarness()
    let unknown = try harness.token(.event, ["sub_id": ""])
    #expect(try harness.send(.event, unknown).record.level == .error)
    let event = try harness.token(
      .event,
      [
        "events":
          #"{"https://schemas.openid.net/secevent/caep/event-type/session-revoked":{"event_timestamp":null}}"#
      ])
    #expect(try harness.send(.event, event).record.level == .error)
    harness.store.failure = .unavailable("it is not there")
    #expect(try harness.send(.event, try harness.token(.event)).record.level == .error)
  }
}
