import Synchronization
import Testing

@testable import authorizer_local

@Suite struct EventSourceTests {
  /// `test` compares what an authorizer says about all requests of one caller, whose events are prepared one after the
  /// other.
  @Test func eventsOfOneRecipeHaveTheSameToken() throws {
    let recorded = try Self.machine()
    try recorded.write(#"{"good":{"preset":"apple"}}"#, to: "events/tokens.json")
    try recorded.write(#"{"authorizationToken":"{{token good}}"}"#, to: "events/a.json")
    let source = EventSource(options: FunctionOptions(), machine: recorded.machine)
    let events = try (0..<2).map { _ in try source.body(at: "events/a.json", name: "a.json").bytes }
    #expect(events[0] == events[1] && events[0].count > 500)
  }

  @Test func theTokenOfAnEventAndItsExplanationHaveOneTime() async throws {
    let recorded = try Self.machine(
      input: #"{"type":"TOKEN","methodArn":"arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets","#
        + #""authorizationToken":"Bearer {{token old}}"}"#)
    try recorded.write(#"{"old":{"preset":"apple","claims":{"exp":"-90s"}}}"#, to: "tokens.json")
    try recorded.write(
      #"{"issuers":[{"preset":"apple","audiences":["com.example.app"]}]}"#, to: "authorizer.json")
    #expect(await recorded.run("explain", "-") == 1)
    #expect(recorded.answer.hasPrefix("expired: the token expired 1 min 30 s ago"), "\(recorded.answer)")
  }

  /// A token that is made while `explain -` waits for it is not from the future.
  @Test func theClockStopsAfterTheInputWasRead() async throws {
    let later = RecordedMachine.now + 200
    let maker = try RecordedMachine(hasKeys: true, now: { later })
    let options = ["--preset", "apple", "--audience", "com.example.app", "--claim", "nbf=\(later)"]
    #expect(await AuthorizerLocal.end(of: ["token"] + options, on: maker.machine) == 0)
    let recorded = try Self.machine(input: maker.answer, seconds: 100)
    try recorded.write(
      #"{"issuers":[{"preset":"apple","audiences":["com.example.app"]}]}"#, to: "authorizer.json")
    #expect(await recorded.run("explain", "-") == 0, "\(recorded.answer)\(recorded.notes)")
  }

  /// A machine on which each look at the clock takes some seconds.
  private static func machine(input: String? = nil, seconds: Int64 = 1) throws -> RecordedMachine {
    let time = Mutex(RecordedMachine.now)
    return try RecordedMachine(
      input: input, hasKeys: true,
      now: {
        time.withLock {
          $0 += seconds
          return $0
        }
      })
  }
}
