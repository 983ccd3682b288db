import JSON
import Testing

@testable import Authorizer
@testable import FunctionHost

@Suite("Log lines of decisions")
struct DecisionLogTests {
  static let milliseconds = TestIssuers.now * 1000

  static func line(
    _ decision: Decision, _ format: LogFormat = .json, requestID: String = "r-1", microseconds: Int64 = 184
  ) -> String {
    var line = LogLine(format)
    // The buffer is reused, so the old content must not appear.
    line.begin(.fatal, "before", requestID: Array("before".utf8)[...], unixMilliseconds: 1)
    line.write(
      decision, LoggedInvocation(requestID: requestID), unixMilliseconds: milliseconds,
      microseconds: microseconds)
    return String(decoding: line.bytes, as: UTF8.self)
  }

  /// A decision with every member that a line can show.
  static func complete(_ decision: Decision) -> Decision {
    var decision = decision
    decision.issuerName = "apple"
    decision.keyIDHash = Array("1a2b3c4d".utf8)
    decision.tokenHash = Array("5e6f7081".utf8)
    decision.eventKind = .http2
    decision.keyFetches = 2
    return decision
  }

  static let head = #"{"timestamp":"2026-11-21T10:00:00.000Z","level":"#

  struct Golden: CustomTestStringConvertible {
    let decision: Decision
    let json: String
    let text: String
    var testDescription: String { json }
  }

  private static let all =
    #""issuer":"apple","kidHash":"1a2b3c4d","tokenHash":"5e6f7081","eventKind":"http2","microseconds":184,"fetches":2}"#
  private static let allText =
    "issuer=apple\tkidHash=1a2b3c4d\ttokenHash=5e6f7081\teventKind=http2\tmicroseconds=184\tfetches=2"

  private static func lacking(_ scope: String) -> Decision {
    var decision = Decision(.insufficientScope)
    decision.rule = 3
    decision.requiredScope = Array(scope.utf8)
    return decision
  }

  static let golden = [
    Golden(
      decision: lacking("pets:write"),
      json:
        #""INFO","message":"decision","requestId":"r-1","outcome":"forbidden","reason":"insufficientScope","rule":3,"requiredScope":"pets:write",\#(all)"#,
      text:
        "r-1\tINFO\tdecision\toutcome=forbidden\treason=insufficientScope\trule=3\trequiredScope=pets:write\t\(allText)"
    ),
    Golden(
      decision: Decision(allowing: []),
      json: #""INFO","message":"decision","requestId":"r-1","outcome":"allowed",\#(all)"#,
      text: "r-1\tINFO\tdecision\toutcome=allowed\t\(allText)"),
    Golden(
      decision: Decision(.insufficientScope),
      json:
        #""INFO","message":"decision","requestId":"r-1","outcome":"forbidden","reason":"insufficientScope",\#(all)"#,
      text: "r-1\tINFO\tdecision\toutcome=forbidden\treason=insufficientScope\t\(allText)"),
    Golden(
      decision: Decision(.expired),
      json:
        #""INFO","message":"decision","requestId":"r-1","outcome":"unauthorized","reason":"expired",\#(all)"#,
      text: "r-1\tINFO\tdecision\toutcome=unauthorized\treason=expired\t\(allText)"),
    Golden(
      decision: Decision(.keysUnavailable, detail: "what is wrong"),
      json:
        #""ERROR","message":"decision","requestId":"r-1","outcome":"failure","reason":"keysUnavailable","detail":"what is wrong",\#(all)"#,
      text:
        "r-1\tERROR\tdecision\toutcome=failure\treason=keysUnavailable\tdetail=what is wrong\t\(allText)"),
  ]

  @Test("each outcome is one line of exactly these bytes, in both formats", arguments: golden)
  func lines(_ golden: Golden) {
    let decision = Self.complete(golden.decision)
    #expect(Self.line(decision) == Self.head + golden.json)
    #expect(Self.line(decision, .text) == "2026-11-21T10:00:00.000Z\t" + golden.text)
  }

  /// What the invocation and the event add to a line.
  struct Link: CustomTestStringConvertible {
    var trace: String?
    var isFirst = false
    var apiRequestID: String?
    let json: String
    var testDescription: String { json }

    /// The same members in the format `Text`.
    var text: String {
      json.replacing(",", with: "\t").replacing(":", with: "=").replacing("\"", with: "")
    }
  }

  static let links = [
    Link(json: ""), Link(isFirst: true, json: #","coldStart":true"#),
    Link(
      trace: "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1",
      json: #","xrayTraceId":"1-5759e988-bd862e3fe1be46a994272793""#),
    Link(apiRequestID: "LV7fzho-PHcEJPw=", json: #","apiRequestId":"LV7fzho-PHcEJPw=""#),
    Link(
      trace: "Root=1-5759e988-bd862e3fe1be46a994272793", isFirst: true,
      apiRequestID: "deef4878-7910-11e6-8f14-25afc3e9ae33",
      json:
        #","apiRequestId":"deef4878-7910-11e6-8f14-25afc3e9ae33","xrayTraceId":"1-5759e988-bd862e3fe1be46a994272793","coldStart":true"#
    ),
  ]

  @Test("a line ends with what leads to other logs, in both formats", arguments: links)
  func leads(_ link: Link) throws {
    let context = link.apiRequestID.map {
      [TestEvent.object("requestContext", [TestEvent.text("requestId", $0)])]
    }
    var authorizer = try TestIssuers.authorizer()
    let decision = authorizer.decide(on: TestEvent.bytes(.http2, context ?? []), at: TestIssuers.now)
    let invocation = LoggedInvocation(requestID: "r-1", traceHeader: link.trace, isFirst: link.isFirst)
    for format in [LogFormat.json, .text] {
      var line = LogLine(format)
      line.write(decision, invocation, unixMilliseconds: Self.milliseconds, microseconds: 184)
      let end =
        format == .json
        ? #","eventKind":"http2","microseconds":184"# + link.json + "}"
        : "\teventKind=http2\tmicroseconds=184" + link.text
      #expect(String(decoding: line.bytes, as: UTF8.self).hasSuffix(end))
    }
  }

  static let logged: [(level: LogLevel, scope: DecisionLogScope, outcomes: [Outcome])] = [
    (.trace, .all, Outcome.allCases), (.debug, .all, Outcome.allCases), (.info, .all, Outcome.allCases),
    (.warn, .all, [.failure]), (.error, .all, [.failure]), (.fatal, .all, []),
    (.trace, .refusals, [.forbidden, .unauthorized, .failure]),
    (.info, .refusals, [.forbidden, .unauthorized, .failure]),
    (.warn, .refusals, [.failure]), (.error, .refusals, [.failure]), (.fatal, .refusals, []),
  ]

  @Test("level and scope decide which outcomes get a line, hashes and an ID", arguments: logged)
  func choice(level: LogLevel, scope: DecisionLogScope, outcomes: [Outcome]) throws {
    let decisions = LoggedDecisions(level: level, scope: scope)
    let one = [
      Decision([], refusing: nil), Decision([], refusing: .noRule),
      Decision(unauthorized: .expired, .unauthorized), Decision(failure: .keysUnavailable, detail: ""),
    ]
    #expect(Set(one.filter { decisions.contains($0) }.map(\.outcome)) == Set(outcomes))
    var authorizer = try TestIssuers.authorizer()
    authorizer.hashedDecisions = decisions
    let tokens = [
      try TestIssuers.token(DecisionTests.apple),
      try TestIssuers.token(#""preset":"apple","claims":{"exp":"-1h"}"#),
    ]
    for token in tokens {
      let event = TestEvent.bytes(
        .http1,
        [
          TestEvent.object("headers", [TestEvent.text("Authorization", "Bearer " + token)]),
          TestEvent.object("requestContext", [TestEvent.text("requestId", "LV7fzho-PHcEJPw=")]),
        ])
      let decision = authorizer.decide(on: event, at: TestIssuers.now)
      #expect((decision.tokenHash != nil) == outcomes.contains(decision.outcome))
      #expect((decision.keyIDHash != nil) == outcomes.contains(decision.outcome))
      #expect((decision.apiRequestID != nil) == outcomes.contains(decision.outcome))
    }
  }

  /// A user who may choose their own display name must not be able to trigger the alarm on errors with it.
  @Test("a failure caused by one token's claims is a warning, any other failure an error")
  func levelOfFailures() throws {
    let long = String(repeating: "x", count: 9000)
    let rows: [(members: String, partner: String, claims: String, stage: String, level: LogLevel)] = [
      ("", #","context":{"name":"name"}"#, #""name":"\#(long)""#, "dev", .warn),
      ("", "", "", String(repeating: "s", count: 600), .error),
      (
        #""default":"allow","rules":[{"routes":["GET /\#(String(repeating: "p", count: 440))"],"require":{"scopes":["a"]}}]"#,
        "", "", String(repeating: "s", count: 60), .error
      ),
    ]
    for row in rows {
      var authorizer = try TestRules.authorizer(row.members, partner: row.partner)
      let arn = "arn:aws:execute-api:eu-west-1:123456789012:abc/\(row.stage)/GET/"
      let event = TestEvent.bytes(.restToken, arn: arn, token: try TestRules.partnerToken(row.claims))
      let decision = authorizer.decide(on: event, at: TestIssuers.now)
      #expect(decision.reason == .answerTooLarge)
      #expect(decision.logLevel == row.level)
    }
  }

  @Test("input of a caller is never logged as an error", arguments: EventKind.allCases)
  func strangers(kind: EventKind) throws {
    let arn = kind == .webSocket ? nil : TestEvent.stage + "GET/" + String(repeating: "%41", count: 10_000)
    let headers = (0..<3400).map { TestEvent.text("h\($0)", "") }
    let events = [
      TestEvent.bytes(kind, arn: arn, token: "x"), TestEvent.bytes(kind, arn: arn, []),
      TestEvent.bytes(kind, arn: arn, [TestEvent.object("headers", headers)]),
    ]
    var authorizer = try TestIssuers.authorizer()
    for event in events {
      let decision = authorizer.decide(on: event, at: TestIssuers.now)
      #expect(decision.logLevel == .info)
      #expect(decision.outcome == .unauthorized)
    }
  }

  @Test("an allowed decision is one line of exactly these bytes")
  func allowed() throws {
    let event = TestEvent.bytes(.restToken, token: try TestIssuers.token(DecisionTests.apple))
    try expect(
      event,
      #""INFO","message":"decision","requestId":"r-1","outcome":"allowed","issuer":"apple","kidHash":"KID","tokenHash":"TOKEN","eventKind":"restToken","microseconds":184}"#
    )
  }

  @Test("an unauthorized decision logs everything known")
  func unauthorized() throws {
    let expired = try TestIssuers.token(#""preset":"apple","claims":{"exp":"-1h"}"#)
    try expect(
      TestEvent.bytes(.webSocket, token: expired),
      #""INFO","message":"decision","requestId":"r-1","outcome":"unauthorized","reason":"expired","issuer":"apple","kidHash":"KID","tokenHash":"TOKEN","eventKind":"webSocket","microseconds":184}"#
    )
    let foreign = try TestIssuers.token(#""preset":"oidc:https://other.example.com","omitHeader":"kid""#)
    try expect(
      TestEvent.bytes(.http1, token: foreign),
      #""INFO","message":"decision","requestId":"r-1","outcome":"unauthorized","reason":"wrongIssuer","tokenHash":"TOKEN","eventKind":"http1","microseconds":184}"#
    )
    // SHA-256 of "abc" (FIPS 180-2 appendix B.1).
    try expect(
      TestEvent.bytes(.http2, token: "abc"),
      #""INFO","message":"decision","requestId":"r-1","outcome":"unauthorized","reason":"malformedToken","tokenHash":"ba7816bf","eventKind":"http2","microseconds":184}"#
    )
    try expect(
      TestEvent.bytes(.restRequest, []),
      #""INFO","message":"decision","requestId":"r-1","outcome":"unauthorized","reason":"missingToken","eventKind":"restRequest","microseconds":184}"#
    )
  }

  @Test("a failure is an error")
  func failure() throws {
    try expect(
      Array("{}".utf8),
      #""ERROR","message":"decision","requestId":"r-1","outcome":"failure","reason":"invalidEvent","detail":"not an event of an API Gateway Lambda authorizer","microseconds":184}"#
    )
    let arn = "arn:aws:execute-api:eu-west-1:1:abc/\(String(repeating: "s", count: 600))/GET/"
    let token = try TestIssuers.token(DecisionTests.partner)
    try expect(
      TestEvent.bytes(.restToken, arn: arn, token: token),
      #""ERROR","message":"decision","requestId":"r-1","outcome":"failure","reason":"answerTooLarge","detail":"the stage's ARN is longer than a Resource may be","issuer":"partner","kidHash":"KID","tokenHash":"TOKEN","eventKind":"restToken","microseconds":184}"#
    )
  }

  @Test("a log line is one line for any request ID")
  func requestID() throws {
    let decision = Decision(failure: .invalidEvent, detail: "")
    let line = Self.line(decision, requestID: "a\n\"b\"\u{0}\u{2028}", microseconds: .max)
    #expect(!line.utf8.contains(0x0A))
    let tree = try JSONTree(parsing: Array(line.utf8))
    #expect(tree["requestId"] == .string("a\n\"b\"\u{0}\u{2028}"))
    #expect(tree["microseconds"] == .number("9223372036854775807"))
    let text = Self.line(decision, .text, requestID: "a\n\tb\r\"")
    #expect(text.hasPrefix("2026-11-21T10:00:00.000Z\ta\r b\r\"\tERROR\t"))
  }

  @Test("a message about the function is a log line")
  func message() {
    var line = LogLine(.json)
    line.begin(.warn, "a \"b\"", requestID: Array("r-2".utf8)[...], unixMilliseconds: Self.milliseconds)
    line.end()
    let expected = Self.head + #""WARN","message":"a \"b\"","requestId":"r-2"}"#
    #expect(String(decoding: line.bytes, as: UTF8.self) == expected)
    line.begin(.info, "m", requestID: nil, unixMilliseconds: Self.milliseconds)
    line.end()
    #expect(String(decoding: line.bytes, as: UTF8.self) == Self.head + #""INFO","message":"m"}"#)
    var text = LogLine(.text)
    text.begin(.info, "two\nlines", requestID: nil, unixMilliseconds: Self.milliseconds)
    text.end()
    #expect(text.bytes == Array("2026-11-21T10:00:00.000Z\t-\tINFO\ttwo\rlines".utf8))
  }

  @Test("a notice about keys is a log line")
  func notice() {
    var line = LogLine(.json)
    line.write(
      Notice(code: "keyFetchFailed", issuerName: "apple", detail: "fetchTimeout"),
      unixMilliseconds: Self.milliseconds)
    let expected = #""WARN","message":"keyFetchFailed","issuer":"apple","detail":"fetchTimeout"}"#
    #expect(String(decoding: line.bytes, as: UTF8.self) == Self.head + expected)
    var text = LogLine(.text)
    text.write(
      Notice(code: "keysServedPastTheirLife", issuerName: "a\tb", detail: nil),
      unixMilliseconds: Self.milliseconds)
    let expectedText = "2026-11-21T10:00:00.000Z\t-\tWARN\tkeysServedPastTheirLife\tissuer=a b"
    #expect(String(decoding: text.bytes, as: UTF8.self) == expectedText)
  }

  private func expect(
    _ event: [UInt8], _ tail: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var authorizer = try TestIssuers.authorizer()
    let decision = authorizer.decide(on: event, at: TestIssuers.now)
    let hash = { (bytes: [UInt8]?) in bytes.map { String(decoding: $0, as: UTF8.self) } ?? "absent" }
    let expected =
      tail.replacing("KID", with: hash(decision.keyIDHash)).replacing("TOKEN", with: hash(decision.tokenHash))
    #expect(Self.line(decision) == Self.head + expected, sourceLocation: sourceLocation)
  }
}
