import Bytes
import JOSE

/// Why a text is not a route.
package struct RouteFlaw: Error, Equatable {
  /// Lower case, with what to write instead.
  package let description: String

  init(_ description: String) { self.description = description }
}

extension Route {
  /// Parses a route.
  ///
  /// - Throws: `RouteFlaw` if it could never match, or could match more than its author expects.
  package init(parsing text: String) throws(RouteFlaw) {
    let bytes = Array(text.utf8)
    if bytes.elementsEqual("$connect".utf8) {
      self.init(text: text, verbs: [], path: [.literal(bytes)], coversParent: false)
      return
    }
    guard let blank = bytes.firstIndex(of: .space), blank + 1 < bytes.count, bytes[blank + 1] == .slash else {
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
    let segments = path.dropFirst().split(separator: .slash, omittingEmptySubsequences: false)
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
    guard longest + Self.shortestStagePrefixBytes <= RoutePattern.maximumResourceBytes else {
      throw RouteFlaw(
        "longer than a Resource of a policy may be (\(RoutePattern.maximumResourceBytes) characters)")
    }
  }

  private static func append(_ segment: ArraySlice<UInt8>, to pieces: inout [Piece]) throws(RouteFlaw) {
    var rest = segment
    var claims = 0
    var wildcards = 0
    while let byte = rest.first {
      if byte == .dollar, rest.dropFirst().first == .openingBrace {
        append(.claim(try claim(&rest)), to: &pieces)
        claims += 1
        // With text after a claim, one user's identifier could end in another's.
        guard rest.isEmpty else { throw RouteFlaw("a ${claim} must end its segment") }
      } else if byte == .asterisk {
        rest.removeFirst()
        wildcards += 1
        append(.wildcard, to: &pieces)
      } else if byte == .openingBrace {
        try skipVariable(&rest)
        wildcards += 1
        append(.wildcard, to: &pieces)
      } else {
        guard isLiteral(byte) else { throw RouteFlaw(illegal(byte)) }
        guard byte != .percent || isEscape(rest) else {
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
    guard let end = rest.firstIndex(of: .closingBrace),
      let path = ClaimPath(String(decoding: rest[(rest.startIndex + 2)..<end], as: UTF8.self))
    else { throw RouteFlaw("${ needs the name of a claim and a closing brace") }
    rest = rest[(end + 1)...]
    return path
  }

  /// Skips `{id}` or `{proxy+}` of API Gateway.
  private static func skipVariable(_ rest: inout ArraySlice<UInt8>) throws(RouteFlaw) {
    guard let end = rest.firstIndex(of: .closingBrace) else {
      throw RouteFlaw("{ needs a name and a closing brace")
    }
    var name = rest[(rest.startIndex + 1)..<end]
    if name.last == .plus { name.removeLast() }
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
    let isHexadecimal = digits.allSatisfy { $0.isDecimalDigit || 0x41...0x46 ~= $0 || 0x61...0x66 ~= $0 }
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
