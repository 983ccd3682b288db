internal import Text
internal import Foundation

/// Wraps the help of swift-argument-parser to the width of a terminal, and never breaks an example.
///
/// The library breaks every line that is too long, so a pasted example would be two commands. Here its help is
/// generated for a terminal without limit, and only prose is wrapped.
enum HelpText {
  /// The width for which the library generates the help: it breaks no line.
  static let unlimited = 100_000

  /// Returns the text for a width, if it is a help text; any other text is returned unchanged.
  static func wrapped(_ text: String, columns: Int) -> String {
    guard text.hasBytePrefix("OVERVIEW: ") || text.hasBytePrefix("USAGE: ") else { return text }
    var isUsage = false
    var hasOptions = false
    return text.splitBytes(at: "\n", omittingEmptySubsequences: false).map { line in
      if line.hasBytePrefix("USAGE: ") { isUsage = true }
      // The usage ends with an empty line; arguments, options and subcommands follow.
      if isUsage, line.isEmpty { (isUsage, hasOptions) = (false, true) }
      if isUsage { return String(line) }
      // An indented line of the overview is an example, or a row of a table.
      if !hasOptions, line.hasBytePrefix("  ") { return String(line) }
      return wrapped(line, columns: columns, indent: hasOptions ? labelColumns : 0)
    }.joined(separator: "\n")
  }

  /// The column in which the library begins the description of an option.
  private static let labelColumns = 26

  /// Returns a line as lines of at most `columns` characters, if its words permit it.
  private static func wrapped(_ line: Substring, columns: Int, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var rest = line
    var limit = columns
    while rest.count > limit {
      // No break in the label, which may contain a space and be long.
      let start = rest.index(rest.startIndex, offsetBy: lines.isEmpty ? indent : 0)
      let end = rest.index(rest.startIndex, offsetBy: limit)
      // The space may be directly after the last column.
      let candidates = rest[start...end]
      guard
        let space = candidates.unicodeScalars.lastIndex(of: " ")
          ?? rest[end...].unicodeScalars.firstIndex(of: " ")
      else { break }
      lines.append(String(rest[..<space]))
      rest = rest[space...].dropFirst(bytes: 1)
      limit = max(columns - indent, 1)
    }
    lines.append(String(rest))
    return lines.joined(separator: "\n" + margin)
  }

  /// Returns the width of the terminal: `COLUMNS` (environ(7)), else that of standard output, else 80.
  static func columns(_ environment: [String: String]) -> Int {
    if let text = environment["COLUMNS"], let columns = Int(text),
      columns >= leastColumns
    {
      return columns
    }
    var size = winsize()
    // `ioctl` writes the structure, which is valid until it returns.
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, Int(size.ws_col) >= leastColumns else {
      return 80
    }
    return Int(size.ws_col)
  }

  /// Below this width the column of descriptions has no room.
  private static let leastColumns = 40
}
