import TestTokens
import Testing

@testable import Authorizer
@testable import IssuerKeys

@Suite("Unknown keys")
struct UnknownKeyTests {
  @Test("a flood of 10,000 unknown kids causes at most 2 + elapsed/30 fetches and blocks no valid key")
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

  @Test("an unknown kid causes one fetch, then another only if the rate limit is unused")
  func negativeCache() throws {
    var harness = try KeyHarness()
    #expect(try harness.invoke(TestKeys.b, kid: "junk") == .unknownKey)
    #expect(harness.transport.fetches == 2)
    for second in 1...29 {
      harness.now = TestIssuers.now + Int64(second)
      #expect(try harness.invoke(TestKeys.b, kid: "junk") == .unknownKey)
    }
    #expect(harness.transport.fetches == 2)
    try harness.publish([TestKeys.a, TestKeys.b])
    #expect(try harness.invoke(TestKeys.b) == nil, "the rate limit still allows a fetch for a rotation")
    #expect(harness.transport.fetches == 3)
  }

  @Test("a key looked up too early is found once it is published")
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

  @Test("new material under the same kid is accepted after one fetch; forged tokens use the same rate limit")
  func rotationUnderOneKeyID() throws {
    var harness = try KeyHarness()
    try harness.publish([TestKeys.otherA])
    #expect(try harness.invoke(TestKeys.otherA) == nil)
    #expect(harness.transport.fetches == 2)
    #expect(
      try harness.invoke(TestKeys.a) == .signatureMismatch, "the old material is invalid with the old key set"
    )
    for _ in 0..<1000 { #expect(try harness.invoke(TestKeys.b, kid: "a") == .signatureMismatch) }
    #expect(harness.transport.fetches == 3)
  }

  @Test("without time for a fetch there is no verdict, no rate limit used and no negative cache entry")
  func noTimeLeft() throws {
    var harness = try KeyHarness()
    try harness.publish([TestKeys.a, TestKeys.b])
    for _ in 0..<10 {
      #expect(try harness.invoke(TestKeys.b, remainingMilliseconds: 550) == .keysUnavailable)
    }
    #expect(harness.transport.fetches == 1)
    #expect(try harness.invoke(TestKeys.b) == nil)
  }

  @Test("a signature mismatch while the issuer does not answer gives no verdict")
  func mismatchInOutage() throws {
    var harness = try KeyHarness()
    harness.fail()
    #expect(try harness.invoke(TestKeys.otherA) == .keysUnavailable)
    #expect(try harness.invoke(TestKeys.a) == nil)
  }

  @Test("an unknown kid gives no verdict in an outage, and is rejected after a successful fetch")
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
      authorizer.refreshKeys(at: InvocationTime(unixSeconds: far))
    }
    #expect(transport.fetches == 0)
  }

  /// The table in docs/scale.md: the fetches that an issuer receives when N environments start at once.
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
