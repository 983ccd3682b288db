@testable import EmulatorTestSupport
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

  /// More routes than fit on a screen: one line for each API.
  @Test(arguments: [4, 5, 6]) func countsManyRoutes(_ count: Int) throws {
    let paths = (1...count).map { "/\($0): { get: { x-amazon-apigateway-integration: { type: mock } } }" }
    let template = try GatewayTemplate(
      parsing: """
        Transform: AWS::Serverless-2016-10-31
        Resources:
          Shop:
            Type: AWS::Serverless::Api
            Properties: { StageName: prod, DefinitionBody: { openapi: 3.0.1, paths: { \(paths.joined(separator: ", ")) } } }
        Globals: { Api: { OpenApiVersion: 3.0.1 } }
        """)
    let lines = ServedAddresses(template: template, base: "http://127.0.0.1:1", path: "a b.yaml").lines
    guard count > 5 else {
      #expect(lines.count == count && lines[0].contains("GET /1  (no authorizer)"))
      return
    }
    #expect(
      lines == [
        "  http://127.0.0.1:1/Shop/prod  routes: 6, without authorizer: 6",
        "  each route and what guards it: authorizer-local routes --template 'a b.yaml'",
      ])
  }
}
