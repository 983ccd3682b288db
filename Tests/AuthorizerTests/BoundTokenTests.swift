import JSON
import Testing

@testable import Authorizer
@testable import FunctionHost

/// `"proofOfPossession"`, from event to decision.
@Suite("Bound tokens")
struct BoundTokenTests {
  static let jkt = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
  static let bound = #""cnf":{"jkt":"\#(jkt)"}"#
  static let certificate = #""cnf":{"x5t#S256":"\#(jkt)"}"#
  static let malformed = #""cnf":{"jkt":"short"}"#
  static let ignore = #","proofOfPossession":"ignore""#

  struct Row: Sendable, CustomTestStringConvertible {
    /// More members of the partner's entry.
    let entry: String
    let scheme: String
    /// More claims of the partner's token.
    let claims: String
    let reason: ReasonCode?
    var testDescription: String { "\(entry) \(scheme) \(claims)" }
  }

  /// Without the member, and with its default value.
  static let refusing: [Row] = ["", #","proofOfPossession":"refuse""#].flatMap { entry -> [Row] in
    [
      Row(entry: entry, scheme: "Bearer", claims: "", reason: nil),
      Row(entry: entry, scheme: "Bearer", claims: bound, reason: .boundToken),
      Row(entry: entry, scheme: "bearer", claims: certificate, reason: .boundToken),
      Row(entry: entry, scheme: "Bearer", claims: malformed, reason: .malformedClaim),
      Row(entry: entry, scheme: "DPoP", claims: "", reason: .malformedToken),
      Row(entry: entry, scheme: "DPoP", claims: bound, reason: .malformedToken),
    ]
  }

  static let ignoring: [Row] = [
    Row(entry: ignore, scheme: "Bearer", claims: "", reason: nil),
    Row(entry: ignore, scheme: "Bearer", claims: bound, reason: nil),
    Row(entry: ignore, scheme: "Bearer", claims: certificate, reason: nil),
    Row(entry: ignore, scheme: "Bearer", claims: malformed, reason: nil),
    Row(entry: ignore, scheme: "Bearer", claims: #""cnf":null"#, reason: nil),
    Row(entry: ignore, scheme: "DPoP", claims: "", reason: nil),
    Row(entry: ignore, scheme: "DPoP", claims: bound, reason: nil),
    Row(entry: ignore, scheme: "dPoP", claims: bound, reason: nil),
    Row(entry: ignore, scheme: "DPOP", claims: malformed, reason: nil),
    Row(entry: ignore, scheme: "DPoP:", claims: bound, reason: .malformedToken),
    Row(entry: ignore, scheme: "DPoP ", claims: bound, reason: .malformedToken),
    Row(entry: ignore, scheme: "DPoPx", claims: bound, reason: .malformedToken),
    Row(entry: ignore, scheme: "DPoP", claims: #""aud":"other""#, reason: .wrongAudience),
    Row(entry: ignore, scheme: "DPoP", claims: #""exp":"-1h""#, reason: .expired),
    // Tokens of other issuers, known or unknown, need the scheme Bearer.
    Row(entry: ignore, scheme: "DPoP", claims: apple, reason: .malformedToken),
    Row(entry: ignore, scheme: "Bearer", claims: apple, reason: .wrongAudience),
    Row(
      entry: ignore, scheme: "DPoP", claims: #""iss":"https://x.example.com""#, reason: .malformedToken),
    Row(entry: ignore, scheme: "DPoP", claims: #""iss":["https://id.example.com"]"#, reason: .malformedToken),
  ]

  static let apple = #""iss":"https://appleid.apple.com","aud":"x""#

  @Test(
    "the issuer's entry decides on the scheme and cnf", arguments: EventKind.allCases, refusing + ignoring)
  func decided(kind: EventKind, row: Row) throws {
    for cache in [0, 8] {
      var authorizer = try TestRules.authorizer("\"verdictCache\":\(cache)", partner: row.entry)
      let token = try Self.token(row.claims)
      let event = TestEvent.bytes(kind, authorization: .string("\(row.scheme) \(token)"))
      for _ in 0..<2 {
        let decision = authorizer.decide(on: event, at: TestIssuers.now)
        #expect(decision.reason == row.reason)
        #expect(decision.outcome == (row.reason == nil ? .allowed : .unauthorized))
      }
    }
  }

  /// The partner's token; claims of another issuer come with that issuer's algorithm.
  private static func token(_ claims: String) throws -> String {
    if claims == apple { return try TestIssuers.token(#""preset":"apple","claims":{\#(claims)}"#) }
    if claims.contains("\"iss\"") || claims.contains("\"aud\"") || claims.contains("\"exp\"") {
      let others = [
        #""iss":"https://id.example.com""#, #""aud":"api""#, #""exp":"+10m""#,
      ].filter { !claims.hasPrefix($0.prefix(6)) }
      return try TestIssuers.token(
        #""preset":"oidc","algorithm":"ES256","claims":{"# + ([claims] + others).joined(separator: ",") + "}")
    }
    return try TestRules.partnerToken(claims)
  }

  @Test(
    "a cached token is refused under DPoP if its issuer refuses bound tokens",
    arguments: EventKind.allCases)
  func cachedScheme(kind: EventKind) throws {
    // The partner ignores bindings, so the scheme DPoP is accepted; the token is Apple's.
    var authorizer = try TestRules.authorizer(#""verdictCache":8"#, partner: Self.ignore)
    let token = try TestIssuers.token(#""preset":"apple","claims":{"aud":"com.example.app"}"#)
    let rows: [(scheme: String, reason: ReasonCode?)] = [
      ("Bearer", nil), ("DPoP", .malformedToken), ("Bearer", nil), ("dpop", .malformedToken),
    ]
    for (scheme, reason) in rows {
      let event = TestEvent.bytes(kind, authorization: .string("\(scheme) \(token)"))
      #expect(authorizer.decide(on: event, at: TestIssuers.now).reason == reason)
    }
    #expect(authorizer.signatureChecks == 1)
  }

  @Test("bound tokens are never cached")
  func neverCached() throws {
    var authorizer = try TestRules.authorizer(#""verdictCache":8"#)
    let event = TestEvent.bytes(.restToken, token: try TestRules.partnerToken(Self.bound))
    for checks in 1...3 {
      #expect(authorizer.decide(on: event, at: TestIssuers.now).reason == .boundToken)
      #expect(authorizer.signatureChecks == checks)
    }
  }

  @Test(
    "two credentials are ambiguous with any schemes", arguments: EventKind.allCases,
    [
      ("Bearer a, DPoP b", .ambiguousToken), ("DPoP a, Bearer b", .ambiguousToken),
      ("DPoP a,dpop b", .ambiguousToken), ("DPoP a, b", .malformedToken), ("DPoP a,", .malformedToken),
    ] as [(String, ReasonCode)])
  func joined(kind: EventKind, row: (value: String, reason: ReasonCode)) throws {
    var ignoring = try TestRules.authorizer("", partner: Self.ignore)
    var refusing = try TestRules.authorizer("")
    let event = TestEvent.bytes(kind, authorization: .string(row.value))
    #expect(ignoring.decide(on: event, at: TestIssuers.now).reason == row.reason)
    #expect(refusing.decide(on: event, at: TestIssuers.now).reason == .malformedToken)
  }

  @Test("the deny style never applies to a bound token", arguments: EventKind.allCases)
  func deny(kind: EventKind) throws {
    var authorizer = try TestRules.authorizer(#""unauthorized":"deny""#)
    let token = try TestRules.partnerToken(Self.bound)
    #expect(
      authorizer.decide(on: TestEvent.bytes(kind, token: token), at: TestIssuers.now).answer == .unauthorized)
  }

  @Test(
    "the log line names the binding and how to accept it",
    arguments: [
      (bound, "bound by cnf.jkt;", #""dpop": {}"#),
      (certificate, "bound by cnf.x5t#S256;", #""certificate": true"#),
      (
        #""cnf":{"jkt":"\#(jkt)","x5t#S256":"\#(jkt)"}"#, "bound by cnf.jkt and cnf.x5t#S256;",
        #""dpop": {}, "certificate": true"#
      ),
    ])
  func logged(claims: String, beginning: String, settings: String) throws {
    var authorizer = try TestRules.authorizer("")
    let event = TestEvent.bytes(.http2, token: try TestRules.partnerToken(claims))
    let decision = authorizer.decide(on: event, at: TestIssuers.now)
    let line = try JSONTree(parsing: Array(DecisionLogTests.line(decision).utf8))
    #expect(line["reason"] == .string("boundToken"))
    #expect(line["issuer"] == .string("partner"))
    #expect(
      line["detail"]
        == .string(
          beginning + #" to check the proof, set "proofOfPossession": { "# + settings
            + #" } for this issuer; "ignore" accepts the token without a proof"#))
    #expect(!DecisionLogTests.line(decision, .text).contains(Self.jkt))
  }

  @Test("other reasons have no detail")
  func noDetail() throws {
    var authorizer = try TestRules.authorizer("")
    for claims in [Self.malformed, #""sub":"u""#] {
      let event = TestEvent.bytes(.http2, token: try TestRules.partnerToken(claims))
      #expect(authorizer.decide(on: event, at: TestIssuers.now).detail == nil)
    }
  }

  @Test(
    "the words are refuse and ignore",
    arguments: [
      (#""refuse""#, nil), (#""ignore""#, nil),
      (#""Ignore""#, word), (#""""#, word), ("true", word), ("null", word), ("[]", word), ("1", word),
    ] as [(String, String?)])
  func values(value: String, problem: String?) throws {
    let text = TestRules.configuration("", partner: #","proofOfPossession":\#(value)"#)
    #expect(
      try SettingsRefusalTests.problems(inline: text, ["AUTHORIZER_DEVELOPMENT": "1"])
        == problem.map { ["issuers[1].proofOfPossession: " + $0] } ?? [])
  }
  static let word = #""refuse", "ignore" or an object is expected"#

  @Test("each issuer that ignores bindings causes a warning")
  func warned() throws {
    let warning = #": "ignore": a stolen token that is bound to its client's key or certificate is accepted"#
    #expect(try TestRules.settings("").warnings == [])
    #expect(try TestRules.settings("", apple: #","proofOfPossession":"refuse""#).warnings == [])
    #expect(
      try TestRules.settings("", apple: Self.ignore, partner: Self.ignore).warnings.map(\.description)
        == ["issuers[0].proofOfPossession" + warning, "issuers[1].proofOfPossession" + warning])
  }

  @Test("a token without a header has no scheme")
  func bare() throws {
    var authorizer = try TestRules.authorizer(#""tokenSources":["cookie:session"]"#, partner: Self.ignore)
    for (value, reason) in [("", nil), ("DPoP ", .malformedToken), ("DPoP%20", .malformedToken)]
      as [(String, ReasonCode?)]
    {
      let cookie = TestEvent.text("cookie", "session=\(value)\(try TestRules.partnerToken(Self.bound))")
      let event = TestEvent.bytes(.restRequest, [TestEvent.object("headers", [cookie])])
      #expect(authorizer.decide(on: event, at: TestIssuers.now).reason == reason, "\(value)")
    }
  }
}
