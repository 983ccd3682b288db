@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import Testing

/// Open routes that answer the methods that a guarded path lacks.
@Suite struct UnprotectedMethodsTests {
  /// Returns an API; a key with `!` before it is guarded, one with `#` needs an API key.
  static func api(_ keys: [String], isREST: Bool = true) throws -> GatewayAPI {
    GatewayStage.api(
      try keys.map { key in
        let bare = key.filter { $0 != "!" && $0 != "#" }
        return try GatewayStage.route(
          bare, access: key.hasPrefix("!") ? .lambda(GatewayStage.tokenAuthorizer) : .open,
          needsAPIKey: key.hasPrefix("#"))
      }, isREST: isREST)
  }

  @Test(
    arguments: [
      ["!POST /admin", "ANY /{proxy+}"]: ["!POST /admin: GET HEAD PUT PATCH DELETE -> ANY /{proxy+}"],
      ["!PATCH /users/me", "GET /users/{userId}"]: ["!PATCH /users/me: GET -> GET /users/{userId}"],
      ["#GET /a", "PUT /{x}", "DELETE /{x}"]: ["#GET /a: PUT -> PUT /{x}", "#GET /a: DELETE -> DELETE /{x}"],
      // The name of a parameter is not the value of the sample.
      ["!POST /{x}", "GET /x", "GET /{proxy+}"]: ["!POST /{x}: GET -> GET /{proxy+}"],
      ["!GET /a", "POST /a", "!ANY /{proxy+}"]: [],
      ["!ANY /admin", "ANY /{proxy+}"]: [],
      ["GET /a", "ANY /{proxy+}"]: [],
      ["!GET /a", "OPTIONS /a"]: [],
      // A guarded route between them catches the request.
      ["!POST /a/b", "!ANY /a/{x}", "ANY /{proxy+}"]: [],
      ["!GET /a", "OPTIONS /{proxy+}"]: [],
    ] as [[String]: [String]])
  func findsThem(_ keys: [String], _ expected: [String]) throws {
    let api = try Self.api(keys)
    let marks = Dictionary(keys.map { ($0.filter { $0 != "!" && $0 != "#" }, $0) }) { first, _ in first }
    let found = RouteTable(api).holes(of: api).map { hole in
      "\(hole.guarded.map { marks[$0.key] ?? "" }.joined(separator: ",")): "
        + "\(hole.methods.joined(separator: " ")) -> \(hole.open.key)"
    }
    #expect(found == expected)
  }

  @Test func thereIsNoneIfTheMethodIsRefused() throws {
    let api = try Self.api(["!POST /admin", "ANY /{proxy+}"])
    #expect(RouteTable(api, missingMethod: .refused).holes(of: api) == [])
  }

  /// LocalStack recorded that AWS refuses both (`test_create_proxy_resource_validation`).
  @Test(arguments: [
    ("/s/{x}", "/s/{y}/c", true), ("/s/{x}", "/s/{proxy+}", true), ("/s/{x}", "/s/{x}/c", false),
    ("/s/{x}", "/t/{y}", false), ("/s/{x}/a/{y}", "/s/{x}/b/{z}", false), ("/{a}", "/x/{b}", false),
  ]) func aRESTAPIHasOneParameterAtAPlace(_ one: String, _ other: String, _ isRefused: Bool) throws {
    for isREST in [true, false] {
      let report = Diagnostics()
      var register = RouteRegister(report, isREST: isREST)
      for (line, path) in [one, other].enumerated() {
        register.enter(.path(method: "GET", try #require(PathPattern(path))), line: line + 1, path: "P")
      }
      #expect(report.findings.isEmpty == !(isRefused && isREST))
      if isREST, isRefused {
        #expect(report.findings.first?.line == 2)
        #expect(report.findings.first?.problem.hasSuffix("is at the place of {x} in line 1") == true)
      }
    }
  }
}
