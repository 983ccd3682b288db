@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import IAMPolicy
@testable import Templates
import Testing

/// Properties of a whole API of plain CloudFormation: resource policies, endpoints, and options of an import.
@Suite struct PlainAPITests {
  // MARK: Resource policies

  private static func api(_ properties: String) throws -> GatewayTemplate {
    try GatewayTemplate(
      parsing: PlainTemplateTests.rest(PlainTemplateTests.get).replacing(
        "Properties: { Name: a }", with: "Properties: { Name: a, \(properties) }"))
  }

  @Test func aRESTAPIHasAResourcePolicy() throws {
    let policy = """
      Policy: { Version: "2012-10-17", Statement: [{ Effect: Allow, Principal: "*", Action: "execute-api:Invoke", Resource: "execute-api:/live/GET/*" }, { Effect: Deny, Principal: "*", Action: "execute-api:Invoke", Resource: "execute-api:/*", Condition: { NotIpAddress: { "aws:SourceIp": [192.0.2.0/24] } } }] }
      """
    let api = try #require(Self.api(policy).apis.first)
    let document = try #require(api.access.resourcePolicy)
    let arn = "arn:aws:execute-api:us-east-1:123456789012:\(api.identifier)/live/GET/pets/1"
    for (address, isAllowed) in [("192.0.2.7", true), ("198.51.100.7", false)] {
      let context = ConditionContext(at: 0, sourceIP: address)
      #expect(try PolicyEvaluator(document).decision(for: arn, in: context).isAllowed == isAllowed)
    }
  }

  @Test(arguments: [
    #"Policy: { Statement: [{ Effect: Deny, Principal: "*", Action: "*", Resource: "*", Condition: { StringIs: { a: b } } }] }"#,
    #"Policy: { Statement: [{ Effect: Allow, Action: "*", Resource: "*" }] }"#, "Policy: {}", "Policy: [7]",
    #"Policy: { Statement: [{ Effect: Allow, Principal: "*", Action: "*", Resource: !ImportValue x }] }"#,
  ]) func aPolicyThatCannotBeEvaluatedClosesItsAPI(_ policy: String) {
    #expect(throws: TemplateError.self) { try Self.api(policy) }
  }

  @Test(arguments: [
    ("Parameters: { basepath: prepend }", "is not emulated: basepath=prepend"),
    (
      "Parameters: { endpointConfigurationTypes: PRIVATE }",
      "is not emulated: endpointConfigurationTypes=PRIVATE"
    ),
  ]) func anImportOptionThatMovesOrHidesTheAPIClosesIt(_ property: String, _ problem: String) {
    let error = #expect(throws: TemplateError.self) { try Self.api(property) }
    #expect(error?.findings.map(\.problem) == [problem])
  }

  @Test func harmlessImportOptionsAreRead() throws {
    let template = try Self.api("Parameters: { basepath: ignore, endpointConfigurationTypes: REGIONAL }")
    #expect(template.apis.count == 1)
  }

  @Test func aDocumentMayMakeItsAPIPrivateOrTakeItsEndpoint() throws {
    func api(_ member: String) throws -> GatewayAPI {
      let text = PlainTemplateTests.body("description: x", schemes: PlainTemplateTests.schemes).replacing(
        "        paths:",
        with: "        x-amazon-apigateway-endpoint-configuration: { \(member) }\n        paths:")
      return try #require(GatewayTemplate(parsing: text).apis.first)
    }
    #expect(try api("types: [PRIVATE]").access.isPrivate)
    #expect(try !api("types: [REGIONAL]").access.isPrivate)
    #expect(try !api("disableExecuteApiEndpoint: true").access.hasDefaultEndpoint)
    let http = PlainTemplateTests.http("", authorizer: PlainTemplateTests.jwt).replacing(
      "ProtocolType: HTTP",
      with:
        "ProtocolType: HTTP, Body: { openapi: 3.0.1, x-amazon-apigateway-endpoint-configuration: { disableExecuteApiEndpoint: true }, paths: {} }"
    )
    #expect(try GatewayTemplate(parsing: http).apis.first?.access.hasDefaultEndpoint == false)
  }

  @Test func twoResourcePoliciesCloseTheAPI() {
    let policy =
      "{ Statement: [{ Effect: Allow, Principal: '*', Action: 'execute-api:Invoke', Resource: 'execute-api:/*' }] }"
    let text = PlainTemplateTests.body("description: x", schemes: PlainTemplateTests.schemes)
      .replacing(
        "        paths:", with: "        x-amazon-apigateway-policy: \(policy)\n        paths:"
      )
      .replacing("      Body:", with: "      Policy: \(policy)\n      Body:")
    let error = #expect(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
    #expect(error?.findings.map(\.problem) == ["is there beside x-amazon-apigateway-policy"])
  }

  @Test func aPrivateAPIIsRead() throws {
    let api = try #require(
      Self.api("EndpointConfiguration: { Types: [PRIVATE], VpcEndpointIds: [vpce-1] }").apis.first)
    #expect(api.access.isPrivate)
    #expect(try !Self.api("EndpointConfiguration: { Types: [REGIONAL] }").apis[0].access.isPrivate)
  }

  // MARK: Processed templates

  /// `aws cloudformation get-template --template-stage Processed` gives what SAM has made, with the names of SAM's APIs.
  @Test(arguments: [
    (
      "ServerlessRestApi", "AWS::ApiGateway::RestApi", "AWS::ApiGateway::Stage, Properties: { RestApiId:",
      "swagger: '2.0'"
    ),
    (
      "ServerlessHttpApi", "AWS::ApiGatewayV2::Api", "AWS::ApiGatewayV2::Stage, Properties: { ApiId:",
      "openapi: 3.0.1"
    ),
  ]) func anAPIWithTheNameOfSAMsOwnIsServed(
    _ name: String, _ type: String, _ stage: String, _ version: String
  ) {
    func api(_ name: String) -> String {
      let document =
        "{ \(version), paths: { /a: { get: { x-amazon-apigateway-integration: { type: http_proxy, httpMethod: GET, uri: 'https://a.example/' } } } } }"
      return """
          \(name): { Type: \(type), Properties: { Body: \(document) } }
          \(name)Stage: { Type: \(stage) !Ref \(name), StageName: Prod } }
        """
    }
    #expect(SAMTemplate.guards("Resources:\n" + api(name)) == ["\(name) GET /a": "open"])
    #expect(
      SAMTemplate.guards("Resources:\n" + api(name) + "\n" + api("Other")) == [
        "\(name) GET /a": "open", "Other GET /a": "open",
      ])
  }

  /// SAM replaces a plain API of this name where an event needs the implicit one.
  @Test func aPlainAPIThatSAMReplacesIsClosed() {
    let text = SAMTemplate.text(
      events: "A: { Type: Api, Properties: { Path: /a, Method: get } }, H: { Type: HttpApi }",
      resources: """
          ServerlessRestApi:
            Type: AWS::ApiGateway::RestApi
            Properties: { Body: { swagger: '2.0', paths: { /b: { get: { x-amazon-apigateway-integration: { type: mock } } } } } }
          Live: { Type: AWS::ApiGateway::Stage, Properties: { RestApiId: !Ref ServerlessRestApi, StageName: live } }
        """)
    #expect(
      SAMTemplate.guards(text) == ["ServerlessRestApi": "closed", "ServerlessHttpApi $default": "open"])
    #expect(SAMTemplate.problems(text) == ["is replaced by the implicit API of SAM"])
  }
}
