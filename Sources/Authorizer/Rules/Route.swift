import Bytes
package import JOSE
import JSON

/// A route of a rule: `GET /public/*`, `* /users/${sub}`, `GET /users/{id}` or `$connect`.
///
/// Converted to IAM patterns, in which `*` also matches `/`. The verb `*` is therefore expanded: `stage/*/users/u1`
/// would also match `GET /admin/users/u1`.
package struct Route: Equatable, Sendable {
  /// The route as written.
  package let text: String
  /// One verb or all seven; none for `$connect`, whose ARN has no verb.
  package let verbs: [String]
  package let path: [Piece]
  /// Whether the route ends with `/*`, which also covers the parent path; API Gateway's `{id}` and `{proxy+}` do not.
  package let coversParent: Bool

  /// A part of a path.
  package enum Piece: Equatable, Sendable {
    case literal([UInt8])
    /// Any run of characters, `/` included (AWS IAM, "Policy elements: Resource").
    case wildcard
    /// The value of a claim; its segment contains nothing else except literal text before it.
    case claim(ClaimPath)
  }

  /// The verbs of API Gateway's `ANY`.
  package static let allVerbs = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]
  /// The length of the shortest possible `arn:aws:execute-api:…/stage/`. A longer path never fits into a `Resource`.
  package static let shortestStagePrefixBytes = "arn:aws:execute-api:us-east-1:123456789012:a/s/".utf8.count

  /// Whether the route contains a claim of the token.
  package var isOwnership: Bool {
    path.contains {
      if case .claim = $0 { true } else { false }
    }
  }

  /// The path, if it is a single one: without wildcards, variables and claims.
  var literalPath: [UInt8]? {
    guard !isConnect, path.count == 1, case .literal(let text)? = path.first else { return nil }
    return text
  }

  /// Whether this is the `$connect` route of a WebSocket API.
  package var isConnect: Bool { verbs.isEmpty }

  /// Returns the patterns after `…/stage/`: one for each verb, and one more for each if the route ends with `/*`.
  /// Empty if a claim of the token cannot be part of a path.
  func patterns(for claims: JSONValue) -> [[UInt8]] {
    var bytes: [UInt8] = []
    for piece in path {
      switch piece {
      case .literal(let text): bytes += text
      case .wildcard: bytes.append(RoutePattern.wildcard)
      case .claim(let claim):
        guard let value = Self.routable(claim.value(in: claims)) else { return [] }
        bytes += value
      }
    }
    return patterns(bytes)
  }

  /// The patterns with `*` in place of claims: every path that the route could match for any token.
  package var widestPatterns: [[UInt8]] { patterns(widestPath) }

  private var widestPath: [UInt8] {
    var bytes: [UInt8] = []
    for piece in path {
      if case .literal(let text) = piece { bytes += text } else { bytes.append(RoutePattern.wildcard) }
    }
    return bytes
  }

  /// Whether this route alone certainly matches all that the other one matches, for every token. May be false for two
  /// routes whose claims or wildcards only happen to match the same paths.
  func covers(_ other: Route) -> Bool {
    guard isConnect == other.isConnect,
      verbs.count == Self.allVerbs.count || other.verbs.allSatisfy({ verbs.contains($0) })
    else { return false }
    if isOwnership { return path == other.path && (coversParent || !other.coversParent) }
    let own = widestPaths
    return other.widestPaths.allSatisfy { wanted in own.contains { RoutePattern.matches($0, wanted) } }
  }

  /// Whether some request matches both routes, for claims of any value.
  func meets(_ other: Route) -> Bool {
    guard isConnect == other.isConnect, isConnect || verbs.contains(where: { other.verbs.contains($0) })
    else { return false }
    let others = other.widestPaths
    return widestPaths.contains { path in others.contains { RoutePattern.meet(path, $0) } }
  }

  /// Whether a wildcard, variable or claim of this route matches a path, what is above it or what is below it, by whole
  /// segments and whatever the verb; or whether it is another spelling of the path. Many servers ignore letter case,
  /// empty segments and a slash at the end, and decode `%6D`.
  func spans(_ path: [UInt8]) -> Bool {
    guard !isConnect else { return false }
    let folded = Self.folded(path)
    if let literalPath { return literalPath != path && Self.folded(literalPath) == folded }
    let places = Self.placesAround(path) + Self.placesAround(folded)
    return widestPaths.contains { own in
      let other = Self.folded(own)
      return places.contains { RoutePattern.meet(own, $0) || RoutePattern.meet(other, $0) }
    }
  }

  /// Returns a path, each that is above it, and a pattern for all below it.
  private static func placesAround(_ path: [UInt8]) -> [[UInt8]] {
    var above = path
    if above.last == .slash { above.removeLast() }
    var places = [above + [.slash, RoutePattern.wildcard]]
    while let slash = above.lastIndex(of: .slash) {
      places.append(above)
      above.removeSubrange(slash...)
    }
    return places
  }

  /// Returns a path or pattern percent-decoded, in lower case and without empty segments.
  private static func folded(_ path: [UInt8]) -> [UInt8] {
    DotSegments.decoded(path).lowercase.split(separator: .slash).flatMap { [.slash] + $0 }
  }

  /// The widest patterns without the verb.
  private var widestPaths: [[UInt8]] {
    let path = widestPath
    return coversParent ? [path, Array(path.dropLast(2))] : [path]
  }

  private func patterns(_ path: [UInt8]) -> [[UInt8]] {
    guard !isConnect else { return [path] }
    var patterns: [[UInt8]] = []
    for verb in verbs {
      patterns.append(Array(verb.utf8) + path)
      if coversParent { patterns.append(Array(verb.utf8) + path.dropLast(2)) }
    }
    return patterns
  }

  /// Returns a claim's value as one path segment: letters, digits, `.`, `_`, `~`, `-` (RFC 3986 section 2.3,
  /// unreserved). `nil` for `.`, which servers remove, and for two dots in a row, which every policy with wildcards
  /// denies.
  private static func routable(_ value: JSONValue?) -> [UInt8]? {
    value?.utf8.flatMap { isRoutable($0) ? $0 : nil }
  }

  /// Whether a claim with this value can be part of a path.
  package static func isRoutable(_ bytes: [UInt8]) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy(isUnreserved) && !bytes.elementsEqual(".".utf8) && !hasTwoDots(bytes)
  }

  static func hasTwoDots(_ bytes: some Collection<UInt8>) -> Bool {
    zip(bytes, bytes.dropFirst()).contains { $0 == .dot && $1 == .dot }
  }

  static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
    default: false
    }
  }
}
