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
    let candidates = known.filter { abs($0.utf8.count - bytes.count) <= limit }
      .map { ($0, edits(from: bytes, to: Array($0.lowercased().utf8))) }
    return candidates.filter { $0.1 <= limit }.min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
  }

  /// What to do about a name that is not among these.
  package static func hint(for name: String, among candidates: [String]) -> String {
    if let nearest = of(name, among: candidates, limit: .max) { return "did you mean \(nearest)?" }
    return candidates.isEmpty ? "none is defined" : "use one of \(candidates.joined(separator: ", "))"
  }

  /// The number of edits of bytes: an insertion, a deletion, a substitution, or a swap of two neighbors ("optimal
  /// string alignment").
  private static func edits(from left: [UInt8], to right: [UInt8]) -> Int {
    var before = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for row in left.indices {
      var next = [row + 1]
      for column in right.indices {
        var edits = min(
          last[column] + (left[row] == right[column] ? 0 : 1), last[column + 1] + 1, next[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          edits = min(edits, before[column - 1] + 1)
        }
        next.append(edits)
      }
      (before, last) = (last, next)
    }
    return last[right.count]
  }
}
