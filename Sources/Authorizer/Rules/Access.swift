/// What one token may reach on a stage. Depends on the token alone.
package struct Access: Equatable, Sendable {
  /// The answer for all other routes.
  let whenNoRule: AccessRules.Default
  /// Patterns after `…/stage/`: granted if the default denies, refused if the default allows.
  private(set) var patterns: [[UInt8]]
  /// Whether a route was left out because a claim of the token cannot be part of a path.
  let hasUnroutableClaim: Bool
  /// Patterns that are refused whatever is granted: a route whose ARN may be a path or the route's template, because a
  /// template could match more than the rules intend; for guests, the routes that rules restrict.
  var refusedPatterns: [[UInt8]] = []
  /// Whether the ARNs of this stage may contain templates of routes, so that what looks like one is refused.
  var refusesTemplates = false

  /// Paths that escape the folder they appear to be in: a server that resolves `..` would serve a path that no
  /// pattern names. No client has a reason to encode a dot (RFC 3986 section 2.3). An encoded `%` is a second
  /// encoding, which a server may decode again, and some servers end a path at an encoded NUL.
  package static let escapes: [[UInt8]] = ["*%00*", "*%25*", "*%2E*", "*%2e*", "*..*"].map { Array($0.utf8) }

  /// Templates of the routes of an HTTP API: a variable has braces, and the route `$default` has no path. AWS does not
  /// document whether `routeArn` contains the path or the template. These patterns are below the stage, which may be
  /// called `$default` too. The method of a route's key may be `ANY`, which no restriction of a verb matches and no grant
  /// names.
  package static let templates: [[UInt8]] = ["*$default*", "*{*", "ANY/*"].map { Array($0.utf8) }
  private static let escapesAndTemplates = escapes + templates
  /// The bytes of the longest pattern of both.
  private static let maximumFixedBytes = escapesAndTemplates.map { $0.count }.max() ?? 0

  /// Everything.
  static let wholeStage = Access(whenNoRule: .allow, patterns: [], hasUnroutableClaim: false)
  static let nothing = Access(whenNoRule: .deny, patterns: [], hasUnroutableClaim: false)

  /// Whether nothing is refused but templates of routes.
  var isWholeStage: Bool { whenNoRule == .allow && patterns.isEmpty && refusedPatterns.isEmpty }

  /// Whether escapes are refused. A grant without wildcards cannot contain one.
  var refusesEscapes: Bool {
    whenNoRule == .allow ? !patterns.isEmpty : patterns.contains { $0.contains(RoutePattern.wildcard) }
  }

  /// Patterns that are refused whatever the rules say.
  var refusals: [[UInt8]] {
    let fixed: [[UInt8]] =
      switch (refusesEscapes, refusesTemplates) {
      case (false, false): []
      case (true, false): Self.escapes
      case (false, true): Self.templates
      case (true, true): Self.escapesAndTemplates
      }
    // Without such patterns, as nearly always, no array is allocated.
    return refusedPatterns.isEmpty ? fixed : fixed + refusedPatterns
  }

  /// Whether this route may be reached. The same as IAM's result for the policy built from this value.
  func permits(_ route: [UInt8]) -> Bool {
    if refusals.contains(where: { RoutePattern.matches($0, route) }) { return false }
    return patterns.contains { RoutePattern.matches($0, route) } == (whenNoRule == .deny)
  }

  /// Whether a grant names this route and no rule restricts it, whatever its spelling. For guests, whose default is to
  /// deny.
  func grants(_ route: [UInt8]) -> Bool {
    patterns.contains { RoutePattern.matches($0, route) }
      && !refusedPatterns.contains { RoutePattern.matches($0, route) }
  }

  /// Grants one route in addition, under the default deny.
  mutating func grant(_ route: [UInt8]) { patterns.append(route) }

  /// Returns the access without the grants that are longer than the limit; `nil` if a restriction is too long, since
  /// a restriction must not be lost.
  func limited(toBytes limit: Int) -> (access: Access, isShorter: Bool)? {
    if refusesEscapes || refusesTemplates, limit < Self.maximumFixedBytes { return nil }
    if refusedPatterns.contains(where: { $0.count > limit }) { return nil }
    guard patterns.contains(where: { $0.count > limit }) else { return (self, false) }
    guard whenNoRule == .deny else { return nil }
    var rest = self
    rest.patterns = patterns.filter { $0.count <= limit }
    return (rest, true)
  }
}
