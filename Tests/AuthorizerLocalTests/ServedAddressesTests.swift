import Templates
import Testing

@testable import authorizer_local

/// The addresses in the start message of `serve`.
@Suite struct ServedAddressesTests {
  /// SAM makes the stage `Stage` too. Both stages have addresses, and the routes are listed once.
  @Test func namesEveryStage() throws {
    let template = try GatewayTemplate(
      parsing: """
        Transform: AWS::Serverless-2016-10-31
        Resources:
          Shop:
            Type: AWS::Serverless::Api
            Properties:
              StageName: prod
              DefinitionBody:
                paths: { /pets: { get: { x-amazon-apigateway-integration: { type: mock } } } }
          Feed:
            Type: AWS::Serverless::HttpApi
            Properties:
              CorsConfiguration: { AllowOrigins: ["https://a.example"], AllowMethods: [GET] }
              DefinitionBody:
                paths: { /news: { get: { x-amazon-apigateway-integration: {
                  type: http_proxy, httpMethod: GET, uri: "https://b.example/", payloadFormatVersion: "1.0" } } } }
        """)
    #expect(
      ServedAddresses(template: template, base: "http://127.0.0.1:1").lines == [
        "  http://127.0.0.1:1/Shop/prod  GET /pets  (no authorizer)",
        "  http://127.0.0.1:1/Shop/Stage  the same routes",
        "  http://127.0.0.1:1/Feed  GET /news  (no authorizer)",
        "  http://127.0.0.1:1/Feed  CORS: allowed origins https://a.example",
      ])
  }
}
