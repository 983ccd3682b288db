@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import Testing

/// Resources and values that a reader would miss without a message.
@Suite struct MisspelledTypeTests {
  private static func text(_ type: String) -> String {
    """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Open:
        Type: AWS::Serverless::HttpApi
        Properties:
          DefinitionBody:
            paths: { /news: { get: { x-amazon-apigateway-integration: {
              type: http_proxy, httpMethod: GET, uri: "https://b.example/", payloadFormatVersion: "1.0" } } } }
      Other: { Type: "\(type)" }
    """
  }

  @Test(
    arguments: [
      ("AWS::Serverles::Api", "AWS::Serverless::Api"),
      ("AWS::ApiGatway::RestApi", "AWS::ApiGateway::RestApi"),
      ("AWS::Serverless::Functoin", "AWS::Serverless::Function"),
      ("AWS::Lamda::Permission", "AWS::Lambda::Permission"),
      ("AWS::ApiGatewayV2::Authoriser", "AWS::ApiGatewayV2::Authorizer"),
    ])
  func aMisspelledTypeIsNamed(_ type: String, _ meant: String) {
    #expect {
      try GatewayTemplate(parsing: Self.text(type))
    } throws: { error in
      let lines = (error as? TemplateError)?.lines(in: "t.yaml") ?? []
      return lines == ["t.yaml:9: Resources.Other: \(type) is not emulated (did you mean \(meant)?)"]
    }
  }

  @Test(
    arguments: [
      "AWS::Lambda::Url", "AWS::AppSync::Api", "AWS::WAFv2::WebACL",
      "AWS::S3::Bucket",
      "AWS::SSM::Parameter", "AWS::Lambda::LayerVersion", "AWS::Serverless::LayerVersion", "Custom::Api",
    ])
  func otherTypesAreSkipped(_ type: String) throws {
    #expect(try GatewayTemplate(parsing: Self.text(type)).skippedResources == [type: 1])
  }

  @Test func aMissingVariableNamesItsOption() throws {
    let template = try GatewayTemplate(
      parsing: """
        Transform: AWS::Serverless-2016-10-31
        Parameters: { Table: { Type: String } }
        Resources:
          News:
            Type: AWS::Serverless::Function
            Properties:
              Environment:
                Variables: { QUEUE: !ImportValue shop-queue, TABLE: !Ref Table }
              Events: { News: { Type: HttpApi, Properties: { Path: /news, Method: get } } }
        """)
    let path = "8: Resources.News.Properties.Environment.Variables"
    #expect(
      template.notes.map { $0.text() } == [
        "\(path).QUEUE: the function does not get this variable; --parameter import:shop-queue=VALUE gives it a value",
        "\(path).TABLE: the function does not get this variable; --parameter Table=VALUE gives it a value",
      ])
  }
}
