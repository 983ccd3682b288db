@testable import GatewayModel
@testable import EmulatorTestSupport
@testable import Templates
import Testing

/// Custom domain names of templates.
@Suite struct DomainReaderTests {
  /// Returns `NAME/BASEPATH -> API STAGE` for each mapping, or `NAME closed`.
  static func words(_ text: String) throws -> [String] {
    try GatewayTemplate(parsing: text).domains.flatMap { domain in
      if domain.closure != nil { return ["\(domain.name) closed"] }
      return domain.mappings.map { mapping in
        let target =
          switch mapping.target {
          case .stage(let api, let stage): "\(api) \(stage)"
          case .api(let api): "\(api) *"
          case .closed: "closed"
          }
        let need = domain.certificateFinding == nil ? "" : " (certificate)"
        return "\(domain.name)/\(mapping.basePath) -> \(target)\(need)"
      }
    }
  }

  static func serverless(_ domain: String) -> String {
    SAMTemplate.text(
      events: SAMTemplate.event("get", "/a"), resources: SAMTemplate.rest("Domain: { \(domain) }"))
  }

  static let certificate = "CertificateArn: arn:aws:acm:us-east-1:123456789012:certificate/a"

  @Test(arguments: [
    "DomainName: Api.Example.com": ["api.example.com/ -> Api prod"],
    "DomainName: '*.example.com', BasePath: [/orders/, my-shop]": [
      "*.example.com/orders -> Api prod", "*.example.com/myshop -> Api prod",
    ],
    "DomainName: a.example, BasePath: a/my-shop, NormalizeBasePath: false": [
      "a.example/a/my-shop -> Api prod"
    ],
    "DomainName: a.example, MutualTlsAuthentication: { TruststoreUri: s3://b/k }": [
      "a.example/ -> Api prod (certificate)"
    ],
    "DomainName: a.example, MutualTlsAuthentication: { TruststoreUri: !ImportValue Store }":
      ["a.example/ -> Api prod (certificate)"],
    "DomainName: a.example, MutualTlsAuthentication: {}": ["a.example closed"],
    "DomainName: a.example, MutualTlsAuthentication: { TruststoreVersion: '1' }": ["a.example closed"],
    "DomainName: a.example, MutualTlsAuthentication: { TruststoreUri: '' }": ["a.example closed"],
    "DomainName: a.example, MutualTlsAuthentication: { TruststoreUri: clients.pem }": ["a.example closed"],
    "DomainName: a.example, MutualTlsAuthentication: { TruststoreUri: [s3://b/k] }": ["a.example closed"],
    "DomainName: a.example, MutualTlsAuthentication: s3://b/k": ["a.example closed"],
    "DomainName: a.example, MutualTlsAuthentication: !Ref AWS::NoValue": ["a.example/ -> Api prod"],
    "DomainName: a.example, EndpointConfiguration: PRIVATE": ["a.example closed"],
    "DomainName: a.example, Policy: { Statement: [] }": ["a.example closed"],
    "DomainName: localhost": [],
    "DomainName: 'not a name'": [],
    "DomainName: !Ref Name": [],
    "BasePath: a": [],
  ]) func readsTheDomainOfAServerlessAPI(_ domain: String, _ expected: [String]) throws {
    let text = Self.serverless("\(domain), \(Self.certificate)").replacing(
      "Resources:", with: "Parameters: { Name: { Type: String } }\nResources:")
    #expect(try Self.words(text) == expected)
    let template = try GatewayTemplate(parsing: text)
    #expect(template.apis.first?.routes.isEmpty == false)
    #expect(
      expected.isEmpty == template.notes.contains { $0.text().contains("the custom domain is not served") })
  }

  static let plain = """
    Resources:
      Rest: { Type: AWS::ApiGateway::RestApi, Properties: { Name: a } }
      Root:
        Type: AWS::ApiGateway::Method
        Properties:
          RestApiId: !Ref Rest
          ResourceId: !GetAtt Rest.RootResourceId
          HttpMethod: GET
          AuthorizationType: NONE
          Integration: { Type: HTTP_PROXY, IntegrationHttpMethod: GET, Uri: "https://a.example/" }
      Deployment: { Type: AWS::ApiGateway::Deployment, Properties: { RestApiId: !Ref Rest } }
      Live:
        Type: AWS::ApiGateway::Stage
        Properties: { RestApiId: !Ref Rest, DeploymentId: !Ref Deployment, StageName: prod }
      Http: { Type: AWS::ApiGatewayV2::Api, Properties: { Name: b, ProtocolType: HTTP, Target: "https://b.example" } }
      Name:
        Type: AWS::ApiGateway::DomainName
        Properties: { DomainName: api.example.com }

    """

  @Test(arguments: [
    "BasePathMapping, Properties: { DomainName: !Ref Name, RestApiId: !Ref Rest, Stage: !Ref Live }": [
      "api.example.com/ -> Rest prod"
    ],
    "BasePathMapping, Properties: { DomainName: !Ref Name, RestApiId: !Ref Rest, BasePath: a }":
      ["api.example.com/a -> Rest *"],
    "BasePathMapping, Properties: { DomainName: elsewhere.example, RestApiId: !Ref Rest, Stage: prod }":
      ["elsewhere.example/ -> Rest prod"],
    "BasePathMapping, Properties: { DomainName: !Ref Name, RestApiId: !Ref Rest, Stage: other }":
      ["api.example.com/ -> closed"],
    "BasePathMapping, Properties: { DomainName: !Ref Name, RestApiId: elsewhere, Stage: prod }":
      ["api.example.com/ -> closed"],
    "BasePathMapping, Properties: { DomainName: !Ref Name, RestApiId: !Ref Rest, BasePath: [a] }":
      ["api.example.com/ -> closed"],
    "BasePathMapping, Properties: { RestApiId: !Ref Rest, Stage: prod }": [],
  ]) func readsMappings(_ mapping: String, _ expected: [String]) throws {
    #expect(try Self.words(Self.plain + "  Map: { Type: AWS::ApiGateway::\(mapping) }") == expected)
  }

  @Test func readsMappingsOfHTTPAPIs() throws {
    func map(_ name: String, _ key: String) -> String {
      "  \(name): { Type: AWS::ApiGatewayV2::ApiMapping, Properties: { ApiId: !Ref Http, DomainName: api.example.com,"
        + " ApiMappingKey: \(key), Stage: $default } }\n"
    }
    let text = Self.plain.replacing("AWS::ApiGateway::DomainName", with: "AWS::ApiGatewayV2::DomainName")
    #expect(
      try Self.words(text + map("One", "v1/items") + map("Two", "v2")) == [
        "api.example.com/v1/items -> Http $default", "api.example.com/v2 -> Http $default",
      ])
    // The same base path twice is an error of CloudFormation.
    let other = map("Two", "v1").replacing("$default", with: "other")
    #expect(try Self.words(text + map("One", "v1") + other) == ["api.example.com/v1 -> closed"])
    let rules = text.replacing(
      "DomainName: api.example.com }", with: "DomainName: api.example.com, RoutingMode: ROUTING_RULE_ONLY }")
    #expect(try Self.words(rules + map("One", "v1")) == ["api.example.com closed"])
  }
}
