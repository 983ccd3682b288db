@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import Testing

/// Events, implicit APIs and OpenAPI documents, as SAM's translator 1.110.0 joins them.
@Suite struct SAMRouteTests {
  private static let auth =
    "Auth: { DefaultAuthorizer: L, Authorizers: { L: { FunctionArn: !GetAtt Guard.Arn }, "
    + "C: { UserPoolArn: !GetAtt Pool.Arn } } }"

  // MARK: Implicit APIs

  @Test func addsTheImplicitAPIs() throws {
    let text = SAMTemplate.text(
      events:
        "A: { Type: Api, Properties: { Path: /a, Method: get } }, "
        + "B: { Type: Api, Properties: { RestApiId: !Ref ServerlessRestApi, Path: /b, Method: any } }, "
        + "C: { Type: HttpApi }, D: { Type: HttpApi, Properties: { Path: /d, Method: POST } }",
      resources: "  X: { Type: AWS::SNS::Topic, Properties: { A: !GetAtt ServerlessRestApi.RootResourceId } }"
    )
    let template = try GatewayTemplate(parsing: text)
    #expect(template.apis.map(\.name) == ["ServerlessRestApi", "ServerlessHttpApi", "ServerlessRestApi"])
    #expect(template.apis.map(\.stage.name) == ["Prod", "$default", "Stage"])
    #expect(
      SAMTemplate.guards(text) == [
        "ServerlessRestApi GET /a": "open", "ServerlessRestApi ANY /b": "open",
        "ServerlessHttpApi $default": "open", "ServerlessHttpApi POST /d": "open",
      ])
  }

  @Test func guardsAnImplicitAPIByGlobals() {
    let globals =
      "Globals: { HttpApi: { Auth: { DefaultAuthorizer: J, Authorizers: { J: { "
      + "IdentitySource: $request.header.Authorization, "
      + "JwtConfiguration: { issuer: 'https://i.example', audience: [a] } } } } } }"
    let text = SAMTemplate.text(
      events: "C: { Type: HttpApi, Properties: { Path: /c, Method: get } }", resources: "", head: globals)
    #expect(SAMTemplate.guards(text) == ["ServerlessHttpApi GET /c": "J"])
  }

  /// SAM replaces such a resource with all of its properties, its authorizers too.
  @Test func closesAnAPIThatSAMReplaces() {
    let own =
      "  ServerlessRestApi: { Type: AWS::Serverless::Api, Properties: { StageName: a, \(Self.auth) } }"
    let event = "A: { Type: Api, Properties: { Path: /a, Method: get } }"
    #expect(
      SAMTemplate.problems(SAMTemplate.text(events: event, resources: own)).contains(
        "is replaced by the implicit API of SAM"))
    let body = "DefinitionBody: { openapi: 3.0.1, paths: { /b: { get: { \(Self.backend) } } } }"
    let alone = own.replacing("StageName: a", with: "StageName: a, \(body)")
    #expect(SAMTemplate.guards(SAMTemplate.text(resources: alone)) == ["ServerlessRestApi GET /b": "L"])
  }

  /// An event without a function of this deployment adds no API.
  @Test func ignoresEventsOfAbsentFunctions() throws {
    let text = """
      Transform: AWS::Serverless-2016-10-31
      Conditions: { C: !Equals [a, b] }
      Resources:
        F:
          Type: AWS::Serverless::Function
          Condition: C
          Properties: { Events: { E: { Type: Api, Properties: { Path: /a, Method: get } } } }
        G:
          Type: AWS::Serverless::Function
          Properties: { Events: { E: { Type: HttpApi } } }
      """
    #expect(try GatewayTemplate(parsing: text).apis.map(\.name) == ["ServerlessHttpApi"])
  }

  // MARK: Events

  /// What an event of a REST API gives; other routes stay.
  @Test(
    arguments: [
      ("Path: /b, Method: get, RestApiId: !Ref Api", "L"), ("Path: /b, Method: get, RestApiId: Api", "L"),
      ("Path: /b, Method: GET, RestApiId: !Ref Api, Stage: prod, TimeoutInMillis: 5", "L"),
      ("Path: /b, Method: get, RestApiId: !Ref Api, RequestParameters: [method.request.header.A]", "L"),
      ("Path: /b, Method: get, RestApiId: !Ref Api, Surprise: 1", "closed"),
      ("Path: /b, Method: get, RestApiId: !Ref Api, Auth: { Authoriser: C }", "closed"),
    ]) func readsAnEvent(_ properties: String, _ access: String)
  {
    let text = SAMTemplate.text(
      events: SAMTemplate.event("any", "/a") + ", E: { Type: Api, Properties: { \(properties) } }",
      resources: SAMTemplate.rest(Self.auth))
    #expect(SAMTemplate.guards(text) == ["Api ANY /a": "L", "Api GET /b": access])
  }

  /// An event whose requests are not known closes the API, because another route would get them.
  @Test(
    arguments: [
      "Type: Api, Properties: { RestApiId: !Ref Api, Path: /b }",
      "Type: Api, Properties: { RestApiId: !Ref Api, Method: get }",
      "Type: Api, Properties: { RestApiId: !Ref Api, Method: fetch, Path: /b }",
      "Type: Api, Properties: { RestApiId: !Ref Api, Method: get, Path: b }",
      "Type: Api, Properties: { RestApiId: !Ref Api, Method: get, Path: [b] }",
      "Type: Api, Properties: { RestApiId: !ImportValue A, Method: get, Path: /b }",
      "Type: Api, Properties: { RestApiId: , Method: get, Path: /b }",
      "Type: Api, Properties: { RestApiId: abcdefghij, Method: get, Path: /b }", "Type: Api",
      "Type: Api, Properties: { RestApi: !Ref Api, Method: get, Path: /b }",
      "Type: Api, Property: { RestApiId: !Ref Api, Method: get, Path: /b }",
      "Type: !If [C, Api, Api], Properties: { RestApiId: !Ref Api, Method: get, Path: /b }",
      "Typ: Api, Properties: { RestApiId: !Ref Api, Method: get, Path: /b }", "Type: Apis",
    ]) func closesTheAPIOfAnUnknownEvent(_ event: String)
  {
    let text = SAMTemplate.text(
      events: SAMTemplate.event("any", "/{proxy+}", "Auth: { Authorizer: NONE }") + ", E: { \(event) }",
      resources: SAMTemplate.rest(Self.auth), head: "Conditions: { C: !Equals [a, a] }")
    let guards = SAMTemplate.guards(text)
    #expect(guards == ["Api": "closed"] || guards == ["": "refused"], "\(guards)")
  }

  @Test func othersAreNoRoutes() {
    let events = "S: { Type: SQS, Properties: { Queue: q } }, K: { Type: SelfManagedKafka }"
    let text = SAMTemplate.text(
      events: "\(events), \(SAMTemplate.event("get", "/a"))", resources: SAMTemplate.rest(Self.auth))
    #expect(SAMTemplate.guards(text) == ["Api GET /a": "L"])
  }

  /// The route of a state machine is guarded; what it starts is not emulated.
  @Test func readsTheEventsOfAStateMachine() throws {
    let machine =
      "\n  M: { Type: AWS::Serverless::StateMachine, Properties: { Events: { \(SAMTemplate.event("post", "/m")) } } }"
    let text = SAMTemplate.text(
      events: SAMTemplate.event("any", "/{proxy+}", "Auth: { Authorizer: NONE }"),
      resources: SAMTemplate.rest(Self.auth) + machine)
    #expect(SAMTemplate.guards(text) == ["Api ANY /{proxy+}": "open", "Api POST /m": "L"])
    let route = try GatewayTemplate(parsing: text).apis.first?.routes.last
    guard case .unavailable? = route?.integration else {
      Issue.record("the state machine is not unavailable: \(String(describing: route))")
      return
    }
  }

  // MARK: OpenAPI documents

  private static let backend =
    "x-amazon-apigateway-integration: { type: http_proxy, httpMethod: GET, uri: 'https://a.example/' }"

  /// An event beside a document, the security of its `GET /a`, and who may call the routes.
  @Test(
    arguments: [
      ("rest", "", SAMTemplate.event("get", "/b"), "", ["Api GET /a": "L"]),
      ("rest", "", SAMTemplate.event("get", "/a", "Auth: { Authorizer: NONE }"), "", ["Api GET /a": "L"]),
      (
        "rest", "", SAMTemplate.event("get", "/a", "Auth: { Authorizer: NONE, OverrideApiAuth: true }"), "",
        ["Api GET /a": "open"]
      ),
      (
        "rest", "", SAMTemplate.event("get", "/a", "Auth: { Authorizer: C, OverrideApiAuth: true }"),
        "security: [{ L: [] }]", ["": "refused"]
      ),
      (
        "rest", "MergeDefinitions: true", SAMTemplate.event("get", "/b"), "",
        ["Api GET /a": "L", "Api GET /b": "L"]
      ),
      (
        "rest", "MergeDefinitions: true", SAMTemplate.event("get", "/a", "Auth: { Authorizer: C }"),
        "security: [{ L: [] }]", ["Api GET /a": "C"]
      ),
      (
        "rest", "MergeDefinitions: true", SAMTemplate.event("get", "/a"), "security: [{ C: [] }]",
        ["Api GET /a": "C"]
      ),
      ("http", "", SAMTemplate.httpEvent("get", "/b"), "", ["Api GET /a": "J", "Api GET /b": "J"]),
      (
        "http", "", SAMTemplate.httpEvent("get", "/a", "Auth: { Authorizer: NONE }"), "",
        ["Api GET /a": "open"]
      ),
      ("http", "", SAMTemplate.httpEvent("get", "/a"), "security: [{ NONE: [] }]", ["Api GET /a": "open"]),
      (
        "http", "", SAMTemplate.httpEvent("get", "/a", "Auth: { Authorizer: K }"), "security: [{ J: [] }]",
        ["": "refused"]
      ),
    ] as [(String, String, String, String, [String: String])])
  func joinsEventsAndDocuments(
    _ kind: String, _ property: String, _ event: String, _ security: String, _ guards: [String: String]
  ) {
    let jwt =
      "{ IdentitySource: $request.header.Authorization, "
      + "JwtConfiguration: { issuer: 'https://i.example', audience: [a] } }"
    let operation = security.isEmpty ? Self.backend : "\(security), \(Self.backend)"
    let body = "DefinitionBody: { openapi: 3.0.1, paths: { /a: { get: { \(operation) } } } }"
    let properties = property.isEmpty ? body : "\(property), \(body)"
    let api =
      kind == "rest"
      ? SAMTemplate.rest("\(properties), \(Self.auth)")
      : SAMTemplate.http(
        "\(properties), Auth: { DefaultAuthorizer: J, Authorizers: { J: \(jwt), K: \(jwt) } }")
    #expect(SAMTemplate.guards(SAMTemplate.text(events: event, resources: api)) == guards)
  }

  /// The function of an event is the integration of an operation that has none (`_add_openapi_integration` of SAM's
  /// translator).
  @Test(
    arguments: [
      ("{ summary: a }", "", "J http2"), ("{}", "", "J http2"), ("", "", "J http2"),
      ("{ x-amazon-apigateway-integration: {} }", "PayloadFormatVersion: '1.0'", "J http1"),
      ("{ x-amazon-apigateway-integration: }", "", "J http2"),
      ("{ security: [{ NONE: [] }] }", "", "open http2"), ("{ security: [{ K: [] }] }", "", "K http2"),
      ("{ summary: a }", "Auth: { Authorizer: NONE }", "open http2"),
      ("{ summary: a }", "Auth: { Authorizer: K }", "K http2"),
      ("{ \(backend) }", "", "J other"),
      ("{ x-amazon-apigateway-integration: { type: mock } }", "", "J other"),
    ]) func addsTheFunctionOfAnEvent(_ operation: String, _ event: String, _ expected: String) throws
  {
    let jwt =
      "{ IdentitySource: $request.header.Authorization, JwtConfiguration: { issuer: 'https://i.example', audience: [a] } }"
    let text = SAMTemplate.text(
      events: SAMTemplate.httpEvent("get", "/a", event),
      resources: SAMTemplate.http(
        "DefinitionBody: { openapi: 3.0.1, paths: { /a: { get: \(operation) } } }, "
          + "Auth: { DefaultAuthorizer: J, Authorizers: { J: \(jwt), K: \(jwt) } }"))
    let routes = try #require(try GatewayTemplate(parsing: text).apis.first).routes
    #expect(routes.map(\.key) == ["GET /a"])
    let words = routes.map { route in
      let answer =
        switch route.integration {
        case .function("Backend", .http2): "http2"
        case .function("Backend", .http1): "http1"
        default: "other"
        }
      return SAMTemplate.word(route.access) + " " + answer
    }
    #expect(words == [expected])
  }

  /// A REST API gets no integration from an event, and an operation without one keeps its 501.
  @Test func addsNoFunctionElsewhere() throws {
    let body = "DefinitionBody: { swagger: '2.0', paths: { /a: { get: { summary: a } } } }"
    let text = SAMTemplate.text(events: SAMTemplate.event("get", "/a"), resources: SAMTemplate.rest(body))
    guard
      case .unavailable(let finding)? = try GatewayTemplate(parsing: text).apis.first?.routes.first?
        .integration
    else {
      Issue.record("the operation has an integration")
      return
    }
    #expect(finding.problem == "has no integration")
  }

  /// The paths of the default route: `$default`, which SAM itself writes, and `/$default`, as exports have it.
  @Test(
    arguments: [
      ("$default", "any", ["$default"]), ("/$default", "ANY", ["$default"]),
      ("/$default", "'*'", ["$default"]),
      ("/$default", "get", nil), ("$default", "get", nil), ("/$defaults", "any", ["ANY /$defaults"]),
    ] as [(String, String, [String]?)]) func readsTheDefaultRoute(
      _ path: String, _ method: String, _ keys: [String]?
    )
  {
    let text = SAMTemplate.text(
      events: SAMTemplate.httpEvent(method, path), resources: SAMTemplate.http("Tags: {}"))
    #expect((try? GatewayTemplate(parsing: text))?.apis.first?.routes.map(\.key) == keys)
  }

  /// SAM compares paths as they are written: the same path is one route, the other spelling a second one.
  @Test(arguments: [
    ("$default", "$default", true), ("/$default", "/$default", true), ("$default", "/$default", false),
  ])
  func joinsDefaultRoutesOfOneSpelling(_ path: String, _ event: String, _ isServed: Bool) {
    let body =
      "DefinitionBody: { openapi: 3.0.1, paths: { \(path): { x-amazon-apigateway-any-method: { \(Self.backend) } } } }"
    let text = SAMTemplate.text(
      events: SAMTemplate.httpEvent("any", event), resources: SAMTemplate.http(body))
    #expect(SAMTemplate.guards(text) == (isServed ? ["Api $default": "open"] : ["": "refused"]))
  }
}
