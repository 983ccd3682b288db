package import GatewayModel

/// The CORS headers that let a page of this machine read a response (Fetch Standard, "CORS protocol"), so that a
/// single-page app can log in. Requests of other origins are refused before.
package enum LoopbackCrossOrigin {
  /// The seconds for which a browser caches a preflight response: our choice, short because `serve` is restarted often.
  private static let preflightSeconds = 60

  /// Returns the response with the headers for the page that sent the request.
  package static func readable(
    _ response: GatewayResponse, for request: GatewayRequest, methods: [String], headers: [String]
  ) -> GatewayResponse {
    var response = response
    response.headers.append(.init("Vary", "Origin"))
    let origins = request.values(ofHeader: "Origin")
    guard origins.count == 1, LoopbackHost.isLoopback(origin: origins[0]) else { return response }
    response.headers.append(.init("Access-Control-Allow-Origin", origins[0]))
    if CrossOriginPolicy.isPreflight(request) {
      response.headers += [
        .init("Access-Control-Allow-Methods", methods.joined(separator: ",")),
        .init("Access-Control-Allow-Headers", headers.joined(separator: ",")),
        .init("Access-Control-Max-Age", String(preflightSeconds)),
      ]
    }
    return response
  }
}
