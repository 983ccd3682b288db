/// The decision on an event without any credential, under a configuration with guest routes. Used for explanations
/// only.
package struct GuestRuling: Sendable {
  /// The requested route: `GET /pets`, `$connect`.
  package let route: String
  /// `allowed`, `unauthorized` or `failure`.
  package let outcome: Outcome
  /// Why it is not allowed.
  package let reason: ReasonCode?
  /// The cause of a failure, for the operator.
  package let detail: String?
  /// Why a route that a guest route names is not allowed; `nil` if none names it or if it is allowed.
  package let obstacle: Obstacle?

  /// What keeps guests from a route that a guest route names.
  package enum Obstacle: Equatable, Sendable {
    /// A rule restricts the route: its index.
    case rule(Int)
    /// The path has dot segments, or the escapes that policies with wildcards deny.
    case path
  }

  /// - Returns: `nil` if there are no guest routes, or if the event has something in a place for credentials.
  /// - Throws: `EventFlaw` if it is not an authorizer event.
  package init?(on event: [UInt8], settings: Settings) throws(EventFlaw) {
    let request = try AuthorizationRequest(parsing: event)
    guard let guests = settings.guests, let guest = Guest(request, settings.places) else { return nil }
    let format = ResponseFormat(of: request.kind, settings.answers)
    let decision =
      settings.decision(on: guest, request, format)
      ?? Decision(unauthorized: .missingToken, on: request.target, format)
    route = guest.method.routeText
    outcome = decision.outcome
    reason = decision.reason
    detail = decision.detail
    obstacle = decision.outcome == .unauthorized ? Self.obstacle(guest, guests, settings.rules) : nil
  }

  private static func obstacle(
    _ guest: Guest, _ guests: GuestRoutes, _ rules: AccessRules?
  ) -> Obstacle? {
    let requested = guest.method.route
    guard guests.routes.contains(where: { $0.matches(requested) }) else { return nil }
    if let rules, rules.whenNoRule == .allow {
      let restricting = rules.rules.firstIndex { rule in
        rule.routes.contains { $0.matches(requested) }
      }
      if let restricting { return .rule(restricting) }
    }
    return .path
  }
}

extension Route {
  /// Whether the route names a requested one, for a claim of any value.
  fileprivate func matches(_ requested: [UInt8]) -> Bool {
    widestPatterns.contains { RoutePattern.matches($0, requested) }
  }
}
