import JOSE
import JSON

/// The routes that accepted tokens may reach.
///
/// Built once at start: the patterns that do not depend on claims are sorted, deduplicated and compared there, not
/// per request.
struct AccessRules: Sendable {
  /// The answer for a route that no rule names.
  enum Default: String, CaseIterable, Sendable {
    /// Rules grant: a token reaches a route only through a rule that names it.
    case deny
    /// Rules restrict: a token reaches a route unless a rule that names it is unmet. Another spelling of the same
    /// path may match no rule.
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

  /// Whether the ARN must contain the path of the request. If it contains the template `/{proxy+}` instead, a
  /// restriction of `/admin/*` never matches, an owner's route never matches either, and a grant with a wildcard
  /// matches without the `..` that the policy denies. A grant without wildcards names one path in both cases.
  var needsConcretePath: Bool { hasOwnership || whenNoRule == .allow || fixed.haveWildcards }

  /// Returns what this token may reach, independent of the requested route.
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

  /// Returns why the token may not reach the route: the reason of the first rule that names the route.
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

/// What one token may reach on a stage. Depends on the token alone.
struct Access: Equatable, Sendable {
  /// The answer for all other routes.
  let whenNoRule: AccessRules.Default
  /// Patterns after `…/stage/`: granted if the default denies, refused if the default allows.
  private(set) var patterns: [[UInt8]]
  /// Whether a route was left out because a claim of the token cannot be part of a path.
  let hasUnroutableClaim: Bool
  /// A route whose ARN may be a path or the route's template. It is refused, because a template could match more than
  /// the rules intend.
  var ambiguousRoute: [UInt8]?

  /// Paths that escape the folder they appear to be in: a server that resolves `..` would serve a path that no
  /// pattern names. No client has a reason to encode a dot (RFC 3986 section 2.3). An encoded `%` is a second
  /// encoding, which a server may decode again, and some servers end a path at an encoded NUL.
  static let escapes: [[UInt8]] = ["*%00*", "*%25*", "*%2E*", "*%2e*", "*..*"].map { Array($0.utf8) }

  /// Everything.
  static let wholeStage = Access(whenNoRule: .allow, patterns: [], hasUnroutableClaim: false)
  /// Nothing.
  static let nothing = Access(whenNoRule: .deny, patterns: [], hasUnroutableClaim: false)

  /// Whether nothing is refused.
  var isWholeStage: Bool { whenNoRule == .allow && patterns.isEmpty && ambiguousRoute == nil }

  /// Whether escapes are refused. A grant without wildcards cannot contain one.
  var refusesEscapes: Bool {
    whenNoRule == .allow ? !patterns.isEmpty : patterns.contains { $0.contains(RoutePattern.wildcard) }
  }

  /// Patterns that are refused whatever the rules say.
  var refusals: [[UInt8]] {
    let escapes = refusesEscapes ? Self.escapes : []
    // Without such a route, as nearly always, no array is allocated.
    guard let ambiguousRoute else { return escapes }
    return escapes + [ambiguousRoute]
  }

  /// Whether this route may be reached. The same as IAM's result for the policy built from this value.
  func permits(_ route: [UInt8]) -> Bool {
    if refusals.contains(where: { RoutePattern.matches($0, route) }) { return false }
    return patterns.contains { RoutePattern.matches($0, route) } == (whenNoRule == .deny)
  }

  /// Returns the access without the grants that are longer than the limit; `nil` if a restriction is too long, since
  /// a restriction must not be lost.
  func limited(toBytes limit: Int) -> (access: Access, isShorter: Bool)? {
    if let ambiguousRoute, ambiguousRoute.count > limit { return nil }
    guard patterns.contains(where: { $0.count > limit }) else { return (self, false) }
    guard whenNoRule == .deny else { return nil }
    var rest = self
    rest.patterns = patterns.filter { $0.count <= limit }
    return (rest, true)
  }
}
