internal import Bytes
internal import GatewayModel
internal import Text

/// The paths that a route matches: of a rule, or of an API. Only used to find out whether two routes share a path.
struct PathLanguage: Equatable, Sendable {
  private let elements: [Element]

  /// One byte of a path, or any number of such bytes.
  private struct Element: Equatable, Sendable {
    let kind: Kind
    var repeats = false

    enum Kind: Equatable, Sendable {
      case one(UInt8)
      /// All but the slash.
      case ofSegment
      case all
    }

    func shares(_ other: Element) -> Bool {
      switch (kind, other.kind) {
      case (.one(let left), .one(let right)): left == right
      case (.one(let byte), .ofSegment), (.ofSegment, .one(let byte)): byte != .slash
      default: true
      }
    }
  }

  /// Reads the path of a valid route of a rule. A claim is one segment, all other wildcards match slashes too.
  init(ofRule path: Substring.UTF8View) {
    var elements: [Element] = []
    var rest = path[...]
    while let byte = rest.popFirst() {
      switch byte {
      case .asterisk: elements.append(Element(kind: .all, repeats: true))
      case .openingBrace,
        .dollar where rest.first == .openingBrace:
        elements += byte == .dollar ? Self.segment : [Element(kind: .all, repeats: true)]
        rest = rest.drop { $0 != .closingBrace }.dropFirst()
      default: elements.append(Element(kind: .one(byte)))
      }
    }
    self.elements = elements
  }

  /// - Parameter isREST: a REST API ignores slashes at the end of a path.
  init(_ pattern: PathPattern, isREST: Bool) {
    var elements = pattern.segments.flatMap { segment -> [Element] in
      let slash = [Element(kind: .one(.slash))]
      switch segment {
      // Clients may encode other bytes, so that the path in the ARN differs from the route.
      case .literal(let text) where text.utf8.allSatisfy(PercentText.isUnreserved):
        return slash + text.utf8.map { Element(kind: .one($0)) }
      case .literal, .parameter: return slash + Self.segment
      case .greedy: return slash + Self.greedy
      }
    }
    if elements.isEmpty { elements = [Element(kind: .one(.slash))] }
    self.elements = elements + (isREST ? [Element(kind: .one(.slash), repeats: true)] : [])
  }

  private init(_ elements: [Element]) { self.elements = elements }

  /// Every path.
  static let everything = PathLanguage([Element(kind: .one(.slash)), Element(kind: .all, repeats: true)])
  private static let segment = [Element(kind: .ofSegment), Element(kind: .ofSegment, repeats: true)]
  private static let greedy = [Element(kind: .all), Element(kind: .all, repeats: true)]

  /// Whether some path is in both.
  func meets(_ other: PathLanguage) -> Bool {
    // The pairs of places in both that the same text reaches.
    let width = other.elements.count + 1
    var reached = [Bool](repeating: false, count: (elements.count + 1) * width)
    var waiting = [(0, 0)]
    while let (own, foreign) = waiting.popLast() {
      guard !reached[own * width + foreign] else { continue }
      reached[own * width + foreign] = true
      let one = own < elements.count ? elements[own] : nil
      let two = foreign < other.elements.count ? other.elements[foreign] : nil
      if one == nil, two == nil { return true }
      if one?.repeats == true { waiting.append((own + 1, foreign)) }
      if two?.repeats == true { waiting.append((own, foreign + 1)) }
      if let one, let two, one.shares(two) {
        waiting.append((one.repeats ? own : own + 1, two.repeats ? foreign : foreign + 1))
      }
    }
    return false
  }
}
