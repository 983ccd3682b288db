import JSON

/// Writes `docs/reference/commands.md` from the output of swift-argument-parser for `--experimental-dump-help`.
enum CommandReference {
  /// Returns a section for each command, in the order of the help.
  static func text(_ dump: JSONTree) -> String {
    guard let root = dump["command"] else { return "" }
    return sections(root, parents: []).joined(separator: "\n")
  }

  private static func sections(_ command: JSONTree, parents: [String]) -> [String] {
    let name = parents + [text(command["commandName"])]
    guard command["shouldDisplay"] != .boolean(false), name.last != "help" else { return [] }
    var parts = ["## " + name.joined(separator: " "), text(command["abstract"])]
    parts += discussion(text(command["discussion"]))
    let arguments = elements(command["arguments"]).filter { isOwn($0, isRoot: parents.isEmpty) }
    if !arguments.isEmpty {
      let rows = arguments.map { "| \(names($0)) | \(meaning($0)) | \(presence($0)) |" }
      parts.append("| argument | meaning | default |\n|---|---|---|\n" + rows.joined(separator: "\n"))
    }
    let own = parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    return [own] + elements(command["subcommands"]).flatMap { sections($0, parents: name) }
  }

  /// `--help` and `--version` are the same for all commands, so only the first command lists them.
  private static func isOwn(_ argument: JSONTree, isRoot: Bool) -> Bool {
    let value = text(argument["valueName"])
    return argument["shouldDisplay"] != .boolean(false) && (isRoot || (value != "help" && value != "version"))
  }

  private static func names(_ argument: JSONTree) -> String {
    let value = text(argument["valueName"])
    let names = elements(argument["names"]).map {
      (text($0["kind"]) == "short" ? "-" : "--") + text($0["name"])
    }
    let spelled =
      switch text(argument["kind"]) {
      case "positional": "<\(value)>"
      case "flag": names.joined(separator: ", ")
      default: names.joined(separator: ", ") + " <\(value)>"
      }
    return "`\(cell(spelled))`" + (argument["isRepeating"] == .boolean(true) ? ", repeatable" : "")
  }

  private static func meaning(_ argument: JSONTree) -> String {
    let texts = [text(argument["abstract"]), text(argument["discussion"])].filter { !$0.isEmpty }
    return cell(texts.joined(separator: " ")).replacing("<", with: "&lt;")
  }

  private static func presence(_ argument: JSONTree) -> String {
    let value = text(argument["defaultValue"])
    if !value.isEmpty { return "`\(cell(value))`" }
    return argument["isOptional"] == .boolean(false) ? "required" : "–"
  }

  /// Indented lines are examples or lists. They become code blocks, so that they can be copied.
  private static func discussion(_ text: String) -> [String] {
    var parts: [String] = []
    var fenced: [String] = []
    func close() {
      guard !fenced.isEmpty else { return }
      parts.append("```text\n" + fenced.joined(separator: "\n") + "\n```")
      fenced = []
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("  ") {
        fenced.append(String(line.dropFirst(2)))
      } else {
        close()
        if !line.isEmpty { parts.append(prose(line)) }
      }
    }
    close()
    return parts
  }

  /// Escapes angle brackets and asterisks, which have a meaning in Markdown.
  private static func prose(_ line: Substring) -> String {
    String(line).replacing("<", with: "&lt;").replacing("*", with: "\\*")
  }

  private static func cell(_ text: String) -> String {
    text.replacing("|", with: "\\|").replacing("\n", with: " ")
  }

  private static func text(_ tree: JSONTree?) -> String {
    if case .string(let text)? = tree { return text }
    return ""
  }

  private static func elements(_ tree: JSONTree?) -> [JSONTree] {
    if case .array(let elements)? = tree { return elements }
    return []
  }
}
