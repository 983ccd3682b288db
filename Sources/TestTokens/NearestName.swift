/// The name that a person probably meant.
enum NearestName {
  /// The candidate with the fewest edits, the first of equals; `nil` where none is near: more edits than a third of
  /// the name, and more than one.
  static func of(_ name: String, among candidates: [String]) -> String? {
    let limit = max(1, name.utf8.count / 3)
    let distances = candidates.map { (name: $0, edits: edits(from: name, to: $0)) }
    guard let nearest = distances.min(by: { $0.edits < $1.edits }), nearest.edits <= limit,
      nearest.edits < name.utf8.count
    else { return nil }
    return nearest.name
  }

  static func hint(for name: String, among candidates: [String]) -> String {
    if let nearest = of(name, among: candidates) { return "did you mean \(nearest)?" }
    return candidates.isEmpty ? "none is defined" : "known are \(candidates.joined(separator: ", "))"
  }

  /// Levenshtein's distance over bytes.
  private static func edits(from left: String, to right: String) -> Int {
    let right = Array(right.utf8)
    var row = Array(0...right.count)
    for (rowIndex, byte) in left.utf8.enumerated() {
      var diagonal = row[0]
      row[0] = rowIndex + 1
      for (column, other) in right.enumerated() {
        let substituted = diagonal + (byte == other ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(substituted, row[column] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}
