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
  /// - Parameter texts: the texts that conditions compare a claim with.
  func globs(_ texts: (ClaimPath) -> ClaimTexts, filledWith byte: UInt8) -> [Glob] {
    forms.flatMap { form in
      let claims = form.compactMap { if case .claim(let claim) = $0 { claim } else { nil } }
      // One choice for each claim, also if it occurs twice.
      var variants: [[(claim: ClaimPath, text: [UInt8])]] = [[]]
      for claim in claims where !variants.contains(where: { $0.contains { $0.claim == claim } }) {
        let isRepeated = claims.count { $0 == claim } > 1
        let values = texts(claim).values(filledWith: isRepeated ? byte : nil)
        variants = variants.flatMap { variant in values.map { variant + [(claim, $0)] } }
      }
      return variants.map { variant in
        Glob(
          bytes: form.flatMap { piece -> [UInt8] in
            switch piece {
            case .literal(let bytes): bytes
            case .wildcard: [RoutePattern.wildcard]
            case .claim(let claim): variant.first { $0.claim == claim }?.text ?? []
            }
          })
      }
    }
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
      return Set(
        bindings(of: rest, in: path.dropFirst(text.count)).map {
          $0.union([ClaimBinding(claim: claim, text: text)])
        })
    }
  }
}

extension ClaimTexts {
  /// Returns the values of a claim in a path, as patterns: each text, each pair of a beginning and an end with anything
  /// between them, and each text in which the two overlap.
  ///
  /// - Parameter byte: what stands for anything; `nil` for a wildcard.
  func values(filledWith byte: UInt8?) -> [[UInt8]] {
    let filler = byte ?? RoutePattern.wildcard
    let isPlain = { (text: [UInt8]) in !text.contains(RoutePattern.wildcard) }
    var values = literals.filter(isPlain)
    for start in prefixes.union([[]]).filter(isPlain) {
      for end in suffixes.union([[]]).filter(isPlain) {
        values.insert(start + [filler] + end)
        for count in 1..<(min(start.count, end.count) + 1)
        where start.suffix(count).elementsEqual(end.prefix(count)) {
          values.insert(start + end.dropFirst(count))
        }
      }
    }
    return values.filter { value in Route.isRoutable(value.map { $0 == RoutePattern.wildcard ? 0x78 : $0 }) }
  }
}
