import JSON
import TestTokens
import Testing

@testable import Authorizer

/// One issuer whose keys are fetched, a scripted key server, and a clock that moves when told to.
private struct KeyHarness {
  static let address = "https://id.example.com/jwks"
  let transport = ScriptedTransport()
  var authorizer: Authorizer<ScriptedTransport>
  var now: Int64 = TestIssuers.now

  /// - Parameter seedAgeDays: the age of a seed with the key `a`; `nil` for no seed.
  init(seedAgeDays: Int64? = nil, published: [SigningKey] = [TestKeys.a], keys: String = "") throws {
    if !published.isEmpty {
      transport.answers[Self.address] = .document(try Self.keySet(published), maxAge: nil)
    }
    var members = #""url": "\#(Self.address)""# + keys
    if seedAgeDays != nil { members += #", "seed": "seed.json""# }
    var source = InMemorySource(variables: [
      "AUTHORIZER_CONFIG": """
      {"issuers":[{"name":"partner","issuer":"https://id.example.com","audiences":["api"],"algorithms":["ES256"],
      "keys":{\(members)}}]}
      """
    ])
    if let seedAgeDays {
      source.files["seed.json"] = .bytes(
        try Self.keySet([TestKeys.a], fetchedAt: TestIssuers.now - seedAgeDays * 86_400))
    }
    authorizer = Authorizer(settings: try Settings(reading: source), transport: transport, at: now)
  }

  static func keySet(_ keys: [SigningKey], fetchedAt: Int64? = nil) throws -> [UInt8] {
    var document = JSONTree.object([
      .init(name: "keys", value: .array(try keys.map { try #require($0.publicJWK) }))
    ])
    if let fetchedAt { document["fetchedAt"] = .number("\(fetchedAt)") }
    return document.bytes()
  }

  func publish(_ keys: [SigningKey], maxAge: Int64? = nil) throws {
    transport.answers[Self.address] = .document(try Self.keySet(keys), maxAge: maxAge)
  }

  func fail(_ code: String = "connectFailed") { transport.answers[Self.address] = .failed(code) }

  /// One invocation: the decision, and then the time after the response.
  @discardableResult
  mutating func invoke(_ key: SigningKey, kid: String? = nil, budget: FetchBudget = .whole) throws
    -> ReasonCode?
  {
    let token = try TestKeys.token(signedWith: key, kid: kid ?? key.id, now: now)
    let decision = authorizer.decide(on: TestEvent.bytes(.restToken, token: token), at: now, budget: budget)
    authorizer.refreshKeys(at: now, budget: budget)
    return decision.reason
  }
}

/// Keys that several tests share; making one takes a moment.
enum TestKeys {
  static let a = make("a")
  static let b = make("b")
  /// Other material under the identifier of `a`.
  static let otherA = make("a")

  private static func make(_ id: String) -> SigningKey {
    do { return try SigningKey.generate(.es256, id: id) } catch { fatalError("no key: \(error)") }
  }

  static func token(signedWith key: SigningKey, kid: String, now: Int64) throws -> String {
    let header = #"{"alg":"ES256","kid":"\#(kid)"}"#
    let claims =
      #"{"iss":"https://id.example.com","aud":"api","sub":"u1","iat":\#(now - 5),"exp":\#(now + 600)}"#
    let input = Array((encode(Array(header.utf8)) + "." + encode(Array(claims.utf8))).utf8)
    return String(decoding: input, as: UTF8.self) + "." + encode(try key.signature(over: input))
  }

  private static func encode(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      let number = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
      for place in 0...part.count { text.append(alphabet[number >> (18 - 6 * place) & 63]) }
    }
    return text
  }
}

@Suite("Key cache")
struct KeyCacheTests {
  @Test("two invocations, one fetch")
  func oneFetch() throws {
    var harness = try KeyHarness()
    #expect(harness.transport.calls == [[KeyHarness.address]], "fetched at start, since there is no seed")
    #expect(try harness.invoke(TestKeys.a) == nil)
    #expect(try harness.invoke(TestKeys.a) == nil)
    #expect(harness.transport.fetches == 1)
  }

  @Test("a seed answers at once and is refreshed after the response")
  func seed() throws {
    var harness = try KeyHarness(seedAgeDays: 3, published: [TestKeys.a, TestKeys.b])
    #expect(harness.transport.fetches == 0)
    let token = try TestKeys.token(signedWith: TestKeys.a, kid: "a", now: harness.now)
    let decision = harness.authorizer.decide(on: TestEvent.bytes(.restToken, token: token), at: harness.now)
    #expect(decision.outcome == .allowed)
    #expect(decision.keyFetches == 0)
    #expect(harness.transport.fetches == 0)
    harness.authorizer.refreshKeys(at: harness.now, budget: .whole)
    #expect(harness.transport.fetches == 1)
    #expect(try harness.invoke(TestKeys.b) == nil)
    #expect(harness.transport.fetches == 1)
  }

  @Test(
    "a seed older than 30 days is fetched before the verdict, and serves on an outage for a day past its limit"
  )
  func oldSeed() throws {
    var old = try KeyHarness(seedAgeDays: 31, published: [TestKeys.b])
    #expect(try old.invoke(TestKeys.a) == .unknownKey, "the issuer has withdrawn it")
    #expect(old.transport.fetches == 1)
    var inOutage = try KeyHarness(seedAgeDays: 30, published: [])
    #expect(try inOutage.invoke(TestKeys.a) == nil)
    #expect(inOutage.transport.fetches == 1)
    var ancient = try KeyHarness(seedAgeDays: 32, published: [])
    #expect(try ancient.invoke(TestKeys.a) == .keysUnavailable)
  }

  @Test("a seed from the future has no age that could be believed")
  func futureSeed() throws {
    var harness = try KeyHarness(seedAgeDays: -1, published: [TestKeys.b])
    #expect(try harness.invoke(TestKeys.a) == .unknownKey, "fetched before the verdict")
    #expect(harness.transport.fetches == 1)
  }

  @Test("a clock that is set back does not prolong the life of keys")
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

  /// Seconds since the fetch, and whether the next invocation fetches before its verdict or after it.
  @Test(
    "fresh, due, stale and expired keys",
    arguments: [(0, 0, 0), (479, 0, 0), (480, 0, 1), (599, 0, 1), (600, 0, 1), (899, 0, 1), (900, 1, 0)])
  func states(age: Int64, before: Int, after: Int) throws {
    var harness = try KeyHarness()
    harness.now += age
    let token = try TestKeys.token(signedWith: TestKeys.a, kid: "a", now: harness.now)
    let decision = harness.authorizer.decide(on: TestEvent.bytes(.restToken, token: token), at: harness.now)
    #expect(decision.outcome == .allowed)
    #expect(decision.keyFetches == before)
    let fetches = harness.transport.fetches
    harness.authorizer.refreshKeys(at: harness.now, budget: .whole)
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

  @Test("a withdrawn key is gone with the next key set")
  func withdrawal() throws {
    var harness = try KeyHarness(published: [TestKeys.a, TestKeys.b])
    try harness.publish([TestKeys.b])
    harness.now += 480
    #expect(try harness.invoke(TestKeys.a) == nil)
    #expect(try harness.invoke(TestKeys.a) == .unknownKey)
    #expect(try harness.invoke(TestKeys.b) == nil)
  }

  @Test("an outage with cached keys changes nothing for a day, and is said once a minute at most")
  func outageWithKeys() throws {
    var harness = try KeyHarness()
    harness.fail("timeout")
    var notices: [Notice] = []
    for _ in 0..<600 {
      harness.now += 10
      #expect(try harness.invoke(TestKeys.a) == nil)
      notices += harness.authorizer.takeNotices()
    }
    #expect(notices.count(where: { $0.code == "keyFetchFailed" && $0.detail == "timeout" }) <= 100)
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

  @Test("an outage without keys is no verdict about anybody, and ends by itself")
  func outageWithoutKeys() throws {
    var harness = try KeyHarness(published: [])
    for _ in 0..<100 {
      #expect(try harness.invoke(TestKeys.a) == .keysUnavailable)
      #expect(try harness.invoke(TestKeys.b, kid: "junk") == .keysUnavailable)
    }
    #expect(harness.transport.fetches == 1, "the failure at the start holds the next one back")
    let expired = try TestKeys.token(signedWith: TestKeys.a, kid: "a", now: harness.now - 3600)
    let decision = harness.authorizer.decide(on: TestEvent.bytes(.restToken, token: expired), at: harness.now)
    #expect(decision.reason == .expired, "what needs no key is still refused for what it is")
    try harness.publish([TestKeys.a])
    harness.now += 1
    #expect(try harness.invoke(TestKeys.a) == nil)
  }

  @Test("failures back off: 1, 2, 4 … 60 seconds")
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
    "a document that is no key set is a failed fetch, and keeps the old keys",
    arguments: [
      "<html>", "", "{}", #"{"keys":[]}"#, #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#, #"{"keys":[],"keys":[]}"#,
    ])
  func damagedDocument(text: String) throws {
    var harness = try KeyHarness()
    harness.transport.answers[KeyHarness.address] = .document(Array(text.utf8), maxAge: 86_400)
    harness.now += 480
    #expect(try harness.invoke(TestKeys.a) == nil)
    #expect(harness.transport.fetches == 2)
    #expect(harness.authorizer.takeNotices().map(\.code) == ["keyFetchFailed"])
    harness.now += 1
    #expect(try harness.invoke(TestKeys.a) == nil)
  }

  @Test("a key set that holds development keys is refused outside of development")
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
    let nowMilliseconds = harness.now * 1000
    let limit = FetchBudget(
      deadlineMilliseconds: nowMilliseconds + remaining, nowMilliseconds: nowMilliseconds)
    let reason = try harness.invoke(TestKeys.a, budget: limit)
    #expect(reason == (budget == 0 ? .keysUnavailable : nil))
    #expect(harness.transport.milliseconds.last == (budget == 0 ? 8000 : budget))
  }

  @Test("several issuers without a seed are fetched at the same time")
  func parallel() throws {
    let transport = ScriptedTransport()
    let source = InMemorySource(variables: [
      "AUTHORIZER_CONFIG": """
      {"issuers":[{"preset":"apple","audiences":["a"]},{"preset":"google","audiences":["b"]},
      {"name":"legacy","issuer":"https://old.example.com","audiences":["c"],"algorithms":["HS256"],
      "keys":{"secret":{"environment":"SECRET"}}}]}
      """,
      "SECRET": "0123456789abcdef0123456789abcdef",
    ])
    _ = Authorizer(settings: try Settings(reading: source), transport: transport, at: TestIssuers.now)
    #expect(
      transport.calls == [
        ["https://appleid.apple.com/auth/keys", "https://www.googleapis.com/oauth2/v3/certs"]
      ])
  }
}

@Suite("Unknown keys")
struct UnknownKeyTests {
  @Test("a flood of 10,000 bogus kids costs the issuer 2 + elapsed/30 fetches, and locks no real key out")
  func flood() throws {
    var harness = try KeyHarness()
    let start = harness.transport.fetches
    var acceptedAfter: Int64?
    for index in 0..<10_000 {
      // A hundred a second.
      harness.now = TestIssuers.now + Int64(index / 100)
      #expect(try harness.invoke(TestKeys.b, kid: "junk-\(index)") == .unknownKey)
      if index == 5_000 { try harness.publish([TestKeys.a, TestKeys.b]) }
      if index >= 5_000, index.isMultiple(of: 50), acceptedAfter == nil, try harness.invoke(TestKeys.b) == nil
      {
        acceptedAfter = harness.now - TestIssuers.now - 50
      }
      #expect(harness.transport.fetches - start <= 2 + index / 100 / 30)
    }
    #expect(try #require(acceptedAfter) <= 30)
    #expect(try harness.invoke(TestKeys.a) == nil)
  }

  @Test("the same junk is asked for once, then only when nobody else needs a fetch")
  func junk() throws {
    var harness = try KeyHarness()
    #expect(try harness.invoke(TestKeys.b, kid: "junk") == .unknownKey)
    #expect(harness.transport.fetches == 2)
    for second in 1...29 {
      harness.now = TestIssuers.now + Int64(second)
      #expect(try harness.invoke(TestKeys.b, kid: "junk") == .unknownKey)
    }
    #expect(harness.transport.fetches == 2)
    try harness.publish([TestKeys.a, TestKeys.b])
    #expect(try harness.invoke(TestKeys.b) == nil, "a rotation still finds a fetch in the bucket")
    #expect(harness.transport.fetches == 3)
  }

  @Test("a key that was asked for a moment too early is found once it is published")
  func early() throws {
    var harness = try KeyHarness()
    #expect(try harness.invoke(TestKeys.b) == .unknownKey)
    try harness.publish([TestKeys.a, TestKeys.b])
    for second in 1..<30 {
      harness.now = TestIssuers.now + Int64(second)
      #expect(try harness.invoke(TestKeys.b) == .unknownKey)
    }
    harness.now = TestIssuers.now + 30
    #expect(try harness.invoke(TestKeys.b) == nil)
  }

  @Test("new material under the same kid is accepted after one fetch; a forger draws on the same bucket")
  func rotationUnderOneKeyID() throws {
    var harness = try KeyHarness()
    try harness.publish([TestKeys.otherA])
    #expect(try harness.invoke(TestKeys.otherA) == nil)
    #expect(harness.transport.fetches == 2)
    #expect(try harness.invoke(TestKeys.a) == .signatureMismatch, "the old material died with the old set")
    for _ in 0..<1000 { #expect(try harness.invoke(TestKeys.b, kid: "a") == .signatureMismatch) }
    #expect(harness.transport.fetches == 3)
  }

  @Test("during an outage an unknown kid is no verdict; after a good answer it is one")
  func outage() throws {
    var harness = try KeyHarness()
    harness.fail()
    #expect(try harness.invoke(TestKeys.b) == .keysUnavailable)
    #expect(try harness.invoke(TestKeys.b) == .keysUnavailable)
    #expect(try harness.invoke(TestKeys.a) == nil)
    try harness.publish([TestKeys.a])
    harness.now += 60
    #expect(try harness.invoke(TestKeys.b) == .unknownKey)
  }

  @Test("pinned keys are never fetched")
  func pinned() throws {
    let transport = ScriptedTransport()
    let source = InMemorySource(
      variables: [
        "AUTHORIZER_CONFIG": """
        {"issuers":[{"name":"partner","issuer":"https://id.example.com","audiences":["api"],
        "algorithms":["ES256"],"keys":{"seed":"seed.json","pinned":true}}]}
        """
      ], files: ["seed.json": .bytes(try KeyHarness.keySet([TestKeys.a]))])
    var authorizer = Authorizer(
      settings: try Settings(reading: source), transport: transport, at: TestIssuers.now)
    let far = TestIssuers.now + 400 * 86_400
    for (key, kid, reason) in [
      (TestKeys.a, "a", nil), (TestKeys.b, "b", .unknownKey), (TestKeys.b, "a", .signatureMismatch),
    ] as [(SigningKey, String, ReasonCode?)] {
      let token = try TestKeys.token(signedWith: key, kid: kid, now: far)
      #expect(authorizer.decide(on: TestEvent.bytes(.restToken, token: token), at: far).reason == reason)
      authorizer.refreshKeys(at: far, budget: .whole)
    }
    #expect(transport.fetches == 0)
  }

  /// The README's table of what an issuer sees when N environments start at once.
  @Test("a stampede of 200 environments", arguments: [(false, 200, 200), (true, 0, 200)])
  func stampede(seeded: Bool, atStart: Int, afterTheFirstAnswer: Int) throws {
    var atStartSum = 0
    var afterSum = 0
    for _ in 0..<200 {
      var harness = try KeyHarness(seedAgeDays: seeded ? 1 : nil)
      atStartSum += harness.transport.fetches
      try harness.invoke(TestKeys.a)
      afterSum += harness.transport.fetches
    }
    #expect(atStartSum == atStart)
    #expect(afterSum == afterTheFirstAnswer)
  }
}
