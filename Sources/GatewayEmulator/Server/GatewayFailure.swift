internal import GatewayModel
internal import HummingbirdCore
internal import NIOCore
internal import TestTokens

/// Answers each request with a 503 that says why nothing is served.
struct GatewayFailure: Sendable {
  private let problem: String
  private let service: GatewayService

  init(_ problem: String, onRecord: @escaping @Sendable (AccessRecord) -> Void) {
    self.problem = problem
    service = GatewayService(
      gateway: Gateway(ServedAPIs(apis: []), settings: Assumptions()), functions: [:], onRecord: onRecord)
  }

  func respond(to request: Request) -> Response {
    GatewayResponder.response(answer(GatewayResponder.incoming(request)))
  }

  func answer(_ request: GatewayRequest) -> GatewayResponse {
    // A page can let its own name resolve to 127.0.0.1, and would read a part of the template.
    let isLoopback = request.values(ofHeader: "Host").allSatisfy { LoopbackHost.isLoopback($0) }
    let shown = isLoopback ? problem : "the log of serve has the error"
    let response = GatewayResponse(
      status: 503, headers: [.init("Content-Type", "application/json"), .init("Cache-Control", "no-store")],
      body: Array(#"{"error":\#(ParameterSource.quoted(shown))}"#.utf8) + [0x0A])
    return service.refuse(request, at: "none", with: response, .noRoute, why: problem)
  }
}
