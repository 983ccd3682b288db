internal import Text

/// The CORS configuration of an HTTP API ("Configure CORS for HTTP APIs").
package struct CrossOriginPolicy: Equatable, Sendable {
  /// Exact origins, `*`, `https://*` or `http://*`.
  package var origins: [String] = []
  package var methods: [String] = []
  package var headers: [String] = []
  package var exposedHeaders: [String] = []
  package var maximumAgeSeconds: Int?
  package var allowsCredentials = false

  package init() {}

  /// Returns the response to a preflight request; it has no CORS headers if the origin is not allowed.
  package func preflight(for request: GatewayRequest) -> GatewayResponse {
    var response = GatewayResponse(status: 204)
    guard let origin = allowedOrigin(for: request) else { return response }
    response.headers = common(origin)
    if !methods.isEmpty {
      response.headers.append(.init("access-control-allow-methods", methods.joined(separator: ",")))
    }
    if !headers.isEmpty {
      response.headers.append(.init("access-control-allow-headers", headers.joined(separator: ",")))
    }
    if let maximumAgeSeconds {
      response.headers.append(.init("access-control-max-age", String(maximumAgeSeconds)))
    }
    return response
  }

  /// Whether a request is a preflight request (Fetch Standard, "CORS-preflight request").
  package static func isPreflight(_ request: GatewayRequest) -> Bool {
    request.method == "OPTIONS" && !request.values(ofHeader: "origin").isEmpty
      && !request.values(ofHeader: "access-control-request-method").isEmpty
  }

  /// Returns the response with the CORS headers; they replace those of the backend, and refusals have them too.
  package func added(to response: GatewayResponse, for request: GatewayRequest) -> GatewayResponse {
    var response = response
    response.headers.removeAll { $0.name.lowercased().hasBytePrefix("access-control-") }
    guard let origin = allowedOrigin(for: request) else { return response }
    response.headers += common(origin)
    if !exposedHeaders.isEmpty {
      response.headers.append(.init("access-control-expose-headers", exposedHeaders.joined(separator: ",")))
    }
    return response
  }

  private func common(_ origin: String) -> [GatewayRequest.Header] {
    [.init("access-control-allow-origin", origin)]
      + (allowsCredentials ? [.init("access-control-allow-credentials", "true")] : [])
  }

  private func allowedOrigin(for request: GatewayRequest) -> String? {
    guard let origin = request.values(ofHeader: "origin").first else { return nil }
    for allowed in origins {
      if allowed == "*" { return "*" }
      if allowed.hasByteSuffix("://*"), origin.hasBytePrefix(allowed.dropLast(bytes: 1)) { return origin }
      if allowed.utf8.elementsEqual(origin.utf8) { return origin }
    }
    return nil
  }
}
