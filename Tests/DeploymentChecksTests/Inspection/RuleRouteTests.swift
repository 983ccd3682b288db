@testable import EmulatorTestSupport
@testable import DeploymentChecks
import GatewayModel
import Templates
import Testing

/// Whether rules and routes meet, and what is reported if not.
@Suite struct RuleRouteTests {
  /// A route of a rule, a route of an API, and whether some request matches both.
  static let pairs: [(rule: String, route: String, meets: Bool)] = [
    ("GET /me", "GET /me", true), ("GET /mee", "GET /me", false), ("GET /ME", "GET /me", false),
    ("GET /m", "GET /me", false), ("GET /", "GET /", true), ("GET /*", "GET /", true),
    ("GET /me", "GET /", false),
    // Verbs.
    ("POST /me", "GET /me", false), ("* /me", "GET /me", true), ("ANY /me", "DELETE /me", true),
    ("HEAD /me", "ANY /me", true),
    // Wildcards of rules also match slashes; `/x/*` covers `/x`.
    ("GET /users/*", "GET /users/{id}", true), ("GET /users/*", "GET /users", true),
    ("GET /users/*", "GET /users/{id}/posts", true), ("GET /users*", "GET /users-of/{id}", true),
    ("GET /users/*/posts", "GET /users/{id}", false), ("GET /*/posts", "GET /users/{id}/posts", true),
    ("GET /user/*", "GET /users/{id}", false), ("* /*", "GET /a/b/c", true),
    // Variables, by any name.
    ("GET /users/{id}", "GET /users/{userId}", true), ("GET /users/{id}", "GET /users", false),
    ("GET /users/{id}/posts", "GET /users/{id}/post", false), ("GET /users/7", "GET /users/{id}", true),
    ("GET /users/7/posts", "GET /users/{id}", false), ("GET /users/:id", "GET /users/{id}", true),
    ("GET /files/{proxy+}", "GET /files/{proxy+}", true), ("GET /files/a/b", "ANY /files/{proxy+}", true),
    ("GET /files", "ANY /files/{proxy+}", false), ("GET /me", "ANY /{proxy+}", true),
    // A claim is one segment.
    ("* /users/${sub}", "GET /users/{id}", true), ("* /users/${sub}", "GET /users/{id}/posts", false),
    ("* /users/${sub}/*", "GET /users/{id}/posts", true), ("* /u-${app.id}", "GET /u-7", true),
    ("* /u-${app.id}", "GET /v-7", false), ("GET /a$b", "GET /a", false),
    // Clients may write these bytes in two ways.
    ("GET /users%3Abatch", "GET /users:batch", true), ("GET /users/a%2Fb", "GET /users/{id}", true),
    ("GET /me", "$default", true), ("$connect", "$default", false), ("$connect", "GET /me", false),
  ]

  @Test("a rule and a route meet or do not", arguments: pairs)
  func meet(rule: String, route: String, meets: Bool) throws {
    let written = WrittenRoute(place: "rules[0].routes[0]", text: rule)
    #expect(written.meets(try GatewayStage.route(route), isREST: false) == meets)
  }

  @Test func onlyARESTAPIIgnoresSlashesAtTheEnd() throws {
    let written = WrittenRoute(place: "", text: "GET /me/")
    #expect(written.meets(try GatewayStage.route("GET /me"), isREST: true))
    #expect(!written.meets(try GatewayStage.route("GET /me"), isREST: false))
  }

  @Test func onlyConnectMeetsConnect() {
    let route = GatewayRoute(match: .connect, access: .open, integration: .webSocketMock)
    #expect(WrittenRoute(place: "", text: "$connect").meets(route, isREST: false))
    #expect(!WrittenRoute(place: "", text: "* /*").meets(route, isREST: false))
  }

  // MARK: Findings

  /// The events of the backend: a method and a path, and `open` for a route without the authorizer.
  private static func template(_ events: [String], _ more: String = "") -> String {
    let lines = events.enumerated().map { index, event in
      let parts = event.split(separator: " ")
      let auth = parts.count == 3 ? ", Auth: { Authorizer: NONE }" : ""
      return "        E\(index): { Type: HttpApi, Properties: { ApiId: !Ref Api, Method: \(parts[0]), "
        + "Path: '\(parts[1])'\(auth) } }"
    }
    return """
      Transform: AWS::Serverless-2016-10-31
      Resources:
        Authorizer:
          Type: AWS::Serverless::Function
          Properties: { Runtime: provided.al2023 }
        Api:
          Type: AWS::Serverless::HttpApi
          Properties:
            Auth:
              DefaultAuthorizer: Bearer
              Authorizers:
                Bearer:
                  FunctionArn: !GetAtt Authorizer.Arn
                  AuthorizerPayloadFormatVersion: "2.0"
                  EnableFunctionDefaultPermissions: true
                  Identity: { Headers: [Authorization] }
      \(more)
        Backend:
          Type: AWS::Serverless::Function
          Properties:
            Runtime: provided.al2023
            Events:
      \(lines.joined(separator: "\n"))
      """
  }

  private static func findings(
    _ rules: [String], _ template: String, allowsByDefault: Bool = false, guests: [String] = []
  ) throws -> [String] {
    let routes =
      rules.enumerated().map { WrittenRoute(place: "rules[\($0)].routes[0]", text: $1) }
      + guests.enumerated().map { WrittenRoute(place: "anonymous.routes[\($0)]", text: $1) }
    let configuration = DeployedConfiguration(
      hasRules: !rules.isEmpty, allowsByDefault: allowsByDefault, hasGuests: !guests.isEmpty, routes: routes)
    let template = try GatewayTemplate(parsing: template)
    let own: Set<DeploymentFinding.Code> = [.ruleMatchesNoRoute, .routeWithoutRule]
    return TemplateInspection(template, TemplateInspectionTests.configurations(of: template, configuration))
      .findings.filter { own.contains($0.code) }.map { "\($0.place): \($0.problem)" }
  }

  private static func unruled(_ key: String) -> String {
    "Api \(key): every token gets 403, because no rule names this route"
  }

  static let reports: [(rules: [String], events: [String], findings: [String])] = [
    (["GET /me"], ["get /me"], []),
    (
      ["GET /mee"], ["get /me"],
      ["rules[0].routes[0]: GET /mee matches no route; did you mean GET /me?", unruled("GET /me")]
    ),
    (
      ["GET /me", "POST /me"], ["get /me"],
      ["rules[1].routes[0]: POST /me matches no route; did you mean GET /me?"]
    ),
    (["GET /me", "GET /orders"], ["get /me"], ["rules[1].routes[0]: GET /orders matches no route"]),
    (["GET /me"], ["get /me", "get /me/request"], [unruled("GET /me/request")]),
    (["GET /me"], ["get /me", "post /me"], [unruled("POST /me")]),
    (["GET /me"], ["any /me"], []), (["GET /users/*"], ["get /users/{id}", "get /users"], []),
    (["* /*"], ["get /a", "any /b/{proxy+}"], []), (["GET /a"], ["any /{proxy+}"], []),
    // An open route needs no rule, and no rule decides about it.
    (["GET /me"], ["get /me", "get /health open"], []),
    (
      ["GET /me", "GET /health"], ["get /me", "get /health open"],
      ["rules[1].routes[0]: GET /health matches no route"]
    ),
    // `preflightGuarded` reports it.
    (["GET /me"], ["get /me", "options /me"], []),
    // Routes that no rule names are listed once.
    (
      ["GET /a"], ["get /a", "get /b", "post /c/{id}"],
      ["Api GET /b, POST /c/{id}: every token gets 403, because no rule names these routes"]
    ),
    // A whole folder stays one.
    (
      ["GET /Reports/*"], ["get /reports"],
      [
        "rules[0].routes[0]: GET /Reports/* matches no route; did you mean GET /reports/*?",
        unruled("GET /reports"),
      ]
    ),
    (
      ["GET /me/"], ["get /me"],
      ["rules[0].routes[0]: GET /me/ does not match GET /me: slash at the end", unruled("GET /me")]
    ),
    // An HTTP API with `$default` has no stage in the path.
    (
      ["GET /prod/me"], ["get /me"],
      ["rules[0].routes[0]: GET /prod/me matches no route", unruled("GET /me")]
    ),
  ]

  /// The same for a REST API with the stage `prod` and the routes `GET /pets` and `ANY /pets/{id}`.
  static let stages: [(rules: [String], findings: [String])] = [
    (["GET /pets", "* /pets/{id}"], []), (["* /pets/*"], []), (["* /*"], []),
    (["GET /pets*", "* /pets/*"], []),
    (
      ["GET /pets/", "* /pets/{id}"],
      ["rules[0].routes[0]: GET /pets/ does not match GET /pets: slash at the end", unruled("GET /pets")]
    ),
    // A rule for the other spelling is no mistake.
    (["GET /pets", "GET /pets/", "* /pets/{id}", "* /pets/{id}/"], []),
    (
      ["GET /prod/pets", "* /prod/pets/*", "GET /prod/nothing"],
      [
        "rules[0].routes[0]: GET /prod/pets does not match GET /pets: prod is the stage of Api, and rules have no stage",
        "rules[1].routes[0]: * /prod/pets/* does not match GET /pets: prod is the stage of Api, and rules have no stage",
        "rules[2].routes[0]: GET /prod/nothing matches no route",
        "Api GET /pets, ANY /pets/{id}: every token gets 403, because no rule names these routes",
      ]
    ),
  ]

  @Test("a rule with the stage or with another end is named", arguments: stages)
  func staged(rules: [String], findings: [String]) throws {
    let template = TemplateSamples.rest(auth: TemplateSamples.tokenAuth)
    #expect(try Self.findings(rules, template) == findings)
  }

  @Test("what does not meet is reported, with the nearest route", arguments: reports)
  func reported(rules: [String], events: [String], findings: [String]) throws {
    #expect(try Self.findings(rules, Self.template(events)) == findings)
  }

  @Test func underDefaultAllowEveryRouteIsReached() throws {
    #expect(
      try Self.findings(["GET /mee"], Self.template(["get /me", "get /b"]), allowsByDefault: true) == [
        "rules[0].routes[0]: GET /mee matches no route; did you mean GET /me?"
      ])
  }

  @Test func guestRoutesAreComparedToo() throws {
    let template = Self.template(["get /me", "get /public/{id}"])
    #expect(try Self.findings(["GET /me"], template, guests: ["GET /public/*"]) == [])
    #expect(
      try Self.findings([], template, guests: ["GET /publik/*"]) == [
        "anonymous.routes[0]: GET /publik/* matches no route"
      ])
  }

  /// What is not read may have the route.
  @Test func aTemplateThatIsNotReadWholeHasNoRuleWithoutRoute() throws {
    let nested = """
        Other:
          Type: AWS::CloudFormation::Stack
          Properties: { TemplateURL: https://example.com/other.yaml }
      """
    #expect(try Self.findings(["GET /mee", "GET /me"], Self.template(["get /me"], nested)) == [])
  }

  /// The routes of all APIs of the function count, and each finding is there once.
  @Test func allAPIsOfAFunctionAreCompared() throws {
    let template = try GatewayTemplate(parsing: TemplateSamples.deployed())
    func problems(_ routes: [String]) -> [String] {
      let configuration = DeployedConfiguration(
        hasRules: true,
        routes: routes.enumerated().map { WrittenRoute(place: "rules[0].routes[\($0)]", text: $1) })
      return TemplateInspection(template, TemplateInspectionTests.configurations(of: template, configuration))
        .findings.filter { [.ruleMatchesNoRoute, .routeWithoutRule].contains($0.code) }.map(\.place)
    }
    #expect(problems(["GET /me", "$connect", "GET /me/request"]) == [])
    #expect(problems(["* /*", "$connect"]) == [])
    #expect(problems(["GET /me"]) == ["RestApi GET /me/request", "WebSocketApi $connect"])
    #expect(problems(["GET /me/*", "$connect", "POST /orders"]) == ["rules[0].routes[2]"])
  }
}
