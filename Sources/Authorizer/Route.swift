import JOSE
import JSON

/// A route of a rule: `GET /public/*`, `* /users/${sub}`, `GET /users/{id}` or `$connect`.
///
/// Turned into patterns of IAM, whose `*` crosses `/`. So the verb `*` is always written out: `stage/*/users/u1` would
/// reach `GET /admin/users/u1` as well.
struct Route: Equatable, Sendable {
  /// The route as it was written.
  let text: String
  /// One, or all seven; none for `$connect`, whose ARN has no verb.
  let verbs: [String]
  private let path: [Piece]
  /// Whether the route ends with `/*`, which means the path without it too; API Gateway's `{id}` and `{proxy+}` do not.
  private let coversParent: Bool

  /// What a path is made of.
  private enum Piece: Equatable, Sendable {
    case literal([UInt8])
    /// Any run of characters, `/` included (AWS IAM, "Policy elements: Resource").
    case wildcard
    /// The value of a claim, alone in its segment but for literal text before it.
    case claim(ClaimPath)
  }

  /// The verbs of API Gateway's `ANY`.
  static let allVerbs = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]
  /// The shortest `arn:aws:execute-api:…/stage/` there can be: what is longer than the rest of a `Resource` never fits.
  static let shortestStagePrefixBytes = "arn:aws:execute-api:us-east-1:123456789012:a/s/".utf8.count

  /// Whether the route names a claim of its token.
  var isOwnership: Bool {
    path.contains {
      if case .claim = $0 { true } else { false }
    }
  }

  /// Whether this is the connection of a WebSocket API.
  var isConnect: Bool { verbs.isEmpty }

  /// Patterns after `…/stage/`: one for each verb, and one more for each where the route ends with `/*`. Empty where a claim of the token cannot stand in a path.
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

  /// Patterns with `*` in the place of claims: every path that the route might mean for some token.
  var widestPatterns: [[UInt8]] {
    var bytes: [UInt8] = []
    for piece in path {
      if case .literal(let text) = piece { bytes += text } else { bytes.append(RoutePattern.wildcard) }
    }
    return patterns(bytes)
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

  /// A claim's value as one segment of a path: letters, digits, `.`, `_`, `~`, `-` (RFC 3986 section 2.3, unreserved), not
  /// `.`, which servers take away, and no two dots in a row, which every policy with wildcards refuses.
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

/// Why a text is no route.
struct RouteFlaw: Error, Equatable {
  /// In lower case, with what to write instead.
  let description: String

  init(_ description: String) { self.description = description }
}

extension Route {
  /// Reads a route.
  ///
  /// - Throws: `RouteFlaw` where it could never match, or could match more than its author can see.
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
        // Text after a claim would let one user's identifier end in another's.
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
            "% needs two hexadecimal digits, and a dot is never encoded, nor a percent sign (%25), nor NUL (%00)"
          )
        }
        rest.removeFirst()
        append(.literal([byte]), to: &pieces)
      }
    }
    guard !segment.elementsEqual(".".utf8), !hasTwoDots(segment) else {
      throw RouteFlaw(
        "the segments . and .. are taken away before a route is chosen, and two dots are always refused")
    }
    guard claims == 0 || wildcards == 0 else {
      throw RouteFlaw("a ${claim} shares its segment with a wildcard, so it would reach other values too")
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

  /// `{id}` and `{proxy+}` of API Gateway.
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

  /// Percent and two digits (RFC 3986 section 2.1), which every policy with wildcards lets pass: not those of a dot, a
  /// percent sign or NUL.
  private static func isEscape(_ bytes: ArraySlice<UInt8>) -> Bool {
    let digits = bytes.dropFirst().prefix(2)
    let isHexadecimal = digits.allSatisfy { 0x30...0x39 ~= $0 || 0x41...0x46 ~= $0 || 0x61...0x66 ~= $0 }
    let isDenied = ["2e", "2E", "25", "00"].contains { digits.elementsEqual($0.utf8) }
    return digits.count == 2 && isHexadecimal && !isDenied
  }

  private static func illegal(_ byte: UInt8) -> String {
    switch byte {
    case 0x3F: "a ? stands for any character in a policy, and a path holds no query"
    case 0x80...: "a path is written in ASCII; other characters percent-encoded"
    default: "a character that no path holds"
    }
  }
}

/// Patterns of IAM without `?`: `*` matches any run of bytes, also an empty one, and crosses `/`.
enum RoutePattern {
  /// The byte `*`.
  static let wildcard: UInt8 = 0x2A

  /// Whether the whole text fits the pattern; in linear space, in at most pattern × text steps.
  static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
    var place = 0
    var index = 0
    var star: (place: Int, index: Int)?
    while index < text.count {
      if place < pattern.count, pattern[place] == wildcard {
        star = (place, index)
        place += 1
      } else if place < pattern.count, pattern[place] == text[index] {
        place += 1
        index += 1
      } else if let last = star {
        star = (last.place, last.index + 1)
        place = last.place + 1
        index = last.index + 1
      } else {
        return false
      }
    }
    while place < pattern.count, pattern[place] == wildcard { place += 1 }
    return place == pattern.count
  }
}
