internal import Authorizer
internal import JOSE

/// The texts of claims for which two routes match one path.
///
/// The text of a claim is the end of a segment. Where a claim of each route ends one segment, the longer text is the other one
/// behind known bytes, and is written as that. Each claim that remains has to match what the other route has at each of its
/// places. Those are patterns, so one text for each pattern of their intersection stands for all.
struct ClaimMeeting {
  typealias Form = [Route.Piece]
  typealias Texts = [ClaimPath: [UInt8]]

  /// What conditions can tell of each claim, as patterns.
  let values: [ClaimPath: [Glob]]
  let filler: UInt8

  /// A claim that is another one behind these bytes.
  private struct Longer: Hashable {
    let claim: ClaimPath
    let prefix: [UInt8]
    let end: ClaimPath

    func replacing(_ form: Form) -> Form {
      form.flatMap { $0 == .claim(claim) ? [.literal(prefix), .claim(end)] : [$0] }
    }
  }

  /// Returns the texts of the claims in two forms, one for all that can be told apart by no condition and no pattern.
  func texts(_ one: Form, _ other: Form) throws(AnalysisLimit) -> [Texts] {
    var ends: [ClaimPath: Form] = [:]
    for case .claim(let claim) in one + other { ends[claim] = [.claim(claim)] }
    if ends.isEmpty { return [[:]] }
    var found: Set<Texts> = []
    try add(one, other, ends, to: &found)
    // In an order that is the same in each run.
    let claims = ends.keys.sorted()
    return found.sorted { left, right in
      claims.compactMap { left[$0] }.lexicographicallyPrecedes(claims.compactMap { right[$0] }, by: precedes)
    }
  }

  /// - Parameter ends: for each claim the bytes and the claim that it is written as.
  private func add(
    _ one: Form, _ other: Form, _ ends: [ClaimPath: Form], to found: inout Set<Texts>
  ) throws(AnalysisLimit) {
    var longer: Set<Longer> = []
    for overlap in try Glob.overlaps(Route.glob(of: one), Route.glob(of: other)) {
      let path = overlap.path(filledWith: filler)
      let others = Route.places(of: other[...], in: path[...])
      for own in Route.places(of: one[...], in: path[...]) {
        for places in others {
          if let (long, short) = Self.unequal(own, places) {
            let prefix = Array(path[long.range.lowerBound..<short.range.lowerBound])
            if long.claim != short.claim {
              longer.insert(Longer(claim: long.claim, prefix: prefix, end: short.claim))
            }
          } else {
            var patterns: [ClaimPath: Set<Glob>] = [:]
            for place in own + places {
              patterns[place.claim] = try Self.matching(
                patterns[place.claim], [Glob(of: path[place.range], filledWith: filler)])
            }
            try add(patterns, ends, to: &found)
          }
        }
      }
    }
    for known in longer {
      let forms = [one, other].map(known.replacing)
      try add(forms[0], forms[1], ends.mapValues(known.replacing), to: &found)
    }
  }

  /// Returns two places that end one segment and are not the same: the longer one first.
  private static func unequal(
    _ one: [Route.Place], _ other: [Route.Place]
  ) -> (long: Route.Place, short: Route.Place)? {
    for own in one {
      for place in other where own != place && own.range.upperBound == place.range.upperBound {
        return own.range.count < place.range.count ? (place, own) : (own, place)
      }
    }
    return nil
  }

  /// - Parameter patterns: what the claims that remain have to match.
  private func add(
    _ patterns: [ClaimPath: Set<Glob>], _ ends: [ClaimPath: Form], to found: inout Set<Texts>
  ) throws(AnalysisLimit) {
    var patterns = patterns
    for (claim, form) in ends.sorted(by: { $0.key < $1.key }) {
      guard case .claim(let end)? = form.last else { continue }
      let prefix = Route.glob(of: form.dropLast()).bytes
      patterns[end] = try Self.matching(patterns[end], behind: prefix, values[claim] ?? [])
    }
    var variants: [Texts] = [[:]]
    for (claim, globs) in patterns.sorted(by: { $0.key < $1.key }) {
      guard variants.count * globs.count <= RequestPaths.maximumPaths else { throw .patterns }
      let texts = globs.map { $0.path(filledWith: filler) }
      variants = variants.flatMap { variant in texts.map { variant.merging([claim: $0]) { $1 } } }
    }
    for variant in variants {
      let texts = ends.mapValues { Route.glob(of: $0, variant).bytes }
      if texts.values.allSatisfy(Route.isRoutable) { found.insert(texts) }
    }
  }

  /// Returns patterns for what, behind these bytes, matches one of the others.
  private static func matching(
    _ patterns: Set<Glob>?, behind prefix: [UInt8] = [], _ others: [Glob]
  ) throws(AnalysisLimit) -> Set<Glob> {
    guard let patterns else { return Set(others) }
    var matching: Set<Glob> = []
    for pattern in patterns {
      for other in others {
        for both in try Glob.intersection(Glob(bytes: prefix + pattern.bytes), other) {
          matching.insert(Glob(bytes: Array(both.bytes.dropFirst(prefix.count))))
        }
      }
    }
    return matching
  }
}
