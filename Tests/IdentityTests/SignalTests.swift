import JSON
import Testing
import UserStore
import UserStoreContract
import Withdrawals

@testable import Identity

@Suite("Signals of senders")
struct SignalTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let fact: String
    var changes: [String: String] = [:]
    var type: String?
    var receiver = "idp"
    /// `nil` for a 200 or 202.
    var error: String?
    var reason: String?
    /// What is withdrawn, without the issuer of `idp`.
    var withdraws: [String] = []
    var testDescription: String { fact }

    static func good(
      _ fact: String, _ changes: [String: String] = [:], type: String? = nil, to receiver: String = "idp",
      ends withdraws: String...
    ) -> Row {
      Row(fact: fact, changes: changes, type: type, receiver: receiver, withdraws: withdraws)
    }

    static func bad(
      _ fact: String, _ changes: [String: String] = [:], type: String? = nil, to receiver: String = "idp",
      _ reason: String, as error: String = "invalid_request"
    ) -> Row {
      Row(fact: fact, changes: changes, type: type, receiver: receiver, error: error, reason: reason)
    }
  }

  static let issuer = SignalHarness.issuer
  static let other = "http://schemas.openid.net/event/other"
  static let logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

  static let hub = ["iss": "\"https://bridge.example.com\""]

  /// OpenID Connect Back-Channel Logout 1.0.
  static let logouts: [Row] = [
    Row.good("2.4: sub without sid ends all sessions of the user", ends: "\(issuer) sub alice -5"),
    Row.good("2.4: sid ends the session alone", ["sid": "\"s1\""], ends: "\(issuer) sid s1 -5"),
    Row.good("2.4: sid without sub", ["sid": "\"s1\"", "sub": ""], ends: "\(issuer) sid s1 -5"),
    Row.good("2.4: aud may be a list", ["aud": #"["x","client"]"#], ends: "\(issuer) sub alice -5"),
    Row.good(
      "2.4: typ JWT, because explicit typing is recommended only", type: "JWT", ends: "\(issuer) sub alice -5"
    ),
    Row.good("2.4: no typ", type: "", ends: "\(issuer) sub alice -5"),
    Row.good(
      "2.4: the event's object should be empty", ["events": #"{"\#(logoutEvent)":{"x":1}}"#],
      ends: "\(issuer) sub alice -5"),
    Row.good(
      "2.4: other events may be there too", ["events": #"{"\#(logoutEvent)":{},"\#(other)":{}}"#],
      ends: "\(issuer) sub alice -5"),
    Row.good("2.4: other claims are ignored", ["trace_id": "1"], ends: "\(issuer) sub alice -5"),
    Row.good(
      "an iat in the future, within the leeway, is that of the issuer's clock",
      ["iat": "\"+5m\"", "exp": "\"+6m\""],
      ends: "\(issuer) sub alice 300"),
    Row.good(
      "an issuer without users of its own ends those of all users, until now by our clock", hub, to: "bridge",
      ends: "https://a.example.com/ sub alice 0", "https://b.example.com sub alice 0"),
    Row.good(
      "until then by its own, if that is ahead", with(hub, ["iat": "\"+30s\""]), to: "bridge",
      ends: "https://a.example.com/ sub alice 30", "https://b.example.com sub alice 30"),
    Row.good(
      "or if it tells it late", with(hub, ["iat": "\"-301s\""]), to: "bridge",
      ends: "https://a.example.com/ sub alice -301", "https://b.example.com sub alice -301"),
    Row.bad("2.6.3: alg none", ["alg": "\"none\""], "algorithmNotAllowed"),
    Row.bad("2.6.4: iss of another issuer", ["iss": "\"https://evil.example.com\""], "wrongIssuer"),
    Row.bad("2.6.4: iss is compared exactly", ["iss": "\"\(issuer)/\""], "wrongIssuer"),
    Row.bad("2.6.4: no iss", ["iss": ""], "missingClaim"),
    Row.bad("2.6.4: aud of another client", ["aud": "\"other\""], "wrongAudience"),
    Row.bad("2.6.4: no aud", ["aud": ""], "missingClaim"),
    Row.bad("2.6.4: exp has passed", ["exp": "\"-5m\""], "expired"),
    Row.bad("2.6.4: no exp", ["exp": ""], "missingClaim"),
    Row.bad("2.6.4: no iat", ["iat": ""], "missingClaim"),
    Row.bad("2.6.4: iat in the future", ["iat": "\"+301s\"", "exp": "\"+2h\""], "issuedInFuture"),
    Row.bad("older than its jti is remembered", ["iat": "\"-30d\""], "tooOld"),
    Row.bad("2.6.5: neither sub nor sid", ["sub": ""], "missingClaim"),
    Row.bad("2.6.5: sub is no text", ["sub": "1"], "malformedClaim"),
    Row.bad("2.6.5: sid is no text", ["sid": "{}"], "malformedClaim"),
    Row.bad("2.6.5: sid is empty", ["sid": "\"\""], "malformedClaim"),
    Row.bad("2.6.6: no events, as in an ID token", ["events": ""], "missingClaim"),
    Row.bad("2.6.6: events is no object", ["events": "[\"\(logoutEvent)\"]"], "malformedClaim"),
    Row.bad("2.6.6: events without the logout", ["events": "{\"\(other)\":{}}"], "wrongType"),
    Row.bad("2.6.6: the logout is no object", ["events": "{\"\(logoutEvent)\":true}"], "malformedClaim"),
    Row.bad("2.6.7: nonce is prohibited", ["nonce": "\"n\""], "wrongType"),
    Row.bad("2.4: no jti", ["jti": ""], "missingClaim"),
    Row.bad("2.4: typ of an access token", type: "at+jwt", "wrongType"),
    Row.bad("2.4: typ of a security event token", type: "secevent+jwt", "wrongType"),
    Row.bad("a token of another receiver", to: "bridge", "wrongIssuer"),
  ]

  @Test("a logout token, by OpenID Connect Back-Channel Logout 1.0", arguments: logouts)
  func logout(row: Row) throws { try check(row, .logout, status: 200, member: "error") }

  private static let caep = "https://schemas.openid.net/secevent/caep/event-type/"
  private static let risc = "https://schemas.openid.net/secevent/risc/event-type/"
  private static let ssf = "https://schemas.openid.net/secevent/ssf/event-type/"

  static func event(_ name: String, _ payload: String = "{}") -> [String: String] {
    ["events": #"{"\#(name)":\#(payload)}"#]
  }

  static func with(_ first: [String: String], _ second: [String: String]) -> [String: String] {
    first.merging(second) { $1 }
  }

  static func subject(_ subject: String) -> [String: String] { ["sub_id": subject] }

  static func user(_ issuer: String, _ more: String = "") -> String {
    #"{"format":"iss_sub","iss":"\#(issuer)","sub":"alice"\#(more)}"#
  }

  static let session =
    #"{"format":"complex","user":\#(user(issuer)),"session":{"format":"opaque","id":"s1"}}"#

  /// RFC 8417, RFC 9493, CAEP 1.0, RISC 1.0, and the Shared Signals Framework 1.0 (SSF).
  static let withdrawing: [String] = [
    caep + "session-revoked", caep + "credential-change", risc + "account-disabled", risc + "account-purged",
    risc + "account-credential-change-required", risc + "sessions-revoked",
  ]

  static var kinds: [Row] {
    withdrawing.flatMap { (name: String) -> [Row] in
      [
        Row.good("CAEP 3, RISC 2: \(name)", event(name), ends: "\(issuer) sub alice -5"),
        Row.good(
          "CAEP 3, RISC 2: \(name), with a session", with(event(name), subject(session)),
          ends: "\(issuer) " + (name == caep + "session-revoked" ? "sid s1 -5" : "sub alice -5")),
      ]
    }
  }

  static let accepted: [Row] = [
    Row.good(
      "CAEP 2: event_timestamp", event(caep + "session-revoked", #"{"event_timestamp":1794999990}"#),
      ends: "\(issuer) sub alice -10"),
    Row.good(
      "CAEP 2: event_timestamp with a fraction",
      event(caep + "session-revoked", #"{"event_timestamp":1794999989.5}"#), ends: "\(issuer) sub alice -10"),
    Row.good("RFC 8417 2.2: toe", ["toe": "1794999980"], ends: "\(issuer) sub alice -20"),
    Row.good("a time in the future counts as iat", ["toe": "1795000100"], ends: "\(issuer) sub alice -5"),
    Row.good("so does one in milliseconds", ["toe": "1795000000000"], ends: "\(issuer) sub alice -5"),
    Row.good(
      "an iat in the future is that of the issuer's clock", ["iat": "\"+2m\"", "toe": "1795000300"],
      ends: "\(issuer) sub alice 120"),
    Row.good(
      "no event is later than its token", ["iat": "\"-5s\"", "toe": "1794999998"],
      ends: "\(issuer) sub alice -5"),
    Row.good("a time of any size", ["toe": "9223372036854775807"], ends: "\(issuer) sub alice -5"),
    Row.good("four weeks late", ["iat": "\"-28d\""], ends: "\(issuer) sub alice -2419200"),
    Row.good("SSF 4.1: aud may be a list", ["aud": #"["x","client"]"#], ends: "\(issuer) sub alice -5"),
    Row.good(
      "RFC 8417 2.2: several names of one event",
      ["events": #"{"\#(caep)session-revoked":{},"https://example.com/x":{}}"#],
      ends: "\(issuer) sub alice -5"),
    Row.good(
      "RFC 8417 2.3: typ with its prefix", type: "application/secevent+jwt", ends: "\(issuer) sub alice -5"),
    Row.good(
      "SSF 3.1: complex with a user", subject(#"{"format":"complex","user":\#(user(issuer))}"#),
      ends: "\(issuer) sub alice -5"),
    Row.good(
      "SSF 3.1: complex with a session, which ends alone",
      subject(session), ends: "\(issuer) sid s1 -5"),
    Row.good(
      "a session that ended with its account",
      with(
        subject(session),
        ["events": #"{"\#(caep)session-revoked":{},"\#(risc)account-disabled":{"reason":"hijacking"}}"#]),
      ends: "\(issuer) sub alice -5"),
    Row.good(
      "an event of an account names no session",
      with(
        event(risc + "account-purged"),
        subject(#"{"format":"complex","user":\#(user(issuer)),"session":{"format":"email","email":"x@y.z"}}"#)
      ),
      ends: "\(issuer) sub alice -5"),
    Row.good(
      "a user of another issuer of users, until now by our clock", subject(user("https://appleid.apple.com")),
      ends: "https://appleid.apple.com sub alice 0"),
    Row.good(
      "or until then, if it is told late",
      with(subject(user("https://appleid.apple.com")), ["toe": "1794999699"]),
      ends: "https://appleid.apple.com sub alice -301"),
    Row.good(
      "an issuer spelled with a last slash", subject(user(issuer + "/")), ends: "\(issuer) sub alice -5"),
    Row.good(
      "an issuer spelled without it",
      with(
        ["iss": "\"https://bridge.example.com\""], subject(user("https://a.example.com"))), to: "bridge",
      ends: "https://a.example.com/ sub alice 0"),
    Row.good(
      "SSF 8.1.4: a verification",
      with(event(ssf + "verification", #"{"state":"x"}"#), subject(#"{"format":"opaque","id":"stream"}"#))),
    Row.good("CAEP 3: an event that ends nothing", event(caep + "device-compliance-change")),
    Row.good("RISC 2: an event that ends nothing", event(risc + "account-enabled")),
  ]

  static let refused: [Row] = [
    Row.bad("RFC 8417 2.3: no typ", type: "", "wrongType"),
    Row.bad("RFC 8417 2.3: typ JWT", type: "JWT", "wrongType"),
    Row.bad("a logout token", type: "logout+jwt", "wrongType"),
    Row.bad("SSF 4.1: sub is prohibited", ["sub": "\"alice\""], "wrongType"),
    Row.bad("SSF 4.1: exp is prohibited", ["exp": "\"+1h\""], "wrongType"),
    Row.bad("RFC 7519 4.1.4: exp has passed", ["exp": "\"-1h\""], "expired"),
    Row.bad("RFC 8417 2.2: no jti", ["jti": ""], "missingClaim"),
    Row.bad("RFC 8417 2.2: no iat", ["iat": ""], "missingClaim"),
    Row.bad("RFC 7519 4.1.6: iat in the future", ["iat": "\"+301s\""], "issuedInFuture"),
    Row.bad("older than its jti is remembered", ["iat": "\"-30d\""], "tooOld"),
    Row.bad("RFC 8417 2.2: no events", ["events": ""], "missingClaim"),
    Row.bad("RFC 8417 2.2: events is no object", ["events": "\"x\""], "malformedClaim"),
    Row.bad("RFC 8417 2.2: events is empty", ["events": "{}"], "malformedClaim"),
    Row.bad("RFC 8417 2.2: a payload is no object", event(caep + "session-revoked", "1"), "malformedClaim"),
    Row.bad(
      "CAEP 2: event_timestamp is no number",
      event(caep + "session-revoked", #"{"event_timestamp":"x"}"#), "malformedClaim"),
    Row.bad("RFC 8417 2.2: toe is negative", ["toe": "-1"], "malformedClaim"),
    Row.bad(
      "RFC 8935 2.4: another issuer", ["iss": "\"https://evil.example.com\""], "wrongIssuer",
      as: "invalid_issuer"),
    Row.bad("RFC 8935 2.4: another audience", ["aud": "\"x\""], "wrongAudience", as: "invalid_audience"),
    Row.bad("RFC 9493 3: no sub_id", ["sub_id": ""], "subjectNotSupported"),
    Row.bad("RFC 9493 3: sub_id is no object", subject("\"alice\""), "subjectNotSupported"),
    Row.bad(
      "RFC 9493 3.2.2: email", subject(#"{"format":"email","email":"a@example.com"}"#),
      "subjectNotSupported"),
    Row.bad("RFC 9493 3.2.4: opaque", subject(#"{"format":"opaque","id":"x"}"#), "subjectNotSupported"),
    Row.bad(
      "RFC 9493 3.2.3: iss_sub without sub", subject(#"{"format":"iss_sub","iss":"\#(issuer)"}"#),
      "subjectNotSupported"),
    Row.bad(
      "SSF 3.1: complex without a user",
      subject(#"{"format":"complex","session":{"format":"opaque","id":"s1"}}"#), "subjectNotSupported"),
    Row.bad(
      "SSF 3.1: complex for one device",
      subject(#"{"format":"complex","user":\#(user(issuer)),"device":{"format":"opaque","id":"d"}}"#),
      "subjectNotSupported"),
    Row.bad(
      "SSF 3.1: a session of another form",
      subject(#"{"format":"complex","user":\#(user(issuer)),"session":{"format":"email","email":"x@y.z"}}"#),
      "subjectNotSupported"),
    Row.bad(
      "SSF 3.1: a subject in the event, as in drafts",
      with(["sub_id": ""], event(caep + "session-revoked", #"{"subject":\#(user(issuer))}"#)),
      "subjectNotSupported"),
    Row.bad(
      "one sender never ends another issuer's users", subject(user("https://b.example.com")),
      "subjectNotSupported"),
    Row.bad(
      "issuers are not compared by their beginning", subject(user(issuer + "//")), "subjectNotSupported"),
  ]

  @Test("a security event token, by RFC 8417, CAEP 1.0 and RISC 1.0", arguments: kinds + accepted + refused)
  func event(row: Row) throws { try check(row, .event, status: 202, member: "err") }

  private func check(_ row: Row, _ kind: SignalKind, status: Int64, member: String) throws {
    var harness = try SignalHarness()
    var token = try harness.token(kind, row.changes, type: row.type)
    if row.changes["alg"] != nil { token = "eyJhbGciOiJub25lIn0." + token.split(separator: ".")[1] + "." }
    let answer = try harness.send(kind, token, to: row.receiver)
    #expect(answer.reason == row.reason)
    #expect(answer.headers?["Cache-Control"] == .string("no-store"))
    if let error = row.error {
      #expect(answer.status == 400)
      #expect(answer.body?[member] == .string(error))
      #expect(answer.body?[member == "err" ? "description" : "error_description"] != nil)
      // RFC 8935 section 2.3
      #expect(answer.headers?["Content-Language"] == (member == "err" ? .string("en") : nil))
      #expect(harness.store.writes == 0)
    } else {
      #expect(answer.status == status)
      #expect(answer.bodyText.isEmpty)
      #expect(answer.headers?["Content-Language"] == nil)
      #expect(harness.withdrawn == row.withdraws)
    }
  }

  @Test("a repeated token changes nothing, also with another subject", arguments: SignalKind.allCases)
  func once(kind: SignalKind) throws {
    var harness = try SignalHarness()
    let token = try harness.token(kind)
    #expect(try harness.send(kind, token).record.outcome == .recorded)
    #expect(try harness.send(kind, token).record.outcome == .seenBefore)
    // The identifier is unique for each receiver: another one may get the same.
    let other = try harness.token(
      kind, ["iss": "\"https://bridge.example.com\"", "sub_id": Self.user("https://b.example.com")])
    #expect(try harness.send(kind, other, to: "bridge").record.outcome == .recorded)
    // So may a message of the other kind.
    let second: SignalKind = kind == .event ? .logout : .event
    #expect(try harness.send(second, try harness.token(second)).record.outcome == .recorded)
  }

  @Test("an older event never replaces a later one", arguments: SignalKind.allCases)
  func older(kind: SignalKind) throws {
    var harness = try SignalHarness()
    for (jti, iat) in [("1", "-5s"), ("2", "-9s")] {
      let token = try harness.token(kind, ["jti": "\"\(jti)\"", "iat": "\"\(iat)\""])
      #expect(try harness.send(kind, token).record.outcome == .recorded)
    }
    let key = WithdrawalKey(
      issuer: Array(Self.issuer.utf8), kind: .subject, value: Array("alice".utf8))
    #expect(harness.store.contents.withdrawnMilliseconds(of: key) == harness.service.now - 5000)
  }

  @Test(
    "while the store fails the answer is 503, and the next attempt is recorded",
    arguments: SignalKind.allCases)
  func storeDown(kind: SignalKind) throws {
    var harness = try SignalHarness()
    let token = try harness.token(kind)
    harness.store.failure = .unavailable("it is not there")
    let answer = try harness.send(kind, token)
    #expect(answer.status == 503)
    #expect(answer.reason == "storeUnavailable")
    harness.store.failure = nil
    #expect(try harness.send(kind, token).record.outcome == .recorded)
  }

  @Test(
    "an unsigned, foreign or changed token is refused before anything is written",
    arguments: SignalKind.allCases)
  func signature(kind: SignalKind) throws {
    for (keyID, damage, reason) in [
      (nil, #","damage":"signature""#, "signatureMismatch"), ("absent", "", "unknownKey"),
      (nil, #","algorithm":"ES256""#, "algorithmNotAllowed"),
    ] {
      var harness = try SignalHarness()
      let answer = try harness.send(kind, try harness.token(kind, keyID: keyID, more: damage))
      #expect(answer.status == 400)
      #expect(answer.reason == reason)
      #expect(answer.body?["err"] == (kind == .event ? .string("invalid_key") : nil))
      #expect(harness.store.writes == 0)
    }
  }
}
