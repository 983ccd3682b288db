import Foundation

/// A README, as far as it can be held to what it says: its fenced blocks, headings and tables.
struct Readme: Sendable {
  struct Block: Equatable, Sendable {
    let language: String
    let text: String

    /// The lines that a shell would run: no comments, no blank lines.
    var commands: [String] {
      text.split(separator: "\n").map { line in
        let comment = line.firstRange(of: " #")?.lowerBound ?? line.endIndex
        return (line.hasPrefix("#") ? "" : line[..<comment]).trimmingCharacters(in: .whitespaces)
      }.filter { !$0.isEmpty }
    }
  }

  let blocks: [Block]
  /// For each block the file that the line before it asks the reader to write: "Write `authorizer.json`:".
  let files: [String?]
  /// Lines outside of blocks.
  let lines: [String]

  init(_ name: String) throws {
    let page = Workshop.packageRoot.appendingPathComponent(name)
    var blocks: [Block] = []
    var lines: [String] = []
    var files: [String?] = []
    var open: (language: String, lines: [String])?
    for line in try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        if open == nil { files.append(Self.file(namedBy: lines.last { !$0.isEmpty } ?? "")) }
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

  /// What a translation keeps: the level of each heading, and how many columns each row of a table has.
  var shape: [String] {
    lines.compactMap { line in
      if line.hasPrefix("#") { return String(line.prefix { $0 == "#" }) }
      if line.hasPrefix("|") { return "table of \(line.filter { $0 == "|" }.count - 1)" }
      return nil
    }
  }

  /// The words in backquotes of all tables, in their order.
  var codeWordsOfTables: [String] {
    lines.filter { $0.hasPrefix("|") }.flatMap { row in
      row.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    }
  }
}
