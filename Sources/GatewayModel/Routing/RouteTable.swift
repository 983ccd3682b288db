internal import Text

/// The routes of an API, to look up the route of a request.
package struct RouteTable: Sendable {
  private let api: GatewayAPI
  private let missingMethod: Assumptions.MissingMethod

  /// - Parameter missingMethod: what a REST API does if the most specific resource of a path lacks the method.
  package init(_ api: GatewayAPI, missingMethod: Assumptions.MissingMethod = .nextResource) {
    self.api = api
    self.missingMethod = missingMethod
  }

  package struct Found: Equatable, Sendable {
    package let route: GatewayRoute
    package let parameters: [PathPattern.Parameter]

    package init(route: GatewayRoute, parameters: [PathPattern.Parameter]) {
      self.route = route
      self.parameters = parameters
    }
  }

  /// Returns the route for a method and a path without the stage, or `nil`.
  ///
  /// The routes with the method are candidates, and the most specific path wins; at the same path the method itself
  /// precedes `ANY`. An HTTP API falls back to `$default` ("Create routes for HTTP APIs"). For REST APIs two
  /// measurements on AWS show that the method is part of the choice (MiniStack pull request 1423, floci pull request
  /// 3399). With the other setting the path alone selects the resource.
  ///
  /// A REST API ignores slashes at the end of a path (called on AWS: aws/chalice issue 65, aws/aws-sam-cli pull request
  /// 1495).
  package func route(method: String, path: String) -> Found? {
    var path = path
    if isREST { path = PathInterpretations.withoutEnd(path) }
    let needsMethod = !isREST || missingMethod == .nextResource
    var best: (found: Found, pattern: PathPattern, isExactMethod: Bool, hasMethod: Bool)?
    for route in api.routes {
      guard case .path(let verb, let pattern) = route.match, let parameters = pattern.parameters(in: path)
      else { continue }
      let hasMethod = verb == nil || verb == method
      if needsMethod, !hasMethod { continue }
      let candidate = (Found(route: route, parameters: parameters), pattern, verb == method, hasMethod)
      guard let current = best else {
        best = candidate
        continue
      }
      if precedes(pattern, current.pattern) {
        best = candidate
      } else if !precedes(current.pattern, pattern),
        (hasMethod && !current.hasMethod) || (verb == method && !current.isExactMethod)
      {
        best = candidate
      }
    }
    if let best { return best.hasMethod ? best.found : nil }
    if isREST { return nil }
    return api.routes.first { $0.match == .default }.map { Found(route: $0, parameters: []) }
  }

  /// Returns the key of a route that another reading of the path finds and that has another guard than `found`, or says
  /// that there are too many readings; `nil` if every reading has the same guard.
  package func otherwiseGuarded(than found: GatewayRoute, method: String, path: String) -> String? {
    guard let readings = PathInterpretations.others(than: path) else { return "an unknown route" }
    for reading in readings {
      guard let other = route(method: method, path: reading)?.route,
        other.access != .open || other.needsAPIKey
      else { continue }
      if other.access != found.access || other.needsAPIKey != found.needsAPIKey { return other.key }
    }
    return nil
  }

  /// Returns the route of a WebSocket API by its key, or `$default` if no other matches.
  package func route(key: String) -> GatewayRoute? {
    if key == "$connect" { return api.routes.first { $0.match == .connect } }
    return api.routes.first { $0.isMessage(key) } ?? api.routes.first { $0.match == .default }
  }

  /// On an HTTP API a full match precedes every greedy one. Then, and on a REST API, the paths are compared level by
  /// level ("Set up a method request in API Gateway": precedence at the same level of the resource hierarchy).
  private func precedes(_ one: PathPattern, _ other: PathPattern) -> Bool {
    if !isREST, one.isGreedy != other.isGreedy { return other.isGreedy }
    return PathPattern.isMoreSpecific(one, than: other)
  }

  private var isREST: Bool { api.isREST }
}

extension GatewayRoute {
  fileprivate func isMessage(_ key: String) -> Bool {
    if case .message(let own) = match { own.hasSameBytes(as: key) } else { false }
  }
}
