import Bytes

/// `"anonymous"`: the routes that callers without a token may reach.
///
/// Built once at start. What guests may reach depends on the configuration alone. A class, because the settings are
/// copied for each event.
package final class GuestRoutes: Sendable {
  /// The routes as written.
  package let routes: [Route]
  /// What guests may reach on a stage: these routes without those that rules restrict, since a guest meets no
  /// requirement.
  private let paths: Access
  /// What the guests of a WebSocket API may reach. Its answers have a maximum size, so they do not name paths.
  private let connect: Access
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
    let granted = FixedPatterns(of: routes.filter { !$0.isConnect })
    let restricts = rules?.whenNoRule == .allow
    var paths = Access(whenNoRule: .deny, patterns: granted.patterns { _ in true }, hasUnroutableClaim: false)
    var isConnectRestricted = false
    if restricts, let rules {
      paths.refusedPatterns = FixedPatterns(of: rules.rules).patterns { _ in true }
      isConnectRestricted = rules.rules.contains { $0.routes.contains { $0.isConnect } }
    }
    self.paths = paths
    let opensConnect = !isConnectRestricted && routes.contains { $0.isConnect }
    connect =
      opensConnect
      ? Access(whenNoRule: .deny, patterns: [Array("$connect".utf8)], hasUnroutableClaim: false) : .nothing
    needsConcretePath = restricts || granted.haveWildcards
  }

  /// What a guest may reach on the API of this request.
  func access(on arn: MethodARN) -> Access { arn.isConnectRoute ? connect : paths }
}
