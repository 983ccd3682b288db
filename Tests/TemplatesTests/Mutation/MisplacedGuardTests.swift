@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import Templates
import Testing

/// Mistakes that move a guard away from the requests that it is meant for: CloudFormation refuses them, so the open
/// greedy route or `$default` beside them must not get the requests.
@Suite struct MisplacedGuardTests {
  /// A REST API with a guarded method at a resource, and an open greedy route.
  private static func rest(
    part: String = "admin", api: String = "!Ref Rest", method: String = "GET", more: String = ""
  ) -> String {
    let integration =
      "Integration: { Type: HTTP_PROXY, IntegrationHttpMethod: GET, Uri: 'https://a.example/' }"
    return """
      Resources:
        Rest: { Type: AWS::ApiGateway::RestApi, Properties: { Name: rest } }
        Admin: { Type: AWS::ApiGateway::Resource, Properties: { RestApiId: !Ref Rest, ParentId: !GetAtt Rest.RootResourceId, PathPart: \(part) } }
        GetAdmin: { Type: AWS::ApiGateway::Method, Properties: { RestApiId: \(api), ResourceId: !Ref Admin, HttpMethod: \(method), AuthorizationType: AWS_IAM, \(integration) } }
        Greedy: { Type: AWS::ApiGateway::Resource, Properties: { RestApiId: !Ref Rest, ParentId: !GetAtt Rest.RootResourceId, PathPart: '{proxy+}' } }
        AnyGreedy: { Type: AWS::ApiGateway::Method, Properties: { RestApiId: !Ref Rest, ResourceId: !Ref Greedy, HttpMethod: ANY, AuthorizationType: NONE, \(integration) } }
        Deployment: { Type: AWS::ApiGateway::Deployment, Properties: { RestApiId: !Ref Rest, StageName: prod } }
      \(more)
      """
  }

  /// An HTTP API with a guarded route and an open `$default`.
  private static func http(
    key: String = "GET /admin", api: String = "!Ref Http", type: String = "AWS::ApiGatewayV2::Api"
  ) -> String {
    """
    Resources:
      Http: { Type: \(type), Properties: { Name: http, ProtocolType: HTTP, Target: 'https://a.example/' } }
      Backend: { Type: AWS::ApiGatewayV2::Integration, Properties: { ApiId: !Ref Http, IntegrationType: HTTP_PROXY, IntegrationUri: 'https://a.example/', IntegrationMethod: ANY, PayloadFormatVersion: '1.0' } }
      Admin: { Type: AWS::ApiGatewayV2::Route, Properties: { ApiId: \(api), RouteKey: \(key), AuthorizationType: AWS_IAM, Target: !Sub 'integrations/${Backend}' } }
    """
  }

  /// Whether a request to `/admin` reaches the integration of an open route.
  private static func isLet(_ text: String) -> Bool {
    guard let template = try? GatewayTemplate(parsing: text) else { return false }
    let gateway = Gateway(template.served, settings: Assumptions())
    return template.apis.contains { api in
      guard let pattern = PathPattern("/admin") else { return true }
      let route = GatewayRoute(
        match: .path(method: "GET", pattern), access: .signature, integration: .webSocketMock)
      return StrangerRequest(route, api).isLet(in: gateway)
    }
  }

  private static func cures(_ text: String) -> [String] {
    do {
      return try GatewayTemplate(parsing: text).closures.map(\.cure)
    } catch {
      return error.findings.map(\.cure)
    }
  }

  @Test func theTemplatesAreServed() throws {
    for text in [Self.rest(), Self.http()] {
      let template = try GatewayTemplate(parsing: text)
      #expect(template.closures == [])
      #expect(template.apis.first?.routes.map(\.access.isOpen).sorted { !$0 && $1 } == [false, true])
      #expect(!Self.isLet(text))
      #expect(
        Self.isLet(
          text.replacing("/admin", with: "/other").replacing("PathPart: admin", with: "PathPart: other")))
    }
  }

  /// A name without `!Ref`, and other texts that are no ID of an API.
  @Test(arguments: ["Rest", "rest", "' '", "Admin", "rest-api", "'0123456789a'", "'ABCDEFGHIJ'", "Http"])
  func aPartNamesItsAPI(_ name: String) {
    for text in [Self.rest(api: name), Self.http(api: name)] {
      #expect(!Self.isLet(text))
      #expect(
        Self.cures(text).contains {
          $0.hasPrefix("write RestApiId: !Ref") || $0.hasPrefix("write ApiId: !Ref")
        })
    }
    if name == "Rest" { #expect(Self.cures(Self.rest(api: name)).contains("write RestApiId: !Ref Rest")) }
    if name == "Http" { #expect(Self.cures(Self.http(api: name)).contains("write ApiId: !Ref Http")) }
  }

  /// "Resource's path part only allow a-zA-Z0-9._-:" is what API Gateway answers.
  @Test(arguments: [
    "adm%69n", "admin;", "'admin?'", "'#admin'", "'ádmin'", "'adm in'", "\"admin\\t\"", "'admin/'", "''",
    "'{ad%6Din}'", "'{}'", "'~admin'",
  ]) func aPathPartHasCharactersThatAPIGatewayTakes(_ part: String) {
    #expect(!Self.isLet(Self.rest(part: part)))
  }

  @Test(arguments: ["admin", "Admin-1_2.x", "'$admin'", "'a:b'"])
  func otherPathPartsAreServed(_ part: String) {
    #expect(Self.cures(Self.rest(part: part)) == [])
  }

  @Test(arguments: ["/adm%69n", "/admin?", "/admin#", "/a//b", "//admin", "/admin b", "/ádmin", "/{a%}"])
  func aPathIsOneOfARequest(_ path: String) {
    #expect(!Self.isLet(Self.http(key: "'GET \(path)'")))
    #expect(!Self.cures(Self.http(key: "'GET \(path)'")).isEmpty)
    for (event, resource) in [
      (SAMTemplate.event("get", path), SAMTemplate.rest("")),
      (SAMTemplate.httpEvent("get", path), SAMTemplate.http("")),
    ] {
      #expect(!Self.cures(SAMTemplate.text(events: event, resources: resource)).isEmpty)
    }
  }

  /// SAM's own APIs get routes of other resources on AWS; here they are closed.
  @Test func aRouteBesideAnAPIOfSAMClosesIt() {
    let route =
      "  Admin: { Type: AWS::ApiGatewayV2::Route, Properties: { ApiId: !Ref Api, RouteKey: GET /admin, AuthorizationType: AWS_IAM } }"
    let text = SAMTemplate.text(
      events: "A: { Type: HttpApi, Properties: { ApiId: !Ref Api } }",
      resources: SAMTemplate.http("") + "\n" + route)
    #expect(!Self.isLet(text))
    #expect(Self.cures(text) == ["write the route below Api or as an event of a function"])
  }

  @Test(arguments: ["[Exists]", "{ Ref: Exists }", "!Not [!Condition Exists]"])
  func aConditionIsAName(_ condition: String) {
    let text = Self.rest().replacing(
      "Type: AWS::ApiGateway::Method", with: "Condition: \(condition), Type: AWS::ApiGateway::Method")
    #expect(!Self.isLet(text))
  }

  /// What CloudFormation refuses, or takes in another way than a list of resources in order.
  @Test(arguments: [
    ("AuthorizationType: AWS_IAM", "AuthorizationType: "),
    ("AuthorizationType: AWS_IAM", "Authorizationtype: AWS_IAM"),
    ("AuthorizationType: AWS_IAM", "AuthorizationType: aws_iam"),
    ("AuthorizationType: AWS_IAM", "AuthorizationType: [NONE]"),
    ("AuthorizationType: AWS_IAM", "AuthorizationType: !GetAtt Rest.Type"),
    ("AuthorizationType: AWS_IAM", "AuthorizationType: !If [Missing, AWS_IAM, NONE]"),
    ("AuthorizationType: AWS_IAM", "AuthorizationType: { Fn::If: [Missing, AWS_IAM, NONE], Other: x }"),
    ("AuthorizationType: AWS_IAM", "AuthorizationType: NONE, AuthorizationType: AWS_IAM"),
    ("AuthorizationType: AWS_IAM", "Auth: { AuthorizationType: AWS_IAM }"),
    ("AuthorizationType: AWS_IAM", "AuthorizationType: !Select [1, [AWS_IAM]]"),
    ("AuthorizationType: AWS_IAM, Integration: {", "Integration: { AuthorizationType: AWS_IAM, "),
    ("AuthorizationType: AWS_IAM, Target", "Target: { AuthorizationType: AWS_IAM }, Target"),
    ("GetAdmin:", "AnyGreedy:"), ("HttpMethod: GET", "HttpMethod: [GET]"),
    ("HttpMethod: GET", "HttpMethod: "),
    ("ResourceId: !Ref Admin", "ResourceId: Admins"), ("ResourceId: !Ref Admin", "ResourceID: !Ref Admin"),
    ("ResourceId: !Ref Admin", "ResourceId: !If [Missing, !Ref Admin, !Ref Greedy]"),
    ("RouteKey: GET /admin", "RouteKey: [GET /admin]"), ("RouteKey: GET /admin", "Routekey: GET /admin"),
    ("Admin: { Type: AWS::ApiGatewayV2::Route", "Admin: { Type: AWS::ApiGatewayV2::Routes"),
    (
      "Admin: { Type: AWS::ApiGatewayV2::Route, Properties",
      "Admin: { Type: AWS::ApiGatewayV2::Route, properties"
    ),
    (
      "GetAdmin: { Type: AWS::ApiGateway::Method, Properties",
      "GetAdmin: { Type: AWS::ApiGateway::Method, Condition: Missing, Properties"
    ),
    (
      "Rest: { Type: AWS::ApiGateway::RestApi, Properties: { Name: rest }",
      "Rest: { Type: AWS::ApiGateway::RestApi, Properties: { Name: rest, Policy: { Version: 2012-10-17, Statement: [{ Effect: Allow, Principal: '*', Action: '*', Resource: '*', Condition:  }] } }"
    ),
  ]) func anotherMistakeOpensNothing(_ written: String, _ mistake: String) {
    let templates = [Self.rest(), Self.http()].filter { $0.contains(written) }
    #expect(!templates.isEmpty)
    for text in templates { #expect(!Self.isLet(text.replacing(written, with: mistake)), "\(mistake)") }
  }

  /// A scheme without its authorizer is no API key.
  @Test(arguments: [
    ("x-amazon-apigateway-authorizer: { type: token, authorizerUri: !GetAtt Guard.Arn }", "Key"),
    ("x-amazon-apigateway-authorizers: { type: token, authorizerUri: !GetAtt Guard.Arn }", "closed"),
    ("X-Amazon-Apigateway-Authorizer: { type: token, authorizerUri: !GetAtt Guard.Arn }", "closed"),
    ("x-amazon-apigateway-authtype: custom", "closed"), ("x-other: a", "open + key"),
    ("description: a", "open + key"),
  ]) func aSchemeWithAMisspelledAuthorizerIsClosed(_ member: String, _ access: String) {
    let text = SAMTemplate.text(
      resources: SAMTemplate.rest(
        "DefinitionBody: { openapi: 3.0.1, paths: { /a: { get: { security: [{ Key: [] }], x-amazon-apigateway-integration: { type: mock } } }, /b: { get: { x-amazon-apigateway-integration: { type: mock } } } }, components: { securitySchemes: { Key: { type: apiKey, in: header, name: x-api-key, \(member) } } } }"
      ))
    #expect(SAMTemplate.guards(text)["Api GET /a"] == access)
  }

  /// A canary may have another deployment or other stage variables.
  @Test(arguments: [
    "DeploymentCanarySettings: { PercentTraffic: 5 }",
    "StageDescription: { CanarySetting: { PercentTraffic: 5 } }",
    "StageDescriptions: {}", "StageDescription: { Variable: {} }",
  ]) func aDeploymentHasNoCanary(_ property: String) {
    let text = Self.rest().replacing("StageName: prod", with: "StageName: prod, \(property)")
    #expect(!Self.cures(text).isEmpty)
  }

  @Test(arguments: ["STREAM", "BUFFERED"]) func aStreamHasTheGuardOfItsRoute(_ mode: String) {
    let text = Self.rest().replacing(
      "Type: HTTP_PROXY", with: "Type: HTTP_PROXY, ResponseTransferMode: \(mode)")
    #expect(Self.cures(text) == [])
    #expect(!Self.isLet(text))
  }
}
