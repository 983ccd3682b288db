import JSON
import Testing

@testable import Authorizer

/// A caller who sends anything in a place for credentials is not a guest.
@Suite("Guests and bad credentials")
struct GuestCredentialTests {
  /// A value that a caller sends.
  static func values() throws -> [JSONTree] {
    let good = try TestRules.partnerToken()
    let expired = try TestIssuers.token(
      #""preset":"oidc","algorithm":"ES256","claims":{"iss":"https://id.example.com","aud":"api","exp":"-1h"}"#
    )
    let texts = [
      "", " ", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "DPoP", "null", "undefined", "x", "Bearer x",
      "Bearer a.b.c", "Bearer " + expired, expired, String(good.dropLast()), "Bearer \(good), Bearer \(good)",
      "ApiKey 0123456789abcdefghij",
    ]
    return texts.map { .string($0) } + [.null, .boolean(false), .integer(7), .array([]), .object([])]
  }

  /// A place for credentials: the configuration that names it, and the members of an event with a value there.
  struct Place: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let sources: String
    var more = ""
    var kinds = TestGuests.kinds
    let members: @Sendable (EventKind, JSONTree) -> [JSONTree.Member]

    static func header(
      _ name: String, _ sources: String, more: String = "", multiple: Bool = false
    ) -> Place {
      let kinds = multiple ? TestGuests.kinds.filter { $0 != .http2 } : TestGuests.kinds
      return Place(
        testDescription: "\(name) with \(sources)\(multiple ? " in multiValueHeaders" : "")",
        sources: sources, more: more, kinds: kinds
      ) { kind, value in
        let own = kind == .http2 || kind == .http1 ? name.lowercased() : name
        let list: JSONTree = if case .array = value { value } else { .array([value]) }
        return multiple
          ? [TestEvent.object("multiValueHeaders", [.init(name: own, value: list)])]
          : [TestEvent.object("headers", [.init(name: own, value: value)])]
      }
    }

    static func query(_ sources: String, more: String, multiple: Bool) -> Place {
      Place(
        testDescription: "query token\(more)\(multiple ? " in multiValueQueryStringParameters" : "")",
        sources: sources, more: more
      ) { _, value in
        let list: JSONTree = if case .array = value { value } else { .array([value]) }
        return [
          TestEvent.object(
            multiple ? "multiValueQueryStringParameters" : "queryStringParameters",
            [.init(name: "token", value: multiple ? list : value)])
        ]
      }
    }
  }

  static let both = "header:authorization,cookie:session"
  static let places: [Place] = [
    .header("Authorization", "header:authorization"),
    .header("Authorization", "header:authorization", multiple: true),
    .header("AUTHORIZATION", "header:authorization"),
    // Counts wherever the token is looked for.
    .header("Authorization", "cookie:session"), .header("Authorization", "header:X-Token"),
    .header("Authorization", "query:token"), .header("X-Token", "header:x-token"),
    .header("X-Token", both + ",header:X-TOKEN", multiple: true),
    .header("DPoP", "header:authorization"), .header("dpop", "cookie:session", multiple: true),
    .header("Sec-WebSocket-Protocol", both + ",header:Sec-WebSocket-Protocol"),
    .query("query:token", more: #","allowQueryTokens":true"#, multiple: false),
    .query("query:token", more: #","allowQueryTokens":true"#, multiple: true),
    // Not read on REST and HTTP APIs, and still a place for a token.
    .query("query:token", more: "", multiple: false), .query(both + ",query:token", more: "", multiple: true),
  ]

  private static func authorizer(_ place: Place) throws -> Authorizer<ScriptedTransport> {
    let sources = place.sources.split(separator: ",").map { "\"\($0)\"" }.joined(separator: ",")
    return try TestGuests.authorizer(
      GuestTests.routes, TestGuests.concrete + #","tokenSources":[\#(sources)]"# + place.more)
  }

  @Test("a bad credential is never a guest", arguments: places)
  func badCredentials(_ place: Place) throws {
    var authorizer = try Self.authorizer(place)
    for kind in place.kinds {
      let route = TestGuests.route(of: kind)
      for value in try Self.values() {
        let event = TestGuests.event(kind, route, place.members(kind, value))
        let decision = authorizer.decide(on: event, at: TestIssuers.now)
        #expect(decision.outcome == .unauthorized, "\(kind) \(value)")
        #expect(!decision.isGuest)
        #expect(decision.answer == .unauthorized)
      }
      let guest = authorizer.decide(on: TestGuests.event(kind, route), at: TestIssuers.now)
      #expect(guest.isGuest, "\(kind)")
    }
  }

  static let cookies = [
    "session=", "session=x", "a=b; session=", "session=\"\"", " session = x", "\"session\"=x",
    "a=b, session=x",
    "a=b session=x", "session=x; session=y", "a=b;session=Bearer",
    // A name without a value, which browsers send without an equals sign.
    "session", " session ", "a=b; session", "session; a=b", "a=b,session", "\"session\"",
  ]

  @Test("a bad cookie is never a guest", arguments: cookies)
  func badCookies(line: String) throws {
    let places: [(EventKind, [JSONTree.Member])] = [
      (.http2, [TestEvent.list("cookies", [line])]), (.http2, [TestEvent.list("cookies", ["a=b", line])]),
      (.http2, [TestEvent.object("headers", [TestEvent.text("cookie", line)])]),
      (.http1, [TestEvent.object("headers", [TestEvent.text("cookie", line)])]),
      (.restRequest, [TestEvent.object("headers", [TestEvent.text("Cookie", line)])]),
      (.restRequest, [TestEvent.object("multiValueHeaders", [TestEvent.list("Cookie", ["a=b", line])])]),
      (.webSocket, [TestEvent.object("multiValueHeaders", [TestEvent.list("Cookie", [line])])]),
    ]
    var authorizer = try TestGuests.authorizer(
      GuestTests.routes, TestGuests.concrete + #","tokenSources":["cookie:session"]"#)
    for (kind, members) in places {
      let event = TestGuests.event(kind, TestGuests.route(of: kind), members)
      let decision = authorizer.decide(on: event, at: TestIssuers.now)
      #expect(decision.outcome == .unauthorized && !decision.isGuest, "\(kind) \(members)")
    }
  }

  /// API Gateway sends no such events.
  @Test(
    "a list or map in the wrong format is never a guest",
    arguments: [
      "headers", "multiValueHeaders", "queryStringParameters", "multiValueQueryStringParameters", "cookies",
    ])
  func wrongFormat(member: String) throws {
    var authorizer = try TestGuests.authorizer(
      GuestTests.routes, TestGuests.concrete + #","tokenSources":["cookie:session","query:token"]"#)
    for value in [JSONTree.string("session=x"), .array([.integer(7)]), .boolean(true), .integer(0)] {
      for kind in TestGuests.kinds {
        let event = TestGuests.event(
          kind, TestGuests.route(of: kind), [.init(name: member, value: value)])
        #expect(!authorizer.decide(on: event, at: TestIssuers.now).isGuest, "\(kind) \(value)")
      }
    }
  }

  @Test("a header or query parameter in the wrong format is never a guest")
  func wrongValue() throws {
    var authorizer = try TestGuests.authorizer(
      GuestTests.routes, TestGuests.concrete + #","tokenSources":["cookie:session","query:token"]"#)
    let values: [(map: String, name: String, value: JSONTree)] = [
      // Only multiValueHeaders has lists.
      ("headers", "Cookie", .array([.string("session=x")])), ("headers", "Cookie", .array([.string("a=b")])),
      ("headers", "cookie", .array([])), ("headers", "Cookie", .integer(7)),
      ("headers", "Cookie", .object([TestEvent.text("session", "x")])),
      ("multiValueHeaders", "Cookie", .array([.array([.string("session=x")])])),
      ("multiValueHeaders", "Cookie", .boolean(true)),
      ("queryStringParameters", "token", .array([.string("x")])),
      ("multiValueQueryStringParameters", "token", .string("x")),
    ]
    for row in values {
      for kind in TestGuests.kinds {
        let member = TestEvent.object(row.map, [.init(name: row.name, value: row.value)])
        let event = TestGuests.event(kind, TestGuests.route(of: kind), [member])
        #expect(!authorizer.decide(on: event, at: TestIssuers.now).isGuest, "\(kind) \(row)")
      }
    }
  }

  @Test("what is in no place for credentials does not make a caller known")
  func others() throws {
    var authorizer = try TestGuests.authorizer(
      GuestTests.routes, TestGuests.concrete + #","tokenSources":["cookie:session","query:token"]"#)
    let headers: [JSONTree.Member] = [
      TestEvent.text("Cookie", "theme=dark; my-session=1; sessions; flag"), TestEvent.text("X-Api-Key", "k"),
      TestEvent.text("Sec-WebSocket-Protocol", "graphql-ws"), TestEvent.text("X-Authorization", "Bearer x"),
    ]
    let query = TestEvent.object("queryStringParameters", [TestEvent.text("Token", "x")])
    for kind in TestGuests.kinds {
      let event = TestGuests.event(
        kind, TestGuests.route(of: kind), [TestEvent.object("headers", headers), query])
      #expect(authorizer.decide(on: event, at: TestIssuers.now).isGuest, "\(kind)")
      let empty = ["headers", "multiValueHeaders", "queryStringParameters", "cookies"].map {
        JSONTree.Member(name: $0, value: .null)
      }
      let bare = TestGuests.event(kind, TestGuests.route(of: kind), empty)
      #expect(authorizer.decide(on: bare, at: TestIssuers.now).isGuest, "\(kind)")
    }
  }
}
