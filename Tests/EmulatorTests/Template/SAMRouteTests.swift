import Testing

@testable import Emulator

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

  @Test(
    arguments: [
      ("RequestModel: { Model: M, ValidateBody: true }", false), ("RequestModel: { Model: M }", true),
      ("RequestModel: { Model: M, Required: true, ValidateParameters: false }", true),
      ("ResponseTransferMode: BUFFERED", true), ("ResponseTransferMode: RESPONSE_STREAM", false),
    ]) func knowsWhichIntegrationsAreEmulated(_ property: String, _ isAvailable: Bool) throws
  {
    let text = SAMTemplate.text(
      events: SAMTemplate.event("get", "/a", property), resources: SAMTemplate.rest(Self.auth))
    let route = try #require(try GatewayTemplate(parsing: text).apis.first?.routes.first)
    #expect(SAMTemplate.word(route.access) == "L")
    #expect((route.integration == .function("Backend", .rest)) == isAvailable)
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

  // MARK: Other properties

  /// SAM's deployment makes a stage `Stage` with the same routes, but without variables and usage plan.
  @Test(arguments: [("", ["prod", "Stage"]), ("OpenApiVersion: 3.0.1, ", ["prod"])])
  func addsTheStageOfTheDeployment(_ property: String, _ stages: [String]) throws {
    let auth = "Auth: { ApiKeyRequired: true, UsagePlan: { CreateUsagePlan: PER_API } }"
    let text = SAMTemplate.text(
      events: SAMTemplate.event("get", "/a"),
      resources: SAMTemplate.rest("\(property)Variables: { A: b }, \(auth)"))
    let apis = try GatewayTemplate(parsing: text).apis
    #expect(apis.map(\.stage.name) == stages)
    #expect(apis.map(\.stage.variables) == Array([["A": "b"], [:]].prefix(stages.count)))
    #expect(apis.map(\.access.plans.count) == Array([1, 0].prefix(stages.count)))
    #expect(apis.allSatisfy { $0.routes == apis.first?.routes })
  }

  /// Properties that change no decision, and those that close the API.
  @Test(
    arguments: [
      ("Cors: \"'https://a.example'\"", true), ("Cors: '*'", false),
      ("Cors: { AllowMethods: \"GET\" }", false),
      ("Cors: { AllowOrigin: \"'https://a.example'\", AllowCredentials: true, MaxAge: \"'600'\" }", true),
      ("Cors: { AllowCredentials: true }", false), ("Cors: { AllowOrigins: \"'*'\" }", false),
      ("Domain: { DomainName: a.example, CertificateArn: arn, BasePath: /v1 }", true),
      ("EndpointConfiguration: REGIONAL", true), ("EndpointConfiguration: PRIVATE", true),
      ("EndpointConfiguration: { Type: PRIVATE, VPCEndpointIds: [vpce-1] }", true),
      ("EndpointConfiguration: { Type: EDGE, IpAddressType: dualstack }", true),
      ("EndpointConfiguration: NEAR", false),
      ("BinaryMediaTypes: [image~1png]", true), ("MinimumCompressionSize: 5", true),
      ("CanarySetting: { PercentTraffic: 5 }", true), ("Models: { M: {} }", true), ("Mode: overwrite", true),
      ("CacheClusterEnabled: true, CacheClusterSize: '0.5'", true), ("SecurityPolicy: TLS_1_2", true),
      ("EndpointAccessMode: STRICT, OpenApiVersion: 3.0.1, AlwaysDeploy: true, FailOnWarnings: true", true),
      ("ApiKeySourceType: COOKIE", false), ("MergeDefinitions: perhaps", false), ("Surprise: 1", false),
      ("Auth: { ResourcePolicy: { IpRangeWhitelist: [10.0.0.0/8] } }", true),
    ]) func readsAPropertyOfARESTAPI(_ property: String, _ isServed: Bool)
  {
    let text = SAMTemplate.text(events: SAMTemplate.event("get", "/a"), resources: SAMTemplate.rest(property))
    #expect((SAMTemplate.guards(text)["Api GET /a"] == "open") == isServed, "\(SAMTemplate.problems(text))")
  }

  @Test func addsTheMethodsOfAPathToCors() throws {
    let text = SAMTemplate.text(
      events: [
        SAMTemplate.event("put", "/a"), SAMTemplate.event("get", "/a"), SAMTemplate.event("any", "/b"),
      ]
      .joined(separator: ", "), resources: SAMTemplate.rest("Cors: \"'*'\", BinaryMediaTypes: [image~1png]"))
    let api = try #require(try GatewayTemplate(parsing: text).apis.first)
    #expect(api.binaryMediaTypes == ["image/png"])
    let words = api.routes.compactMap { route -> String? in
      guard route.key.hasPrefix("OPTIONS") else { return nil }
      return String(describing: route.integration)
    }
    #expect(words.first?.contains("GET,OPTIONS,PUT") == true)
    #expect(words.last?.contains("DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT") == true)
  }

  @Test(arguments: [("rest", "/prod/a", 403), ("http", "/a", 404)])
  func closesTheDefaultEndpoint(_ kind: String, _ path: String, _ status: Int) throws {
    let property = "DisableExecuteApiEndpoint: true"
    let text =
      kind == "rest"
      ? SAMTemplate.text(events: SAMTemplate.event("get", "/a"), resources: SAMTemplate.rest(property))
      : SAMTemplate.text(events: SAMTemplate.httpEvent("get", "/a"), resources: SAMTemplate.http(property))
    var stage = try GatewayStage(text)
    #expect(stage.send("GET", path, api: "Api").response.status == status)
    let open = text.replacing("Endpoint: true", with: "Endpoint: false")
    stage = try GatewayStage(open)
    #expect(stage.send("GET", path, api: "Api").response.status == 200)
  }
}
