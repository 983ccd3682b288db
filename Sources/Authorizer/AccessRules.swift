import JOSE
import JSON

/// What good tokens may reach, by route.
///
/// Read once at start; what no claim can change is sorted, made unique and compared there, not per request.
struct AccessRules: Sendable {
  /// What holds for a route that no rule names.
  enum Default: String, CaseIterable, Sendable {
    /// Rules grant: a route is reached by a rule that names it.
    case deny
    /// Rules restrict: a route is reached unless a rule that names it is unmet. Another spelling of the same path may not
    /// be named.
    case allow
  }

  /// One rule as it was written.
  struct Rule: Sendable {
    let routes: [Route]
    let requirement: Requirement
  }

  let whenNoRule: Default
  let rules: [Rule]
  private let fixed: FixedPatterns
  private let hasOwnership: Bool

  /// Routes of all rules together (our own limit; API Gateway has 300 routes an API by default).
  static let maximumRoutes = 100

  init(whenNoRule: Default, rules: [Rule]) {
    self.whenNoRule = whenNoRule
    self.rules = rules
    hasOwnership = rules.contains { $0.routes.contains { $0.isOwnership } }
    fixed = FixedPatterns(of: rules)
  }

  /// Whether the ARN must be known to hold the path of the request. Where it holds the template `/{proxy+}`, a restriction
  /// of `/admin/*` never matches, an owner's route neither, and a grant with a wildcard matches without the `..` that the
  /// policy denies. Grants without wildcards name one path in either case.
  var needsConcretePath: Bool { hasOwnership || whenNoRule == .allow || fixed.haveWildcards }

  /// What this token may reach, whichever route is asked.
  func access(for token: VerifiedToken, _ scopes: ScopeSet) -> Access {
    let unmet = rules.map { $0.requirement.isEmpty ? nil : $0.requirement.unmet(by: token, scopes) }
    var inForce = [Bool](repeating: false, count: fixed.entries.count)
    for (index, entry) in fixed.entries.enumerated() {
      inForce[index] = entry.rules.contains { (unmet[$0] == nil) == (whenNoRule == .deny) }
    }
    var patterns: [[UInt8]] = []
    for (index, entry) in fixed.entries.enumerated() where inForce[index] {
      if !entry.wider.contains(where: { inForce[$0] }) { patterns.append(entry.pattern) }
    }
    var leftOut = false
    if hasOwnership {
      for (index, rule) in rules.enumerated() where unmet[index] == nil {
        for route in rule.routes where route.isOwnership {
          let own = route.patterns(for: token.claims)
          if own.isEmpty { leftOut = true }
          for pattern in own where !patterns.contains(pattern) { patterns.append(pattern) }
        }
      }
    }
    return Access(whenNoRule: whenNoRule, patterns: patterns, hasUnroutableClaim: leftOut)
  }

  /// Why a token that may not reach a route may not: the first rule that names it says so.
  func reason(for route: [UInt8], _ token: VerifiedToken, _ scopes: ScopeSet) -> ReasonCode {
    var isUnroutable = false
    for rule in rules {
      let named = rule.routes.filter { $0.widestPatterns.contains { RoutePattern.matches($0, route) } }
      guard !named.isEmpty else { continue }
      if let reason = rule.requirement.unmet(by: token, scopes) { return reason }
      if named.contains(where: { $0.isOwnership && $0.patterns(for: token.claims).isEmpty }) {
        isUnroutable = true
      }
    }
    return isUnroutable ? .claimNotRoutable : .noRule
  }
}

/// What one token may reach on a stage: a function of the token alone.
struct Access: Equatable, Sendable {
  /// What holds for all other routes.
  let whenNoRule: AccessRules.Default
  /// Patterns after `…/stage/`: granted where the default denies, refused where it allows.
  private(set) var patterns: [[UInt8]]
  /// Whether a route was left out because a claim of the token cannot stand in a path.
  let hasUnroutableClaim: Bool

  /// Paths that leave the folder they seem to be in: a server that resolves `..` would serve what no pattern names. RFC 3986
  /// section 2.3: no client has a reason to encode a dot. An encoded `%` is a second encoding, which a server may decode
  /// once more, and an encoded NUL ends a path in some.
  static let escapes: [[UInt8]] = ["*%00*", "*%25*", "*%2E*", "*%2e*", "*..*"].map { Array($0.utf8) }

  /// Everything.
  static let wholeStage = Access(whenNoRule: .allow, patterns: [], hasUnroutableClaim: false)
  /// Nothing.
  static let nothing = Access(whenNoRule: .deny, patterns: [], hasUnroutableClaim: false)

  /// Whether nothing is refused.
  var isWholeStage: Bool { whenNoRule == .allow && patterns.isEmpty }

  /// Whether escapes are refused: a grant without wildcards cannot hold one.
  var refusesEscapes: Bool {
    whenNoRule == .allow ? !patterns.isEmpty : patterns.contains { $0.contains(RoutePattern.wildcard) }
  }

  /// Whether this route may be reached; IAM's answer to the policy that is made of this.
  func permits(_ route: [UInt8]) -> Bool {
    if refusesEscapes, Self.escapes.contains(where: { RoutePattern.matches($0, route) }) { return false }
    return patterns.contains { RoutePattern.matches($0, route) } == (whenNoRule == .deny)
  }

  /// Without the grants that are longer than this; `nil` where a refusal is, which must not be lost.
  func limited(toBytes limit: Int) -> (access: Access, isShorter: Bool)? {
    guard patterns.contains(where: { $0.count > limit }) else { return (self, false) }
    guard whenNoRule == .deny else { return nil }
    var rest = self
    rest.patterns = patterns.filter { $0.count <= limit }
    return (rest, true)
  }
}
