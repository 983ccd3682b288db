@testable import EmulatorTestSupport
@testable import DeploymentChecks
@testable import Templates
import TestSupport
import Testing

/// Findings about the document of RFC 9728: whether clients find it, and whether its resource is what the authorizer
/// accepts.
@Suite struct ResourceMetadataTests {
  typealias Code = DeploymentFinding.Code

  /// An API with the document, and a custom domain with a base path.
  private static func template(
    resource: String = mapped + "/mcp", challenge: String? = mapped + document, path: String = document,
    body: String? = nil, mapping: String = "v1"
  ) -> String {
    let header = challenge.map {
      "{ gatewayresponse.header.WWW-Authenticate: \"'Bearer resource_metadata=\\\"\($0)\\\"'\" }"
    }
    let text =
      body ?? #"{"resource":"\#(resource)","authorization_servers":["https://id.example.com"]}"#
    return """
      Transform: AWS::Serverless-2016-10-31
      Resources:
        Authorizer:
          Type: AWS::Serverless::Function
          Properties: { Handler: bootstrap, Runtime: provided.al2023, CodeUri: ., Timeout: 10 }
        Permission:
          Type: AWS::Lambda::Permission
          Properties: { Action: lambda:InvokeFunction, FunctionName: !Ref Authorizer, Principal: apigateway.amazonaws.com }
        Domain:
          Type: AWS::ApiGateway::DomainName
          Properties: { DomainName: mcp.example.com, RegionalCertificateArn: arn:aws:acm:eu-west-1:123456789012:certificate/a, EndpointConfiguration: { Types: [REGIONAL] } }
        Mapping:
          Type: AWS::ApiGateway::BasePathMapping
          Properties: { DomainName: !Ref Domain, RestApiId: !Ref Api, Stage: prod\(mapping.isEmpty ? "" : ", BasePath: " + mapping) }
        Api:
          Type: AWS::Serverless::Api
          Properties:
            StageName: prod
            DefinitionBody:
              openapi: 3.0.1
              info: { title: mcp, version: "1" }
              components:
                securitySchemes:
                  Bearer:
                    type: apiKey
                    name: Authorization
                    in: header
                    x-amazon-apigateway-authtype: custom
                    x-amazon-apigateway-authorizer:
                      type: token
                      authorizerUri: !Sub arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Authorizer.Arn}/invocations
              x-amazon-apigateway-gateway-responses:
                UNAUTHORIZED: { statusCode: 401, responseParameters: \(header ?? "{ gatewayresponse.header.WWW-Authenticate: \"'Bearer'\" }") }
                ACCESS_DENIED: { statusCode: 403 }
              paths:
                /mcp:
                  post:
                    security: [{ Bearer: [] }]
                    x-amazon-apigateway-integration: { type: http_proxy, httpMethod: POST, uri: https://backend.example.com/ }
                \(path):
                  get:
                    responses: { "200": { description: metadata } }
                    x-amazon-apigateway-integration:
                      type: mock
                      requestTemplates: { application/json: '{"statusCode":200}' }
                      responses: { default: { statusCode: "200", responseTemplates: { application/json: '\(text)' } } }
      """
  }

  private static let mapped = "https://mcp.example.com/v1"
  private static let document = "/.well-known/oauth-protected-resource/mcp"
  private static let stage = "https://abcdefghij.execute-api.eu-west-1.amazonaws.com/prod"
  private static let elsewhere = "https://gateway.example.net/a/b"

  private static func findings(_ text: String, audiences: [String: Set<String>]? = nil) throws -> [Code] {
    let resources: Set = [mapped + "/mcp", stage + "/mcp", elsewhere + "/mcp", "https://mcp.example.com/mcp"]
    let configuration = DeployedConfiguration(
      audiences: audiences ?? ["https://id.example.com": resources])
    let own: Set<Code> = [.resourceMetadataMissing, .resourceAudienceMismatch, .routeWithoutAuthorizer]
    return try TemplateInspectionTests.codes(text, configuration).filter { own.contains($0) }
  }

  @Test(arguments: [
    template(), template(resource: stage + "/mcp", challenge: stage + document),
    template(
      resource: "https://mcp.example.com/mcp", challenge: "https://mcp.example.com" + document, mapping: ""),
    template(resource: elsewhere + "/mcp", challenge: elsewhere + document),
    template(
      challenge: mapped + "/.well-known/oauth-protected-resource",
      path: "/.well-known/oauth-protected-resource"),
  ]) func agreesForStageCustomDomainAndBasePath(_ text: String) throws {
    #expect(try Self.findings(text) == [])
  }

  @Test(
    arguments: [
      // The 401 does not name it, or names a place without it.
      template(challenge: nil): [.resourceMetadataMissing],
      template(challenge: "https://mcp.example.com" + document): [.resourceMetadataMissing],
      template(challenge: mapped + "/.well-known/other"): [.resourceMetadataMissing],
      template(challenge: mapped + "/mcp"): [.resourceMetadataMissing],
      template(challenge: "https://abcdefghij.execute-api.eu-west-1.amazonaws.com" + document):
        [.resourceMetadataMissing],
      template(challenge: document): [.resourceMetadataMissing],
      template(path: "/metadata"): [.routeWithoutAuthorizer, .resourceMetadataMissing],
      template(body: "{}"): [.resourceMetadataMissing],
      template(body: #"{"resource":"\#(mapped)/mcp"}"#): [.resourceMetadataMissing],
      // Its resource is another URL.
      template(resource: mapped): [.resourceAudienceMismatch],
      template(resource: mapped + "/mcp/"): [.resourceAudienceMismatch],
      template(resource: mapped + "/MCP"): [.resourceAudienceMismatch],
      template(resource: "https://mcp.example.com/v2/mcp"): [.resourceAudienceMismatch],
      template(resource: "https://mcp.example.com/mcp"): [.resourceAudienceMismatch],
      template(resource: "https://abcdefghij.execute-api.eu-west-1.amazonaws.com/mcp"):
        [.resourceAudienceMismatch],
      template(resource: "mcp"): [.resourceAudienceMismatch],
    ] as [String: [Code]]) func findsWhatDisagrees(_ text: String, _ codes: [Code]) throws
  {
    #expect(Set(try Self.findings(text)) == Set(codes))
  }

  @Test(
    arguments: [
      [:], ["https://id.example.com": ["https://other.example.com/mcp"]],
      ["https://id.example.com/": [mapped + "/mcp"]],
      ["https://id.example.com": [mapped + "/mcp/"]],
    ] as [[String: Set<String>]]) func findsAnAudienceThatIsNotTheResource(
      _ audiences: [String: Set<String>]
    ) throws
  {
    #expect(try Self.findings(Self.template(), audiences: audiences) == [.resourceAudienceMismatch])
  }

  @Test func theShippedTemplateIsSound() throws {
    let text = try Checkout.text("template/mcp.yaml")
    let issuer: [String: Set<String>] = ["https://id.example.com": ["https://mcp.example.com/mcp"]]
    let template = try GatewayTemplate(parsing: text)
    let tools = WrittenRoute(place: "rules[1].routes[0]", text: "POST /mcp")
    let configuration = DeployedConfiguration(
      cache: .off, hasRules: true, routes: [tools], toolRoutes: [tools], audiences: issuer)
    let findings = TemplateInspection(
      template, TemplateInspectionTests.configurations(of: template, configuration)
    ).findings
    #expect(findings.filter { $0.severity != .note } == [])
  }
}
