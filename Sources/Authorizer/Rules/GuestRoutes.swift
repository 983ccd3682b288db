/// `"anonymous"`: the routes that callers without a token may reach.
///
/// Built once at start. What guests may reach depends on the configuration alone. A class, because the settings are
/// copied for each event.
final class GuestRoutes: Sendable {
  /// The routes as written.
  let routes: [Route]
  /// What guests may reach on a stage: these routes without those that rules restrict, since a guest meets no
  /// requirement.
  let access: Access
  /// Whether the ARN must contain the path of the request and not the template of its route.
  let needsConcretePath: Bool

  /// Our own limit, as for the routes of rules.
  static let maximumRoutes = 100

  /// - Parameters:
  ///   - routes: at least one; none contains a claim.
  ///   - rules: the rules for callers with a token. Under the default allow they restrict guests too. Under the
  ///     default deny they grant, and grant guests nothing.
  init(_ routes: [Route], restrictedBy rules: AccessRules?) {
    self.routes = routes
    let granted = FixedPatterns(of: [AccessRules.Rule(routes: routes, requirement: Requirement())])
    let restricts = rules?.whenNoRule == .allow
    var access = Access(
      whenNoRule: .deny, patterns: Self.widest(granted), hasUnroutableClaim: false)
    if restricts, let rules { access.refusedPatterns = Self.widest(FixedPatterns(of: rules.rules)) }
    self.access = access
    needsConcretePath = restricts || granted.haveWildcards
  }

  /// Whether guests may reach a route: verb and path, or `$connect`.
  func permits(_ route: [UInt8]) -> Bool {
    access.permits(route) && !DotSegments.occur(in: route)
  }

  /// The patterns without those that another one covers.
  private static func widest(_ patterns: FixedPatterns) -> [[UInt8]] {
    var widest: [[UInt8]] = []
    for entry in patterns.entries where entry.wider.isEmpty { widest.append(entry.pattern) }
    return widest
  }
}
