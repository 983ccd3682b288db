import JSON
import TestSupport
import Testing

@testable import Authorizer

@Suite("Failures and hostile input")
struct FailureTests {
  struct Case: CustomTestStringConvertible {
    let title: String
    let event: [UInt8]
    let message: String
    var testDescription: String { title }
  }

  static let arn = "arn:aws:execute-api:eu-west-1:123456789012:abc/dev/GET/"

  static let failures = [
    Case(
      title: "empty", event: [],
      message: "invalidEvent: the event is not JSON: the text ends too early at byte 0"),
    Case(
      title: "blank", event: [0x20, 0x0A],
      message: "invalidEvent: the event is not JSON: the text ends too early at byte 2"),
    Case(
      title: "not JSON", event: Array("hello".utf8),
      message: "invalidEvent: the event is not JSON: a byte that JSON does not allow here, at byte 0"),
    Case(
      title: "cut off", event: Array(#"{"type":"TOKEN","methodArn":"arn"#.utf8),
      message: "invalidEvent: the event is not JSON: the text ends too early at byte 32"),
    Case(
      title: "not UTF-8", event: Array(#"{"type":""#.utf8) + [0xFF, 0x22, 0x7D],
      message: "invalidEvent: the event is not JSON: not UTF-8 at byte 9"),
    Case(
      title: "NUL bytes", event: [UInt8](repeating: 0, count: 1000),
      message: "invalidEvent: the event is not JSON: a byte that JSON does not allow here, at byte 0"),
    Case(
      title: "100,000 nested arrays",
      event: [UInt8](repeating: 0x5B, count: 100_000) + [UInt8](repeating: 0x5D, count: 100_000),
      message: "invalidEvent: the event is not JSON: nested more than 64 deep at byte 64"),
    Case(
      title: "100,000 nested arrays within an event",
      event: Array(#"{"type":"TOKEN","methodArn":"\#(arn)","x":"#.utf8)
        + [UInt8](repeating: 0x5B, count: 100_000),
      message: "invalidEvent: the event is not JSON: nested more than 64 deep at byte 153"),
    Case(
      title: "100,000 nested objects", event: Array(String(repeating: #"{"a":"#, count: 100_000).utf8),
      message: "invalidEvent: the event is not JSON: nested more than 64 deep at byte 320"),
    Case(
      title: "over 6 MiB",
      event: Array("{\"type\":\"".utf8) + [UInt8](repeating: 0x61, count: 6 << 20) + Array("\"}".utf8),
      message: "invalidEvent: the event is not JSON: 6291467 bytes are more than the 6291456 allowed"),
    Case(
      title: "null", event: Array("null".utf8),
      message: "invalidEvent: not an event of an API Gateway Lambda authorizer"),
    Case(
      title: "array", event: Array("[]".utf8),
      message: "invalidEvent: not an event of an API Gateway Lambda authorizer"),
    Case(
      title: "foreign", event: Array(#"{"Records":[]}"#.utf8),
      message: "invalidEvent: not an event of an API Gateway Lambda authorizer"),
    Case(
      title: "no ARN", event: Array(#"{"type":"TOKEN","methodArn":"x"}"#.utf8),
      message: "invalidEvent: methodArn or routeArn is not an ARN of execute-api"),
  ]

  @Test("an input that is not an authorizer event is a failure, never a verdict", arguments: failures)
  func failure(_ row: Case) throws {
    var authorizer = try TestIssuers.authorizer()
    let decision = authorizer.decide(on: row.event, at: TestIssuers.now)
    #expect(decision.outcome == .failure)
    #expect(decision.reason == .invalidEvent)
    #expect(decision.eventKind == nil)
    #expect(decision.tokenHash == nil)
    guard case .failure(let failure) = decision.answer else {
      Issue.record("the answer is not a failure")
      return
    }
    #expect(failure.reason == .invalidEvent)
    #expect(failure.errorMessage == row.message)
    #expect(failure.errorMessage != Answer.unauthorizedMessage)
  }

  @Test("a stage too long for a Resource is a failure, not a refusal of the caller")
  func answerTooLarge() throws {
    var authorizer = try TestIssuers.authorizer()
    let arn = "arn:aws:execute-api:eu-west-1:123456789012:abc/\(String(repeating: "s", count: 600))/GET/"
    let token = try TestIssuers.token(DecisionTests.apple)
    let decision = authorizer.decide(
      on: TestEvent.bytes(.restRequest, arn: arn, token: token), at: TestIssuers.now)
    #expect(decision.reason == .answerTooLarge)
    #expect(decision.outcome == .failure)
    #expect(decision.eventKind == .restRequest)
    let detail = "the stage's ARN is longer than a Resource may be"
    #expect(decision.answer == .failure(Failure(reason: .answerTooLarge, detail: detail)))
    // A rejected token is reported first.
    let bad = authorizer.decide(on: TestEvent.bytes(.restRequest, arn: arn, token: "x"), at: TestIssuers.now)
    #expect(bad.reason == .malformedToken)
  }

  @Test("an oversized token is rejected before any cryptography", arguments: [(16 << 10) + 1, 1 << 20])
  func largeToken(bytes: Int) throws {
    var authorizer = try TestIssuers.authorizer()
    for text in ["a", "e30."] {
      let token = String(repeating: text, count: bytes / text.utf8.count + 1)
      let decision = authorizer.decide(on: TestEvent.bytes(.http2, token: token), at: TestIssuers.now)
      #expect(decision.answer == .unauthorized)
      #expect(decision.reason == .malformedToken)
    }
    #expect(authorizer.signatureChecks == 0)
  }

  @Test("an event of nearly 6 MiB is accepted")
  func largeEvent() throws {
    var authorizer = try TestIssuers.authorizer()
    let token = try TestIssuers.token(DecisionTests.apple)
    let members = [
      TestEvent.text("authorizationToken", "Bearer " + token),
      TestEvent.text("filler", String(repeating: "x", count: (6 << 20) - 4096)),
    ]
    let decision = authorizer.decide(on: TestEvent.bytes(.restToken, members), at: TestIssuers.now)
    #expect(decision.outcome == .allowed)
  }

  /// A change anywhere in an event leads to an answer, and never to a policy for another stage or principal.
  @Test("a damaged event gets an answer", arguments: EventKind.allCases)
  func damagedEvents(kind: EventKind) throws {
    var authorizer = try TestIssuers.authorizer()
    let token = try TestIssuers.token(DecisionTests.apple)
    let event = TestEvent.bytes(kind, token: token)
    let good = authorizer.decide(on: event, at: TestIssuers.now).answer
    var random = SeededGenerator(seed: 0xDA3A6E)
    var outcomes: Set<Outcome> = []
    for _ in 0..<400 {
      var damaged = event
      let index = Int.random(in: event.indices, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: damaged[index] = UInt8.random(in: 0...255, using: &random)
      case 1: damaged.remove(at: index)
      default: damaged.removeLast(event.count - index)
      }
      let decision = authorizer.decide(on: damaged, at: TestIssuers.now)
      outcomes.insert(decision.outcome)
      guard case .response(let bytes) = decision.answer, .response(bytes) != good else { continue }
      // The ARN comes from API Gateway: another ARN gives a policy for that ARN, still for the same principal.
      #expect(try PolicyReading(bytes).principalID == "001234.0123456789abcdef0123456789abcdef.0123")
    }
    #expect(outcomes == [.allowed, .unauthorized, .failure])
    #expect(authorizer.decide(on: event, at: TestIssuers.now).answer == good)
  }
}
