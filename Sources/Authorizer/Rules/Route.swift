import JOSE
import JSON

/// A route of a rule: `GET /public/*`, `* /users/${sub}`, `GET /users/{id}` or `$connect`.
///
/// Converted to IAM patterns, in which `*` also matches `/`. The verb `*` is therefore expanded: `stage/*/users/u1`
/// would also match `GET /admin/users/u1`.
struct Route: Equatable, Sendable {
  /// The route as written.
  let text: String
  /// One verb or all seven; none for `$connect`, whose ARN has no verb.
  let verbs: [String]
  private let path: [Piece]
  /// Whether the route ends with `/*`, which also covers the parent path; API Gateway's `{id}` and `{proxy+}` do not.
  private let coversParent: Bool

  /// A part of a path.
  private enum Piece: Equatable, Sendable {
    case literal([UInt8])
    /// Any run of characters, `/` included (AWS IAM, "Policy elements: Resource").
    case wildcard
    /// The value of a claim; its segment contains nothing else except literal text before it.
    case claim(ClaimPath)
  }

  /// The verbs of API Gateway's `ANY`.
  static let allVerbs = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]
  /// The length of the shortest possible `arn:aws:execute-api:…/stage/`. A longer path never fits into a `Resource`.
  static let shortestStagePrefixBytes = "arn:aws:execute-api:us-east-1:123456789012:a/s/".utf8.count

  /// Whether the route contains a claim of the token.
  var isOwnership: Bool {
    path.contains {
      if case .claim = $0 { true } else { false }
    }
  }

  /// Whether this is the `$connect` route of a WebSocket API.
  var isConnect: Bool { verbs.isEmpty }

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

  /// The patterns with `*` in patternIndex of claims: every path that the route could match for any token.
  var widestPatterns: [[UInt8]] { patterns(widestPath) }

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
    guard let bytes = value?.utf8, !bytes.isEmpty, bytes.allSatisfy(isUnreserved),
      !bytes.elementsEqual(".".utf8), !hasTwoDots(bytes)
    else { return nil }
    return bytes
  }

  fileprivate static func hasTwoDots(_ bytes: some Collection<UInt8>) -> Bool {
    zip(bytes, bytes.dropFirst()).contains { $0 == 0x2E && $1 == 0x2E }
  }

  fileprivate static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
    default: false
    }
  }
}

/// Why a text is not a route.
struct RouteFlaw: Error, Equatable {
  /// Lower case, with what to write instead.
  let description: String

  init(_ description: String) { self.description = description }
}

extension Route {
  /// Parses a route.
  ///
  /// - Throws: `RouteFlaw` if it could never match, or could match more than its author expects.
  init(parsing text: String) throws(RouteFlaw) {
    let bytes = Array(text.utf8)
    if bytes.elementsEqual("$connect".utf8) {
      self.init(text: text, verbs: [], path: [.literal(bytes)], coversParent: false)
      return
    }
    guard let blank = bytes.firstIndex(of: 0x20), blank + 1 < bytes.count, bytes[blank + 1] == 0x2F else {
      throw RouteFlaw(
        "a verb, one blank and a path that begins with / is expected, such as GET /users/*, or $connect")
    }
    let verb = String(decoding: bytes[..<blank], as: UTF8.self)
    let verbs: [String]
    switch verb {
    case "*", "ANY": verbs = Self.allVerbs
    case _ where Self.allVerbs.contains(verb): verbs = [verb]
    default:
      throw RouteFlaw("the verb is one of \(Self.allVerbs.joined(separator: ", ")), or * for all of them")
    }
    let path = bytes[(blank + 1)...]
    let segments = path.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
    var pieces: [Piece] = []
    for (index, segment) in segments.enumerated() {
      Self.append(.literal([0x2F]), to: &pieces)
      guard !segment.isEmpty || index == segments.count - 1 else { throw RouteFlaw("an empty segment") }
      try Self.append(segment, to: &pieces)
    }
    let isOpen = segments.last?.allSatisfy { $0 == RoutePattern.wildcard } ?? false
    self.init(
      text: text, verbs: verbs, path: pieces,
      coversParent: isOpen && segments.count > 1 && segments.last?.isEmpty == false)
    let longest = widestPatterns.map { $0.count }.max() ?? 0
    guard longest + Self.shortestStagePrefixBytes <= Policy.maximumResourceBytes else {
      throw RouteFlaw("longer than a Resource of a policy may be (\(Policy.maximumResourceBytes) characters)")
    }
  }

  private static func append(_ segment: ArraySlice<UInt8>, to pieces: inout [Piece]) throws(RouteFlaw) {
    var rest = segment
    var claims = 0
    var wildcards = 0
    while let byte = rest.first {
      if byte == 0x24, rest.dropFirst().first == 0x7B {
        append(.claim(try claim(&rest)), to: &pieces)
        claims += 1
        // With text after a claim, one user's identifier could end in another's.
        guard rest.isEmpty else { throw RouteFlaw("a ${claim} must end its segment") }
      } else if byte == 0x2A {
        rest.removeFirst()
        wildcards += 1
        append(.wildcard, to: &pieces)
      } else if byte == 0x7B {
        try skipVariable(&rest)
        wildcards += 1
        append(.wildcard, to: &pieces)
      } else {
        guard isLiteral(byte) else { throw RouteFlaw(illegal(byte)) }
        guard byte != 0x25 || isEscape(rest) else {
          throw RouteFlaw(
            "% needs two hexadecimal digits and must not encode a dot, a percent sign (%25) or NUL (%00)"
          )
        }
        rest.removeFirst()
        append(.literal([byte]), to: &pieces)
      }
    }
    guard !segment.elementsEqual(".".utf8), !hasTwoDots(segment) else {
      throw RouteFlaw(
        "servers remove the segments . and .. before routing, and two dots are always refused")
    }
    guard claims == 0 || wildcards == 0 else {
      throw RouteFlaw(
        "a ${claim} must not share its segment with a wildcard: it would also match other values")
    }
  }

  private static func append(_ piece: Piece, to pieces: inout [Piece]) {
    switch (pieces.last, piece) {
    case (.literal(let text), .literal(let more)): pieces[pieces.count - 1] = .literal(text + more)
    case (.wildcard, .wildcard): break
    default: pieces.append(piece)
    }
  }

  private static func claim(_ rest: inout ArraySlice<UInt8>) throws(RouteFlaw) -> ClaimPath {
    guard let end = rest.firstIndex(of: 0x7D),
      let path = ClaimPath(String(decoding: rest[(rest.startIndex + 2)..<end], as: UTF8.self))
    else { throw RouteFlaw("${ needs the name of a claim and a closing brace") }
    rest = rest[(end + 1)...]
    return path
  }

  /// Skips `{id}` or `{proxy+}` of API Gateway.
  private static func skipVariable(_ rest: inout ArraySlice<UInt8>) throws(RouteFlaw) {
    guard let end = rest.firstIndex(of: 0x7D) else { throw RouteFlaw("{ needs a name and a closing brace") }
    var name = rest[(rest.startIndex + 1)..<end]
    if name.last == 0x2B { name.removeLast() }
    guard !name.isEmpty, name.allSatisfy(isUnreserved) else {
      throw RouteFlaw("{ needs a name and a closing brace; a claim is written ${name}")
    }
    rest = rest[(end + 1)...]
  }

  /// RFC 3986 section 3.3 without `*`, which is a wildcard: unreserved, percent, sub-delims, colon and at.
  private static func isLiteral(_ byte: UInt8) -> Bool {
    isUnreserved(byte) || "%!$&'()+,;=:@".utf8.contains(byte)
  }

  /// Whether this is a percent sign and two digits (RFC 3986 section 2.1) that policies with wildcards allow: not an
  /// encoded dot, percent sign or NUL.
  private static func isEscape(_ bytes: ArraySlice<UInt8>) -> Bool {
    let digits = bytes.dropFirst().prefix(2)
    let isHexadecimal = digits.allSatisfy { 0x30...0x39 ~= $0 || 0x41...0x46 ~= $0 || 0x61...0x66 ~= $0 }
    let isDenied = ["2e", "2E", "25", "00"].contains { digits.elementsEqual($0.utf8) }
    return digits.count == 2 && isHexadecimal && !isDenied
  }

  private static func illegal(_ byte: UInt8) -> String {
    switch byte {
    case 0x3F: "a ? matches any character in a policy, and a path has no query"
    case 0x80...: "a path is ASCII; percent-encode other characters"
    default: "a character that is not allowed in a path"
    }
  }
}

/// IAM patterns without `?`: `*` matches any run of bytes, including an empty one, and also matches `/`.
enum RoutePattern {
  /// The byte `*`.
  static let wildcard: UInt8 = 0x2A

  /// Whether the whole text matches the pattern. Needs no extra memory and at most pattern × text steps.
  static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
    var patternIndex = 0
    var index = 0
    var star: (patternIndex: Int, index: Int)?
    while index < text.count {
      if patternIndex < pattern.count, pattern[patternIndex] == wildcard {
        star = (patternIndex, index)
        patternIndex += 1
      } else if patternIndex < pattern.count, pattern[patternIndex] == text[index] {
        patternIndex += 1
        index += 1
      } else if let last = star {
        star = (last.patternIndex, last.index + 1)
        patternIndex = last.patternIndex + 1
        index = last.index + 1
      } else {
        return false
      }
    }
    while patternIndex < pattern.count, pattern[patternIndex] == wildcard { patternIndex += 1 }
    return patternIndex == pattern.count
  }
}
