@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import LambdaEmulator
@testable import Templates
import Testing

/// Backends that do not answer.
@Suite struct BackendFailureTests {
  static let rest = """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Api:
        Type: AWS::Serverless::Api
        Properties:
          StageName: prod
          DefinitionBody:
            openapi: 3.0.1
            paths:
              /pets:
                get:
                  x-amazon-apigateway-integration:
                    { type: http_proxy, httpMethod: GET, uri: "https://backend.example.com/2018-06-01/runtime/invocation/next" }
    """

  /// The backend is the Runtime API, which does not answer while no event is available.
  @Test func aBackendThatTakesTooLongIsA504() async throws {
    let gateway = Gateway(try GatewayTemplate(parsing: Self.rest).served, settings: Assumptions())
    let clock = LambdaClock(now: LambdaClock.system.now, wait: { _ in })
    let answer = try await RuntimeAPIServer.served { server, _ in
      let service = GatewayService(
        gateway: gateway, functions: [:], backend: .origin("http://\(server.address)"), clock: clock)
      return await service.answer(
        GatewayRequest(method: "GET", path: "/prod/pets", headers: []), to: gateway.apis[0])
    }
    #expect(answer.response.status == 504)
    #expect(answer.text.contains("Endpoint request timed out"))
  }
}
