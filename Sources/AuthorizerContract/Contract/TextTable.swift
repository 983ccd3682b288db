/// A table of text for a terminal.
package struct TextTable: Equatable, Sendable {
  private var rows: [[String]]
  private let rightAligned: Set<Int>

  /// Creates an empty table.
  ///
  /// - Parameters:
  ///   - columns: the headings.
  ///   - rightAligned: the indices of right-aligned columns, from 0.
  package init(columns: [String], rightAligned: Set<Int> = []) {
    rows = [columns]
    self.rightAligned = rightAligned
  }

  /// Adds a row, which must have one cell per column.
  package mutating func add(_ cells: [String]) {
    rows.append(cells)
  }

  /// The lines: headings first, two spaces between columns, no trailing spaces.
  package var lines: [String] {
    var widths = [Int](repeating: 0, count: rows[0].count)
    for row in rows {
      for (column, cell) in zip(widths.indices, row) { widths[column] = max(widths[column], cell.count) }
    }
    return rows.map { row in
      var line = row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: max(0, widths[column] - cell.count))
        return rightAligned.contains(column) ? space + cell : cell + space
      }.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
