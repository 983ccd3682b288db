import TestTokens
import Testing

@testable import Authorizer
@testable import IssuerKeys

@Suite("Verdict cache")
struct VerdictCacheTests {
  static func authorizer(_ entries: Int, partner: String = "") throws -> Authorizer<ScriptedTransport> {
    try TestRules.authorizer("\"verdictCache\":\(entries)", partner: partner)
  }

  static func event(_ token: String, _ kind: EventKind = .restToken) -> [UInt8] {
    TestEvent.bytes(kind, token: token)
  }

  @Test("the same token is verified once and gets the same answer", arguments: EventKind.allCases)
  func once(kind: EventKind) throws {
    var caching = try Self.authorizer(8)
    var plain = try Self.authorizer(0)
    let token = try TestRules.partnerToken(#""scope":"read""#)
    let event = Self.event(token, kind)
    let decisions = (0..<3).map { _ in caching.decide(on: event, at: TestIssuers.now) }
    let fresh = plain.decide(on: event, at: TestIssuers.now)
    #expect(caching.signatureChecks == 1)
    for decision in decisions {
      #expect(decision.answer == fresh.answer)
      #expect(decision.outcome == .allowed)
      #expect(decision.tokenHash == fresh.tokenHash)
      #expect(decision.keyIDHash == fresh.keyIDHash)
      #expect(decision.issuerName == "partner")
      #expect(decision.eventKind == kind)
    }
  }

  @Test("without the option every token is verified")
  func off() throws {
    var authorizer = try Self.authorizer(0)
    let event = Self.event(try TestRules.partnerToken())
    for _ in 0..<3 { #expect(authorizer.decide(on: event, at: TestIssuers.now).outcome == .allowed) }
    #expect(authorizer.signatureChecks == 3)
  }

  @Test("times are checked again on every use, forwards and backwards")
  func time() throws {
    var authorizer = try Self.authorizer(8, partner: #","maximumAgeSeconds":300"#)
    let event = Self.event(try TestRules.partnerToken(#""iat":"-10s","nbf":"-10s""#))
    let rows: [(Int64, ReasonCode?)] = [
      (0, nil), (100, nil), (349, nil), (350, nil), (351, .tooOld), (660, .expired), (0, nil), (-70, nil),
      (-71, .notYetValid), (0, nil),
    ]
    for (seconds, reason) in rows {
      #expect(authorizer.decide(on: event, at: TestIssuers.now + seconds).reason == reason, "\(seconds)")
    }
    #expect(authorizer.signatureChecks == 1)
  }

  @Test("one changed byte makes another token", arguments: [0, 20, 60, -1])
  func changed(offset: Int) throws {
    var authorizer = try Self.authorizer(8)
    let token = try TestRules.partnerToken()
    #expect(authorizer.decide(on: Self.event(token), at: TestIssuers.now).outcome == .allowed)
    var bytes = Array(token.utf8)
    let index = offset < 0 ? bytes.count - 10 : offset
    bytes[index] = bytes[index] == 0x41 ? 0x42 : 0x41
    let other = authorizer.decide(on: Self.event(String(decoding: bytes, as: UTF8.self)), at: TestIssuers.now)
    #expect(other.outcome == .unauthorized)
  }

  @Test("rejections are not cached")
  func refusals() throws {
    var authorizer = try Self.authorizer(8)
    let forged = try TestIssuers.token(#""preset":"apple","claims":{"aud":"com.example.app"},"key":"forged""#)
    for checks in 1...3 {
      #expect(authorizer.decide(on: Self.event(forged), at: TestIssuers.now).reason == .signatureMismatch)
      #expect(authorizer.signatureChecks == checks)
    }
  }

  static let rotations: [(published: [SigningKey], reason: ReasonCode)] = [
    ([TestKeys.b], .unknownKey), ([TestKeys.otherA], .signatureMismatch),
  ]

  @Test("a key that is withdrawn or replaced invalidates its verdicts", arguments: [0, 1])
  func rotation(row: Int) throws {
    let (published, reason) = Self.rotations[row]
    var harness = try KeyHarness(published: [TestKeys.a], verdictCache: 8)
    let event = Self.event(try TestKeys.token(signedWith: TestKeys.a, kid: "a", now: harness.now))
    var reasons: [ReasonCode?] = []
    // Keys live for 600 s. The next call uses them and is followed by the refresh.
    for second: Int64 in [0, 1, 601, 602] {
      let now = harness.now + second
      reasons.append(harness.authorizer.decide(on: event, at: now).reason)
      try harness.publish(published)
      harness.authorizer.refreshKeys(at: InvocationTime(unixSeconds: now))
    }
    #expect(reasons == [nil, nil, nil, reason])
    #expect(harness.authorizer.signatureChecks == (reason == .unknownKey ? 1 : 2))
  }

  @Test("a removed key causes one fetch and is rejected as unknown")
  func oneFetch() throws {
    var harness = try KeyHarness(
      published: [TestKeys.a], keys: #","graceSeconds":0,"staleOnErrorSeconds":0"#, verdictCache: 8)
    let event = Self.event(try TestKeys.token(signedWith: TestKeys.a, kid: "a", now: harness.now))
    #expect(harness.authorizer.decide(on: event, at: harness.now).reason == nil)
    try harness.publish([TestKeys.b])
    let before = harness.transport.fetches
    let gone = harness.authorizer.decide(on: event, at: harness.now + 601)
    #expect(gone.reason == .unknownKey)
    #expect(gone.issuerName == "partner")
    #expect(harness.transport.fetches == before + 1)
    #expect(harness.authorizer.signatureChecks == 1)
  }

  @Test("a long token is verified each time")
  func long() throws {
    var authorizer = try Self.authorizer(8)
    let event = Self.event(try TestRules.partnerToken(#""big":"\#(String(repeating: "x", count: 4096))""#))
    for checks in 1...2 {
      #expect(authorizer.decide(on: event, at: TestIssuers.now).outcome == .allowed)
      #expect(authorizer.signatureChecks == checks)
    }
  }

  @Test("the size is limited, and the token that expires first is replaced")
  func bounded() throws {
    var authorizer = try Self.authorizer(4)
    let tokens = try (0..<12).map { try TestRules.partnerToken(#""n":\#($0)"#) }
    for token in tokens + tokens {
      #expect(authorizer.decide(on: Self.event(token), at: TestIssuers.now).outcome == .allowed)
    }
    // Four slots for twelve tokens in turn: most are verified twice, none is rejected.
    #expect(authorizer.signatureChecks > 12 && authorizer.signatureChecks <= 24)
  }

  @Test("the size is a number from 0 to 10,000", arguments: ["-1", "10001", "1.5", "true", "\"8\""])
  func size(value: String) throws {
    #expect(
      try SettingsRefusalTests.problems(inline: TestRules.configuration("\"verdictCache\":\(value)"))
        == ["verdictCache: a whole number from 0 to 10000 is expected"])
  }
}
