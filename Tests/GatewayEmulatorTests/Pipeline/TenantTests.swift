@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import LambdaEmulator
import JSON
import Testing

/// Which tenant reaches a function with tenant isolation.
@Suite struct TenantTests {
  private static func gateway(
    _ integration: GatewayIntegration, tenancy: [String: Bool], isREST: Bool = true
  ) throws -> Gateway {
    let api = GatewayAPI(
      name: "Api", identifier: "abcdefghij", kind: isREST ? .rest(GatewayResponses()) : .http(nil),
      stage: GatewayAPI.Stage(name: "prod", variables: [:]),
      routes: [try GatewayStage.route("GET /a", integration: integration)])
    return Gateway(
      apis: [api], location: .init(), settings: Assumptions(), trust: .none, tenancy: tenancy)
  }

  /// The status and the tenant of a call; `nil` as the tenant of a call that is not made.
  private static func result(_ gateway: Gateway, tenant: String?) throws -> (status: Int, tenant: String?) {
    let api = try #require(gateway.apis.first)
    let headers = tenant.map { [GatewayRequest.Header("T", $0), .init("X-Amz-Tenant-Id", "other")] } ?? []
    let request = GatewayRequest(method: "GET", path: "/prod/a", headers: headers)
    let ids = RequestIdentity(
      requestID: "r", extendedRequestID: "e", traceID: "Root=1-a", unixMilliseconds: 0)
    let received = ReceivedRequest(
      isPath(api) ? request : GatewayRequest(method: "GET", path: "/a", headers: headers), to: api, ids)
    switch gateway.begin(received, state: Gateway.State()) {
    case .answer(let answer): return (answer.response.status, nil)
    case .integrate(let call): return (200, call.tenant?.text)
    case .authorize: return (0, nil)
    }
  }

  private static func isPath(_ api: GatewayAPI) -> Bool { api.stage.isInPath }

  private static let mapped = GatewayIntegration.restFunction(RESTFunction("F", tenant: .header("T")))

  private static var custom: GatewayIntegration {
    var integration = MappedIntegration(.function("F"))
    integration.parameters = [
      HTTPIntegration.Change(place: .header("X-Amz-Tenant-Id"), action: .overwrite, value: .header("T"))
    ]
    return .mapped(integration)
  }

  @Test(
    arguments: [
      ("blue", true, 200, "blue"), (nil, true, 400, nil), ("", true, 400, nil), ("a\"b", true, 400, nil),
      // A function that is not known may be isolated; one without isolation takes no tenant.
      ("blue", nil, 200, "blue"), ("blue", false, 501, nil), (nil, false, 200, nil),
    ] as [(String?, Bool?, Int, String?)])
  func aMappedTenant(_ tenant: String?, _ isIsolated: Bool?, _ status: Int, _ passed: String?) throws {
    let tenancy = isIsolated.map { ["F": $0] } ?? [:]
    let result = try Self.result(try Self.gateway(Self.mapped, tenancy: tenancy), tenant: tenant)
    #expect(result.status == status)
    #expect(result.tenant == passed)
    // AWS documents no answer of a custom integration.
    let custom = try Self.result(try Self.gateway(Self.custom, tenancy: tenancy), tenant: tenant)
    #expect(custom.status == (status == 400 ? 502 : status))
    #expect(custom.tenant == passed)
  }

  /// The header of the client is none of the call.
  @Test func aFunctionWithoutAMappingGetsNoTenant() throws {
    let isolated = try Self.gateway(.function("F", .rest), tenancy: ["F": true])
    #expect(try Self.result(isolated, tenant: "blue").status == 400)
    let other = try Self.gateway(.function("F", .rest), tenancy: ["F": false])
    #expect(try Self.result(other, tenant: "blue") == (200, nil))
    let http = try Self.gateway(.function("F", .http2), tenancy: ["F": true], isREST: false)
    #expect(try Self.result(http, tenant: "blue").status == 500)
  }
}
