import JSON
import Testing

@testable import Authorizer

/// With guests, an HTTP API whose authorizer has identity sources may have a cache that callers share.
@Suite("Guests and identity sources")
struct GuestIdentityTests {
  static let named: [(EventKind, JSONTree)] = [
    (.http2, .array([.string("api.example.com")])), (.http2, .array([.string("")])),
    (.http2, .array([.null])), (.http2, .string("x")), (.http2, .object([])), (.http2, .boolean(true)),
    (.http1, .string("api.example.com")), (.http1, .array([.string("x")])), (.http1, .integer(0)),
  ]

  @Test("a guest of an API with identity sources is a failure", arguments: named)
  func refused(kind: EventKind, sources: JSONTree) throws {
    for style in ["", #","httpApiAnswer":"simple""#] {
      var authorizer = try TestGuests.authorizer(["GET /public/a"], TestGuests.concrete + style)
      let event = TestGuests.event(kind, "GET/public/a", [.init(name: "identitySource", value: sources)])
      let decision = authorizer.decide(on: event, at: TestIssuers.now)
      #expect(decision.outcome == .failure && decision.reason == .invalidConfiguration)
      #expect(!decision.isGuest)
      #expect(decision.detail?.contains("remove the identity sources") == true)
      // On other routes a caller without a token cannot see it.
      let other = TestGuests.event(kind, "GET/pets", [.init(name: "identitySource", value: sources)])
      #expect(authorizer.decide(on: other, at: TestIssuers.now).reason == .missingToken)
    }
  }

  @Test(
    "without identity sources a guest is allowed",
    arguments: [
      (EventKind.http2, JSONTree.null), (.http2, .array([])), (.http1, .string("")), (.http1, .null),
      // Events of other APIs do not name their identity sources.
      (.restRequest, .string("x")),
    ])
  func allowed(kind: EventKind, sources: JSONTree) throws {
    var authorizer = try TestGuests.authorizer(["GET /public/a"])
    let event = TestGuests.event(kind, "GET/public/a", [.init(name: "identitySource", value: sources)])
    #expect(authorizer.decide(on: event, at: TestIssuers.now).isGuest)
  }

  @Test("a token is not answered where the cache key does not contain it", arguments: [true, false])
  func token(hasGuests: Bool) throws {
    let token = try TestRules.partnerToken()
    let members = hasGuests ? TestGuests.members(["GET /public/a"]) : #""gatewayCache":"off""#
    var authorizer = try TestRules.authorizer(members)
    let headers = TestEvent.object("headers", [TestEvent.text("authorization", "Bearer " + token)])
    for (source, isShared) in [("api.example.com", true), ("Bearer " + token, false)] {
      let event = TestEvent.bytes(
        .http2, arn: TestEvent.stage + "GET/pets", [headers, TestEvent.list("identitySource", [source])])
      let decision = authorizer.decide(on: event, at: TestIssuers.now)
      #expect(decision.outcome == (hasGuests && isShared ? .failure : .allowed))
      #expect(decision.reason == (hasGuests && isShared ? .invalidConfiguration : nil))
    }
  }

  @Test("the explanation names the cause")
  func explained() throws {
    let long = "GET /public/" + String(repeating: "a", count: 440)
    let stage = "arn:aws:execute-api:eu-west-1:123456789012:abc/" + String(repeating: "s", count: 40) + "/"
    let rules =
      #""default":"allow","rules":[{"routes":["* /public/drafts/*"],"require":{"scopes":["edit"]}}]"#
    let open = try TestRules.settings(TestGuests.members([long, "GET /public/b*"], TestGuests.concrete))
    let restricted = try TestRules.settings(
      TestGuests.members(["GET /public/*"], TestGuests.concrete + "," + rules))
    let rows: [(Settings, String, GuestRuling.Obstacle?)] = [
      (open, stage + long.replacing(" ", with: ""), .tooLong), (open, stage + "GET/public/b/%2e", .path),
      (open, stage + "GET/pets", nil), (open, stage + "GET/public/b", nil),
      (restricted, TestEvent.stage + "GET/public/drafts/7", .rule(0)),
      (restricted, TestEvent.stage + "GET/public/./7", .path),
    ]
    for (settings, arn, obstacle) in rows {
      let event = TestEvent.bytes(.restRequest, arn: arn, [])
      let ruling = try GuestRuling(on: event, settings: settings)
      #expect(ruling?.obstacle == obstacle, "\(arn)")
      #expect((ruling?.outcome == .allowed) == arn.hasSuffix("/public/b"), "\(arn)")
    }
  }
}
