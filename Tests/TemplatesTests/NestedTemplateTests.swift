@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import Testing

/// Nested stacks and applications, each of which has a template of its own.
@Suite struct NestedTemplateTests {
  private static func text(_ resources: String, head: String = "") -> String {
    "Transform: AWS::Serverless-2016-10-31\n\(head)\nResources:\n\(resources)"
  }

  private static let api = """
      Api:
        Type: AWS::Serverless::HttpApi
        Properties: { DefinitionBody: { paths: { /a: { get: { x-amazon-apigateway-integration: {
          type: http_proxy, httpMethod: GET, uri: "https://b.example/", payloadFormatVersion: "1.0" } } } } } }
    """

  @Test(
    arguments: [
      ("{ Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: ./api.yaml } }", "./api.yaml", [:]),
      (
        "{ Type: AWS::Serverless::Application, Properties: { Location: apps/api.yaml } }", "apps/api.yaml",
        [:]
      ),
      (
        "{ Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: !Ref File, Parameters: { A: x, Stage: !Ref Stage, List: [a, b], Password: !Sub 'x-${Password}', Elsewhere: !ImportValue x, Db: '{{resolve:secretsmanager:db}}' } } }",
        "given.yaml",
        ["A": "x", "Stage": "prod", "List": "a,b", "Password": nil, "Elsewhere": nil, "Db": nil]
      ),
      (
        "{ Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: https://s3.amazonaws.com/b/api.yaml } }",
        nil, [:]
      ),
      (
        "{ Type: AWS::Serverless::Application, Properties: { Location: { ApplicationId: arn, SemanticVersion: 1.0.0 } } }",
        nil, [:]
      ),
      ("{ Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: !ImportValue u } }", nil, [:]),
    ] as [(String, String?, [String: String?])])
  func isNamedBesideAnAPI(_ resource: String, _ location: String?, _ parameters: [String: String?]) throws {
    let head =
      "Parameters: { File: { Type: String, Default: given.yaml }, Stage: { Type: String, Default: prod }, Password: { Type: String, NoEcho: true } }"
    let template = try GatewayTemplate(
      parsing: Self.text(Self.api + "\n  Nested: \(resource)", head: head),
      parameters: resource.contains("Db:")
        ? ["Password": "hunter2", "secret:db": "hunter3"] : ["Password": "hunter2"])
    let nested = try #require(template.nestedTemplates.first)
    #expect(nested.finding.path == "Resources.Nested")
    #expect(nested.location == location)
    #expect(nested.parameters == parameters)
    // It may have routes, so nothing says that no request reaches it.
    #expect(template.skippedResources == [:])
    #expect(template.apis.map(\.name) == ["Api"])
  }

  @Test func oneThatDoesNotExistIsNotNamed() throws {
    let nested =
      "  Nested: { Type: AWS::CloudFormation::Stack, Condition: No, Properties: { TemplateURL: a.yaml } }"
    let template = try GatewayTemplate(
      parsing: Self.text(Self.api + "\n" + nested, head: "Conditions: { No: !Equals [a, b] }"))
    #expect(template.nestedTemplates == [])
  }

  /// A template whose only APIs are nested is not one without APIs.
  @Test func aTemplateOfNestedStacksAloneNamesThem() throws {
    let text = Self.text(
      """
        One: { Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: one.yaml } }
        Two: { Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: s3://b/two.yaml } }
      """)
    let error = try #require(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
    #expect(error.nestedTemplates.map(\.location) == ["one.yaml", nil])
    #expect(
      error.lines(in: "t.yaml") == [
        "t.yaml:4: Resources.One: is a nested template, one.yaml, whose APIs are not read with this one: files beside the template are not read here (serve that template by itself)",
        "t.yaml:5: Resources.Two: is a nested template, whose APIs are not read with this one (serve its template from a file of this machine)",
      ])
  }

  @Test func aTemplateWithoutAnythingHasNoAPI() throws {
    let error = try #require(throws: TemplateError.self) {
      try GatewayTemplate(parsing: "Resources: { Table: { Type: AWS::DynamoDB::Table } }")
    }
    #expect(error.findings.map(\.problem) == ["there is no API"])
  }
}
