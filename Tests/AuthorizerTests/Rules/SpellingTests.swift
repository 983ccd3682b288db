import TestSupport
import Testing

@testable import Authorizer

/// Other spellings of a path that a server behind API Gateway may treat as equal.
@Suite("Spellings of a path")
struct SpellingTests {
  /// Spellings of `/admin/users` that some server accepts.
  static let spellings = [
    "GET//admin/users", "GET/admin//users", "GET/%61dmin/users", "GET/ADMIN/users", "GET/Admin/Users",
    "GET/admin%2Fusers", "GET/admin%2fusers", "GET/./admin/users", "GET/admin/./users",
    "GET/public/../admin/users",
    "GET/public/..%2Fadmin/users", "GET/public/%2e%2e/admin/users", "GET/public/%2E%2E/admin/users",
    "GET/public/%252e%252e/admin/users", "GET/public/%25252e%25252e/admin/users",
    "GET/public/%252E./admin/users", "GET/public/..%252fadmin/users", "GET/public/x%00/admin/users",
    "GET/public/.%2e/admin/users", "GET/public/..;/admin/users", "GET/public/..\\admin/users",
    "GET/admin/users/",
    "GET/admin/users//", "GET/admin/users/.", "GET/admin/users;a=b", "GET/admin/users%20",
    "GET/admin/users%00",
    "GET/admin/users%3F", "GET/admin\\users", "GET/%2Fadmin/users", "HEAD/admin/users", "POST/admin/users",
    "get/admin/users", "PROPFIND/admin/users", "GET/admin/users.json", "GET/\u{430}dmin/users",
  ]

  /// A user who may reach `/public` and their own folder, and an admin page that they may not reach.
  static let grants =
    #""default":"deny","rules":[{"routes":["GET /public/*","GET /users/${sub}/*"],"allow":true},{"routes":["* /admin/*"],"allow":true,"require":{"scopes":["admin"]}}]"#

  @Test("with default deny no spelling reaches a route without a grant", arguments: spellings)
  func deny(route: String) throws {
    var authorizer = try TestRules.authorizer(Self.grants)
    let event = TestEvent.bytes(
      .restToken, arn: TestEvent.stage + route, token: try TestRules.partnerToken(#""sub":"u1""#))
    let decision = authorizer.decide(on: event, at: TestIssuers.now)
    #expect(decision.outcome == .forbidden)
    guard case .response(let bytes) = decision.answer else { throw PolicyReading.Unreadable() }
    #expect(try !PolicyReading(bytes).allows(TestEvent.stage + route))
  }

  /// The same, starting in the user's own folder: `/users/u1/../u2`.
  @Test(
    "with default deny no spelling leaves the user's own folder",
    arguments: [
      "GET/users/u1/../u2", "GET/users/u1/..", "GET/users/u1/x/../../u2", "GET/users/u1/%2e%2e/u2",
      "GET/users/u1/.%2E/u2", "GET/users/u1/%252e%252e/u2", "GET/users/u1/%252e%252e%252fu2",
      "GET/users/u1/x%00.png",
      "GET/users/u1/..%2fu2", "GET/users/u1..", "GET/users/u1%2F..%2Fu2", "GET/users/U1/x", "GET/users//u2/x",
      "GET/users/u2/x",
      "GET/users/u1%00u2/x", "GET/uSers/u1/x",
    ])
  func ownFolder(route: String) throws {
    try deny(route: route)
  }

  /// Listed in `docs/rules.md` as the reason for default deny.
  static let reachedUnderAllow: Set<String> = [
    "GET//admin/users", "GET/admin//users", "GET/%61dmin/users", "GET/ADMIN/users", "GET/Admin/Users",
    "GET/admin%2Fusers", "GET/admin%2fusers", "GET/./admin/users", "GET/admin/./users", "GET/admin/users/",
    "GET/admin/users//", "GET/admin/users/.", "GET/admin/users;a=b", "GET/admin/users%20",
    "GET/admin/users%3F", "GET/admin\\users", "GET/%2Fadmin/users", "get/admin/users", "PROPFIND/admin/users",
    "GET/admin/users.json", "GET/\u{430}dmin/users",
  ]

  @Test(
    "with default allow these spellings bypass a restriction, and docs/rules.md lists each")
  func allow() throws {
    var authorizer = try TestRules.authorizer(
      #""default":"allow","rules":[{"routes":["* /admin/users"],"require":{"scopes":["admin"]}}]"#)
    let token = try TestRules.partnerToken()
    let reached = Self.spellings.filter { route in
      let event = TestEvent.bytes(.restToken, arn: TestEvent.stage + route, token: token)
      return authorizer.decide(on: event, at: TestIssuers.now).outcome == .allowed
    }
    #expect(Set(reached) == Self.reachedUnderAllow)
    let page = try Checkout.text("docs/rules.md")
    for route in reached where !route.utf8.contains(where: { $0 >= 0x80 }) {
      #expect(
        page.contains("`\(route.drop { $0 != "/" })`") || page.contains("`\(route.prefix { $0 != "/" })`"),
        "\(route)")
    }
  }
}
