/// The name that a misspelled one probably means.
package enum NearestName {
  /// The maximum length of a name that is compared, in bytes: our limit. Names of properties are shorter.
  package static let maximumBytes = 64
  /// The maximum number of bytes to insert, remove or replace: our choice, a typing error or another spelling.
  private static let maximumChanges = 2

  /// Returns the most similar of the known names; `nil` if none is similar. Upper and lower case make no difference.
  package static func of(_ name: String, among known: some Sequence<String>) -> String? {
    let bytes = Array(name.lowercased().utf8)
    guard bytes.count <= maximumBytes else { return nil }
    // Two of five bytes make another word.
    let limit = min(maximumChanges, bytes.count / 3)
    var nearest: (name: String, changes: Int)?
    for name in known where abs(name.utf8.count - bytes.count) <= limit {
      let changes = changes(bytes, Array(name.lowercased().utf8), limit)
      if changes <= limit, nearest.map({ (changes, name) < ($0.changes, $0.name) }) ?? true {
        nearest = (name, changes)
      }
    }
    return nearest?.name
  }

  /// The number of changes from one text to the other (Levenshtein's distance), or more than the limit: no later row
  /// has a smaller minimum.
  private static func changes(_ one: [UInt8], _ other: [UInt8], _ limit: Int) -> Int {
    var row = Array(0...other.count)
    for (index, byte) in one.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      var minimum = row[0]
      for (column, candidate) in other.enumerated() {
        let replaced = diagonal + (byte == candidate ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, row[column] + 1, row[column + 1] + 1)
        minimum = min(minimum, row[column + 1])
      }
      guard minimum <= limit else { return .max }
    }
    return row[other.count]
  }
}
