internal import Authorizer
internal import DeploymentChecks

extension Settings {
  /// The routes of rules and guests, with their place in the configuration.
  var writtenRoutes: [WrittenRoute] {
    ruleRoutes.enumerated().flatMap { index, routes in
      routes.enumerated().map { WrittenRoute(place: "rules[\(index)].routes[\($0)]", text: $1) }
    }
      + guestRoutes.enumerated().map { WrittenRoute(place: "anonymous.routes[\($0)]", text: $1) }
  }
}
