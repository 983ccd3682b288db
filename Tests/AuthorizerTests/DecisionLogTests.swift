import JSON
import Testing

@testable import Authorizer

@Suite("DecisionLog")
struct DecisionLogTests {
  static let milliseconds = TestIssuers.now * 1000

  static func line(_ decision: Decision, requestID: String = "r-1", microseconds: Int64 = 184) -> String {
    let bytes = DecisionLog.line(
      decision, requestID: requestID, unixMilliseconds: milliseconds, microseconds: microseconds)
    return String(decoding: bytes, as: UTF8.self)
  }

  static let head = #"{"timestamp":"2026-11-21T10:00:00.000Z","level":"#

  struct Case: CustomTestStringConvertible {
    let event: [UInt8]
    /// What follows the level; `KID` and `TOKEN` stand for the decision's own hashes.
    let tail: String
    var testDescription: String { tail }
  }

  @Test("an allowed decision is one line of exactly these bytes")
  func allowed() throws {
    let event = TestEvent.bytes(.restToken, token: try TestIssuers.token(DecisionTests.apple))
    try expect(
      event,
      #""INFO","message":"decision","requestId":"r-1","outcome":"allowed","issuer":"apple","kidHash":"KID","tokenHash":"TOKEN","eventKind":"restToken","microseconds":184}"#
    )
  }

  @Test("an unauthorized decision says all that is known")
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
      #""ERROR","message":"decision","requestId":"r-1","outcome":"failure","reason":"invalidEvent","microseconds":184}"#
    )
    let arn = "arn:aws:execute-api:eu-west-1:1:abc/\(String(repeating: "s", count: 600))/GET/"
    let token = try TestIssuers.token(DecisionTests.partner)
    try expect(
      TestEvent.bytes(.restToken, arn: arn, token: token),
      #""ERROR","message":"decision","requestId":"r-1","outcome":"failure","reason":"answerTooLarge","issuer":"partner","kidHash":"KID","tokenHash":"TOKEN","eventKind":"restToken","microseconds":184}"#
    )
  }

  @Test("whatever stands in a request id, a line is one line")
  func requestID() throws {
    let decision = Decision(failure: .invalidEvent, detail: "")
    let line = Self.line(decision, requestID: "a\n\"b\"\u{0}\u{2028}", microseconds: .max)
    #expect(line.hasSuffix("\n"))
    #expect(line.utf8.count(where: { $0 == 0x0A }) == 1)
    let tree = try JSONTree(parsing: Array(line.utf8))
    #expect(tree["requestId"] == .string("a\n\"b\"\u{0}\u{2028}"))
    #expect(tree["microseconds"] == .number("9223372036854775807"))
  }

  @Test("a notice is a line too")
  func notice() {
    let bytes = DecisionLog.line(
      level: "WARN", message: "a \"b\"", requestID: "r-2", unixMilliseconds: Self.milliseconds)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == Self.head + #""WARN","message":"a \"b\"","requestId":"r-2"}"# + "\n")
    let short = DecisionLog.line(
      level: "INFO", message: "m", requestID: nil, unixMilliseconds: Self.milliseconds)
    #expect(String(decoding: short, as: UTF8.self) == Self.head + #""INFO","message":"m"}"# + "\n")
  }

  private func expect(
    _ event: [UInt8], _ tail: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var authorizer = try TestIssuers.authorizer()
    let decision = authorizer.decide(on: event, at: TestIssuers.now)
    let hash = { (bytes: [UInt8]?) in bytes.map { String(decoding: $0, as: UTF8.self) } ?? "absent" }
    let expected =
      tail.replacing("KID", with: hash(decision.keyIDHash)).replacing("TOKEN", with: hash(decision.tokenHash))
    #expect(Self.line(decision) == Self.head + expected + "\n", sourceLocation: sourceLocation)
  }
}
