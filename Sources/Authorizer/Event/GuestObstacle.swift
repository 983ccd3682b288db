/// Why a guest is not allowed on a route, so that a token is missing.
enum GuestObstacle: Error, Equatable {
  /// No guest route names it, or a rule restricts it.
  case notGranted
  /// The path has a spelling that a server may resolve to another path, or may be the template of its route.
  case path
  /// The guest route that names it is longer than a `Resource` of a policy may be.
  case tooLong
}
