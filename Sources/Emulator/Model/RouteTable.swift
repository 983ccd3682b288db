/// The routes of an API, to look up the route of a request.
struct RouteTable: Sendable {
  private let api: GatewayAPI

  init(_ api: GatewayAPI) { self.api = api }

  struct Found: Equatable, Sendable {
    let route: GatewayRoute
    let parameters: [PathPattern.Parameter]
  }

  /// Returns the route for a method and a path without the stage, or `nil`.
  ///
  /// A REST API selects the resource by the path and then looks for the method ("Missing Authentication Token" if the
  /// resource does not have it). An HTTP API considers routes with the method, and falls back to `$default`.
  func route(method: String, path: String) -> Found? {
    var best: (found: Found, pattern: PathPattern, hasMethod: Bool, isExactMethod: Bool)?
    for route in api.routes {
      guard case .path(let verb, let pattern) = route.match, let parameters = pattern.parameters(in: path)
      else { continue }
      let hasMethod = verb == nil || verb == method
      if !isREST, !hasMethod { continue }
      let candidate = (Found(route: route, parameters: parameters), pattern, hasMethod, verb == method)
      guard let current = best else {
        best = candidate
        continue
      }
      if PathPattern.isMoreSpecific(pattern, than: current.pattern) {
        best = candidate
      } else if !PathPattern.isMoreSpecific(current.pattern, than: pattern),
        (hasMethod && !current.hasMethod) || (verb == method && !current.isExactMethod)
      {
        best = candidate
      }
    }
    if let best, best.hasMethod { return best.found }
    if isREST { return nil }
    return api.routes.first { $0.match == .default }.map { Found(route: $0, parameters: []) }
  }

  /// Returns the route of a WebSocket API by its key, or `$default` if no other matches.
  func route(key: String) -> GatewayRoute? {
    if key == "$connect" { return api.routes.first { $0.match == .connect } }
    return api.routes.first { $0.match == .message(key) } ?? api.routes.first { $0.match == .default }
  }

  private var isREST: Bool { if case .rest = api.kind { true } else { false } }
}
