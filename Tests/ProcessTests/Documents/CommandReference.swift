import JSON
import TestSupport

/// Writes `docs/reference/commands.md` from the output of swift-argument-parser for `--experimental-dump-help`.
enum CommandReference {
  /// Returns the description of the program, which has the exit codes, and a table of the commands in the order of the
  /// help. Their options are in their help.
  static func text(_ dump: JSONTree) -> String {
    guard let root = dump["command"] else { return "" }
    let commands = (root["subcommands"]?.elements ?? []).flatMap { rows($0, parents: []) }
    let table = "| command | what it does |\n|---|---|\n" + commands.joined(separator: "\n")
    return (discussion(root["discussion"]?.text ?? "") + [table]).joined(separator: "\n\n") + "\n"
  }

  /// A group of commands has no row of its own.
  private static func rows(_ command: JSONTree, parents: [String]) -> [String] {
    let words = parents + [command["commandName"]?.text ?? ""]
    guard command["shouldDisplay"] != .boolean(false), words.last != "help" else { return [] }
    let parts = (command["subcommands"]?.elements ?? []).flatMap { rows($0, parents: words) }
    guard parts.isEmpty else { return parts }
    return ["| `\(words.joined(separator: " "))` | \(prose(command["abstract"]?.text ?? "")) |"]
  }

  /// Returns the paragraphs without the examples. Other indented lines become code blocks.
  private static func discussion(_ text: String) -> [String] {
    var parts: [String] = []
    var fenced: [String] = []
    var isExample = false
    func close() {
      guard !fenced.isEmpty else { return }
      parts.append("```text\n" + fenced.joined(separator: "\n") + "\n```")
      fenced = []
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("  ") {
        if !isExample { fenced.append(String(line.dropFirst(2))) }
      } else {
        close()
        guard !line.isEmpty else { continue }
        isExample = line.hasPrefix("Example")
        if !isExample { parts.append(prose(String(line))) }
      }
    }
    close()
    return parts
  }

  /// Escapes angle brackets and asterisks, which have a meaning in Markdown.
  private static func prose(_ text: String) -> String {
    text.replacing("<", with: "&lt;").replacing("*", with: "\\*").replacing("|", with: "\\|")
  }
}
