import JSON

/// The decision on a guest, which depends on the settings alone.
extension Settings {
  /// Returns the caller of this request; `nil` if there are no guests, or if the request has something in a place for
  /// credentials.
  func guest(of request: AuthorizationRequest) -> Guest? {
    guests == nil ? nil : Guest(request, places)
  }

  /// Returns the decision on a guest.
  ///
  /// A failure is possible only where a guest route names the ARN: on all other routes a caller without a token gets
  /// the same answer as without guests.
  ///
  /// - Throws: `GuestObstacle` if guests may not reach the requested route, so that a token is missing.
  func decision(
    on guest: Guest, _ request: AuthorizationRequest, _ format: ResponseFormat
  ) throws(GuestObstacle) -> Decision {
    let arn = guest.method
    guard let guests else { throw .notGranted }
    var access = guests.access(on: arn)
    guard access.grants(arn.route) else { throw .notGranted }
    let setup = GatewaySetup(of: request)
    if guests.needsConcretePath {
      if let flaw = pathFlaw(setup, of: "guest routes with wildcards, or under default allow,") {
        return Decision(failure: .invalidConfiguration, detail: flaw)
      }
      refuseTemplates(&access, setup, arn)
    }
    guard access.permits(arn.route), Self.hasPlainPath(request, arn, access) else { throw .path }
    guard !setup.hasIdentitySources else {
      return Decision(
        failure: .invalidConfiguration,
        detail:
          "the API's authorizer has identity sources, so an answer for a guest could be cached for other callers;"
          + " remove the identity sources and set the TTL to 0")
    }
    let room = RoutePattern.maximumResourceBytes - arn.stagePrefix.count
    guard room > 0, let (fitting, isShorter) = access.limited(toBytes: room) else {
      return Decision(failure: .answerTooLarge, detail: "a guest's policy has a Resource that is too long")
    }
    guard fitting.permits(arn.route) else { throw .tooLong }
    guard let answer = format.answer(toGuestWith: fitting, on: arn) else {
      return Decision(failure: .answerTooLarge, detail: "the answer is larger than API Gateway accepts")
    }
    var decision = Decision(answer, refusing: nil)
    decision.isGuest = true
    decision.leftOut = isShorter ? .answerTooLarge : nil
    return decision
  }

  /// Whether no server resolves the path to another one. The event has the path a second time (`rawPath` in payload
  /// 2.0, `path` in the others), and a backend may read that one.
  private static func hasPlainPath(
    _ request: AuthorizationRequest, _ arn: MethodARN, _ access: Access
  ) -> Bool {
    guard !DotSegments.mayOccur(in: arn.route) else { return false }
    for name in ["rawPath", "path"] {
      guard let value = request.event[name], value.kind != .null else { continue }
      guard let path = value.utf8, !DotSegments.mayOccur(in: path) else { return false }
      if access.refusesEscapes, Access.escapes.contains(where: { RoutePattern.matches($0, path) }) {
        return false
      }
    }
    return true
  }
}
