@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import Templates
import Testing

/// Functions of a template that this machine does not run: a call fails with its reason, or an echo answers.
@Suite struct AbsentFunctionTests {
  private static func integration(_ text: String) -> String {
    """
    Resources:
      Backend: { Type: AWS::Serverless::Function, Properties: { Runtime: java21, Handler: a.B } }
      Api:
        Type: AWS::Serverless::\(text.hasPrefix("http2") ? "HttpApi" : "Api")
        Properties:
          StageName: \(text.hasPrefix("http2") ? "$default" : "prod")
          DefinitionBody:
            openapi: 3.0.1
            paths:
              /pets:
                get:
                  x-amazon-apigateway-integration:
                    { type: \(text == "mapped" || text == "event" ? "aws" : "aws_proxy"), httpMethod: POST,
                      \(text == "http2" ? "payloadFormatVersion: '2.0'," : "")
                      \(text == "event" ? "requestParameters: { integration.request.header.X-Amz-Invocation-Type: \"'Event'\" }," : "")
                      \(text == "mapped" || text == "event" ? "responses: { default: { statusCode: '200' } }," : "")
                      uri: !Sub "arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Backend.Arn}/invocations" }
    """
  }

  /// Kind of integration; the status of API Gateway for a function that fails: 502 on REST APIs, 500 on HTTP APIs.
  @Test(
    arguments: [("proxy", 502), ("http2", 500), ("mapped", 502), ("event", 502)]
      as [(kind: String, status: Int)],
    [true, false])
  func failWithTheirReasonOrAreEchoed(_ row: (kind: String, status: Int), _ fails: Bool) async throws {
    let template = try GatewayTemplate(
      parsing: "Transform: AWS::Serverless-2016-10-31\n" + Self.integration(row.kind))
    let service = GatewayService(
      gateway: Gateway(template.served, settings: Assumptions()), functions: [:],
      refusals: fails ? ["Backend": "its Runtime is java21"] : nil)
    let path = row.kind == "http2" ? "/pets" : "/prod/pets"
    let api = try #require(service.gateway.apis.first { $0.stage.name != "Stage" })
    let answer = await service.answer(GatewayRequest(method: "GET", path: path, headers: []), to: api)
    #expect(answer.response.status == (fails ? row.status : 200), "\(answer.text)")
    #expect(answer.record.status == answer.response.status)
    #expect((answer.response.header("X-Backend") == "echo") == !fails)
    #expect(answer.record.backend == (fails ? "Backend: its Runtime is java21" : nil))
    // The client learns nothing of the reason.
    #expect(answer.text.contains("java21") == false || !fails)
  }

  @Test func anAuthorizerFailsWithItsReason() async throws {
    let service = GatewayService(
      gateway: Gateway(try GatewayTemplate(parsing: StatusTemplates.rest).served, settings: Assumptions()),
      functions: [:], refusals: ["Authorizer": "Node.js is not installed"])
    let answer = await GatewayServiceTests.answer(service, "/prod/pets")
    #expect(answer.response.status == 500)
    #expect(answer.record.decision.contains("Node.js is not installed"), "\(answer.record.decision)")
  }
}
