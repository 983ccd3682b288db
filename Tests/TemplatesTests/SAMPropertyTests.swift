@testable import GatewayEmulator
@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import Testing

/// Properties of APIs and events of SAM beside routes and authorizers.
@Suite struct SAMPropertyTests {
  private static let auth =
    "Auth: { DefaultAuthorizer: L, Authorizers: { L: { FunctionArn: !GetAtt Guard.Arn }, "
    + "C: { UserPoolArn: !GetAtt Pool.Arn } } }"

  // MARK: Events

  @Test(arguments: [
    "RequestModel: { Model: M, ValidateBody: true }", "RequestModel: { Model: M }",
    "RequestModel: { Model: M, Required: true, ValidateParameters: false }", "ResponseTransferMode: BUFFERED",
  ]) func knowsWhichIntegrationsAreEmulated(_ property: String) throws {
    let text = SAMTemplate.text(
      events: SAMTemplate.event("get", "/a", property), resources: SAMTemplate.rest(Self.auth))
    let route = try #require(try GatewayTemplate(parsing: text).apis.first?.routes.first)
    #expect(SAMTemplate.word(route.access) == "L")
    #expect(route.integration == .function("Backend", .rest))
  }

  /// SAM streams for `RESPONSE_STREAM` only, and passes on any other value without effect.
  @Test(arguments: ["", ", TimeoutInMillis: 900000"]) func readsAStream(_ more: String) throws {
    func template(_ mode: String) throws -> GatewayTemplate {
      try GatewayTemplate(
        parsing: SAMTemplate.text(
          events: SAMTemplate.event("get", "/a", "ResponseTransferMode: \(mode)\(more)"),
          resources: SAMTemplate.rest(Self.auth)))
    }
    let streamed = try template("RESPONSE_STREAM")
    let route = try #require(streamed.apis.first?.routes.first)
    #expect(SAMTemplate.word(route.access) == "L")
    let function = RESTFunction(
      "Backend", tenant: nil, isStreamed: true, timeoutMilliseconds: more.isEmpty ? nil : 900_000)
    #expect(route.integration == .restFunction(function))
    #expect(streamed.notes.map(\.problem) == [IntegrationReader.streamNote])
    #expect(streamed.warnings == [])
    let buffered = try template("STREAM")
    #expect(buffered.apis.first?.routes.first?.integration == .function("Backend", .rest))
    #expect(buffered.warnings.map(\.cure) == ["write RESPONSE_STREAM"])
  }

  @Test(arguments: [
    ("RESPONSE_STREAM, TimeoutInMillis: 49", "50 to 900000"), ("[STREAM]", "must be a string"),
    ("RESPONSE_STREAM, TimeoutInMillis: 900001", "50 to 900000"),
  ]) func aStreamThatCannotBeReadIsClosed(_ mode: String, _ problem: String) {
    let text = SAMTemplate.text(
      events: SAMTemplate.event("get", "/a", "ResponseTransferMode: \(mode)"),
      resources: SAMTemplate.rest(Self.auth))
    do {
      let template = try GatewayTemplate(parsing: text)
      Issue.record("\(template.apis)")
    } catch {
      #expect(error.findings.first?.problem.contains(problem) == true)
    }
  }

  /// A function whose isolation cannot be read is not run as one without.
  @Test(arguments: [
    ("{ TenantIsolationMode: PER_TENANT }", nil), ("{}", "is missing"), ("PER_TENANT", "must be a map"),
    ("{ TenantIsolationMode: SHARED }", "is not emulated: SHARED"),
    ("{ TenantIsolationMode: PER_TENANT, Mode: b }", "is not known"),
  ]) func readsTheIsolationOfTenants(_ value: String, _ problem: String?) throws {
    let text = SAMTemplate.text(
      events: SAMTemplate.event("get", "/a"), resources: SAMTemplate.rest("Auth: {}"))
    let plain = try GatewayTemplate(parsing: text)
    #expect(plain.served.tenancy["Backend"] == false)
    let runtime = "Runtime: nodejs24.x"
    let template = try GatewayTemplate(
      parsing: text.replacing(runtime, with: runtime + "\n      TenancyConfig: \(value)"))
    let function = try #require(template.functions["Backend"])
    #expect(function.isTenantIsolated)
    #expect(template.served.tenancy["Backend"] == true)
    let problems = function.findings.map(\.problem)
    #expect(problems.count == (problem == nil ? 0 : 1))
    #expect(problem.map { expected in problems.contains { $0.hasPrefix(expected) } } != false, "\(problems)")
  }

  /// `ValidateParameters` makes a validator of the parameters that are required.
  @Test(arguments: [
    ("ValidateParameters: true", 400), ("ValidateParameters: false", 200), ("Required: true", 200),
  ])
  func requiresParameters(_ setting: String, _ status: Int) throws {
    let event = SAMTemplate.event(
      "get", "/a",
      "RequestModel: { Model: M, \(setting) }, RequestParameters: [method.request.header.Free, "
        + "{ method.request.querystring.q: { Required: true, Caching: false } }, "
        + "{ method.request.header.Other: { Required: false } }]")
    var stage = try GatewayStage(SAMTemplate.text(events: event, resources: SAMTemplate.rest("Mode: merge")))
    let answer = stage.send("GET", "/prod/a")
    #expect(answer.response.status == status)
    if status == 400 { #expect(answer.text == #"{"message":"Missing required request parameters: [q]"}"#) }
    #expect(stage.send("GET", "/prod/a", query: "q=1").response.status == 200)
  }

  // MARK: APIs

  /// A private API without a resource policy admits no request; with one, what depends on the VPC is a 501.
  @Test(arguments: [
    ("", 403),
    ("Statement: [{ Effect: Allow, Principal: '*', Action: 'execute-api:Invoke', Resource: '*' }]", 200),
    (
      "Statement: [{ Effect: Allow, Principal: '*', Action: 'execute-api:Invoke', Resource: '*', "
        + "Condition: { StringEquals: { 'aws:SourceVpce': vpce-1 } } }]", 501
    ),
  ]) func aPrivateAPINeedsItsPolicy(_ statements: String, _ status: Int) throws {
    let policy = statements.isEmpty ? "" : ", Policy: { Version: '2012-10-17', \(statements) }"
    let text = SAMTemplate.text(
      events: SAMTemplate.event("get", "/a"),
      resources: SAMTemplate.rest(
        "EndpointConfiguration: { Type: PRIVATE, VPCEndpointIds: [vpce-1] }\(policy)"))
    var stage = try GatewayStage(text)
    #expect(stage.gateway.apis[0].access.isPrivate)
    #expect(stage.send("GET", "/prod/a").response.status == status)
  }

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
      // Anything but true is false for SAM.
      ("Cors: { AllowCredentials: \"'true'\" }", true), ("Cors: { AllowCredentials: \"true\" }", true),
      ("Cors: { AllowCredentials: !Ref AWS::Region }", true), ("Cors: { AllowCredentials: [] }", true),
      ("Domain: { DomainName: a.example, CertificateArn: arn, BasePath: /v1 }", true),
      ("EndpointConfiguration: REGIONAL", true), ("EndpointConfiguration: PRIVATE", true),
      ("EndpointConfiguration: { Type: PRIVATE, VPCEndpointIds: [vpce-1] }", true),
      ("EndpointConfiguration: NEAR", false),
      ("EndpointConfiguration: { Type: SECRET }", false),
      ("EndpointConfiguration: { Type: EDGE, IpAddressType: dualstack }", true),
      ("BinaryMediaTypes: [image~1png]", true), ("MinimumCompressionSize: 5", true),
      ("CanarySetting: { PercentTraffic: 5 }", false), ("Models: { M: {} }", true), ("Mode: overwrite", true),
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

  /// SAM writes the header for the literal `true` alone.
  @Test(arguments: [
    ("true", true), ("True", true), ("\"true\"", false), ("\"'true'\"", false), ("!Sub true", false),
    ("1", false),
    ("false", false), ("!Ref Yes", false),
  ]) func allowsCredentialsOnlyIfTrue(_ value: String, _ isAllowed: Bool) throws {
    let head = "Parameters: { Yes: { Type: String, Default: true } }"
    let rest = SAMTemplate.text(
      events: SAMTemplate.event("get", "/a"),
      resources: SAMTemplate.rest(
        "Cors: { AllowOrigin: \"'https://a.example'\", AllowCredentials: \(value) }"),
      head: head)
    let preflight = try #require(try GatewayTemplate(parsing: rest).apis.first?.routes.last)
    #expect(String(describing: preflight.integration).contains("Allow-Credentials") == isAllowed)
    let problem = "is false for SAM, which accepts only the literal true"
    #expect(
      try GatewayTemplate(parsing: rest).warnings.map(\.problem)
        == (isAllowed || value == "false" ? [] : [problem]))
    let http = SAMTemplate.text(
      events: SAMTemplate.httpEvent("get", "/a"),
      resources: SAMTemplate.http(
        "CorsConfiguration: { AllowOrigins: ['https://a.example'], AllowCredentials: \(value) }"), head: head)
    guard case .http(let policy)? = try GatewayTemplate(parsing: http).apis.first?.kind else {
      Issue.record("no HTTP API")
      return
    }
    #expect(policy?.allowsCredentials == isAllowed)
  }

  /// SAM adds `OPTIONS` only to paths without it, so a value that API Gateway refuses is not read beside them.
  @Test(arguments: [
    ("'*'", ["/a"], true), ("'*'", ["/a", "/b"], false), ("{ AllowHeaders: '*' }", ["/a"], true),
    ("{ AllowOrigin: !ImportValue Origin }", ["/a"], true),
    ("{ AllowOrigin: !ImportValue Origin }", ["/b"], false),
    ("{ AllowOrigins: '*' }", ["/a"], false),
  ]) func readsCorsOnlyForPathsWithoutOptions(_ cors: String, _ paths: [String], _ isServed: Bool) {
    let mock = "x-amazon-apigateway-integration: { type: mock }"
    let operations = paths.map { path in
      let options = path == "/a" ? ", options: { \(mock) }" : ""
      return "\(path): { get: { \(mock) }\(options) }"
    }
    let body = "DefinitionBody: { swagger: '2.0', paths: { \(operations.joined(separator: ", ")) } }"
    let text = SAMTemplate.text(resources: SAMTemplate.rest("Cors: \(cors), \(body)"))
    #expect(
      (SAMTemplate.guards(text)["Api GET \(paths[0])"] == "open") == isServed, "\(SAMTemplate.problems(text))"
    )
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
