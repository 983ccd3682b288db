@testable import GatewayModel
import Testing

@Suite struct RouteTableTests {
  static func route(_ key: String) throws -> GatewayRoute {
    let match: GatewayRoute.Match
    if key == "$default" {
      match = .default
    } else {
      let parts = key.split(separator: " ").map(String.init)
      match = .path(method: parts[0] == "ANY" ? nil : parts[0], try #require(PathPattern(parts[1])))
    }
    return GatewayRoute(match: match, access: .open, integration: .webSocketMock)
  }

  static func api(_ keys: [String], isREST: Bool) throws -> GatewayAPI {
    GatewayAPI(
      name: "a", identifier: "a", kind: isREST ? .rest(GatewayResponses()) : .http(nil),
      stage: .init(name: "prod", variables: [:]), routes: try keys.map(route))
  }

  static func table(
    _ keys: [String], isREST: Bool, missingMethod: Assumptions.MissingMethod = .nextResource
  ) throws -> RouteTable {
    RouteTable(try api(keys, isREST: isREST), missingMethod: missingMethod)
  }

  static let keys = [
    "ANY /{proxy+}", "GET /pets/dog/1", "GET /pets/dog/{id}", "GET /pets/{proxy+}", "ANY /pets", "GET /pets",
    "POST /", "$default",
  ]

  @Test(arguments: [
    ("GET", "/pets/dog/1", "GET /pets/dog/1"), ("GET", "/pets/dog/2", "GET /pets/dog/{id}"),
    ("GET", "/pets/cat/1", "GET /pets/{proxy+}"), ("POST", "/test/5", "ANY /{proxy+}"),
    ("POST", "/pets/dog/1", "ANY /{proxy+}"), ("GET", "/pets", "GET /pets"), ("PUT", "/pets", "ANY /pets"),
    ("POST", "/", "POST /"), ("GET", "/", "$default"), ("GET", "/pets/dog/", "GET /pets/{proxy+}"),
  ]) func anHTTPAPISelectsTheMostSpecificRouteWithTheMethod(
    _ method: String, _ path: String, _ key: String
  ) throws {
    #expect(try Self.table(Self.keys, isREST: false).route(method: method, path: path)?.route.key == key)
  }

  /// A full match precedes a greedy one, also one that is more specific at its first level ("Create routes for HTTP
  /// APIs").
  @Test func aFullMatchOfAnHTTPAPIPrecedesAGreedyOne() throws {
    let keys = ["GET /a/{proxy+}", "GET /{x}/b"]
    #expect(try Self.table(keys, isREST: false).route(method: "GET", path: "/a/b")?.route.key == keys[1])
    #expect(try Self.table(keys, isREST: true).route(method: "GET", path: "/a/b")?.route.key == keys[0])
  }

  /// Both measurements on AWS: MiniStack pull request 1423 (with a resource without methods and one with `OPTIONS`
  /// alone) and floci pull requests 3399 and 3547.
  @Test(
    arguments: [
      (
        ["ANY /{proxy+}", "GET /jobs/{type}", "OPTIONS /cors"], "GET", "/jobs/reboot", "GET /jobs/{type}",
        "GET /jobs/{type}"
      ),
      (
        ["ANY /{proxy+}", "GET /jobs/{type}", "OPTIONS /cors"], "GET", "/jobs", "ANY /{proxy+}",
        "ANY /{proxy+}"
      ),
      (["ANY /{proxy+}", "GET /jobs/{type}", "OPTIONS /cors"], "POST", "/jobs/reboot", "ANY /{proxy+}", nil),
      (["ANY /{proxy+}", "GET /jobs/{type}", "OPTIONS /cors"], "GET", "/cors", "ANY /{proxy+}", nil),
      (["GET /users/{userId}", "PATCH /users/me"], "GET", "/users/me", "GET /users/{userId}", nil),
      (
        ["GET /users/{userId}", "PATCH /users/me"], "PATCH", "/users/me", "PATCH /users/me", "PATCH /users/me"
      ),
      (["GET /users/{userId}", "PATCH /users/me"], "POST", "/users/me", nil, nil),
    ] as [([String], String, String, String?, String?)])
  func aRESTAPISelectsByPathAndMethodTogether(
    _ keys: [String], _ method: String, _ path: String, _ key: String?, _ refused: String?
  ) throws {
    #expect(try Self.table(keys, isREST: true).route(method: method, path: path)?.route.key == key)
    let strict = try Self.table(keys, isREST: true, missingMethod: .refused)
    #expect(strict.route(method: method, path: path)?.route.key == refused)
  }

  @Test(arguments: [
    ("GET", "/pets/dog/1", "GET /pets/dog/1"), ("POST", "/pets/dog/1", nil), ("PUT", "/pets", "ANY /pets"),
    ("GET", "/pets", "GET /pets"), ("GET", "/", nil), ("GET", "/a", "ANY /{proxy+}"),
    ("GET", "/a/b/c", "ANY /{proxy+}"),
  ]) func theOtherSettingSelectsTheResourceBeforeTheMethod(
    _ method: String, _ path: String, _ key: String?
  ) throws {
    let keys = Self.keys.filter { $0 != "$default" }
    let table = try Self.table(keys, isREST: true, missingMethod: .refused)
    #expect(table.route(method: method, path: path)?.route.key == key)
  }

  /// Recorded by LocalStack on AWS (`test_lambda_aws_proxy_integration`).
  @Test(arguments: [("/proxy-value/", "proxy-value"), ("/a/b/", "a/b"), ("/a", "a"), ("/", nil)])
  func aGreedyParameterOfARESTAPIHasNoSlashAtItsEnd(_ path: String, _ value: String?) throws {
    let found = try Self.table(["ANY /{proxy+}"], isREST: true).route(method: "GET", path: path)
    #expect(found?.parameters.first?.value == value)
    let http = try Self.table(["ANY /{proxy+}"], isREST: false).route(method: "GET", path: path)
    #expect(http?.parameters.first?.value == (path == "/" ? nil : String(path.dropFirst())))
  }

  /// Called on AWS (aws/chalice issue 65).
  @Test(arguments: [
    ("/pets/", "GET /pets"), ("/pets//", "GET /pets"), ("/pets/dog/1/", "GET /pets/dog/1"), ("/", nil),
    ("//", nil),
  ]) func aRESTAPIIgnoresSlashesAtTheEnd(_ path: String, _ key: String?) throws {
    let table = try Self.table(Self.keys.filter { $0 != "$default" }, isREST: true)
    #expect(table.route(method: "GET", path: path)?.route.key == key)
  }

  /// A path whose readings are cut off may have one with another guard.
  @Test(arguments: ["/admin/%2e/%252f///..//", "//admin/./%252f/../%2f//"])
  func aPathWithTooManyReadingsIsClosed(_ path: String) throws {
    let table = try Self.table(["GET /admin", "ANY /{proxy+}"], isREST: false)
    let found = try #require(table.route(method: "GET", path: path))
    #expect(PathInterpretations.others(than: path) == nil)
    #expect(table.otherwiseGuarded(than: found.route, method: "GET", path: path) == "an unknown route")
  }

  /// `/admin` and `/pets/{id}` are guarded; the greedy route is open.
  @Test(arguments: [
    ("/admin", nil), ("/adm%69n", "GET /admin"), ("/%61dmin/", "GET /admin"), ("/x/../admin", "GET /admin"),
    ("/x/%2e%2E/admin", "GET /admin"), ("/./admin", "GET /admin"), ("//admin", "GET /admin"),
    ("/%2561dmin", "GET /admin"), ("/pets/a%20b", nil), ("/pets/a%2Fb", nil), ("/x%2Fy", nil),
    ("/pets%2Fa", "GET /pets/{id}"), ("/a.b/c..d/", nil), ("/", nil), ("/x//y/.", nil),
    ("/admin%3F", "GET /admin"), ("/admin%3fx=/y", "GET /admin"), ("/admin%23a", "GET /admin"),
    ("/admin#a/b", "GET /admin"), ("/admin%253F", "GET /admin"), ("/adm%69n/%3F", "GET /admin"),
    ("/%3Fadmin", nil), ("/pets/a%3Fb", nil), ("/x%3F/admin", nil),
  ]) func aPathMayHaveAReadingWithAnotherGuard(_ path: String, _ key: String?) throws {
    for isREST in [true, false] {
      var api = try Self.api(["GET /admin", "GET /pets/{id}", "ANY /{proxy+}"], isREST: isREST)
      api = GatewayAPI(
        name: "a", identifier: "a", kind: api.kind, stage: api.stage,
        routes: api.routes.map {
          GatewayRoute(
            match: $0.match, access: $0.key.hasPrefix("GET") ? .signature : .open, integration: .webSocketMock
          )
        })
      let table = RouteTable(api)
      let found = try #require(table.route(method: "GET", path: path == "/" ? "/x" : path))
      #expect(table.otherwiseGuarded(than: found.route, method: "GET", path: path) == key)
    }
  }

  @Test(arguments: ["pets", "", "/{id", "/id}", "/a{id}", "/{}", "/{a+}/b", "/{+}", "/{a{b}}"])
  func refusesInvalidPaths(_ text: String) {
    #expect(PathPattern(text) == nil)
  }

  @Test func parametersAreNotDecoded() throws {
    let pattern = try #require(PathPattern("/a/{x}/{rest+}"))
    #expect(
      pattern.parameters(in: "/a/1%2F2/b/c")
        == [.init(name: "x", value: "1%2F2"), .init(name: "rest", value: "b/c")])
    #expect(pattern.parameters(in: "/a//b") == nil)
    #expect(pattern.parameters(in: "/a/1") == nil)
    #expect(pattern.parameters(in: "/A/1/2") == nil)
  }
}
