internal import Authorizer

/// A pattern of paths: bytes, and `*` for any run of bytes.
///
/// Its *generic path* has other texts in place of the wildcards, of a byte that no pattern has. A pattern that matches it
/// matches every path of this one: the wildcards of the pattern take those texts, so they take any other. So no path of this
/// pattern is matched by fewer patterns than its generic path.
struct Glob: Hashable {
  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// The pattern of a part of a generic path.
  init(of text: ArraySlice<UInt8>, filledWith byte: UInt8) {
    bytes = text.reduce(into: []) { bytes, own in
      if own != byte {
        bytes.append(own)
      } else if bytes.last != RoutePattern.wildcard {
        bytes.append(RoutePattern.wildcard)
      }
    }
  }

  /// Patterns that the paths of two patterns may need (our own limit: two routes of rules need fewer than ten).
  static let maximumIntersections = 5_000

  /// Returns the path with these bytes in place of the wildcards: one for the first, two for the second, so that no two
  /// of them are equal.
  func path(filledWith byte: UInt8) -> [UInt8] {
    var path: [UInt8] = []
    var count = 0
    for own in bytes {
      if own == RoutePattern.wildcard {
        count += 1
        path += [UInt8](repeating: byte, count: count)
      } else {
        path.append(own)
      }
    }
    return path
  }

  /// The bytes that are no wildcards: a narrow pattern has more of them.
  var literalBytes: Int { bytes.count { $0 != RoutePattern.wildcard } }

  /// Whether this one matches everything that the other one matches.
  func covers(_ other: Glob) -> Bool { RoutePattern.matches(bytes, other.bytes) }

  /// Returns patterns that together match exactly what both match.
  static func intersection(_ one: Glob, _ other: Glob) throws(AnalysisLimit) -> [Glob] {
    if other.covers(one) { return [one] }
    return one.covers(other) ? [other] : try overlaps(one, other)
  }

  /// Returns patterns that together match exactly what both match: one for each way in which the wildcards of both may lie.
  static func overlaps(_ one: Glob, _ other: Glob) throws(AnalysisLimit) -> [Glob] {
    guard RoutePattern.meet(one.bytes, other.bytes) else { return [] }
    var suffixes: [Int: Set<[UInt8]>] = [:]
    let found = try meeting(one.bytes[...], other.bytes[...], &suffixes)
    return found.sorted(by: precedes).map { Glob(bytes: $0) }
  }

  /// - Parameter known: the results for ends of both patterns.
  private static func meeting(
    _ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>, _ known: inout [Int: Set<[UInt8]>]
  ) throws(AnalysisLimit) -> Set<[UInt8]> {
    guard let first = one.first, let second = other.first else {
      return one.allSatisfy(isWildcard) && other.allSatisfy(isWildcard) ? [[]] : []
    }
    let key = one.count << 32 | other.count
    if let result = known[key] { return result }
    var result: Set<[UInt8]> = []
    if first == second {
      result = prepend(first, try meeting(one.dropFirst(), other.dropFirst(), &known))
    }
    if isWildcard(first), isWildcard(second) {
      result.formUnion(prepend(first, try meeting(one.dropFirst(), other, &known)))
      result.formUnion(prepend(first, try meeting(one, other.dropFirst(), &known)))
    } else if isWildcard(first) {
      result.formUnion(try meeting(one.dropFirst(), other, &known))
      result.formUnion(prepend(second, try meeting(one, other.dropFirst(), &known)))
    } else if isWildcard(second) {
      result.formUnion(try meeting(one, other.dropFirst(), &known))
      result.formUnion(prepend(first, try meeting(one.dropFirst(), other, &known)))
    }
    guard result.count <= maximumIntersections else { throw .patterns }
    known[key] = result
    return result
  }

  private static func isWildcard(_ byte: UInt8) -> Bool { byte == RoutePattern.wildcard }

  private static func prepend(_ byte: UInt8, _ rests: Set<[UInt8]>) -> Set<[UInt8]> {
    Set(rests.map { isWildcard(byte) && $0.first == byte ? $0 : [byte] + $0 })
  }
}
