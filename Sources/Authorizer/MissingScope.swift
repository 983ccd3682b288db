import JOSE

// Which scope a forbidden caller lacks. It is a word of the configuration, never one of the token.

extension Requirement {
  /// The first scope that is asked for and not held; `nil` where all are.
  func missingScope(_ held: ScopeSet) -> [UInt8]? { scopes.first { !held.contains($0) } }
}

extension AccessRules {
  /// The scope for whose lack a route is refused as `insufficientScope`: of the first rule that names the route and is unmet.
  func missingScope(for route: [UInt8], _ token: VerifiedToken, _ scopes: ScopeSet) -> [UInt8]? {
    for rule in rules {
      let isNamed = rule.routes.contains {
        $0.widestPatterns.contains { RoutePattern.matches($0, route) }
      }
      guard isNamed, rule.requirement.unmet(by: token, scopes) != nil else { continue }
      return rule.requirement.missingScope(scopes)
    }
    return nil
  }
}
