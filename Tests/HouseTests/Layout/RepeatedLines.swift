/// Finds runs of equal lines in two places of Swift files.
///
/// Blank lines, comments, imports and lines of closing brackets only do not count, and neither does indentation.
struct RepeatedLines {
  /// A run of equal lines that is longer than the limit.
  struct Run: Equatable, CustomStringConvertible {
    let first: Place
    let second: Place
    let count: Int

    var description: String { "\(first) and \(second): \(count) equal lines" }
  }

  /// A line of a file.
  struct Place: Equatable, CustomStringConvertible {
    let path: String
    let line: Int

    var description: String { "\(path):\(line)" }
  }

  private(set) var runs: [Run] = []
  private let files: [(path: String, lines: [Line])]

  private struct Line {
    let number: Int
    /// Equal for equal texts.
    let text: Int
  }

  private struct Position {
    let file: Int
    let index: Int
  }

  /// - Parameters:
  ///   - files: the files by their paths.
  ///   - limit: the number of equal lines that two places may share.
  init(_ files: [(path: String, text: String)], limit: Int) {
    var texts: [String: Int] = [:]
    self.files = files.map { ($0.path, Self.lines(of: $0.text, &texts)) }
    var seen: [[Int]: Position] = [:]
    for file in self.files.indices {
      let lines = self.files[file].lines
      var index = 0
      while index + limit < lines.count {
        let position = Position(file: file, index: index)
        let window = lines[index...(index + limit)].map(\.text)
        let first = seen[window]
        // A run that overlaps itself is one place.
        let count = first.map { length(from: $0, and: position) } ?? 0
        if first == nil { seen[window] = position }
        if let first, count > limit {
          runs.append(Run(first: place(first), second: place(position), count: count))
          index += count
        } else {
          index += 1
        }
      }
    }
  }

  /// Returns the number of equal lines from two positions on, which do not overlap.
  private func length(from first: Position, and second: Position) -> Int {
    let (one, other) = (files[first.file].lines, files[second.file].lines)
    let end = first.file == second.file ? second.index : one.count
    var count = 0
    while first.index + count < end, second.index + count < other.count,
      one[first.index + count].text == other[second.index + count].text
    {
      count += 1
    }
    return count
  }

  private func place(_ position: Position) -> Place {
    let file = files[position.file]
    return Place(path: file.path, line: file.lines[position.index].number)
  }

  private static func lines(of text: String, _ texts: inout [String: Int]) -> [Line] {
    var lines: [Line] = []
    for (index, line) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let line = line.drop { $0 == 0x20 }
      guard !line.allSatisfy(closing.contains), !ignored.contains(where: { line.starts(with: $0) }) else {
        continue
      }
      let text = String(Substring(line))
      let number = texts[text, default: texts.count]
      texts[text] = number
      lines.append(Line(number: index + 1, text: number))
    }
    return lines
  }

  private static let closing = Set("}]),".utf8)
  /// Beginnings of lines that do not count: comments and imports.
  private static let ignored = ["//", "import ", "internal import ", "public import ", "@testable import "]
    .map { Array($0.utf8) }
}
