/// The decision on a guest, which depends on the settings alone.
extension Settings {
  /// Returns the decision on a request without a token; `nil` if there are no guests, if the request has something in
  /// a place for credentials, or if no guest route names it.
  func guestDecision(on request: AuthorizationRequest, _ format: ResponseFormat) -> Decision? {
    guard guests != nil, let guest = Guest(request, places) else { return nil }
    return decision(on: guest, request, format)
  }

  /// Returns the decision on a guest; `nil` if no guest route names the requested one, so that a token is missing.
  ///
  /// A failure is possible only where a guest route names the ARN: on all other routes a caller without a token gets
  /// the same answer as without guests.
  func decision(on guest: Guest, _ request: AuthorizationRequest, _ format: ResponseFormat) -> Decision? {
    let arn = guest.method
    guard let guests, guests.permits(arn.route) else { return nil }
    if guests.needsConcretePath {
      let setup = GatewaySetup(of: request, arn)
      if let flaw = pathFlaw(setup, of: "guest routes") {
        return Decision(failure: .invalidConfiguration, detail: flaw)
      }
      // A caller may have written the path so that it looks like the template, which could match more.
      if setup.routeInARN == .either { return nil }
    }
    let room = RoutePattern.maximumResourceBytes - arn.stagePrefix.count
    guard room > 0, let (access, isShorter) = guests.access.limited(toBytes: room) else {
      return Decision(failure: .answerTooLarge, detail: "a guest's policy has a Resource that is too long")
    }
    guard access.permits(arn.route) else { return nil }
    guard let answer = format.answer(toGuestWith: access, on: arn) else {
      return Decision(failure: .answerTooLarge, detail: "the answer is larger than API Gateway accepts")
    }
    var decision = Decision(answer, refusing: nil)
    decision.isGuest = true
    decision.leftOut = isShorter ? .answerTooLarge : nil
    return decision
  }
}
