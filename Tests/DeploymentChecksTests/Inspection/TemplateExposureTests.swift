@testable import EmulatorTestSupport
@testable import DeploymentChecks
@testable import GatewayModel
@testable import Templates
import Testing

/// Tests of permissions, open routes, gateway responses and preflight requests.
@Suite struct TemplateExposureTests {
  typealias Code = DeploymentFinding.Code
  typealias Samples = TemplateInspectionTests

  /// Returns the codes of both inspections, without the notes that other tests cover.
  static func codes(_ text: String) throws -> [Code] {
    let template = try? GatewayTemplate(parsing: text)
    let configurations = template.map { Samples.configurations(of: $0, DeployedConfiguration()) } ?? [:]
    let gateway = template.map { TemplateInspection($0, configurations).findings } ?? []
    let others = TemplateResourceInspection(ParsedTemplate(text).survey, isUnderstood: template != nil)
      .findings
    return (gateway + others).map(\.code).filter {
      ![.logFormatText, .cacheUnused, .templateNote].contains($0)
    }
  }

  // MARK: Permissions

  static let payload = #"            AuthorizerPayloadFormatVersion: "2.0""#

  static func http(_ more: String, _ resources: String = "") -> String {
    TemplateSamples.http(
      auth: TemplateSamples.requestAuth([payload, Samples.cached, more].joined(separator: "\n"))) + resources
  }

  static func permission(_ properties: String) -> String {
    """
    \n  Permission:
        Type: AWS::Lambda::Permission
        Properties: { Action: lambda:InvokeFunction, FunctionName: !Ref Authorizer, \(properties) }
    """
  }

  static let gateway = "Principal: apigateway.amazonaws.com"

  static func source(_ resource: String) -> String {
    permission(
      gateway
        + ", SourceArn: !Sub \"arn:aws:execute-api:${AWS::Region}:${AWS::AccountId}:\(resource)\""
    )
  }

  @Test(
    arguments: [
      http(""): [.authorizerNotPermitted],
      http("            EnableFunctionDefaultPermissions: false"): [.authorizerNotPermitted],
      http("            EnableFunctionDefaultPermissions: true"): [],
      http("            FunctionInvokeRole: arn:aws:iam::123456789012:role/r"): [],
      http("            FunctionInvokeRole: NONE"): [.authorizerNotPermitted],
      http("", permission(gateway)): [],
      http("", permission("Principal: \"*\"")): [.authorizerBypassed],
      http("", permission("Principal: \"*\", PrincipalOrgID: o-1")): [],
      http(
        "            EnableFunctionDefaultPermissions: true",
        "\n  Address:\n    Type: AWS::Lambda::Permission\n    Properties: { Action: lambda:InvokeFunctionUrl, FunctionName: !Ref Backend, Principal: \"*\", FunctionUrlAuthType: NONE }"
      ): [],
      http("", permission("Principal: s3.amazonaws.com")): [.authorizerNotPermitted],
      http("", permission(gateway).replacing("!Ref Authorizer", with: "!Ref Backend")):
        [.authorizerNotPermitted],
      http("", permission(gateway).replacing("!Ref Authorizer", with: "!GetAtt Authorizer.Arn")): [],
      http("", permission(gateway).replacing("!Ref Authorizer", with: "elsewhere")): [],
      http("", permission(gateway).replacing("InvokeFunction", with: "GetFunction")):
        [.authorizerNotPermitted],
      http("", source("${Api}/authorizers/*")): [],
      http("", source("${Api}/*")): [],
      http("", source("${Api}/authorizers/a1b2c3")): [],
      http("", source("*")): [],
      http("", source("${Api}/*/*")): [],
      http("", source("${Api}/*/GET/pets")): [.authorizerNotPermitted],
      http("", source("${Api}/*/*/*")): [.authorizerNotPermitted],
      http("", source("elsewhere1/authorizers/*")): [.authorizerNotPermitted],
      http("", permission(gateway + ", SourceArn: \"{{resolve:ssm:arn}}\"")): [],
      Samples.rest(Samples.cached): [],
      Samples.rest(Samples.cached + "\n            DisableFunctionDefaultPermissions: true"):
        [.authorizerNotPermitted],
    ] as [String: [Code]])
  func findsAuthorizersWithoutPermission(_ template: String, _ codes: [Code]) throws {
    #expect(try Self.codes(template) == codes)
  }

  @Test func webSocketAuthorizerOfTheDeployedTemplateNeedsItsPermission() throws {
    let text = try TemplateSamples.deployed()
    #expect(try Self.codes(text) == [])
    let closed = text.replacing(
      "${WebSocketApi}/authorizers/${WebSocketAuthorizer}", with: "${WebSocketApi}/*/$connect")
    #expect(try Self.codes(closed) == [.authorizerNotPermitted])
    let credentials = closed.replacing(
      "      IdentitySource: [route",
      with: "      AuthorizerCredentialsArn: !GetAtt AuthorizerRole.Arn\n      IdentitySource: [route")
    #expect(try Self.codes(credentials) == [])
  }

  /// `serve` does not support these resources, but `doctor` checks them.
  static func plain(_ more: String = "", _ resources: String = "") -> String {
    """
    Resources:
      Authorizer: { Type: AWS::Lambda::Function, Properties: { Runtime: provided.al2023 } }
      Api: { Type: AWS::ApiGateway::RestApi, Properties: { Name: a } }
      Bearer:
        Type: AWS::ApiGateway::Authorizer
        Properties:
          RestApiId: !Ref Api
          Type: TOKEN
          AuthorizerUri: !Sub arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Authorizer.Arn}/invocations
    \(more)\(resources)
    """
  }

  @Test(
    arguments: [
      (plain(), [.authorizerNotPermitted]), (plain("      AuthorizerCredentials: !ImportValue Role"), []),
      (plain("", source("${Api}/authorizers/${Bearer}")), []),
      (plain("", source("${Api}/*/GET/a")), [.authorizerNotPermitted]),
      (plain().replacing("${Authorizer.Arn}", with: "${Elsewhere}"), []),
    ] as [(String, [Code])])
  func readsPlainCloudFormationAuthorizers(_ template: String, _ codes: [Code]) throws {
    #expect(try Self.codes(template) == codes)
  }

  // MARK: Routes

  static func open(_ path: String, _ more: String = "") -> String {
    TemplateSamples.rest(
      auth: TemplateSamples.tokenAuth + more, extra: Samples.responses,
      events: "        More: { Type: Api, Properties: { RestApiId: !Ref Api, \(path) } }")
  }

  @Test func namesARouteWithoutAuthorizer() throws {
    let text = Self.open("Path: /open, Method: get, Auth: { Authorizer: NONE }")
    let template = try GatewayTemplate(parsing: text)
    let findings = TemplateInspection(template, [:]).findings
    #expect(findings.map(\.code) == [.routeWithoutAuthorizer])
    #expect(findings.map(\.place) == ["Api GET /open"])
  }

  @Test(
    arguments: [
      (open("Path: /a, Method: get"), []),
      // A preflight request carries no token.
      (open("Path: /a, Method: options, Auth: { Authorizer: NONE }"), [.originMissing, .originMissing]),
      (
        open("Path: /a, Method: get, Auth: { Authorizer: Bearer }").replacing(
          "        DefaultAuthorizer: Bearer\n", with: ""),
        [.routeWithoutAuthorizer, .routeWithoutAuthorizer]
      ),
    ] as [(String, [Code])])
  func findsOpenRoutes(_ template: String, _ codes: [Code]) throws {
    #expect(try Self.codes(template) == codes)
  }

  static func event(_ name: String, _ properties: String) -> String {
    "        \(name): { Type: Api, Properties: { RestApiId: !Ref Api, \(properties) } }"
  }

  static func routes(_ events: String...) -> String {
    TemplateSamples.rest(
      auth: TemplateSamples.tokenAuth, extra: Samples.responses, events: events.joined(separator: "\n"))
  }

  static let proxy = event("Proxy", "Path: '/{proxy+}', Method: any, Auth: { Authorizer: NONE }")

  @Test(arguments: [
    routes(event("One", "Path: /admin, Method: get"), proxy):
      ["HEAD /pets, POST /pets, PUT /pets, PATCH /pets and 6 more"],
    routes(event("One", "Path: /admin, Method: any"), proxy): ["PATCH /pets and 1 more"],
    // The open route has only a method that the guarded path has too.
    routes(
      event("Proxy", "Path: '/{proxy+}', Method: get, Auth: { Authorizer: NONE }"),
      event("Options", "Path: '/{proxy+}', Method: options, Auth: { Authorizer: NONE }")): [],
    routes(event("Proxy", "Path: '/{proxy+}', Method: any")): [],
  ]) func findsRequestsThatFallThrough(_ text: String, _ expected: [String]) throws {
    let findings = TemplateInspection(try GatewayTemplate(parsing: text), [:]).findings.filter {
      $0.code == .guardedPathFallsThrough
    }
    #expect(findings.map(\.place) == expected.map { _ in "Api ANY /{proxy+}" })
    for (finding, words) in zip(findings, expected) { #expect(finding.problem.contains(words)) }
  }

  @Test func findsAWebSocketWithoutAuthorizer() throws {
    let text = try TemplateSamples.deployed().replacing(
      "      AuthorizationType: CUSTOM\n      AuthorizerId: !Ref WebSocketAuthorizer\n", with: "")
    #expect(try Self.codes(text) == [.routeWithoutAuthorizer])
  }

  // MARK: Refusals and browsers

  static func rest(_ extra: String, auth: String = "") -> String {
    TemplateSamples.rest(auth: TemplateSamples.tokenAuth + auth, extra: extra)
  }

  static func responses(_ status: Int, _ headers: String, denied: String = "StatusCode: 403") -> String {
    """
          GatewayResponses:
            UNAUTHORIZED: { StatusCode: \(status), ResponseParameters: { Headers: { \(headers) } } }
            ACCESS_DENIED: { \(denied) }
    """
  }

  static let bearer = "WWW-Authenticate: \"'Bearer'\""
  static let anyOrigin = "Access-Control-Allow-Origin: \"'*'\""
  static let credentials = "Access-Control-Allow-Credentials: \"'true'\""

  static func cors(
    _ words: String, preflight: String = "\n        AddDefaultAuthorizerToCorsPreflight: false"
  )
    -> String
  {
    rest(
      responses(401, "\(bearer), \(anyOrigin)", denied: "ResponseParameters: { Headers: { \(anyOrigin) } }")
        + "\n      Cors: \(words)", auth: preflight)
  }

  static let origin = #"{ AllowOrigin: "'https://app.example.com'" }"#

  @Test(
    arguments: [
      rest(responses(401, bearer)): [],
      rest(responses(401, "")): [.challengeMissing],
      rest(responses(401, "www-authenticate: \"'Bearer'\"")): [],
      rest(responses(403, "")): [],
      rest(responses(200, bearer)): [.refusalSucceeds],
      rest(responses(302, "")): [.refusalSucceeds],
      rest(responses(401, bearer, denied: "StatusCode: 200")): [.refusalSucceeds],
      rest("      GatewayResponses: { DEFAULT_4XX: { StatusCode: 200 } }"): [.refusalSucceeds],
      rest(responses(401, bearer) + "\n        AUTHORIZER_FAILURE: { StatusCode: 204 }"): [.refusalSucceeds],
      rest(responses(401, bearer) + "\n        RESOURCE_NOT_FOUND: { StatusCode: 200 }"): [],
      rest(responses(401, "\(bearer), \(anyOrigin), \(credentials)")): [.credentialsForAnyOrigin],
      cors(origin): [],
      cors("\"'*'\""): [.anyOrigin],
      cors(origin, preflight: ""): [.preflightGuarded],
      cors(origin, preflight: "\n        AddDefaultAuthorizerToCorsPreflight: true"): [.preflightGuarded],
      // No route has an authorizer, so preflight requests pass.
      cors(origin, preflight: "").replacing("DefaultAuthorizer: Bearer", with: "ApiKeyRequired: false"):
        [.authorizerMissing],
    ] as [String: [Code]])
  func findsProblemsOfGatewayResponsesAndCORS(_ template: String, _ codes: [Code]) throws {
    #expect(try Self.codes(template) == codes)
  }

  /// SAM refuses them too (samtranslator 1.110.0).
  @Test(arguments: [#"{ AllowOrigin: "'*'", AllowCredentials: true }"#, "{ AllowCredentials: true }"])
  func refusesCredentialsForEveryOrigin(_ cors: String) throws {
    let error = #expect(throws: TemplateError.self) { try GatewayTemplate(parsing: Self.cors(cors)) }
    #expect(error?.findings.map(\.path) == ["Resources.Api.Properties.Cors"])
  }

  static let permitted = "            EnableFunctionDefaultPermissions: true"

  @Test(arguments: [
    ("AllowOrigins: [https://app.example.com]", "", [Code.preflightGuarded]),
    (
      "AllowOrigins: [https://app.example.com]",
      "\n        Preflight: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: \"/{proxy+}\", Method: options } }",
      []
    ),
    ("AllowOrigins: [\"*\"]", "", [.anyOrigin, .preflightGuarded]),
    ("AllowOrigins: [\"https://*\"]", "", [.anyOrigin, .preflightGuarded]),
    (
      "AllowOrigins: [\"https://*\"], AllowCredentials: true", "",
      [.credentialsForAnyOrigin, .preflightGuarded]
    ),
    ("AllowOrigins: [https://a.example], AllowCredentials: true", "", [.preflightGuarded]),
  ])
  func defaultRouteReceivesPreflights(_ cors: String, _ event: String, _ codes: [Code]) throws {
    let rest = "        Rest: { Type: HttpApi, Properties: { ApiId: !Ref Api } }"
    let text = Self.http(Self.permitted, "\n      CorsConfiguration: { \(cors) }").replacing(
      rest, with: rest + event)
    #expect(Set(try Self.codes(text)) == Set(codes))
  }
}
