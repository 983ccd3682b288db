import Testing

@testable import Authorizer

@Suite("Log lines and metrics of guests")
struct GuestLogTests {
  private static func decision() throws -> Decision {
    var authorizer = try TestGuests.authorizer(GuestTests.routes, TestGuests.concrete)
    return authorizer.decide(on: TestGuests.event(.http2, "GET/public/a"), at: TestIssuers.now)
  }

  @Test("the line of a guest is exactly these bytes")
  func line() throws {
    #expect(
      DecisionLogTests.line(try Self.decision())
        == DecisionLogTests.head
        + #""INFO","message":"decision","requestId":"r-1","outcome":"allowed","anonymous":true,"eventKind":"http2","microseconds":184}"#
    )
  }

  @Test("a guest is counted as allowed and as a guest")
  func metrics() throws {
    var metrics = try MetricsTests.metrics()
    let counted = #"{"Name":"Guests","Unit":"Count"},{"Name":"Allowed","Unit":"Count"},"#
    let expected =
      MetricsTests.head + MetricsTests.start + counted + MetricsTests.common + MetricsTests.name
      + #""Allowed":1,"Guests":1,"KeyFetches":0,"Duration":184}"#
    #expect(MetricsTests.line(&metrics, try Self.decision()) == expected)
    // The next caller is no guest.
    let user = MetricsTests.line(&metrics, Decision(allowing: []))
    #expect(user == MetricsTests.golden[0].line)
  }
}
