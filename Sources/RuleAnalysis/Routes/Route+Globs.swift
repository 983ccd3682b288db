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
  /// - Parameters:
  ///   - texts: the texts that conditions compare a claim with.
  ///   - shared: those of all claims: a claim at several places may have to have the text of another one.
  func globs(
    _ texts: (ClaimPath) -> ClaimTexts, _ shared: ClaimTexts, filledWith byte: UInt8
  ) throws(AnalysisLimit) -> [Glob] {
    var globs: [Glob] = []
    for form in forms {
      var variants: [[ClaimPath: [UInt8]]] = [[:]]
      for (index, piece) in form.enumerated() {
        guard case .claim(let claim) = piece, variants[0][claim] == nil else { continue }
        let isRepeated = form[(index + 1)...].contains(piece)
        let own = [UInt8](repeating: byte, count: form.count + index)
        let values = isRepeated ? shared.values(own) : texts(claim).values([RoutePattern.wildcard])
        guard variants.count * values.count <= RequestPaths.maximumPaths else { throw .patterns }
        variants = variants.flatMap { variant in values.map { variant.merging([claim: $0]) { $1 } } }
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

  /// Whether a request may match both routes though no path of `RequestPaths` does: a claim is at two places, so one text
  /// would have to match the patterns at both.
  func mayMeetUnseen(_ other: Route) -> Bool {
    guard !Set(verbs).isDisjoint(with: other.verbs) else { return false }
    return forms.contains { own in
      other.forms.contains { others in
        let (one, two) = (Self.glob(of: own), Self.glob(of: others))
        if !isOwnership && one.covers(two) || !other.isOwnership && two.covers(one) { return false }
        let places = Self.places(of: own) + Self.places(of: others)
        return RoutePattern.meet(one.bytes, two.bytes)
          && places.contains { place in
            places.count { $0.claim == place.claim } > 1
              && (place.segment == nil
                || places.contains { $0.claim == place.claim && $0.segment != place.segment })
          }
      }
    }
  }

  /// The claims of a form, each with the number of its segment if no wildcard is before it.
  private static func places(of form: [Piece]) -> [(claim: ClaimPath, segment: Int?)] {
    var places: [(claim: ClaimPath, segment: Int?)] = []
    var segment: Int? = 0
    for piece in form {
      switch piece {
      case .literal(let bytes): segment = segment.map { $0 + bytes.count { $0 == 0x2F } }
      case .wildcard: segment = nil
      case .claim(let claim): places.append((claim, segment))
      }
    }
    return places
  }

  /// Returns the claims that a token needs so that a route with claims matches the path, in each way that it can; with no
  /// claims if the route has none.
  func bindings(matching path: [UInt8]) -> Set<Set<ClaimBinding>> {
    forms.reduce(into: []) { $0.formUnion(Self.bindings(of: $1[...], in: path[...])) }
  }

  private static func bindings(
    of pieces: ArraySlice<Piece>, in path: ArraySlice<UInt8>
  ) -> Set<Set<ClaimBinding>> {
    guard let piece = pieces.first else { return path.isEmpty ? [[]] : [] }
    let rest = pieces.dropFirst()
    switch piece {
    case .literal(let bytes):
      return path.starts(with: bytes) ? bindings(of: rest, in: path.dropFirst(bytes.count)) : []
    case .wildcard:
      if rest.isEmpty { return [[]] }
      var found: Set<Set<ClaimBinding>> = []
      for end in path.startIndex...path.endIndex { found.formUnion(bindings(of: rest, in: path[end...])) }
      return found
    case .claim(let claim):
      let text = Array(path.prefix { $0 != 0x2F })
      guard isRoutable(text) else { return [] }
      let own = ClaimBinding(claim: claim, text: text)
      return Set(
        bindings(of: rest, in: path.dropFirst(text.count)).compactMap { way in
          way.contains { $0.claim == claim && $0.text != text } ? nil : way.union([own])
        })
    }
  }
}

extension ClaimTexts {
  mutating func formUnion(_ other: ClaimTexts) {
    literals.formUnion(other.literals)
    prefixes.formUnion(other.prefixes)
    suffixes.formUnion(other.suffixes)
  }

  /// Returns the values of a claim in a path, as patterns: each text, each pair of a beginning and an end with anything
  /// between them, and each text in which the two overlap.
  ///
  /// - Parameter filler: what stands for anything.
  func values(_ filler: [UInt8]) -> [[UInt8]] {
    let isPlain = { (text: [UInt8]) in !text.contains(RoutePattern.wildcard) }
    var values = literals.filter(isPlain)
    for start in prefixes.union([[]]).filter(isPlain) {
      for end in suffixes.union([[]]).filter(isPlain) {
        values.insert(start + filler + end)
        for count in 1..<(min(start.count, end.count) + 1)
        where start.suffix(count).elementsEqual(end.prefix(count)) {
          values.insert(start + end.dropFirst(count))
        }
      }
    }
    return values.filter { value in Route.isRoutable(value.map { $0 == RoutePattern.wildcard ? 0x78 : $0 }) }
  }
}
