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
  private let fixed: [FixedPattern]
  private let hasOwnership: Bool

  /// A pattern without claims and what it has to do with others.
  private struct FixedPattern: Sendable {
    let pattern: [UInt8]
    /// The rules that have it.
    var rules: [Int]
    /// Wider patterns, which make this one needless.
    var wider: [Int] = []
  }

  /// Routes of all rules together (our own limit; API Gateway has 300 routes an API by default).
  static let maximumRoutes = 100

  init(whenNoRule: Default, rules: [Rule]) {
    self.whenNoRule = whenNoRule
    self.rules = rules
    hasOwnership = rules.contains { $0.routes.contains { $0.isOwnership } }
    var fixed: [FixedPattern] = []
    for (index, rule) in rules.enumerated() {
      for route in rule.routes where !route.isOwnership {
        for pattern in route.widestPatterns {
          if let place = fixed.firstIndex(where: { $0.pattern == pattern }) {
            if !fixed[place].rules.contains(index) { fixed[place].rules.append(index) }
          } else {
            fixed.append(FixedPattern(pattern: pattern, rules: [index]))
          }
        }
      }
    }
    fixed.sort { $0.pattern.lexicographicallyPrecedes($1.pattern) }
    for index in fixed.indices {
      fixed[index].wider = fixed.indices.filter {
        $0 != index && RoutePattern.matches(fixed[$0].pattern, fixed[index].pattern)
      }
    }
    self.fixed = fixed
  }

  /// Whether the path of the request must be known: a route of an owner needs it to be right, and a restriction needs it
  /// to hold. `/admin/*` would never match an ARN that holds the template `/{proxy+}`. A grant that does not match denies.
  var needsConcretePath: Bool { hasOwnership || whenNoRule == .allow }

  /// What this token may reach, whichever route is asked.
  func access(for token: VerifiedToken, _ scopes: ScopeSet) -> Access {
    let unmet = rules.map { $0.requirement.isEmpty ? nil : $0.requirement.unmet(by: token, scopes) }
    var inForce = [Bool](repeating: false, count: fixed.count)
    for (index, pattern) in fixed.enumerated() {
      inForce[index] = pattern.rules.contains { (unmet[$0] == nil) == (whenNoRule == .deny) }
    }
    var patterns: [[UInt8]] = []
    for (index, pattern) in fixed.enumerated() where inForce[index] {
      if !pattern.wider.contains(where: { inForce[$0] }) { patterns.append(pattern.pattern) }
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
  /// section 2.3: no client has a reason to encode a dot.
  static let escapes: [[UInt8]] = [Array("*%2E*".utf8), Array("*%2e*".utf8), Array("*..*".utf8)]

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
