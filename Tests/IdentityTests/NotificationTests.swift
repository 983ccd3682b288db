import JSON
import Testing
import UserStore
import UserStoreContract

@testable import Identity

@Suite("Apple's notifications")
struct NotificationTests {
  static let path = "/auth/apple/notifications"

  static func body(_ payload: String) -> String { #"{"payload":"\#(payload)"}"# }

  @Test(
    "an event is recorded once, also if it is repeated",
    arguments: [
      ("consent-revoked", AccountEvent.Kind.revocation), ("account-delete", .revocation),
      ("account-deleted", .revocation), ("email-enabled", .relay(forwards: true)),
      ("email-disabled", .relay(forwards: false)),
    ])
  func recorded(type: String, kind: AccountEvent.Kind) throws {
    var harness = try IdentityHarness()
    let time = harness.now - 5000
    let body = Self.body(try harness.notification(harness.events(type, at: time)))
    let first = try harness.post(Self.path, body)
    #expect(first.status == 200)
    #expect(first.record.outcome == .recorded)
    #expect(
      harness.store.lastEvent
        == AccountEvent(
          identifier: Array("jti-1".utf8), subject: Array(IdentityHarness.subject.utf8), kind: kind,
          eventMilliseconds: time, receivedMilliseconds: harness.now))
    harness.now += 60_000
    let second = try harness.post(Self.path, body)
    #expect(second.status == 200)
    #expect(second.record.outcome == .seenBefore)
    let revoked = harness.store.contents.revocationMilliseconds(of: Array(IdentityHarness.subject.utf8))
    #expect(revoked == (kind == .revocation ? time : nil))
  }

  @Test("after a revocation older tokens are refused, and a newer one finds the same user")
  func revokedSignIn() throws {
    var harness = try IdentityHarness()
    let first = try harness.signIn()
    let old = IdentityHarness.body(try harness.token())
    let payload = try harness.notification(harness.events("consent-revoked", at: harness.now))
    #expect(try harness.post(Self.path, Self.body(payload)).record.outcome == .recorded)
    let refused = try harness.post("/auth/verify", old)
    #expect(refused.status == 401)
    #expect(refused.code == "invalid_credential")
    #expect(refused.reason == "revoked")
    harness.now += 1000
    let later = try harness.signIn()
    #expect(later.status == 200)
    #expect(later.data?["user_id"] == first.data?["user_id"])
  }

  @Test(
    "iat is rounded down to seconds as in the authorizer: in doubt the token is refused"
  )
  func revokedWithinSecond() throws {
    var harness = try IdentityHarness()
    let issued = harness.now / 1000 - 10
    let token = try harness.token(#""iat":\#(issued).1"#)
    let events = harness.events("consent-revoked", at: issued * 1000 + 500)
    #expect(try harness.post(Self.path, Self.body(try harness.notification(events))).status == 200)
    let answer = try harness.post("/auth/verify", IdentityHarness.body(token))
    #expect(answer.status == 401)
    #expect(answer.reason == "revoked")
  }

  @Test("an unknown event is answered with 200 and stores nothing")
  func unknown() throws {
    var harness = try IdentityHarness()
    let answer = try harness.post(Self.path, Self.body(try harness.notification(harness.events("new-type"))))
    #expect(answer.status == 200)
    #expect(answer.record.outcome == .ignored)
    #expect(harness.store.writes == 0)
  }

  @Test("unknown members of the body are ignored")
  func moreMembers() throws {
    var harness = try IdentityHarness()
    let payload = try harness.notification(harness.events("consent-revoked"))
    let answer = try harness.post(Self.path, #"{"payload":"\#(payload)","version":2}"#)
    #expect(answer.record.outcome == .recorded)
  }

  @Test("the time of an event is at most the time of its notification")
  func future() throws {
    for ahead: Int64 in [1, 86_400_000, 2_000_000_000_000] {
      var harness = try IdentityHarness()
      let events = harness.events("consent-revoked", at: harness.now + 999 + ahead)
      #expect(try harness.post(Self.path, Self.body(try harness.notification(events))).status == 200)
      #expect(harness.store.lastEvent?.eventMilliseconds == harness.now / 1000 * 1000 + 999)
    }
  }

  @Test("a time in seconds, as in Apple's example, is accepted")
  func seconds() throws {
    var harness = try IdentityHarness()
    let events = harness.events("consent-revoked", at: harness.now / 1000 - 7)
    #expect(try harness.post(Self.path, Self.body(try harness.notification(events))).status == 200)
    #expect(harness.store.lastEvent?.eventMilliseconds == harness.now - 7000)
  }

  @Test("while the store fails the answer is 503, and Apple's next attempt is recorded")
  func storeDown() throws {
    var harness = try IdentityHarness()
    let body = Self.body(try harness.notification(harness.events("consent-revoked")))
    harness.store.failure = .unavailable("it is not there")
    let first = try harness.post(Self.path, body)
    #expect(first.status == 503)
    #expect(first.reason == "storeUnavailable")
    harness.store.failure = nil
    #expect(try harness.post(Self.path, body).record.outcome == .recorded)
  }

  @Test("while keys cannot be fetched the answer is 503")
  func keysUnavailable() throws {
    var harness = try IdentityHarness(hasKeys: false)
    let body = Self.body(try harness.notification(harness.events("consent-revoked")))
    let answer = try harness.post(Self.path, body)
    #expect(answer.status == 503)
    #expect(answer.reason == "keysUnavailable")
    #expect(harness.store.writes == 0)
  }

  @Test("identity tokens are refused as notifications, and notifications as identity tokens")
  func confusion() throws {
    var harness = try IdentityHarness()
    let identity = try harness.token()
    let notification = try harness.notification(harness.events("consent-revoked"))
    let first = try harness.post(Self.path, Self.body(identity))
    #expect(first.status == 401)
    #expect(first.code == "invalid_credential")
    #expect(first.reason == "missingClaim")
    // The claim `events`, which only notifications have, distinguishes them even with a subject.
    let both = try harness.token(#""events":"{}""#)
    for (token, reason) in [(notification, "wrongType"), (both, "wrongType")] {
      let second = try harness.post("/auth/verify", IdentityHarness.body(token))
      #expect(second.status == 401)
      #expect(second.code == "invalid_credential")
      #expect(second.reason == reason)
    }
    #expect(harness.store.writes == 0)
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    var events = #"{"type":"consent-revoked","sub":"s","event_time":1795000000000}"#
    var claims = ""
    var jti = "jti-1"
    let reason: String
    var testDescription: String { "\(reason): \(claims) \(events)" }
  }

  @Test(
    "an invalid notification is refused, and nothing is stored",
    arguments: [
      Bad(events: "{", reason: "malformedClaim"), Bad(events: "[]", reason: "malformedClaim"),
      Bad(events: #"{"type":"consent-revoked","event_time":1795000000000}"#, reason: "malformedClaim"),
      Bad(events: #"{"type":"consent-revoked","sub":"s"}"#, reason: "malformedClaim"),
      Bad(events: #"{"type":"consent-revoked","sub":"s","event_time":-1}"#, reason: "malformedClaim"),
      Bad(events: #"{"type":"consent-revoked","sub":"s","event_time":1e300}"#, reason: "malformedClaim"),
      Bad(events: #"{"sub":"s","event_time":1795000000000}"#, reason: "malformedClaim"),
      Bad(
        events: #"{"type":"consent-revoked","sub":"a\nb","event_time":1795000000000}"#,
        reason: "malformedClaim"),
      Bad(claims: #""aud":"com.example.other""#, reason: "wrongAudience"),
      Bad(claims: #""iss":"https://account.apple.com""#, reason: "wrongIssuer"),
      Bad(claims: #""exp":"-2h","iat":"-3h""#, reason: "expired"),
      Bad(claims: #""exp":"+9d""#, reason: "lifetimeTooLong"),
      Bad(claims: #""iat":"+1h""#, reason: "issuedInFuture"),
      Bad(jti: "", reason: "malformedClaim"), Bad(jti: #"a\u0007"#, reason: "malformedClaim"),
    ])
  func refused(bad: Bad) throws {
    var harness = try IdentityHarness()
    let payload = try harness.notification(bad.events, jti: bad.jti, claims: bad.claims)
    let answer = try harness.post(Self.path, Self.body(payload))
    #expect(answer.status == 401)
    #expect(answer.code == "invalid_credential")
    #expect(answer.reason == bad.reason)
    #expect(harness.store.writes == 0)
  }
}
