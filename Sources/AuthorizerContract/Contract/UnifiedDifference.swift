internal import Text

/// The difference between two texts, line by line, like `diff -u`.
package struct UnifiedDifference: Equatable, Sendable {
  /// The lines, prefixed with `-` (only expected), `+` (only found) or a space (both); `@@` replaces omitted lines.
  package let lines: [String]

  /// The number of equal lines shown before and after a difference.
  private static let contextLines = 3

  /// Compares the texts with the standard library's version of Myers' algorithm.
  package init(expected: String, found: String) {
    let old = expected.splitBytes(at: "\n", omittingEmptySubsequences: false).map(String.init)
    let new = found.splitBytes(at: "\n", omittingEmptySubsequences: false).map(String.init)
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var all: [String] = []
    var (oldPlace, newPlace) = (0, 0)
    while oldPlace < old.count || newPlace < new.count {
      if removed.contains(oldPlace), oldPlace < old.count {
        all.append("-" + old[oldPlace])
        oldPlace += 1
      } else if inserted.contains(newPlace), newPlace < new.count {
        all.append("+" + new[newPlace])
        newPlace += 1
      } else {
        all.append(" " + (oldPlace < old.count ? old[oldPlace] : new[newPlace]))
        oldPlace += 1
        newPlace += 1
      }
    }
    lines = Self.withoutFarContext(all)
  }

  private static func withoutFarContext(_ lines: [String]) -> [String] {
    var isShown = [Bool](repeating: false, count: lines.count)
    for (index, line) in lines.enumerated() where !line.hasBytePrefix(" ") {
      for near in max(0, index - contextLines)...min(lines.count - 1, index + contextLines) {
        isShown[near] = true
      }
    }
    var shown: [String] = []
    for (index, line) in lines.enumerated() {
      if isShown[index] {
        shown.append(line)
      } else if shown.last != "@@" {
        shown.append("@@")
      }
    }
    return shown
  }
}
