internal import Authorizer
internal import JOSE

/// The paths that decide whether two sets of patterns differ.
struct RequestPaths {
  /// A path, and the words for the paths that it stands for.
  struct Path {
    let path: [UInt8]
    let glob: Glob
    /// The path of a route as it is written, or of a pattern, by the side that has it.
    var labels: [Int: String]
  }

  /// Paths of one analysis, and patterns of one route (our own limit, measured with the largest configurations).
  static let maximumPaths = 20_000

  private(set) var paths: [Path] = []
  private var known: [[UInt8]: Int] = [:]
  private let filler: UInt8

  /// - Parameters:
  ///   - sides: the routes of each configuration, or of a question.
  ///   - intersects: whether a path may have to match a pattern of each side.
  ///   - keepsOverlaps: whether it may have to match no third one. Without, one path for each pair is enough.
  ///   - texts: the texts that conditions compare a claim with.
  init(
    _ sides: [[Route]], intersects: Bool, keepsOverlaps: Bool = false,
    _ texts: (ClaimPath) -> ClaimTexts
  ) throws(AnalysisLimit) {
    let sides = sides.map { $0.filter { !$0.isConnect } }
    let all = sides.flatMap { $0 }
    var shared = ClaimTexts()
    var values: [ClaimPath: [Glob]] = [:]
    for case .claim(let claim) in all.flatMap(\.path) where values[claim] == nil {
      shared.formUnion(texts(claim))
      values[claim] = texts(claim).values
    }
    guard let filler = Self.filler(avoiding: all, shared) else { throw .noFreeByte }
    self.filler = filler
    for (side, routes) in sides.enumerated() {
      for route in routes {
        for glob in try route.globs(values, filledWith: filler) {
          try add(glob, Self.label(route, glob), side)
        }
      }
    }
    try add(Glob(bytes: Array("/*".utf8)))
    guard intersects, sides.count > 1 else { return }
    let forms = sides.map(Self.forms)
    let meeting = ClaimMeeting(values: values, filler: filler)
    for one in forms[0] {
      for other in forms[1] {
        for claims in try meeting.texts(one.pieces, other.pieces) {
          let globs =
            claims.isEmpty
            ? (one.glob, other.glob)
            : (Route.glob(of: one.pieces, claims), Route.glob(of: other.pieces, claims))
          for overlap in try Glob.intersection(globs.0, globs.1) where try add(overlap) {
            if !keepsOverlaps { break }
          }
        }
      }
    }
  }

  /// Returns the forms of routes, one of those without claims that have the same pattern: routes may differ in their verbs only.
  private static func forms(of routes: [Route]) -> [(pieces: [Route.Piece], glob: Glob)] {
    var known: Set<Glob> = []
    var forms: [(pieces: [Route.Piece], glob: Glob)] = []
    for route in routes {
      for form in route.forms {
        let glob = Route.glob(of: form)
        if route.isOwnership || known.insert(glob).inserted { forms.append((form, glob)) }
      }
    }
    return forms
  }

  /// Adds the path of a pattern, unless every policy that could allow it refuses it.
  @discardableResult
  private mutating func add(
    _ glob: Glob, _ label: String? = nil, _ side: Int = 0
  ) throws(AnalysisLimit) -> Bool {
    let path = glob.path(filledWith: filler)
    if Access.escapes.contains(where: { RoutePattern.matches($0, path) }) { return false }
    let place = known[path] ?? paths.count
    if place == paths.count {
      guard place < Self.maximumPaths else { throw .patterns }
      known[path] = place
      paths.append(Path(path: path, glob: Glob(of: path[...], filledWith: filler), labels: [:]))
    }
    if let label, paths[place].labels[side] == nil { paths[place].labels[side] = label }
    return true
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
  private static func filler(avoiding routes: [Route], _ texts: ClaimTexts) -> UInt8? {
    var taken = Set(texts.literals.union(texts.prefixes).union(texts.suffixes).joined())
    for case .literal(let bytes) in routes.flatMap(\.path) { taken.formUnion(bytes) }
    let readable = "xzqwkvjyhfbgpucmdlrnsitoae0123456789XZQWKVJYHFBGPUCMDLRNSITOAE_~-"
    let isRoutable = routes.contains { $0.isOwnership }
    return (readable + (isRoutable ? "" : "^|")).utf8.first { !taken.contains($0) }
  }
}
