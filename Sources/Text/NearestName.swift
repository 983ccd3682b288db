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
    let candidates = known.map { ($0, changes(bytes, Array($0.lowercased().utf8))) }
      // Two of five bytes make another word.
      .filter { $0.1 <= min(maximumChanges, bytes.count / 3) }
    return candidates.min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
  }

  /// The number of changes from one text to the other (Levenshtein's distance), or more than the maximum: no later row
  /// has a smaller minimum.
  private static func changes(_ one: [UInt8], _ other: [UInt8]) -> Int {
    guard abs(one.count - other.count) <= maximumChanges else { return .max }
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
      guard minimum <= maximumChanges else { return .max }
    }
    return row[other.count]
  }
}
