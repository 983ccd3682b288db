/// The name that a misspelled one probably means.
package enum NearestName {
  /// The maximum length of a name that is compared, in bytes: our limit. Names of properties are shorter.
  private static let maximumBytes = 64
  /// The maximum number of edits: our choice, a typing error or another spelling.
  package static let maximumEdits = 2

  /// Returns the known name with the fewest edits, of several the first in their order; `nil` if none is similar. Upper
  /// and lower case make no difference.
  ///
  /// - Parameter limit: the maximum number of edits. Of a name's bytes, at most a third may differ, but one always may:
  ///   two of five bytes make another word.
  package static func of(
    _ name: String, among known: some Sequence<String>, limit: Int = maximumEdits
  ) -> String? {
    let bytes = Array(name.lowercased().utf8)
    guard bytes.count <= maximumBytes else { return nil }
    let limit = min(limit, max(1, bytes.count / 3), bytes.count - 1)
    let candidates = known.compactMap { other -> (edits: Int, name: String)? in
      guard abs(other.utf8.count - bytes.count) <= limit else { return nil }
      return edits(from: bytes, to: Array(other.lowercased().utf8), atMost: limit).map { ($0, other) }
    }
    return candidates.min { $0 < $1 }?.name
  }

  /// What to do about a name that is not among these.
  package static func hint(for name: String, among candidates: [String]) -> String {
    if let nearest = of(name, among: candidates, limit: .max) { return "did you mean \(nearest)?" }
    return candidates.isEmpty ? "none is defined" : "use one of \(candidates.joined(separator: ", "))"
  }

  /// The number of edits of bytes, if it is at most this one: an insertion, a deletion, a substitution, or a swap of two
  /// neighbors ("optimal string alignment").
  private static func edits(from left: [UInt8], to right: [UInt8], atMost limit: Int) -> Int? {
    var before = [Int](repeating: limit, count: right.count + 1)
    var last = Array(0...right.count)
    for row in left.indices {
      var (next, least) = ([row + 1], row + 1)
      for column in right.indices {
        var edits = min(
          last[column] + (left[row] == right[column] ? 0 : 1), last[column + 1] + 1, next[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          edits = min(edits, before[column - 1] + 1)
        }
        next.append(edits)
        least = min(least, edits)
      }
      // Each later number is at least the least of the last two rows, and most names differ early.
      if least > limit, last.allSatisfy({ $0 > limit }) { return nil }
      (before, last) = (last, next)
    }
    return last[right.count] <= limit ? last[right.count] : nil
  }
}
