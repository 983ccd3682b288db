import Testing

@testable import Emulator

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

  static func table(_ keys: [String], isREST: Bool) throws -> RouteTable {
    RouteTable(
      GatewayAPI(
        name: "a", identifier: "a", kind: isREST ? .rest(GatewayResponses()) : .http(nil),
        stage: .init(name: "prod", variables: [:]), routes: try keys.map(route)))
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

  @Test(arguments: [
    ("GET", "/pets/dog/1", "GET /pets/dog/1"), ("POST", "/pets/dog/1", nil), ("PUT", "/pets", "ANY /pets"),
    ("GET", "/pets", "GET /pets"), ("GET", "/", nil), ("GET", "/a", "ANY /{proxy+}"),
    ("GET", "/a/b/c", "ANY /{proxy+}"),
  ]) func aRESTAPISelectsTheResourceBeforeTheMethod(_ method: String, _ path: String, _ key: String?) throws {
    let keys = Self.keys.filter { $0 != "$default" }
    #expect(try Self.table(keys, isREST: true).route(method: method, path: path)?.route.key == key)
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
