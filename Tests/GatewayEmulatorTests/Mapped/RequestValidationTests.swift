@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import Templates
import Testing

/// Required parameters, as recorded by localstack (`test_api_gateway_request_validator`).
@Suite struct RequestValidationTests {
  private static func openAPI(validator: String) -> String {
    """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Api:
        Type: AWS::Serverless::Api
        Properties:
          StageName: prod
          DefinitionBody:
            openapi: 3.0.1
            x-amazon-apigateway-request-validators:
              all: {validateRequestBody: true, validateRequestParameters: true}
              body: {validateRequestBody: true, validateRequestParameters: false}
            paths:
              /n/{test}:
                parameters: [{in: path, name: issuer, required: true}]
                post:
                  \(validator)
                  parameters:
                    - {in: query, name: qs1, required: true}
                    - {in: header, name: x-header-param, required: true}
                    - {in: query, name: free}
                  x-amazon-apigateway-integration:
                    type: mock
                    requestTemplates: {application/json: '{"statusCode":200}'}
                    responses: {default: {statusCode: "200"}}
    """
  }

  private static let plain = """
    Resources:
      Api: {Type: AWS::ApiGateway::RestApi, Properties: {Name: a}}
      Nested:
        Type: AWS::ApiGateway::Resource
        Properties: {RestApiId: !Ref Api, ParentId: !GetAtt Api.RootResourceId, PathPart: n}
      Test:
        Type: AWS::ApiGateway::Resource
        Properties: {RestApiId: !Ref Api, ParentId: !Ref Nested, PathPart: "{test}"}
      Validator:
        Type: AWS::ApiGateway::RequestValidator
        Properties: {RestApiId: !Ref Api, Name: v, ValidateRequestParameters: true, ValidateRequestBody: false}
      Method:
        Type: AWS::ApiGateway::Method
        Properties:
          RestApiId: !Ref Api
          ResourceId: !Ref Test
          HttpMethod: POST
          AuthorizationType: NONE
          RequestValidatorId: !Ref Validator
          RequestParameters:
            method.request.path.issuer: true
            method.request.querystring.qs1: true
            method.request.header.x-header-param: true
            method.request.header.free: false
          Integration:
            Type: MOCK
            RequestTemplates: {application/json: '{"statusCode":200}'}
            IntegrationResponses: [{StatusCode: "200"}]
      Deployment: {Type: AWS::ApiGateway::Deployment, Properties: {RestApiId: !Ref Api}}
      Stage:
        Type: AWS::ApiGateway::Stage
        Properties: {RestApiId: !Ref Api, StageName: prod, DeploymentId: !Ref Deployment}
    """

  private static func answer(
    _ template: String, query: String, headers: [GatewayRequest.Header]
  ) throws -> GatewayAnswer {
    var stage = try GatewayStage(template)
    return stage.send("POST", "/prod/n/value", query: query, headers: headers)
  }

  @Test(arguments: [openAPI(validator: "x-amazon-apigateway-request-validator: all"), plain])
  func aRequestWithoutARequiredParameterIsA400(_ template: String) throws {
    let header = GatewayRequest.Header("x-header-param", "test")
    for (query, headers, missing) in [
      ("", [], "x-header-param, issuer, qs1"), ("qs1=test", [], "x-header-param, issuer"),
      ("qs1=%20", [header], "issuer, qs1"),
    ] {
      let answer = try Self.answer(template, query: query, headers: headers)
      #expect(answer.response.status == 400)
      #expect(answer.text == #"{"message":"Missing required request parameters: [\#(missing)]"}"#)
    }
    let whole = template.replacing("issuer", with: "test")
    #expect(try Self.answer(whole, query: "qs1=test", headers: [header]).response.status == 200)
  }

  @Test(arguments: ["summary: no validator", "x-amazon-apigateway-request-validator: body"])
  func withoutAValidatorOfParametersAllPass(_ validator: String) throws {
    #expect(
      try Self.answer(Self.openAPI(validator: validator), query: "", headers: []).response.status == 200)
  }

  @Test func bodiesAreNotValidatedWhichANoteSays() throws {
    let template = try GatewayTemplate(parsing: Self.openAPI(validator: "summary: none"))
    #expect(template.notes.contains { $0.text().contains("bodies are validated on AWS only") })
  }
}
