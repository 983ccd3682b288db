internal import Authorizer
internal import JOSE

extension Route {
  /// The pieces of the paths: those of the route, and without `/*` at the end if the route covers the parent path.
  var forms: [[Piece]] {
    guard coversParent, case .literal(let last)? = path.dropLast().last else { return [path] }
    let parent = path.dropLast(2) + (last.count > 1 ? [.literal(last.dropLast())] : [])
    return [path, Array(parent)]
  }

  /// Returns the patterns of paths.
  ///
  /// A claim that a form has once is a wildcard, with what conditions compare it with at its ends. The text of one that it has
  /// several times is the same at each place, and none that stands for a wildcard or for another claim.
  ///
  /// - Parameter values: what conditions can tell of each claim.
  func globs(_ values: [ClaimPath: [Glob]], filledWith byte: UInt8) throws(AnalysisLimit) -> [Glob] {
    var globs: [Glob] = []
    for form in forms {
      var variants: [[ClaimPath: [UInt8]]] = [[:]]
      for (index, piece) in form.enumerated() {
        guard case .claim(let claim) = piece, variants[0][claim] == nil else { continue }
        let isRepeated = form[(index + 1)...].contains(piece)
        let own = [UInt8](repeating: byte, count: form.count + index)
        let texts = (values[claim] ?? []).map { value in
          isRepeated ? value.bytes.flatMap { $0 == RoutePattern.wildcard ? own : [$0] } : value.bytes
        }
        guard variants.count * texts.count <= RequestPaths.maximumPaths else { throw .patterns }
        variants = variants.flatMap { variant in texts.map { variant.merging([claim: $0]) { $1 } } }
      }
      globs += variants.map { Self.glob(of: form, $0) }
    }
    return globs
  }

  /// Returns the pattern of a form with these texts of claims; others are wildcards.
  static func glob(of form: [Piece], _ texts: [ClaimPath: [UInt8]] = [:]) -> Glob {
    Glob(
      bytes: form.flatMap { piece -> [UInt8] in
        switch piece {
        case .literal(let bytes): bytes
        case .wildcard: [RoutePattern.wildcard]
        case .claim(let claim): texts[claim] ?? [RoutePattern.wildcard]
        }
      })
  }

  /// Returns the claims that a token needs so that a route with claims matches the path, in each way that it can; with no
  /// claims if the route has none.
  func bindings(matching path: [UInt8]) -> Set<Set<ClaimBinding>> {
    var ways: Set<Set<ClaimBinding>> = []
    for places in forms.flatMap({ Self.places(of: $0[...], in: path[...]) }) {
      let way = Set(places.map { ClaimBinding(claim: $0.claim, text: Array(path[$0.range])) })
      if Set(way.map(\.claim)).count == way.count { ways.insert(way) }
    }
    return ways
  }

  /// Where a path has the text of a claim.
  struct Place: Hashable {
    let claim: ClaimPath
    let range: Range<Int>
  }

  /// Returns the places of the claims in each way in which a form matches the path, whether or not a claim has the same text
  /// at each of its places.
  static func places(of pieces: ArraySlice<Piece>, in path: ArraySlice<UInt8>) -> Set<[Place]> {
    guard let piece = pieces.first else { return path.isEmpty ? [[]] : [] }
    let rest = pieces.dropFirst()
    switch piece {
    case .literal(let bytes):
      return path.starts(with: bytes) ? places(of: rest, in: path.dropFirst(bytes.count)) : []
    case .wildcard:
      if rest.isEmpty { return [[]] }
      var found: Set<[Place]> = []
      for end in path.startIndex...path.endIndex { found.formUnion(places(of: rest, in: path[end...])) }
      return found
    case .claim(let claim):
      let text = path.prefix { $0 != 0x2F }
      guard isRoutable(Array(text)) else { return [] }
      let own = Place(claim: claim, range: text.startIndex..<text.endIndex)
      return Set(places(of: rest, in: path[text.endIndex...]).map { [own] + $0 })
    }
  }
}

extension ClaimTexts {
  mutating func formUnion(_ other: ClaimTexts) {
    literals.formUnion(other.literals)
    prefixes.formUnion(other.prefixes)
    suffixes.formUnion(other.suffixes)
  }

  /// The values of a claim in a path, as patterns: each text, each pair of a beginning and an end with anything between them,
  /// and each text in which the two overlap.
  var values: [Glob] {
    let isPlain = { (text: [UInt8]) in !text.contains(RoutePattern.wildcard) }
    var values = literals.filter(isPlain)
    for start in prefixes.union([[]]).filter(isPlain) {
      for end in suffixes.union([[]]).filter(isPlain) {
        values.insert(start + [RoutePattern.wildcard] + end)
        for count in 1..<(min(start.count, end.count) + 1)
        where start.suffix(count).elementsEqual(end.prefix(count)) {
          values.insert(start + end.dropFirst(count))
        }
      }
    }
    return values.filter { value in Route.isRoutable(value.map { $0 == RoutePattern.wildcard ? 0x78 : $0 }) }
      .sorted(by: precedes).map { Glob(bytes: $0) }
  }
}
