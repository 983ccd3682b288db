import Testing

@testable import Identity

@Suite("Routes")
struct RouteTests {
  static let rows: [(path: String, stage: String, base: String, route: Route?)] = [
    ("/auth/nonce", "prod", "", .nonce), ("/prod/auth/nonce", "prod", "", .nonce),
    ("/prod/auth/nonce", "$default", "", nil), ("/$default/auth/nonce", "$default", "", nil),
    ("/other/auth/nonce", "prod", "", nil), ("/prodauth/nonce", "prod", "", nil),
    ("/v1/auth/verify", "prod", "/v1", .verify), ("/auth/verify", "prod", "/v1", .verify),
    ("/prod/v1/auth/verify", "prod", "/v1", .verify), ("/v1/prod/auth/verify", "prod", "/v1", nil),
    ("/v1/v1/auth/verify", "v1", "/v1", .verify), ("/v1/auth/verify", "v1", "/v1", .verify),
    ("/v2/auth/verify", "prod", "/v1", nil), ("/v1auth/verify", "prod", "/v1", nil),
    ("/auth/apple", "auth", "", .apple), ("/auth/auth/apple", "auth", "", .apple),
    ("/auth/apple/notifications", "prod", "", .notification),
    ("/users/me", "prod", "", .ownUser), ("/users/users/me", "users", "", .ownUser),
    ("/users/a.b", "prod", "", .user(Array("a.b".utf8))), ("/users/Me", "prod", "", .user(Array("Me".utf8))),
    ("/auth/logout", "prod", "", .logout), ("/prod/v1/auth/logout", "prod", "/v1", .logout),
    ("/signals/idp/logout", "prod", "", .signal(.logout, Array("idp".utf8))),
    ("/prod/v1/signals/a.b/events", "prod", "/v1", .signal(.event, Array("a.b".utf8))),
    ("/signals/events", "prod", "", nil), ("/signals/idp/events/", "prod", "", nil),
    ("/users/", "prod", "", nil), ("/users/a/", "prod", "", nil), ("", "prod", "", nil),
    ("/", "prod", "", nil),
    ("/prod", "prod", "/v1", nil),
  ]

  @Test("a path has its route, with or without stage and base path", arguments: rows)
  func route(path: String, stage: String, base: String, route: Route?) {
    let found = Route(path: Array(path.utf8), stage: Array(stage.utf8), basePath: Array(base.utf8))
    #expect(found == route)
  }

  @Test(
    "percent-encoding is parsed strictly",
    arguments: [
      ("abc", "abc"), ("", ""), ("%41%62", "Ab"), ("%2f", "/"), ("a+b", "a+b"), ("%25", "%"),
      ("%2541", "%41"), ("%", nil), ("a%4", nil), ("%4g", nil), ("%%41", nil), ("%+1", nil),
    ] as [(String, String?)])
  func percent(text: String, decoded: String?) {
    #expect(PercentEncoding.decode(Array(text.utf8)) == decoded.map { Array($0.utf8) })
  }

  @Test("the log contains the route's name, never the path")
  func names() {
    let routes: [Route] = [.nonce, .verify, .apple, .notification, .ownUser, .user(Array("001234.x".utf8))]
    #expect(
      routes.map(\.name) == [
        "/auth/nonce", "/auth/verify", "/auth/apple", "/auth/apple/notifications", "/users/me",
        "/users/{sub}",
      ])
  }
}
