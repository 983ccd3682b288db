@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
import Testing

/// Requests that a mapping of an HTTP API makes.
@Suite struct BackendRequestTests {
  private static func request(
    _ changes: [HTTPIntegration.Change], query: String = ""
  ) throws -> BackendRequest {
    let integration = HTTPIntegration(method: nil, address: "http://127.0.0.1:1/y", changes: changes)
    let route = try GatewayStage.route("GET /y", integration: .http(integration))
    let exchange = RequestContext(
      api: GatewayStage.api([route], isREST: false), location: .init(),
      request: GatewayRequest(method: "GET", path: "/y", query: query, headers: []), path: "/y", route: route,
      pathParameters: [],
      identity: RequestIdentity(requestID: "", extendedRequestID: "", traceID: "", unixMilliseconds: 0),
      connectionID: nil)
    return BackendRequest(integration, ParameterSource(exchange), exchange)
  }

  /// A caller who chooses the path does not choose the host.
  @Test(arguments: ["@127.0.0.1:2/x", ":2/x", ".example.com/", "/x", "", "//h/x"])
  func aPathDoesNotChangeTheHost(_ path: String) throws {
    let change = HTTPIntegration.Change(place: .wholePath, action: .overwrite, value: .literal(path))
    #expect(try Self.request([change]).address.hasPrefix("http://127.0.0.1:1/"))
  }

  @Test(arguments: ["q=1", "%71=1", "q", "a=2&%71=1&q=3"])
  func anOverwrittenParameterHasNoOtherSpelling(_ query: String) throws {
    let change = HTTPIntegration.Change(place: .query("q"), action: .overwrite, value: .literal("new"))
    let kept = query.hasPrefix("a") ? "a=2&" : ""
    #expect(try Self.request([change], query: query).address == "http://127.0.0.1:1/y?\(kept)q=new")
  }
}
