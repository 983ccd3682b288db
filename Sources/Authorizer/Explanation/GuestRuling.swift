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
    /// The path has dot segments, bytes that are not UTF-8, or the escapes that policies with wildcards deny.
    case path
    /// The guest route that names it is longer than a policy's `Resource` may be on this stage.
    case tooLong
  }

  /// - Returns: `nil` if there are no guest routes, or if the event has something in a place for credentials.
  /// - Throws: `EventFlaw` if it is not an authorizer event.
  package init?(on event: [UInt8], settings: Settings) throws(EventFlaw) {
    let request = try AuthorizationRequest(parsing: event)
    guard let guest = settings.guest(of: request) else { return nil }
    let format = ResponseFormat(of: request.kind, settings.answers)
    let decision: Decision
    do throws(GuestObstacle) {
      decision = try settings.decision(on: guest, request, format)
      obstacle = nil
    } catch {
      decision = Decision(unauthorized: .missingToken, on: request.arn, format)
      switch error {
      case .notGranted: obstacle = Self.restriction(guest, settings)
      case .path: obstacle = .path
      case .tooLong: obstacle = .tooLong
      }
    }
    route = guest.method.routeText
    outcome = decision.outcome
    reason = decision.reason
    detail = decision.detail
  }

  /// Returns the rule that restricts a guest route; `nil` if no guest route names the requested one.
  private static func restriction(_ guest: Guest, _ settings: Settings) -> Obstacle? {
    let requested = guest.method.route
    guard let guests = settings.guests, guests.routes.contains(where: { $0.matches(requested) }),
      let rules = settings.rules
    else { return nil }
    return rules.rules.firstIndex { $0.routes.contains { $0.matches(requested) } }.map { .rule($0) }
  }
}

extension Route {
  /// Whether the route names a requested one, for a claim of any value.
  fileprivate func matches(_ requested: [UInt8]) -> Bool {
    widestPatterns.contains { RoutePattern.matches($0, requested) }
  }
}
