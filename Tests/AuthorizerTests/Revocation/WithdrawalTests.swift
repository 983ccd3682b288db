import JSON
import TestSupport
import Testing
import Withdrawals

@testable import Authorizer

@Suite("Withdrawals where issuers is an object")
struct WithdrawalTests {
  static let issued = TestIssuers.now - 100

  private static func name(
    _ kind: WithdrawalKey.Kind, _ value: String, _ issuer: String = "https://id.example.com"
  )
    -> String
  {
    let key = WithdrawalKey(issuer: Array(issuer.utf8), kind: kind, value: Array(value.utf8))
    return String(decoding: (key.itemKey ?? []).dropFirst("revocation#".utf8.count), as: UTF8.self)
  }

  private static func harness(
    _ issuers: String = #"{"partner":["sub","sid","jti","origin_jti"]}"#, _ members: String = ""
  ) throws -> RevocationHarness {
    try RevocationHarness(members, issuers: issuers)
  }

  private static func token(_ claims: String = "") throws -> String {
    try TestRules.partnerToken(#""sub":"u","iat":\#(issued)\#(claims.isEmpty ? "" : "," + claims)"#)
  }

  static let all = #""sid":"s","jti":"j","origin_jti":"o""#

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let kind: WithdrawalKey.Kind
    let value: String
    let event: Int64
    let reason: ReasonCode?

    init(
      _ description: String, _ kind: WithdrawalKey.Kind, _ value: String, _ event: Int64,
      _ reason: ReasonCode?
    ) {
      (testDescription, self.kind, self.value, self.event, self.reason) = (
        description, kind, value, event, reason
      )
    }
  }

  static let rows = [
    Row("the user, at iat", .subject, "u", issued * 1000, .revoked),
    Row("the user, before iat", .subject, "u", issued * 1000 - 1, nil),
    Row("another user", .subject, "v", .max, nil),
    Row("the session, before iat", .session, "s", 0, .revoked),
    Row("another session of the user", .session, "t", .max, nil),
    Row("the token, before iat", .token, "j", 0, .revoked),
    Row("the lineage, before iat", .lineage, "o", 0, .revoked),
    Row("the value of another kind", .token, "s", .max, nil),
  ]

  @Test("sub is compared with iat; sid, jti and origin_jti end whatever has them", arguments: rows)
  func refused(_ row: Row) throws {
    var harness = try Self.harness()
    harness.store.events[Self.name(row.kind, row.value)] = row.event
    #expect(harness.decide(try Self.token(Self.all)).reason == row.reason)
    #expect(harness.store.calls.count == 1)
  }

  @Test("a subject of another issuer is another key")
  func otherIssuer() throws {
    var harness = try Self.harness()
    harness.store.events[Self.name(.subject, "u", "https://other.example.com")] = .max
    harness.store.events["u"] = .max
    #expect(harness.decide(try Self.token()).reason == nil)
  }

  @Test("one lookup has the keys of the token in the order of the configuration, each once")
  func oneLookup() throws {
    var harness = try Self.harness()
    harness.decide(try Self.token(Self.all))
    let names = [
      Self.name(.subject, "u"), Self.name(.session, "s"), Self.name(.token, "j"), Self.name(.lineage, "o"),
    ]
    #expect(harness.store.calls == [names.joined(separator: " ")])
  }

  @Test(
    "users of Sign in with Apple are looked up in both forms, unless their subject could be a key",
    arguments: [("u", true), ("2#u", false)])
  func apple(_ subject: String, _ hasFirst: Bool) throws {
    var harness = try Self.harness(#"{"apple":["sub"]}"#)
    let token = try TestIssuers.token(
      #""preset":"apple","claims":{"aud":"com.example.app","sub":"\#(subject)"}"#)
    harness.store.events[subject] = .max
    #expect(harness.decide(token).reason == (hasFirst ? .revoked : nil))
    let second = Self.name(.subject, subject, "https://appleid.apple.com")
    #expect(harness.store.calls == [hasFirst ? second + " " + subject : second])
    #expect(harness.decide(try Self.token()).reason == nil)
    #expect(harness.store.calls.count == 1)
  }

  @Test(
    "a claim that is absent is not looked up and logged; a required one is revoked; one that is no text is malformed",
    arguments: [
      (#""sid":"s""#, nil, "origin_jti"), ("", .revoked, ""), (#""sid":1"#, .malformedClaim, ""),
      (#""sid":"""#, .malformedClaim, ""),
      (#""sid":null"#, .malformedClaim, ""), (#""sid":"s","jti":["j"]"#, .malformedClaim, ""), (all, nil, ""),
    ] as [(String, ReasonCode?, String)])
  func absent(_ claims: String, _ reason: ReasonCode?, _ notLookedUp: String) throws {
    var harness = try Self.harness(
      #"{"partner":{"keys":["sid","jti","origin_jti"],"required":["sid"]}}"#)
    let decision = harness.decide(try Self.token(claims))
    #expect(decision.reason == reason)
    #expect(decision.notLookedUp.map(\.claim).joined(separator: " ") == notLookedUp)
    #expect(harness.store.calls.count == (reason == nil ? 1 : 0))
    if reason != nil { #expect(decision.detail?.contains(claims.contains("jti") ? "jti" : "sid") == true) }
  }

  @Test("a token without any of the keys is allowed without a request, if none is required")
  func nothing() throws {
    var harness = try Self.harness(#"{"partner":["sid"]}"#)
    harness.store.outage = "down"
    let decision = harness.decide(try Self.token())
    #expect(decision.reason == nil && decision.notLookedUp == [.session])
    #expect(harness.store.calls == [])
  }

  @Test("each key has its own cached state, and a fresh withdrawal needs no request")
  func cache() throws {
    var harness = try Self.harness(#"{"partner":["sub","sid"]}"#)
    let (a, b) = (try Self.token(#""sid":"a""#), try Self.token(#""sid":"b""#))
    let (user, sidA, sidB) = (Self.name(.subject, "u"), Self.name(.session, "a"), Self.name(.session, "b"))
    harness.decide(a)
    harness.decide(b, at: 10)
    #expect(harness.store.calls == [user + " " + sidA, sidB])
    // The user's state is stale at 30 s, that of the second session is not.
    harness.decide(b, at: 30)
    #expect(harness.store.calls.last == user)
    harness.store.events[sidB] = 1
    // After the answer, what has passed half of its time: the session since 10 s.
    harness.decide(b, at: 31, refreshes: true)
    #expect(harness.store.calls.last == sidB)
    #expect(harness.decide(b, at: 31).reason == .revoked)
    #expect(harness.decide(a, at: 31).reason == nil)
    harness.store.outage = "down"
    // Although the user's state is stale, the session's is fresh and refuses.
    #expect(harness.decide(b, at: 60).reason == .revoked)
    #expect(harness.decide(a, at: 90).reason == .storeUnavailable)
  }

  @Test("without the store, a last known state is used only if every key has one")
  func lastKnown() throws {
    var harness = try Self.harness(#"{"partner":["sub","sid"]}"#, #","lastKnownSeconds":100"#)
    let (a, b) = (try Self.token(#""sid":"a""#), try Self.token(#""sid":"b""#))
    harness.decide(a)
    harness.store.outage = "down"
    #expect(harness.decide(a, at: 40).reason == nil)
    #expect(harness.decide(b, at: 40).reason == .storeUnavailable)
    #expect(harness.decide(a, at: 130).reason == .storeUnavailable)
  }

  private static func context(_ decision: Decision) throws -> JSONTree? {
    guard case .response(let bytes) = decision.answer else { return nil }
    return try JSONTree(parsing: bytes, limits: .token)["context"]
  }

  @Test("the context has the issuer and the configured keys, where issuers is an object")
  func context() throws {
    let issuers = #"{"partner":["sub","sid","origin_jti"]}"#
    var harness = try Self.harness(issuers)
    let context = try #require(try Self.context(harness.decide(try Self.token(#""sid":"s","jti":"j""#))))
    #expect(context["revocationIssuer"] == .string("https://id.example.com"))
    #expect(context["revocationSub"] == .string("u"))
    #expect(context["revocationIat"] == .integer(Self.issued))
    #expect(context["revocationSid"] == .string("s"))
    #expect(context["revocationJti"] == nil && context["revocationOriginJti"] == nil)
    // A value that could end a header is left out.
    let split = try #require(try Self.context(harness.decide(try Self.token(#""sid":"s\r\nx""#))))
    #expect(split["revocationSid"] == nil)
    var list = try RevocationHarness()
    let plain = try #require(try Self.context(list.decide(try Self.token(Self.all))))
    #expect(
      plain["revocationIssuer"] == nil && plain["revocationSid"] == nil && plain["revocationIat"] == nil)
    var session = try Self.harness(#"{"partner":["sid"]}"#)
    let other = try #require(try Self.context(session.decide(try Self.token(#""sid":"s""#))))
    #expect(other["revocationSid"] == .string("s") && other["revocationIat"] == nil)
  }

  static let refusals = Fact.table(
    #"""
    {}
      revocation.issuers: at least one issuer is expected, such as {"apple": ["sub"]}
    {"nobody":["sub"]}
      revocation.issuers.nobody: no issuer has this name
    {"partner":[]}
      revocation.issuers.partner: a non-empty list of sub, sid, jti and origin_jti is expected, or {"keys": …, "required": …}
    {"partner":"sub"}
      revocation.issuers.partner: a non-empty list of sub, sid, jti and origin_jti is expected, or {"keys": …, "required": …}
    {"partner":["sub","SID","sub",1]}
      revocation.issuers.partner[1]: one of sub, sid, jti, origin_jti is expected
      revocation.issuers.partner[2]: duplicate
      revocation.issuers.partner[3]: one of sub, sid, jti, origin_jti is expected
    {"partner":{}}
      revocation.issuers.partner.keys: a non-empty list of sub, sid, jti and origin_jti is expected
    {"partner":{"keys":["sub"],"required":["sid"],"require":[]}}
      revocation.issuers.partner.required[0]: sid is not looked up; add it to "keys"
      revocation.issuers.partner.require: unknown member, did you mean "required"?
    {"partner":{"keys":["sub"],"required":[]}}
      revocation.issuers.partner.required: a non-empty list of sub, sid, jti and origin_jti is expected
    """#)

  @Test("invalid values are refused, all at once", arguments: refusals)
  func invalid(_ fact: Fact) throws {
    let text = TestRules.configuration(#""revocation":{"file":"a","issuers":\#(fact.subject)}"#)
    #expect(try SettingsRefusalTests.problems(inline: text) == fact.expected)
  }

  @Test("the first issuer of the entry is the issuer of the keys")
  func lookups() throws {
    let settings = try TestRules.settings(
      #""revocation":{"file":"a","issuers":{"apple":["sub"],"partner":{"keys":["sub","sid"],"required":["sid"]}}}"#
    )
    let lookups = try #require(settings.revocation?.lookups)
    #expect(lookups.map(\.name) == ["https://appleid.apple.com", "https://id.example.com"])
    #expect(lookups.map(\.kinds) == [[.subject], [.subject, .session]])
    #expect(lookups.map(\.required) == [[], [.session]])
    #expect(lookups.map(\.isApple) == [true, false])
    #expect(settings.revocation?.issuers == lookups.map(\.issuer))
  }

  @Test(
    "no claim becomes a member by which a token is withdrawn",
    arguments: ["revocationIssuer", "revocationSub", "revocationX", "Revocationsub"])
  func reserved(_ name: String) throws {
    let text = TestRules.configuration("", partner: #","context":{"\#(name)":"email"}"#)
    #expect(
      try SettingsRefusalTests.problems(inline: text).contains {
        $0.contains("context.\(name): reserved by API Gateway or by this authorizer; choose another name")
      })
  }
}
