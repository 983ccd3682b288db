@testable import GatewayModel
import Testing

/// Route selection expressions ("WebSocket selection expressions in API Gateway").
@Suite struct RouteSelectionTests {
  private static let samples: [(String, String, String?)] = [
    ("$request.body.action", #"{"action":"send"}"#, "send"),
    ("${request.body.action}", #"{"action":"send"}"#, "send"),
    ("$request.body.message.kind", #"{"message":{"kind":"send"}}"#, "send"),
    ("${request.body.version}-beta", #"{"version":"2"}"#, "2-beta"),
    ("${request.body.area}/${request.body.verb}", #"{"area":"room","verb":"join"}"#, "room/join"),
    (#"a\$b"#, "{}", "a$b"),
    ("$request.body.action", #"{"action":7}"#, nil),
    ("$request.body.action", #"{"action":""}"#, nil),
    ("$request.body.action", #"{"other":"send"}"#, nil),
    ("${request.body.area}/${request.body.verb}", #"{"area":"room"}"#, nil),
    // The predefined routes cannot be selected.
    ("$request.body.action", #"{"action":"$connect"}"#, nil),
    ("$request.body.action", #"{"action":"$disconnect"}"#, nil),
    (#"\$default"#, #"{"action":"send"}"#, nil),
    ("$request.body.action", "hello", nil), ("$request.body.action", "[1]", nil),
    ("$request.body.action", #"{"action":"send""#, nil), ("$request.body.action", "", nil),
  ]

  @Test(arguments: samples) func selectsTheKeyOfAMessage(
    _ expression: String, _ message: String, _ key: String?
  ) throws {
    #expect(try #require(RouteSelection(expression)).key(in: Array(message.utf8)) == key)
  }

  @Test(arguments: [
    "", "$request.body", "$request.header.x", "$request.body.", "$request.body.a..b", "${request.body.a",
    "$context.routeKey", "${request.body.a}${", "$$request.body.a", "$request.body.a.",
  ])
  func refusesOtherExpressions(_ text: String) { #expect(RouteSelection(text) == nil) }
}
