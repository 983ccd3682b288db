import Foundation

/// The parts of a README that tests compare: its code blocks, headings and tables.
struct Readme: Sendable {
  struct Block: Equatable, Sendable {
    let language: String
    let text: String

    /// The commands of a shell block, without comments and blank lines.
    var commands: [String] {
      text.split(separator: "\n").map { line in
        let comment = line.firstRange(of: " #")?.lowerBound ?? line.endIndex
        return (line.hasPrefix("#") ? "" : line[..<comment]).trimmingCharacters(in: .whitespaces)
      }.filter { !$0.isEmpty }
    }
  }

  let blocks: [Block]
  /// For each block, the file that the preceding line asks the reader to write: "Write `authorizer.json`:".
  let files: [String?]
  /// The lines outside of blocks.
  let lines: [String]

  init(_ name: String) throws {
    let page = Workshop.packageRoot.appendingPathComponent(name)
    var blocks: [Block] = []
    var lines: [String] = []
    var files: [String?] = []
    var lineBefore = ""
    var open: (language: String, lines: [String])?
    for line in try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        if open == nil {
          files.append(Self.file(namedBy: lineBefore))
          // A second block right after the file is not the file again.
          lineBefore = ""
        }
        if let block = open {
          blocks.append(Block(language: block.language, text: block.lines.joined(separator: "\n")))
          open = nil
        } else {
          open = (String(line.dropFirst(3)), [])
        }
      } else if open != nil {
        open?.lines.append(line)
      } else {
        lines.append(line)
        if !line.isEmpty { lineBefore = line }
      }
    }
    self.blocks = blocks
    self.files = files
    self.lines = lines
  }

  private static func file(namedBy line: String) -> String? {
    guard line.hasPrefix("Write `"), line.hasSuffix("`:") else { return nil }
    return String(line.dropFirst("Write `".count).dropLast("`:".count))
  }

  func blocks(in language: String) -> [Block] { blocks.filter { $0.language == language } }

  /// The structure that a translation must keep: the level of each heading, and the number of columns in each table
  /// row.
  var shape: [String] {
    lines.compactMap { line in
      if line.hasPrefix("#") { return String(line.prefix { $0 == "#" }) }
      if line.hasPrefix("|") { return "table of \(line.filter { $0 == "|" }.count - 1)" }
      return nil
    }
  }

  /// The words in backquotes in all tables, in order.
  var codeWordsOfTables: [String] {
    lines.filter { $0.hasPrefix("|") }.flatMap { row in
      row.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    }
  }
}
