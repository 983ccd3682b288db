import JSON
import Testing

@testable import Authorizer

@Suite("Routes of rules")
struct RouteTests {
  static let claims =
    #"{"sub":"u1","deep":{"id":"a-b"},"bad":"a/b","star":"*","empty":"","dot":".","dots":"a..b","n":7}"#

  static func patterns(_ text: String) throws -> [String] {
    let claims = try JSONDocument(parsing: Array(claims.utf8), limits: .token).root
    return try Route(parsing: text).patterns(for: claims).map { String(decoding: $0, as: UTF8.self) }
  }

  static let readings: [(route: String, patterns: [String])] = [
    ("$connect", ["$connect"]),
    ("GET /", ["GET/"]),
    ("GET /me", ["GET/me"]),
    ("GET /me/", ["GET/me/"]),
    ("GET /*", ["GET/*"]),
    ("GET /public/*", ["GET/public/*", "GET/public"]),
    ("POST /a:b/c,d;e=f@g/(h)!$i", ["POST/a:b/c,d;e=f@g/(h)!$i"]),
    ("GET /caf%C3%A9", ["GET/caf%C3%A9"]),
    ("GET /users/{id}", ["GET/users/*"]),
    ("GET /users/{id}/posts", ["GET/users/*/posts"]),
    ("GET /{proxy+}", ["GET/*"]),
    ("GET /v1/{proxy+}", ["GET/v1/*"]),
    ("GET /files/*.pdf", ["GET/files/*.pdf"]),
    ("GET /a/**", ["GET/a/*", "GET/a"]),
    ("PUT /users/${sub}", ["PUT/users/u1"]),
    ("PUT /users/${sub}/*", ["PUT/users/u1/*", "PUT/users/u1"]),
    ("PUT /users/id-${deep.id}/x", ["PUT/users/id-a-b/x"]),
    ("* /me", ["DELETE/me", "GET/me", "HEAD/me", "OPTIONS/me", "PATCH/me", "POST/me", "PUT/me"]),
    ("ANY /me", ["DELETE/me", "GET/me", "HEAD/me", "OPTIONS/me", "PATCH/me", "POST/me", "PUT/me"]),
    // A claim that cannot be part of a path leaves the route out.
    ("GET /users/${bad}", []), ("GET /users/${star}", []), ("GET /users/${empty}", []),
    ("GET /users/${dot}", []), ("GET /users/${dots}", []), ("GET /users/${n}", []),
    ("GET /users/${absent}", []), ("GET /users/${deep}", []),
  ]

  @Test("a route becomes these patterns", arguments: readings)
  func patterns(route: String, patterns: [String]) throws {
    #expect(try Self.patterns(route) == patterns)
  }

  static let flaws: [(route: String, flaw: String)] = [
    ("/me", "a verb, one blank and a path that begins with /"), ("GET", "a verb, one blank and a path"),
    ("GET  /me", "a verb, one blank and a path"), ("GET me", "a verb, one blank and a path"),
    ("get /me", "the verb is one of DELETE, GET"), ("TRACE /me", "the verb is one of DELETE, GET"),
    ("G*T /me", "the verb is one of"), ("$disconnect", "or $connect"),
    ("GET //me", "an empty segment"), ("GET /a//b", "an empty segment"),
    ("GET /a/../b", "the segments . and .."), ("GET /./b", "the segments . and .."),
    ("GET /a..b", "two dots are always refused"), ("GET /a%2e", "must not encode a dot"),
    ("GET /a%2E%2e/b", "must not encode a dot"), ("GET /a%2", "% needs two hexadecimal digits"),
    ("GET /a%25b", "must not encode a dot, a percent sign"), ("GET /a%00", "or NUL (%00)"),
    ("GET /a%252e", "must not encode a dot, a percent sign"),
    ("GET /a%zz", "% needs two hexadecimal digits"), ("GET /a?b", "a ? matches any character"),
    ("GET /caf\u{E9}", "percent-encode other"), ("GET /a b", "a character that is not allowed in a path"),
    ("GET /a\"b", "a character that is not allowed in a path"),
    ("GET /a\u{1}", "a character that is not allowed in a path"),
    ("GET /users/${sub", "${ needs the name of a claim"), ("GET /users/${}", "${ needs the name of a claim"),
    ("GET /users/${a..b}", "${ needs the name of a claim"), ("GET /users/{id", "{ needs a name"),
    ("GET /users/{}", "{ needs a name"), ("GET /users/{a b}", "{ needs a name"),
    ("GET /users/id}", "not allowed in a path"),
    ("GET /users/${sub}x", "must end its segment"), ("GET /users/${a}${b}", "must end its segment"),
    ("GET /users/${sub}*", "must end its segment"),
    ("GET /users/*${sub}", "must not share its segment with a wildcard"),
    ("GET /users/{id}${sub}", "must not share its segment with a wildcard"),
    ("GET /" + String(repeating: "a", count: 465), "longer than a Resource of a policy may be"),
  ]

  @Test("a route that could never match, or match too much, is refused", arguments: flaws)
  func refused(route: String, flaw: String) throws {
    let error = #expect(throws: RouteFlaw.self) { try Route(parsing: route) }
    #expect(error?.description.contains(flaw) == true, "\(error?.description ?? "")")
  }

  static let matches: [(pattern: String, text: String, fits: Bool)] = [
    ("GET/a", "GET/a", true), ("GET/a", "GET/ab", false), ("GET/a", "XGET/a", false),
    ("GET/a.c", "GET/abc", false),
    ("GET/*", "GET/", true), ("GET/*", "GET/a/b", true), ("GET/*", "POST/a", false), ("*", "", true),
    ("GET/a/*/b", "GET/a//b", true), ("GET/a/*/b", "GET/a/x/y/b", true), ("GET/a/*/b", "GET/a/b", false),
    ("a*b*c", "abbc", true), ("a*b*c", "acb", false),
    ("a*a*a*a*b", String(repeating: "a", count: 300), false),
    ("GET/a", "GET/A", false), ("GET/*", "GET/*", true), ("GET/a", "GET/*", false),
  ]

  @Test("patterns are anchored, and * matches slashes", arguments: matches)
  func matching(pattern: String, text: String, fits: Bool) {
    #expect(RoutePattern.matches(Array(pattern.utf8), Array(text.utf8)) == fits)
  }
}
