import Synchronization
import Testing

@testable import authorizer_local

@Suite struct EventSourceTests {
  /// `test` compares what an authorizer says about all requests of one caller, whose events are prepared one after the
  /// other.
  @Test func eventsOfOneRecipeHaveTheSameToken() throws {
    let time = Mutex(RecordedMachine.now)
    let recorded = try RecordedMachine(
      hasKeys: true,
      now: {
        time.withLock {
          $0 += 1
          return $0
        }
      })
    try recorded.write(#"{"good":{"preset":"apple"}}"#, to: "events/tokens.json")
    try recorded.write(#"{"authorizationToken":"{{token good}}"}"#, to: "events/a.json")
    let source = EventSource(options: FunctionOptions(), machine: recorded.machine)
    let events = try (0..<2).map { _ in try source.body(at: "events/a.json", name: "a.json").bytes }
    #expect(events[0] == events[1] && events[0].count > 500)
  }
}
