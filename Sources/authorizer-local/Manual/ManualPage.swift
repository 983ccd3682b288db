internal import Text
internal import JSON

/// A man page of a command, in the macros of man(7), made from what swift-argument-parser prints for
/// `--experimental-dump-help`.
struct ManualPage {
  /// The name of the page, such as `authorizer-local-invoke`; its file has the suffix `.1`.
  let name: String
  private let command: JSONTree
  private let words: [String]

  /// Returns the pages of a command and of all its subcommands.
  static func all(of command: JSONTree, parents: [String] = []) -> [ManualPage] {
    let words = parents + [command.text("commandName")]
    guard command["shouldDisplay"] != .boolean(false), words.last != "help" else { return [] }
    let page = ManualPage(name: words.joined(separator: "-"), command: command, words: words)
    return [page] + command.list("subcommands").flatMap { all(of: $0, parents: words) }
  }

  /// The source of the page for man(1).
  func source(release: String) -> String {
    let title = Roff.quoted(name.uppercased())
    var lines = [
      ".TH \(title) 1 \"\" \(Roff.quoted("authorizer-local " + release)) \(Roff.quoted("User Commands"))",
      ".SH NAME", Roff.text(name) + " \\- " + Roff.text(summary), ".SH SYNOPSIS", synopsis,
    ]
    for section in sections { lines += [".SH " + section.title] + Roff.lines(section.blocks) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The abstract without its period, as in other man pages.
  private var summary: String {
    let abstract = command.text("abstract")
    return abstract.hasByteSuffix(".") ? String(abstract.dropLast()) : abstract
  }

  private var arguments: [JSONTree] {
    command.list("arguments").filter { $0["shouldDisplay"] != .boolean(false) }
  }

  private var subcommands: [JSONTree] {
    command.list("subcommands").filter {
      $0["shouldDisplay"] != .boolean(false) && $0.text("commandName") != "help"
    }
  }

  private var synopsis: String {
    var parts = [Roff.bold(words.joined(separator: " "))]
    if arguments.contains(where: { $0.text("kind") != "positional" }) {
      parts.append("[" + Roff.italic("options") + "]")
    }
    for argument in arguments where argument.text("kind") == "positional" {
      let value = Roff.italic(argument.text("valueName"))
      let repeated = argument["isRepeating"] == .boolean(true) ? " ..." : ""
      parts.append(argument["isOptional"] == .boolean(true) ? "[\(value)\(repeated)]" : value + repeated)
    }
    if !subcommands.isEmpty { parts.append(Roff.italic("command")) }
    return parts.joined(separator: "\n")
  }

  // MARK: Sections

  private struct Section {
    let title: String
    var blocks: [Roff.Block]
  }

  private var sections: [Section] {
    var sections = discussion
    if !arguments.isEmpty {
      sections.append(Section(title: "OPTIONS", blocks: arguments.map(Self.entry)))
    }
    if !subcommands.isEmpty {
      let entries = subcommands.map { child in
        Roff.Block.entry(
          Roff.bold(name + "-" + child.text("commandName")) + "(1)", child.text("abstract"))
      }
      sections.append(Section(title: "COMMANDS", blocks: entries))
    }
    if words.count > 1 {
      let parent = words.dropLast().joined(separator: "-")
      sections.append(Section(title: "SEE ALSO", blocks: [.marked(Roff.bold(parent) + "(1)")]))
    }
    return sections
  }

  /// The discussion: its examples and exit codes are sections of their own.
  private var discussion: [Section] {
    var description = Section(title: "DESCRIPTION", blocks: [])
    var examples = Section(title: "EXAMPLES", blocks: [])
    var status = Section(title: "EXIT STATUS", blocks: [])
    for block in Self.blocks(command.text("discussion")) {
      switch (block.paragraph, block.lines) {
      case ("Example:", let lines), ("Examples:", let lines): examples.blocks.append(.verbatim(lines))
      case ("Exit codes:", let lines): status.blocks.append(.verbatim(lines))
      case (let text, let lines):
        if text.hasBytePrefix("Exit codes: ") {
          status.blocks.append(.paragraph(String(text.dropFirst(bytes: "Exit codes: ".utf8.count))))
        } else {
          if !text.isEmpty { description.blocks.append(.paragraph(text)) }
          if !lines.isEmpty { description.blocks.append(.verbatim(lines)) }
        }
      }
    }
    return [description, examples, status].filter { !$0.blocks.isEmpty }
  }

  /// Splits a discussion into paragraphs, each with the indented lines that follow it.
  private static func blocks(_ text: String) -> [(paragraph: String, lines: [String])] {
    var blocks: [(paragraph: String, lines: [String])] = []
    for line in text.splitBytes(at: "\n") {
      if line.hasBytePrefix("  ") {
        if blocks.isEmpty { blocks.append(("", [])) }
        blocks[blocks.count - 1].lines.append(String(line.dropFirst(2)))
      } else {
        blocks.append((String(line), []))
      }
    }
    return blocks
  }

  private static func entry(_ argument: JSONTree) -> Roff.Block {
    let value = Roff.italic(argument.text("valueName"))
    let names = argument.list("names").map {
      Roff.bold(($0.text("kind") == "short" ? "-" : "--") + $0.text("name"))
    }
    let spelled =
      switch argument.text("kind") {
      case "positional": value
      case "flag": names.joined(separator: ", ")
      default: names.joined(separator: ", ") + " " + value
      }
    let initial = argument.text("defaultValue")
    let meaning = [argument.text("abstract"), argument.text("discussion")].filter { !$0.isEmpty }
    return .entry(
      spelled, (meaning + (initial.isEmpty ? [] : ["(default: \(initial))"])).joined(separator: " "))
  }
}

extension JSONTree {
  fileprivate func text(_ name: String) -> String { word(name) ?? "" }
}
