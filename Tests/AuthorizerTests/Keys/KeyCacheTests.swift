import JSON
import KeyFetcher
import TestTokens
import Testing

@testable import Authorizer
@testable import FunctionHost
@testable import IssuerKeys

@Suite("Key cache")
struct KeyCacheTests {
  @Test("two invocations need one fetch")
  func oneFetch() throws {
    var harness = try KeyHarness()
    #expect(harness.transport.calls == [[KeyHarness.address]], "fetched at start, since there is no seed")
    #expect(try harness.invoke(TestKeys.a) == nil)
    #expect(try harness.invoke(TestKeys.a) == nil)
    #expect(harness.transport.fetches == 1)
  }

  @Test("a seed is used at once and refreshed after the response")
  func seed() throws {
    var harness = try KeyHarness(seedAgeDays: 3, published: [TestKeys.a, TestKeys.b])
    #expect(harness.transport.fetches == 0)
    let token = try TestKeys.token(signedWith: TestKeys.a, kid: "a", now: harness.now)
    let decision = harness.authorizer.decide(on: TestEvent.bytes(.restToken, token: token), at: harness.now)
    #expect(decision.outcome == .allowed)
    #expect(decision.keyFetches == 0)
    #expect(harness.transport.fetches == 0)
    harness.authorizer.refreshKeys(at: InvocationTime(unixSeconds: harness.now))
    #expect(harness.transport.fetches == 1)
    #expect(try harness.invoke(TestKeys.b) == nil)
    #expect(harness.transport.fetches == 1)
  }

  @Test(
    "a seed older than 30 days is refetched before the verdict, and is used in an outage for one more day"
  )
  func oldSeed() throws {
    var old = try KeyHarness(seedAgeDays: 31, published: [TestKeys.b])
    #expect(try old.invoke(TestKeys.a) == .unknownKey, "the issuer has withdrawn the key")
    #expect(old.transport.fetches == 1)
    var inOutage = try KeyHarness(seedAgeDays: 30, published: [])
    #expect(try inOutage.invoke(TestKeys.a) == nil)
    #expect(inOutage.transport.fetches == 1)
    var ancient = try KeyHarness(seedAgeDays: 32, published: [])
    #expect(try ancient.invoke(TestKeys.a) == .keysUnavailable)
  }

  @Test("a seed from the future is refetched")
  func futureSeed() throws {
    var harness = try KeyHarness(seedAgeDays: -1, published: [TestKeys.b])
    #expect(try harness.invoke(TestKeys.a) == .unknownKey, "fetched before the verdict")
    #expect(harness.transport.fetches == 1)
  }

  @Test("a clock that is set back does not extend the life of keys")
  func clockSetBack() throws {
    var harness = try KeyHarness()
    try harness.publish([TestKeys.b])
    harness.now -= 299
    #expect(try harness.invoke(TestKeys.a) == nil)
    #expect(harness.transport.fetches == 1)
    harness.now -= 2
    #expect(try harness.invoke(TestKeys.a) == .unknownKey)
    #expect(harness.transport.fetches == 2)
  }

  @Test("in an outage, a clock that is set back keeps keys valid for one day from then")
  func clockSetBackInOutage() throws {
    var harness = try KeyHarness()
    harness.fail()
    harness.now -= 1_000_000
    #expect(try harness.invoke(TestKeys.a) == nil)
    harness.now += 86_399
    #expect(try harness.invoke(TestKeys.a) == nil)
    harness.now += 1
    #expect(try harness.invoke(TestKeys.a) == .keysUnavailable)
  }

  @Test("in an outage, a seed from the future is valid for one day, not until its date")
  func futureSeedInOutage() throws {
    var harness = try KeyHarness(seedAgeDays: -36_500, published: [])
    #expect(try harness.invoke(TestKeys.a) == nil)
    harness.now += 86_400
    #expect(try harness.invoke(TestKeys.a) == .keysUnavailable)
  }

  @Test("one caller waits for an issuer that does not answer; the next ones get the old keys at once")
  func slowOutage() throws {
    var harness = try KeyHarness()
    harness.fail()
    harness.transport.elapsedMilliseconds = 3000
    harness.now += 900
    var waits = 0
    for _ in 0..<100 {
      let token = try TestKeys.token(signedWith: TestKeys.a, kid: "a", now: harness.now)
      let decision = harness.authorizer.decide(on: TestEvent.bytes(.restToken, token: token), at: harness.now)
      #expect(decision.outcome == .allowed)
      waits += decision.keyFetches
      harness.now += Int64(decision.keyFetches) * 3 + 1
    }
    #expect(waits == 1)
  }

  @Test("a failure backs off from its end, not from its beginning")
  func backOffAfterSlowFailures() throws {
    var harness = try KeyHarness(published: [])
    harness.transport.elapsedMilliseconds = 3000
    harness.now += 1
    #expect(try harness.invoke(TestKeys.a) == .keysUnavailable)
    #expect(harness.transport.fetches == 2)
    harness.now += 4
    #expect(try harness.invoke(TestKeys.a) == .keysUnavailable)
    #expect(harness.transport.fetches == 2, "the fetch of 3 s and the back-off of 2 s are not over")
    harness.now += 1
    #expect(try harness.invoke(TestKeys.a) == .keysUnavailable)
    #expect(harness.transport.fetches == 3)
  }

  /// Seconds since the fetch, and the number of fetches before and after the next verdict.
  @Test(
    "keys are fresh, due, stale and expired",
    arguments: [(0, 0, 0), (479, 0, 0), (480, 0, 1), (599, 0, 1), (600, 0, 1), (899, 0, 1), (900, 1, 0)])
  func states(age: Int64, before: Int, after: Int) throws {
    var harness = try KeyHarness()
    harness.now += age
    let token = try TestKeys.token(signedWith: TestKeys.a, kid: "a", now: harness.now)
    let decision = harness.authorizer.decide(on: TestEvent.bytes(.restToken, token: token), at: harness.now)
    #expect(decision.outcome == .allowed)
    #expect(decision.keyFetches == before)
    let fetches = harness.transport.fetches
    harness.authorizer.refreshKeys(at: InvocationTime(unixSeconds: harness.now))
    #expect(harness.transport.fetches - fetches == after)
  }

  @Test(
    "Cache-Control is clamped to 60 s … 24 h",
    arguments: [
      (nil, 600), (0, 60), (59, 60), (60, 60), (3600, 3600), (86_400, 86_400), (10_000_000, 86_400),
    ]
      as [(Int64?, Int64)])
  func lifetimes(maxAge: Int64?, life: Int64) throws {
    #expect(KeyLifetimes.life(maxAge: maxAge) == life)
    var harness = try KeyHarness(published: [])
    try harness.publish([TestKeys.a], maxAge: maxAge)
    harness.now += 1
    #expect(try harness.invoke(TestKeys.a) == nil)
    let fetches = harness.transport.fetches
    harness.now += life * 4 / 5 - 1
    #expect(try harness.invoke(TestKeys.a) == nil)
    #expect(harness.transport.fetches == fetches)
    harness.now += 1
    #expect(try harness.invoke(TestKeys.a) == nil)
    #expect(harness.transport.fetches == fetches + 1)
  }

  @Test("a withdrawn key is invalid with the next key set")
  func withdrawal() throws {
    var harness = try KeyHarness(published: [TestKeys.a, TestKeys.b])
    try harness.publish([TestKeys.b])
    harness.now += 480
    #expect(try harness.invoke(TestKeys.a) == nil)
    #expect(try harness.invoke(TestKeys.a) == .unknownKey)
    #expect(try harness.invoke(TestKeys.b) == nil)
  }

  @Test("an outage with cached keys changes nothing for a day and is logged at most once a minute")
  func outageWithKeys() throws {
    var harness = try KeyHarness()
    harness.fail()
    var notices: [Notice] = []
    for _ in 0..<600 {
      harness.now += 10
      #expect(try harness.invoke(TestKeys.a) == nil)
      notices += harness.authorizer.takeNotices()
    }
    #expect(notices.count(where: { $0.code == "keyFetchFailed" && $0.detail == "fetchDeadline" }) <= 100)
    #expect(notices.count(where: { $0.code == "keysServedPastTheirLife" }) <= 100)
    #expect(notices.contains { $0.code == "keysServedPastTheirLife" && $0.issuerName == "partner" })
    #expect(harness.transport.fetches <= 6000 / 60 + 10, "failures back off")
    harness.now = TestIssuers.now + 600 + 86_399
    #expect(try harness.invoke(TestKeys.a) == nil)
    harness.now += 1
    #expect(try harness.invoke(TestKeys.a) == .keysUnavailable)
    try harness.publish([TestKeys.a])
    harness.now += 60
    #expect(try harness.invoke(TestKeys.a) == nil)
  }

  /// cdk-local accepted every token without a key set.
  @Test("an outage without keys gives no verdict and ends by itself")
  func outageWithoutKeys() throws {
    var harness = try KeyHarness(published: [])
    for _ in 0..<100 {
      #expect(try harness.invoke(TestKeys.a) == .keysUnavailable)
      #expect(try harness.invoke(TestKeys.b, kid: "junk") == .keysUnavailable)
    }
    #expect(harness.transport.fetches == 1, "the failure at the start delays the next fetch")
    let expired = try TestKeys.token(signedWith: TestKeys.a, kid: "a", now: harness.now - 3600)
    let decision = harness.authorizer.decide(on: TestEvent.bytes(.restToken, token: expired), at: harness.now)
    #expect(decision.reason == .expired, "a token that needs no key is still rejected with its reason")
    try harness.publish([TestKeys.a])
    harness.now += 1
    #expect(try harness.invoke(TestKeys.a) == nil)
  }

  @Test("failed fetches back off: 1, 2, 4 … 60 seconds")
  func backOff() throws {
    var harness = try KeyHarness(published: [])
    var attempts: [Int64] = []
    for second in 0..<400 {
      harness.now = TestIssuers.now + Int64(second)
      let before = harness.transport.fetches
      try harness.invoke(TestKeys.a)
      if harness.transport.fetches > before { attempts.append(Int64(second)) }
    }
    #expect(attempts == [1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363])
  }

  @Test(
    "a document that is not a key set is a failed fetch and does not replace the old keys",
    arguments: [
      "<html>", "", "{}", #"{"keys":[]}"#, #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#, #"{"keys":[],"keys":[]}"#,
    ])
  func damagedDocument(text: String) throws {
    var harness = try KeyHarness()
    harness.transport.answers[KeyHarness.address] = .document(Array(text.utf8), maxAge: 86_400)
    harness.now += 480
    #expect(try harness.invoke(TestKeys.a) == nil)
    #expect(harness.transport.fetches == 2)
    let codes = harness.authorizer.takeNotices().map(\.code)
    #expect(codes == ["keyFetchFailed"] + (text.contains("oct") ? ["keyUnusable"] : []))
    harness.now += 1
    #expect(try harness.invoke(TestKeys.a) == nil)
  }

  @Test("the log line of a failed fetch has the text of the failure")
  func diagnosis() throws {
    var harness = try KeyHarness()
    harness.fail(.tls(.init(curlCode: 60, text: "SSL certificate problem: certificate has expired")))
    harness.now += 480
    #expect(try harness.invoke(TestKeys.a) == nil)
    var line = LogLine(.json)
    line.write(try #require(harness.authorizer.takeNotices().first), unixMilliseconds: 0)
    #expect(
      String(decoding: line.bytes, as: UTF8.self).hasSuffix(
        #""WARN","message":"keyFetchFailed","issuer":"partner","detail":"fetchTLS","because":"no trusted "#
          + #"connection: SSL certificate problem: certificate has expired (libcurl's error 60)"}"#))
  }

  /// A key set as the harness publishes it, with one changed member.
  private static func document(_ name: String, _ value: JSONTree?) throws -> KeyFetchResult {
    var key = try #require(TestKeys.a.publicJWK)
    key[name] = value
    return .document(JSONTree.object([.init(name: "keys", value: .array([key]))]).bytes(), maxAge: nil)
  }

  @Test("D1 reports each unusable key with member and reason, once for each document")
  func unusableKeys() throws {
    var harness = try KeyHarness()
    harness.transport.answers[KeyHarness.address] = try Self.document("x", .string("AAAA"))
    var notices: [Notice] = []
    for _ in 0..<3 {
      harness.now += 600
      #expect(try harness.invoke(TestKeys.a) == nil)
      notices += harness.authorizer.takeNotices().filter { $0.code == "keyUnusable" }
    }
    #expect(
      notices == [
        Notice(
          code: "keyUnusable", issuerName: "partner", detail: "malformedMember",
          key: .init(keyID: "a", member: "x"), reason: "x has 3 bytes instead of 32")
      ])
    harness.transport.answers[KeyHarness.address] = try Self.document("use", .string("enc"))
    harness.now += 600
    try harness.invoke(TestKeys.a)
    let others = harness.authorizer.takeNotices().filter { $0.code == "keyUnusable" }
    #expect(others.map(\.detail) == ["notForSignatures"])
    #expect(others.map(\.key?.member) == ["use"])
  }

  @Test("S1 a key with unusual spelling verifies and is reported once for each document")
  func unusualSpelling() throws {
    let x = try #require(TestKeys.a.publicJWK?["x"]?.text)
    var harness = try KeyHarness(published: [])
    harness.transport.answers[KeyHarness.address] = try Self.document("x", .string(x + "="))
    harness.now += 1
    #expect(try harness.invoke(TestKeys.a) == nil)
    let notices = harness.authorizer.takeNotices().filter { $0.code != "keyFetchFailed" }
    #expect(
      notices == [
        Notice(
          code: "keySpelling", issuerName: "partner", detail: "padding",
          key: .init(keyID: "a", member: "x"), reason: "x is padded with =", level: .info)
      ])
    harness.now += 600
    #expect(try harness.invoke(TestKeys.a) == nil)
    #expect(harness.authorizer.takeNotices() == [])
  }

  @Test("a key set with development keys is refused outside development")
  func developmentKeys() throws {
    let development = try SigningKey.generate(.es256, id: "development-es256")
    var harness = try KeyHarness(published: [TestKeys.a, development])
    #expect(try harness.invoke(TestKeys.a) == .keysUnavailable)
    #expect(harness.authorizer.takeNotices().first?.detail == "developmentKeys")
  }

  @Test(
    "a fetch ends before the invocation does",
    arguments: [
      (10_000, 8000), (3000, 2500), (700, 200), (599, 0), (500, 0), (-1_000_000, 8000),
    ] as [(Int64, Int64)])
  func deadline(remaining: Int64, budget: Int64) throws {
    var harness = try KeyHarness(published: [])
    try harness.publish([TestKeys.a])
    harness.now += 1
    let reason = try harness.invoke(TestKeys.a, remainingMilliseconds: remaining)
    #expect(reason == (budget == 0 ? .keysUnavailable : nil))
    #expect(harness.transport.milliseconds.last == (budget == 0 ? 8000 : budget))
  }

  @Test("key sets of issuers without a seed are fetched at the same time")
  func parallel() throws {
    let transport = ScriptedTransport()
    let source = InMemorySource(variables: [
      "AUTHORIZER_CONFIG": """
      {"issuers":[{"preset":"apple","audiences":["a"]},{"preset":"google","audiences":["b"]},
      {"name":"legacy","issuer":"https://old.example.com","audiences":["c"],"algorithms":["HS256"],
      "keys":{"secret":{"environment":"SECRET"}}}]}
      """,
      "SECRET": "PVxZMbBScfyS9vMcbBNZSBe50aGpcbq3LNaLaL0O",
    ])
    _ = Authorizer(settings: try Settings(reading: source), transport: transport, at: TestIssuers.now)
    #expect(
      transport.calls == [
        ["https://appleid.apple.com/auth/keys", "https://www.googleapis.com/oauth2/v3/certs"]
      ])
  }
}
