import JSON

@testable import Authorizer

/// Configurations and events of guests.
enum TestGuests {
  /// The kinds of event that can come from a guest.
  static let kinds: [EventKind] = [.restRequest, .http1, .http2, .webSocket]

  /// Returns the members of a configuration with these guest routes.
  static func members(_ routes: [String], _ more: String = "") -> String {
    let list = routes.map { "\"\($0)\"" }.joined(separator: ",")
    return #""gatewayCache":"off","anonymous":{"routes":[\#(list)]}\#(more.isEmpty ? "" : "," + more)"#
  }

  static func authorizer(_ routes: [String], _ more: String = "") throws -> Authorizer<ScriptedTransport> {
    try TestRules.authorizer(members(routes, more))
  }

  static let concrete = #""routeArnIsConcrete":true"#

  /// Returns an event without any credential, with the headers that every client sends.
  static func event(_ kind: EventKind, _ route: String, _ more: [JSONTree.Member] = []) -> [UInt8] {
    let headers = TestEvent.object("headers", [TestEvent.text("Host", "api.example.com")])
    return TestEvent.bytes(
      kind, arn: TestEvent.stage + route, more.contains { $0.name == "headers" } ? more : [headers] + more)
  }

  static func route(of kind: EventKind) -> String { kind == .webSocket ? "$connect" : "GET/public/a" }
}
