/// The search for a part in texts, which takes time in proportion to both (Knuth, Morris and Pratt).
package struct TextSearch<Unit: Equatable> {
  private let part: [Unit]
  /// For each length of a beginning of the part: the length of its longest proper end that is a beginning too.
  private let borders: [Int]

  package init(_ part: [Unit]) {
    self.part = part
    var borders = [0, 0]
    var border = 0
    for unit in part.dropFirst() {
      while border > 0, part[border] != unit { border = borders[border] }
      if part[border] == unit { border += 1 }
      borders.append(border)
    }
    self.borders = borders
  }

  /// Returns where the part first is at or behind a position; an empty part is at the position itself.
  package func first(in whole: [Unit], from start: Int = 0) -> Int? {
    guard start <= whole.count else { return nil }
    guard !part.isEmpty else { return start }
    var length = 0
    for index in start..<whole.count {
      while length > 0, part[length] != whole[index] { length = borders[length] }
      if part[length] == whole[index] { length += 1 }
      if length == part.count { return index + 1 - length }
    }
    return nil
  }
}
