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
      "%C0%AE", "%u002e%u002E", "%ef%bc%8e%EF%BC%8E", "\u{FF0E}\u{FF0E}", "...",
    ]
    let separators = ["/", "\\", "%2f", "%2F", "%5c", "%5C", "%252f", "%c0%af", "%u002f", "%uff3c"]
    return dots.flatMap { dot in
      separators.flatMap { ["GET/public/\(dot)\($0)admin", "GET/public/x\($0)\(dot)\($0)admin"] }
        + ["GET/public/\(dot)", "GET/public/x/\(dot)/"]
    }
  }()

  @Test("no spelling of a dot segment is a guest's, whatever the guest route", arguments: spellings)
  func dotSegments(route: String) throws {
    for guestRoute in ["GET /public/*", "GET /*", "GET /public*", "GET /public/{proxy+}"] {
      var authorizer = try TestGuests.authorizer([guestRoute], TestGuests.concrete)
      for kind in TestGuests.kinds where kind != .webSocket {
        let decision = authorizer.decide(on: TestGuests.event(kind, route), at: TestIssuers.now)
        #expect(decision.reason == .missingToken, "\(guestRoute) \(kind)")
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
    "dots inside a name are no dot segment",
    arguments: [
      "GET/public/app.js", "GET/public/.well-known/x", "GET/public/a.b.c", "GET/public/a/", "GET/public",
      "GET/public/a%2Fb", "GET/public/a.", "GET/public/caf%C3%A9",
    ])
  func names(route: String) throws {
    var authorizer = try TestGuests.authorizer(["GET /public/*"], TestGuests.concrete)
    for kind in TestGuests.kinds where kind != .webSocket {
      let decision = authorizer.decide(on: TestGuests.event(kind, route), at: TestIssuers.now)
      #expect(decision.isGuest, "\(kind)")
    }
  }
}
