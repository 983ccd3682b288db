import JOSE

// The scope that a forbidden caller lacks. Its text comes from the configuration, never from the token.

extension Requirement {
  /// Returns the first required scope that the token lacks; `nil` if it has all.
  func missingScope(_ held: ScopeSet) -> [UInt8]? { scopes.first { !held.contains($0) } }
}

extension AccessRules {
  /// Returns the missing scope of a route refused as `insufficientScope`: of the first unmet rule that names the
  /// route.
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
