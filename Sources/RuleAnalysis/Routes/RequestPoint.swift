internal import Authorizer
internal import JOSE

/// One request that stands for all that the patterns cannot tell apart from it, or that fewer patterns match.
struct RequestPoint: Hashable {
  /// `nil` for `$connect`.
  let verb: String?
  let path: [UInt8]

  static let connect = RequestPoint(verb: nil, path: Array("$connect".utf8))

  /// The end of the method's ARN.
  var route: [UInt8] { Array((verb ?? "").utf8) + path }

  /// Whether every policy that could allow it refuses it.
  var isEscape: Bool { Access.escapes.contains { RoutePattern.matches($0, route) } }
}

/// The rules of one configuration that match a request, each with the claims that a token needs for it: for a route
/// without claims none.
struct RuleMatch: Hashable {
  var rules: [Int: Set<Set<ClaimBinding>>] = [:]

  init(_ rules: AccessRules?, _ point: RequestPoint) {
    for (index, rule) in (rules?.rules ?? []).enumerated() {
      let found = rule.routes.bindings(matching: point)
      if !found.isEmpty { self.rules[index] = found }
    }
  }
}

extension [Route] {
  /// Returns the claims that a token needs so that one of these routes matches the request, in each way that it can.
  func bindings(matching point: RequestPoint) -> Set<Set<ClaimBinding>> {
    reduce(into: []) { $0.formUnion($1.bindings(matching: point)) }
  }
}

extension Route {
  /// The bytes that the longest pattern of a policy may have after the stage, on the stage with the shortest ARN.
  static let maximumPatternBytes = RoutePattern.maximumResourceBytes - shortestStagePrefixBytes

  /// Returns the claims that a token needs so that this route matches the request, in each way that it can.
  func bindings(matching point: RequestPoint) -> Set<Set<ClaimBinding>> {
    guard let verb = point.verb else { return isConnect ? [[]] : [] }
    guard !isConnect, verbs.contains(verb) else { return [] }
    return bindings(matching: point.path).filter { bindings in
      let texts = path.reduce(verb.utf8.count) { count, piece in
        switch piece {
        case .literal(let bytes): count + bytes.count
        case .wildcard: count + 1
        case .claim(let claim): count + (bindings.first { $0.claim == claim }?.text.count ?? 0)
        }
      }
      return texts <= Self.maximumPatternBytes
    }
  }
}

/// The requests that decide whether two sets of patterns differ.
struct RequestPoints {
  /// A path, and the words for the paths that it stands for.
  struct Path {
    let path: [UInt8]
    let glob: Glob
    /// The path of a route as it is written, or of a pattern, by the side that has it.
    var labels: [Int: String]
  }

  private(set) var paths: [Path] = []
  private var known: [[UInt8]: Int] = [:]
  private let filler: UInt8

  /// - Parameters:
  ///   - sides: the routes of each configuration, or of a question.
  ///   - intersects: whether a request may have to match a pattern of each side.
  ///   - texts: the texts that conditions compare a claim with.
  init(
    _ sides: [[Route]], intersects: Bool, _ texts: (ClaimPath) -> ClaimTexts
  ) throws(AnalysisLimit) {
    let all = sides.flatMap { $0 }
    guard let filler = Self.filler(avoiding: all, texts) else { throw .noFreeByte }
    self.filler = filler
    let globs = sides.map { routes in
      routes.filter { !$0.isConnect }.flatMap { route in
        route.globs(texts, filledWith: filler).map { (glob: $0, label: Self.label(route, $0)) }
      }
    }
    for (side, own) in globs.enumerated() {
      for (glob, label) in own { add(glob, label, side) }
    }
    add(Glob(bytes: Array("/*".utf8)))
    guard intersects, globs.count > 1 else { return }
    for (one, _) in globs[0] {
      for (other, _) in globs[1] {
        for glob in try Glob.intersection(one, other) { add(glob) }
      }
    }
  }

  private mutating func add(_ glob: Glob, _ label: String? = nil, _ side: Int = 0) {
    let path = glob.path(filledWith: filler)
    let place = known[path] ?? paths.count
    if place == paths.count {
      known[path] = place
      paths.append(Path(path: path, glob: glob, labels: [:]))
    }
    if let label, paths[place].labels[side] == nil { paths[place].labels[side] = label }
  }

  /// Returns the path of the route as it is written, unless the pattern is that of the parent path.
  private static func label(_ route: Route, _ glob: Glob) -> String {
    let isParent = route.coversParent && glob.bytes.last != RoutePattern.wildcard
    guard !isParent, let blank = route.text.utf8.firstIndex(of: 0x20) else {
      return String(decoding: glob.bytes, as: UTF8.self)
    }
    return String(route.text[route.text.utf8.index(after: blank)...])
  }

  /// Returns a byte that no pattern has, and no text that a condition compares a claim of a path with: readable ones first.
  /// Bytes that no route can have always remain, but a claim cannot have them.
  private static func filler(avoiding routes: [Route], _ texts: (ClaimPath) -> ClaimTexts) -> UInt8? {
    var taken: Set<UInt8> = []
    var isRoutable = false
    for piece in routes.flatMap({ $0.path }) {
      switch piece {
      case .literal(let bytes): taken.formUnion(bytes)
      case .wildcard: break
      case .claim(let claim):
        isRoutable = true
        let texts = texts(claim)
        taken.formUnion(texts.literals.union(texts.prefixes).union(texts.suffixes).flatMap { $0 })
      }
    }
    let readable = "xzqwkvjyhfbgpucmdlrnsitoae0123456789XZQWKVJYHFBGPUCMDLRNSITOAE_~-"
    return (readable + (isRoutable ? "" : "^|")).utf8.first { !taken.contains($0) }
  }
}
