import JOSE
import JSON

/// The routes that accepted tokens may reach.
///
/// Built once at start: the patterns that do not depend on claims are sorted, deduplicated and compared there, not
/// per request.
package struct AccessRules: Sendable {
  /// The answer for a route that no rule names.
  package enum Default: String, CaseIterable, Sendable {
    /// Rules grant: a token reaches a route only through a rule that names it.
    case deny
    /// Rules restrict: a token reaches a route unless a rule that names it is unmet. Another spelling of the same
    /// path may match no rule.
    case allow
  }

  /// One rule as it was written.
  package struct Rule: Sendable {
    package let routes: [Route]
    package let requirement: Requirement
    /// The patterns of the tools of MCP that it grants, in UTF-8, in which `*` matches any run of bytes; empty if it
    /// names none. Likewise the URIs of resources and the names of prompts.
    package var tools: [[UInt8]] = []
    package var resources: [[UInt8]] = []
    package var prompts: [[UInt8]] = []
  }

  package let whenNoRule: Default
  package let rules: [Rule]
  /// The routes on which the headers of a request decide; `nil` if no rule names tools, resources or prompts.
  package let toolRoutes: ToolRoutes?
  private let fixed: FixedPatterns
  private let hasOwnership: Bool

  /// Routes of all rules together (our own limit; API Gateway has 300 routes an API by default).
  static let maximumRoutes = 100

  init(whenNoRule: Default, rules: [Rule]) {
    self.whenNoRule = whenNoRule
    self.rules = rules
    hasOwnership = rules.contains { $0.routes.contains { $0.isOwnership } }
    let toolRoutes = ToolRoutes(of: rules)
    self.toolRoutes = toolRoutes
    fixed = FixedPatterns(of: rules, except: toolRoutes)
  }

  /// Whether the rules decide by the path of the request, so that the ARN must contain it. If it contains the template
  /// `/{proxy+}` instead, a restriction of `/admin/*` never matches, an owner's route never matches either, and a grant
  /// with a wildcard matches without the `..` that the policy denies. A grant without wildcards names one path in both
  /// cases.
  var needsConcretePath: Bool { hasOwnership || whenNoRule == .allow || fixed.haveWildcards }

  /// Returns what this token may reach, independent of the requested route; nothing of tool routes.
  func access(for token: VerifiedToken, _ scopes: ScopeSet, at time: DecisionTime) -> Access {
    let unmet = rules.map { $0.requirement.isEmpty ? nil : $0.requirement.unmet(by: token, scopes, at: time) }
    var patterns = fixed.patterns { entry in
      entry.rules.contains { (unmet[$0] == nil) == (whenNoRule == .deny) }
    }
    var leftOut = false
    if hasOwnership {
      for (rule, reason) in zip(rules, unmet) where reason == nil {
        for route in rule.routes where route.isOwnership {
          let own = route.patterns(for: token.claims)
          if own.isEmpty { leftOut = true }
          for pattern in own where !patterns.contains(pattern) { patterns.append(pattern) }
        }
      }
    }
    return Access(whenNoRule: whenNoRule, patterns: patterns, hasUnroutableClaim: leftOut)
  }

  /// Returns why the token may not reach the route, the rule that refused it and the requirement it does not meet: those
  /// of the first unmet rule that names the route.
  func refusal(
    of route: [UInt8], _ token: VerifiedToken, _ scopes: ScopeSet, at time: DecisionTime
  ) -> (reason: ReasonCode, rule: Int?, unmet: Requirement?) {
    var unroutable: Int?
    for (index, rule) in rules.enumerated() {
      let named = rule.routes.filter { $0.widestPatterns.contains { RoutePattern.matches($0, route) } }
      guard !named.isEmpty else { continue }
      if let reason = rule.requirement.unmet(by: token, scopes, at: time) {
        return (reason, index, rule.requirement)
      }
      if named.contains(where: { $0.isOwnership && $0.patterns(for: token.claims).isEmpty }) {
        unroutable = unroutable ?? index
      }
    }
    return (unroutable == nil ? .noRule : .claimNotRoutable, unroutable, nil)
  }
}
