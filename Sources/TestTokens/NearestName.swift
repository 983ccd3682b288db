/// Finds the name that a user probably meant.
package enum NearestName {
  /// The candidate with the fewest edits, the first one if several are equal; `nil` if all need more than one edit and
  /// more edits than a third of the name.
  package static func of(_ name: String, among candidates: [String]) -> String? {
    let limit = max(1, name.utf8.count / 3)
    let distances = candidates.map { (name: $0, edits: edits(from: name, to: $0)) }
    guard let nearest = distances.min(by: { $0.edits < $1.edits }), nearest.edits <= limit,
      nearest.edits < name.utf8.count
    else { return nil }
    return nearest.name
  }

  package static func hint(for name: String, among candidates: [String]) -> String {
    if let nearest = of(name, among: candidates) { return "did you mean \(nearest)?" }
    return candidates.isEmpty ? "none is defined" : "use one of \(candidates.joined(separator: ", "))"
  }

  /// The number of edits of bytes: an insertion, a deletion, a substitution, or a swap of two neighbors ("optimal
  /// string alignment").
  private static func edits(from left: String, to right: String) -> Int {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
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
