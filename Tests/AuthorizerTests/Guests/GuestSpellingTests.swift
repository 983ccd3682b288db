import JSON
import Testing

@testable import Authorizer

/// Paths that begin like a guest route and that some server resolves to another one.
@Suite("Spellings of a guest's path")
struct GuestSpellingTests {
  /// Every spelling of the two dot segments, with every spelling of the separators around them.
  static let spellings: [String] = {
    let dots = [
      ".", "..", "%2e", "%2E", "%2e%2e", "%2E%2e", "%2E%2E", ".%2e", ".%2E", "%2e.", "%252e%252e",
      "%c0%ae%c0%ae",
      "%C0%AE", "%e0%80%ae", "%E0%80%AE%e0%80%ae", "%f0%80%80%ae", "%f8%80%80%80%ae", "%c0%2e", "%c0.",
      "%e2%80%a4", "\u{2024}\u{2024}", "%e2%80%a5", "\u{FE52}", "%ef%b9%92%EF%B9%92", "%u2024", ".%c0%80",
      ".%20", ".;x",
      "%u002e%u002E", "%ef%bc%8e%EF%BC%8E", "\u{FF0E}\u{FF0E}", "...",
    ]
    let separators = [
      "/", "\\", "%2f", "%2F", "%5c", "%5C", "%252f", "%c0%af", "%u002f", "%uff3c",
      "%e0%80%af", "%f0%80%80%af", "%e0%81%9c", "%e2%88%95", "\u{2044}", "%ef%b9%a8",
    ]
    return dots.flatMap { dot in
      separators.flatMap { ["GET/public/\(dot)\($0)admin", "GET/public/x\($0)\(dot)\($0)admin"] }
        + ["GET/public/\(dot)", "GET/public/x/\(dot)/"]
    }
  }()

  @Test(
    "no spelling of a dot segment is a guest's, whatever the guest route",
    arguments: ["GET /public/*", "GET /*", "GET /public*", "GET /public/{proxy+}"])
  func dotSegments(guestRoute: String) throws {
    var authorizer = try TestGuests.authorizer([guestRoute], TestGuests.concrete)
    for route in Self.spellings {
      for kind in TestGuests.kinds where kind != .webSocket {
        let decision = authorizer.decide(on: TestGuests.event(kind, route), at: TestIssuers.now)
        #expect(decision.reason == .missingToken, "\(route) \(kind)")
      }
    }
  }

  @Test("no spelling of another path reaches it through a guest route", arguments: SpellingTests.spellings)
  func otherPaths(route: String) throws {
    var authorizer = try TestGuests.authorizer(["GET /public/*", "GET /users"], TestGuests.concrete)
    for kind in TestGuests.kinds where kind != .webSocket {
      let decision = authorizer.decide(on: TestGuests.event(kind, route), at: TestIssuers.now)
      #expect(decision.reason == .missingToken, "\(kind)")
    }
  }

  @Test(
    "a path whose bytes are not UTF-8 is no guest's",
    arguments: ["%ff", "a%80", "%c3", "%c3x", "%c1%81", "%e0%9f%bf", "%ed%a0%80", "%f4%90%80%80", "caf%e9"])
  func notUTF8(segment: String) throws {
    var authorizer = try TestGuests.authorizer(["GET /public/*"], TestGuests.concrete)
    for kind in TestGuests.kinds where kind != .webSocket {
      let event = TestGuests.event(kind, "GET/public/" + segment)
      #expect(authorizer.decide(on: event, at: TestIssuers.now).reason == .missingToken, "\(kind)")
    }
  }

  static let eventPathSpellings = [
    "/public/../admin", "/public/%2e%2e/admin", "/public/./a", "/public/%e0%80%ae/a", "/public/a/..",
    "/public/%252e%252e/admin", "/public/a%00",
  ]

  @Test("the path of the event counts too, whatever its ARN says", arguments: eventPathSpellings)
  func eventPaths(path: String) throws {
    var authorizer = try TestGuests.authorizer(["GET /public/*"], TestGuests.concrete)
    for kind in TestGuests.kinds where kind != .webSocket {
      let member = kind == .http2 ? "rawPath" : "path"
      let event = TestGuests.event(kind, "GET/public/a", [TestEvent.text(member, path)])
      #expect(authorizer.decide(on: event, at: TestIssuers.now).reason == .missingToken, "\(kind)")
      let plain = TestGuests.event(kind, "GET/public/a", [TestEvent.text(member, "/dev/public/a")])
      #expect(authorizer.decide(on: plain, at: TestIssuers.now).isGuest, "\(kind)")
      let flawed = TestGuests.event(kind, "GET/public/a", [.init(name: member, value: .array([]))])
      #expect(!authorizer.decide(on: flawed, at: TestIssuers.now).isGuest, "\(kind)")
    }
  }

  @Test(
    "dots inside a name are no dot segment",
    arguments: [
      "GET/public/app.js", "GET/public/.well-known/x", "GET/public/a.b.c", "GET/public/a/", "GET/public",
      "GET/public/a%2Fb", "GET/public/a.", "GET/public/caf%C3%A9", "GET/public/%E2%82%AC",
      "GET/public/%F0%9F%98%80", "GET/public/a%3Bb.c", "GET/public/100%",
      "GET/public/%u20ac", "GET/public/a%20b", "GET/public/caf\u{E9}",
    ])
  func names(route: String) throws {
    var authorizer = try TestGuests.authorizer(["GET /public/*"], TestGuests.concrete)
    for kind in TestGuests.kinds where kind != .webSocket {
      let decision = authorizer.decide(on: TestGuests.event(kind, route), at: TestIssuers.now)
      #expect(decision.isGuest, "\(kind)")
    }
  }
}
