@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import Testing

/// Templates of plain CloudFormation, and OpenAPI documents.
@Suite struct PlainTemplateTests {
  /// Returns each route with who may call it: `GET /pets lambda:Token`.
  private static func routes(
    _ template: String, parameters: [String: String] = [:]
  ) throws(TemplateError) -> [String] {
    try GatewayTemplate(parsing: template, parameters: parameters).apis.flatMap { api in
      api.routes.map { route in
        let access =
          switch route.access {
          case .open: "open"
          case .lambda(let authorizer): "lambda:\(authorizer.name)"
          case .token(let authorizer, let scopes):
            (["token:\(authorizer.name)"] + scopes).joined(separator: " ")
          case .signature: "iam"
          case .closed: "closed"
          }
        return "\(api.stage.name) \(route.key) \(access)\(route.needsAPIKey ? " key" : "")"
      }
    }
  }

  private static let function = """
      Backend: { Type: AWS::Lambda::Function, Properties: { Runtime: python3.13, Handler: a.b, Role: r, Code: { ZipFile: x } } }
      Guard: { Type: AWS::Lambda::Function, Properties: { Runtime: python3.13, Handler: a.b, Role: r, Code: { ZipFile: x } } }
    """
  private static let uri =
    "!Sub 'arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Guard.Arn}/invocations'"
  private static let proxy =
    "Integration: { Type: AWS_PROXY, IntegrationHttpMethod: POST, Uri: !Sub 'arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Backend.Arn}/invocations' }"

  static func rest(_ method: String, authorizer: String = token, extra: String = "") -> String {
    """
    Resources:
    \(function)
      Api: { Type: AWS::ApiGateway::RestApi, Properties: { Name: a } }
      Pets: { Type: AWS::ApiGateway::Resource, Properties: { RestApiId: !Ref Api, ParentId: !GetAtt Api.RootResourceId, PathPart: pets } }
      Pet: { Type: AWS::ApiGateway::Resource, Properties: { RestApiId: !Ref Api, ParentId: !Ref Pets, PathPart: "{id}" } }
      Auth: { Type: AWS::ApiGateway::Authorizer, Properties: { RestApiId: !Ref Api, Name: Auth, \(authorizer) } }
      Method: { Type: AWS::ApiGateway::Method, Properties: { RestApiId: !Ref Api, \(method), \(proxy) } }
      Deployment: { Type: AWS::ApiGateway::Deployment, Properties: { RestApiId: !Ref Api } }
      Live: { Type: AWS::ApiGateway::Stage, Properties: { RestApiId: !Ref Api, DeploymentId: !Ref Deployment, StageName: live } }
    \(extra)
    """
  }
  private static let token =
    "Type: TOKEN, IdentitySource: method.request.header.Authorization, AuthorizerUri: \(uri)"
  static let get = "ResourceId: !Ref Pet, HttpMethod: GET"

  struct Case: Sendable {
    let method: String
    var authorizer = PlainTemplateTests.token
    var extra = ""
    let routes: [String]
  }

  @Test(arguments: [
    Case(method: get, routes: ["live GET /pets/{id} open"]),
    Case(
      method: "ResourceId: !GetAtt Api.RootResourceId, HttpMethod: ANY, AuthorizationType: NONE",
      routes: ["live ANY / open"]),
    Case(
      method: get + ", AuthorizationType: CUSTOM, AuthorizerId: !Ref Auth",
      routes: ["live GET /pets/{id} lambda:Auth"]),
    Case(
      method: get + ", AuthorizationType: CUSTOM, AuthorizerId: !Ref Auth, ApiKeyRequired: true",
      routes: ["live GET /pets/{id} lambda:Auth key"]),
    Case(method: get + ", AuthorizationType: AWS_IAM", routes: ["live GET /pets/{id} iam"]),
    Case(
      method: get
        + ", AuthorizationType: COGNITO_USER_POOLS, AuthorizerId: !Ref Auth, AuthorizationScopes: [read, write]",
      authorizer:
        "Type: COGNITO_USER_POOLS, IdentitySource: method.request.header.Authorization, ProviderARNs: ['arn:aws:cognito-idp:us-east-1:1:userpool/p']",
      routes: ["live GET /pets/{id} token:Auth read write"]),
    Case(
      method: get + ", AuthorizationType: CUSTOM, AuthorizerId: !Ref Auth",
      authorizer:
        "Type: REQUEST, IdentitySource: 'method.request.header.A, context.path', AuthorizerUri: \(uri)",
      routes: ["live GET /pets/{id} lambda:Auth"]),
    // A deployment makes a stage too.
    Case(
      method: get,
      extra:
        "  Other: { Type: AWS::ApiGateway::Deployment, Properties: { RestApiId: !Ref Api, StageName: beta } }",
      routes: ["live GET /pets/{id} open", "beta GET /pets/{id} open"]),
  ]) func plainMethodsAreRead(_ one: Case) throws {
    #expect(
      try Self.routes(Self.rest(one.method, authorizer: one.authorizer, extra: one.extra)) == one.routes)
  }

  /// What AWS would guard is never open: each of these methods is closed or its template refused.
  @Test(arguments: [
    Case(
      method: get + ", AuthorizationType: CUSTOM", routes: ["refers to no authorizer of this API and type"]),
    Case(
      method: get + ", AuthorizationType: CUSTOM, AuthorizerId: !Ref Pets",
      routes: ["refers to no authorizer of this API and type"]),
    Case(
      method: get + ", AuthorizationType: COGNITO_USER_POOLS, AuthorizerId: !Ref Auth",
      routes: ["refers to no authorizer of this API and type"]),
    Case(method: get + ", AuthorizationType: Custom", routes: ["is not emulated: Custom"]),
    Case(method: get + ", AuthorizerId: !Ref Auth", routes: ["does not use AuthorizerId"]),
    Case(
      method: get + ", AuthorizationType: NONE, AuthorizationScopes: [read]",
      routes: ["does not use AuthorizationScopes"]),
    Case(
      method: get + ", AuthorizationScopes: [read]", routes: ["does not use AuthorizationScopes"]),
    Case(method: get + ", AuthorizationTipe: CUSTOM", routes: ["is not known"]),
    Case(
      method: get + ", AuthorizationType: CUSTOM, AuthorizerId: !Ref Auth",
      authorizer: "Type: TOKEN, AuthorizerUri: \(uri)", routes: ["must be one header for a TOKEN authorizer"]),
    Case(
      method: "ResourceId: !Ref Nowhere, HttpMethod: GET",
      routes: ["Nowhere is neither a parameter nor a resource"]),
    Case(method: "HttpMethod: GET", routes: ["is missing"]),
    Case(method: "ResourceId: !Ref Pet, HttpMethod: GETT", routes: ["is not a method: GETT"]),
    Case(method: "ResourceId: !Ref Pet, HttpMethod: 'GET '", routes: ["is not a method: GET "]),
    Case(
      method: get,
      extra:
        "  Bad: { Type: AWS::ApiGateway::Resource, Properties: { RestApiId: !Ref Api, ParentId: !Ref Pets, PathPart: 'admin/' } }",
      routes: ["is not one part of a path: admin/"]),
    Case(
      method: get,
      extra:
        "  Guarded: { Type: aws::apigateway::method, Properties: { RestApiId: !Ref Api, HttpMethod: ANY } }",
      routes: ["aws::apigateway::method is not emulated"]),
    Case(
      method: get, extra: "  Lost: { Type: AWS::ApiGateway::Method, Properties: { RestApiId: '' } }",
      routes: ["belongs to no API of this template"]),
    Case(
      method: get, extra: "  Lost: { Type: AWS::ApiGateway::Method, Properties: { HttpMethod: GET } }",
      routes: ["belongs to no API of this template"]),
  ]) func whatCannotBeReadIsClosed(_ one: Case) {
    let text = Self.rest(one.method, authorizer: one.authorizer, extra: one.extra)
    let error = #expect(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
    let problems = error?.findings.map(\.problem) ?? []
    #expect(problems.contains { $0.contains(one.routes[0]) }, "\(problems)")
  }

  /// A web ACL lets in no caller whom the API refuses.
  @Test(arguments: [
    ("!Sub 'arn:aws:apigateway:us-east-1::/restapis/${Api}/stages/live'", true),
    ("!Sub 'arn:aws:apigateway:us-east-1::/restapis/${Api}/stages/${Live}'", true),
    ("!ImportValue stage", true), ("!Sub '${LoadBalancer}/a'", true),
    ("'arn:aws:apigateway:us-east-1::/restapis/0123456789/stages/live'", false),
  ]) func aWebACLIsANote(_ resource: String, _ isNoted: Bool) throws {
    for type in ["AWS::WAFv2::WebACLAssociation", "AWS::WAFRegional::WebACLAssociation"] {
      let acl = "  Acl: { Type: \(type), Properties: { ResourceArn: \(resource), WebACLId: a } }"
      let text = Self.rest(Self.get + ", AuthorizationType: CUSTOM, AuthorizerId: !Ref Auth", extra: acl)
      let template = try GatewayTemplate(parsing: text)
      #expect(template.closures == [])
      #expect(try Self.routes(text) == ["live GET /pets/{id} lambda:Auth"])
      #expect(template.notes.contains { $0.text().contains("the web ACL may refuse requests") } == isNoted)
    }
  }

  // MARK: Aliases and versions

  /// `Ref` of an alias or a version is the function's ARN with a qualifier.
  @Test(
    arguments: [
      ("${Alias}", "Guard"), ("${Alias.AliasArn}", "Guard"), ("${One}", "Guard"),
      ("${One.FunctionArn}", "Guard"), ("${ByARN}", "Guard"), ("${OfOther}", "shared"), ("${Guard}", nil),
      ("${Loop}", nil), ("${Alias.Name}", nil),
    ] as [(String, String?)]) func anAliasIsItsFunction(_ reference: String, _ function: String?) throws
  {
    let uri =
      "!Sub 'arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/\(reference)/invocations'"
    let extra = """
        Alias: { Type: AWS::Lambda::Alias, Properties: { FunctionName: !Ref Guard, FunctionVersion: !GetAtt One.Version, Name: live } }
        One: { Type: AWS::Lambda::Version, Properties: { FunctionName: !Ref Guard } }
        ByARN: { Type: AWS::Lambda::Alias, Properties: { FunctionName: !GetAtt Guard.Arn, FunctionVersion: '1', Name: live } }
        OfOther: { Type: AWS::Lambda::Alias, Properties: { FunctionName: 'arn:aws:lambda:us-east-1:123456789012:function:shared', FunctionVersion: '1', Name: live } }
        Loop: { Type: AWS::Lambda::Alias, Properties: { FunctionName: !Ref Loop, FunctionVersion: '1', Name: live } }
      """
    let text = Self.rest(
      Self.get + ", AuthorizationType: CUSTOM, AuthorizerId: !Ref Auth",
      authorizer: "Type: TOKEN, IdentitySource: method.request.header.Authorization, AuthorizerUri: \(uri)",
      extra: extra)
    guard let function else {
      _ = #expect(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
      return
    }
    #expect(try GatewayTemplate(parsing: text).apis.first?.routes.first?.authorizer?.function == function)
  }

  /// The references of SAM to the alias and the version of `AutoPublishAlias`, and those of an integration.
  @Test(arguments: [
    "!Ref Backend.Alias", "!Ref Backend.Version", "!GetAtt Backend.Arn", "!Ref Live", "!Ref One",
    "!Sub 'arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Backend.Alias}/invocations'",
    "!Sub 'arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Live}/invocations'",
  ]) func anIntegrationCallsTheFunctionOfAnAlias(_ uri: String) throws {
    let text = """
      Transform: AWS::Serverless-2016-10-31
      Resources:
        Backend: { Type: AWS::Serverless::Function, Properties: { Runtime: python3.13, AutoPublishAlias: live } }
        Live: { Type: AWS::Lambda::Alias, Properties: { FunctionName: !Ref Backend, FunctionVersion: '1', Name: live } }
        One: { Type: AWS::Lambda::Version, Properties: { FunctionName: !Ref Backend } }
        Api: { Type: AWS::ApiGatewayV2::Api, Properties: { Name: a, ProtocolType: HTTP, Target: \(uri) } }
      """
    #expect(
      try GatewayTemplate(parsing: text).apis.first?.routes.map(\.integration) == [
        .function("Backend", .http2)
      ])
  }

  // MARK: OpenAPI

  static func body(_ security: String, schemes: String) -> String {
    """
    Resources:
    \(function)
      Api:
        Type: AWS::ApiGateway::RestApi
        Properties:
          Body:
            swagger: "2.0"
            securityDefinitions:
              Key: { type: apiKey, name: x-api-key, in: header }
              Signed: { type: apiKey, name: Authorization, in: header, x-amazon-apigateway-authtype: awsSigv4 }
    \(schemes)
            paths:
              /pets:
                get:
                  \(security)
                  x-amazon-apigateway-integration: { type: mock, requestTemplates: { application/json: '{"statusCode":200}' }, responses: { default: { statusCode: "200" } } }
      Live: { Type: AWS::ApiGateway::Stage, Properties: { RestApiId: !Ref Api, StageName: live } }
    """
  }

  static let schemes = [
    "Token: { type: apiKey, name: Auth, in: header, x-amazon-apigateway-authtype: custom, "
      + "x-amazon-apigateway-authorizer: { type: token, authorizerUri: \(uri) } }",
    "Request: { type: apiKey, name: unused, in: header, x-amazon-apigateway-authorizer: "
      + "{ type: request, identitySource: 'method.request.header.A', authorizerUri: \(uri) } }",
    "Pool: { type: apiKey, name: Authorization, in: header, x-amazon-apigateway-authorizer: "
      + "{ type: cognito_user_pools, providerARNs: ['arn:aws:cognito-idp:us-east-1:1:userpool/p'] } }",
    "Basic: { type: basic }",
  ].map { "          " + $0 }.joined(separator: "\n")

  @Test(arguments: [
    ("description: no security", "open"), ("security: []", "open"),
    ("security: [{Token: []}]", "lambda:Token"),
    ("security: [{Request: []}]", "lambda:Request"), ("security: [{Pool: [read]}]", "token:Pool read"),
    ("security: [{Signed: []}]", "iam"), ("security: [{Key: []}]", "open key"),
    ("security: [{Token: []}, {Key: []}]", "lambda:Token key"),
    ("security: [{Token: [], Key: []}]", "lambda:Token key"),
    ("x-amazon-apigateway-auth: { type: AWS_IAM }", "iam"),
    // SAM's word, which means a scheme of the document if it has one with that name.
    ("security: [{NONE: []}]", "open"),
  ]) func securityOfAnOperation(_ security: String, _ access: String) throws {
    #expect(try Self.routes(Self.body(security, schemes: Self.schemes)) == ["live GET /pets \(access)"])
  }

  @Test(arguments: ["NONE", "api_key"]) func aSchemeWithANameOfSAMIsAnAuthorizer(_ name: String) throws {
    let schemes = Self.schemes.replacing("Token: {", with: name + ": {")
    #expect(
      try Self.routes(Self.body("security: [{\(name): []}]", schemes: schemes)) == [
        "live GET /pets lambda:\(name)"
      ])
  }

  @Test(arguments: [
    ("security: [{Basic: []}]", "has no authorizer"),
    ("security: [{Token: []}, {Pool: []}]", "has more than one authorizer"),
    ("security: yes", "must be a list"), ("securitty: [{Token: []}]", "is not known"),
  ]) func securityThatCannotBeReadCloses(_ security: String, _ problem: String) {
    let error = #expect(throws: TemplateError.self) {
      try GatewayTemplate(parsing: Self.body(security, schemes: Self.schemes))
    }
    #expect(error?.findings.contains { $0.problem == problem } == true, "\(error?.findings ?? [])")
  }

  // MARK: HTTP APIs

  static func http(_ route: String, authorizer: String) -> String {
    """
    Resources:
    \(function)
      Api: { Type: AWS::ApiGatewayV2::Api, Properties: { Name: a, ProtocolType: HTTP } }
      Auth: { Type: AWS::ApiGatewayV2::Authorizer, Properties: { ApiId: !Ref Api, Name: Auth, \(authorizer) } }
      Backing: { Type: AWS::ApiGatewayV2::Integration, Properties: { ApiId: !Ref Api, IntegrationType: AWS_PROXY, IntegrationUri: !GetAtt Backend.Arn, PayloadFormatVersion: "2.0" } }
      Route: { Type: AWS::ApiGatewayV2::Route, Properties: { ApiId: !Ref Api, RouteKey: GET /pets, Target: !Sub 'integrations/${Backing}'\(route) } }
      Live: { Type: AWS::ApiGatewayV2::Stage, Properties: { ApiId: !Ref Api, StageName: $default, AutoDeploy: true } }
    """
  }
  static let jwt =
    "AuthorizerType: JWT, IdentitySource: ['$request.header.Authorization'], JwtConfiguration: { Issuer: https://i.example.com, Audience: [a] }"

  @Test(arguments: [
    ("", "open"), (", AuthorizationType: AWS_IAM", "iam"),
    (", AuthorizationType: JWT, AuthorizerId: !Ref Auth", "token:Auth"),
    (", AuthorizationType: JWT, AuthorizerId: !Ref Auth, AuthorizationScopes: [read]", "token:Auth read"),
    (", AuthorizationType: CUSTOM, AuthorizerId: !Ref Auth", "closed"),
  ]) func routesOfAnHTTPAPI(_ route: String, _ access: String) throws {
    let text = Self.http(route, authorizer: Self.jwt)
    guard access != "closed" else {
      _ = #expect(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
      return
    }
    #expect(try Self.routes(text) == ["$default GET /pets \(access)"])
  }

  @Test(arguments: [
    // API Gateway has no documented default beside an authorizer.
    (", AuthorizerId: !Ref Auth", "does not use AuthorizerId: the route has no authorizer"),
    (
      ", AuthorizationType: NONE, AuthorizationScopes: [read]",
      "does not use AuthorizationScopes: the route has no authorizer"
    ),
  ]) func anAuthorizerThatARouteDoesNotUseClosesIt(_ route: String, _ problem: String) {
    let text = Self.http(route, authorizer: Self.jwt)
    let error = #expect(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
    #expect(error?.findings.map(\.problem) == [problem])
  }

  /// API Gateway refuses these keys; without the route another would get its requests.
  @Test(arguments: ["get /pets", "GET  /pets", "FOO /pets", "GET/pets", "/pets", "GET pets", "$connect"])
  func aKeyThatIsNoRouteKeyClosesItsAPI(_ key: String) {
    let text = Self.http("", authorizer: Self.jwt).replacing("GET /pets", with: "'\(key)'")
    let error = #expect(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
    #expect(error?.findings.map(\.problem).contains("is not a route key: \(key)") == true)
  }

  @Test(arguments: ["$Connect", "$connected", "$", "$message"])
  func aWebSocketKeyWithADollarSignMustBeKnown(_ key: String) {
    let text = Self.http("", authorizer: Self.jwt).replacing("GET /pets", with: "'\(key)'").replacing(
      "ProtocolType: HTTP", with: "ProtocolType: WEBSOCKET, RouteSelectionExpression: $request.body.action")
    let error = #expect(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
    #expect(error?.findings.map(\.problem).contains("is not a route key: \(key)") == true)
  }

  @Test func aSecondDefaultRouteBesideQuickCreateIsADuplicate() {
    let text = Self.http(", AuthorizationType: JWT, AuthorizerId: !Ref Auth", authorizer: Self.jwt)
      .replacing("GET /pets", with: "$default")
      .replacing("ProtocolType: HTTP", with: "ProtocolType: HTTP, Target: !GetAtt Backend.Arn")
    let error = #expect(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
    #expect(error?.findings.map(\.problem) == ["is a duplicate: $default is also in line 4"])
  }

  @Test func quickCreateMakesADefaultRouteAndStage() throws {
    let text = """
      Resources:
      \(Self.function)
        Api: { Type: AWS::ApiGatewayV2::Api, Properties: { Name: a, ProtocolType: HTTP, Target: !GetAtt Backend.Arn } }
      """
    #expect(try Self.routes(text) == ["$default $default open"])
  }

  /// `NONE` is an open route, whatever authorizer is beside it.
  @Test func anAuthorizerBesideNoneIsIgnoredWithAWarning() throws {
    let none = ", AuthorizationType: NONE, AuthorizerId: !Ref Auth"
    for text in [Self.rest(Self.get + none), Self.http(none, authorizer: Self.jwt)] {
      let template = try GatewayTemplate(parsing: text)
      #expect(template.apis.flatMap(\.routes).map(\.access) == [.open])
      #expect(template.closures.isEmpty)
      #expect(template.warnings.map(\.problem) == ["does not use AuthorizerId: the route has no authorizer"])
    }
  }

  // MARK: Usage plans

  @Test func aUsagePlanBelongsToItsStage() throws {
    let plan = """
        Key: { Type: AWS::ApiGateway::ApiKey, Properties: { Enabled: true, Value: 0123456789abcdefghij } }
        Off: { Type: AWS::ApiGateway::ApiKey, Properties: { Value: zyxwvutsrq9876543210 } }
        Plan: { Type: AWS::ApiGateway::UsagePlan, Properties: { ApiStages: [{ ApiId: !Ref Api, Stage: !Ref Live, Throttle: { "/pets/{id}/GET": { BurstLimit: 1, RateLimit: 0.1 } } }], Quota: { Limit: 5, Period: DAY }, Throttle: { BurstLimit: 2, RateLimit: 0.5 } } }
        Member: { Type: AWS::ApiGateway::UsagePlanKey, Properties: { KeyId: !Ref Key, KeyType: API_KEY, UsagePlanId: !Ref Plan } }
        Elsewhere: { Type: AWS::ApiGateway::UsagePlan, Properties: { ApiStages: [{ ApiId: !Ref Api, Stage: other }] } }
      """
    let api = try #require(
      GatewayTemplate(parsing: Self.rest(Self.get + ", ApiKeyRequired: true", extra: plan)).apis.first)
    #expect(api.access.keys.map { "\($0.name) \($0.isEnabled)" } == ["Key true", "Off false"])
    #expect(
      api.access.plans == [
        UsagePlan(
          name: "Plan", keys: ["Key"], throttle: .init(rate: 0.5, burst: 2),
          quota: .init(limit: 5, period: .day, offset: 0),
          methodThrottles: ["/pets/{id}/GET": .init(rate: 0.1, burst: 1)])
      ])
  }

  /// "A Key value must be between 20 and 128 characters" ("API key file format").
  @Test(arguments: [
    ("''", false), ("0123456789abcdefghi", false), ("0123456789abcdefghij", true),
    (String(repeating: "k", count: 128), true), (String(repeating: "k", count: 129), false),
  ]) func aKeyWithAnotherLengthLetsNothingPass(_ value: String, _ isEnabled: Bool) throws {
    let key = "  Key: { Type: AWS::ApiGateway::ApiKey, Properties: { Enabled: true, Value: \(value) } }"
    let template = try GatewayTemplate(parsing: Self.rest(Self.get, extra: key))
    #expect(template.apis.first?.access.keys.map(\.isEnabled) == [isEnabled])
    #expect(template.notes.contains { $0.text().contains("which API Gateway refuses") } != isEnabled)
  }
}
