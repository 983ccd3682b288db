import JSON

/// Writes `docs/reference/commands.md` from the output of swift-argument-parser for `--experimental-dump-help`.
enum CommandReference {
  /// A visible command and its arguments.
  private struct Command {
    /// The words of the command, `authorizer-local` first.
    let words: [String]
    let tree: JSONTree
    let arguments: [Argument]
  }

  /// An argument or option: an item of a list.
  private struct Argument: Hashable {
    var names: String
    let meaning: String

    /// The first long name, without its value.
    var label: String {
      let words = names.split { $0 == " " || $0 == "," }.map(String.init)
      return words.first { $0.hasPrefix("--") } ?? names
    }

    var item: String { "- `\(names)`: \(meaning)" }
  }

  /// Returns a section for each command, in the order of the help, and a section with the options that several
  /// commands share.
  static func text(_ dump: JSONTree) -> String {
    guard let root = dump["command"] else { return "" }
    let commands = commands(root, parents: [])
    let shared = shared(among: commands)
    let last = "## Options shared by commands\n\n" + shared.map(\.item).joined(separator: "\n") + "\n"
    return (commands.map { section($0, shared: shared) } + [last]).joined(separator: "\n")
  }

  private static func commands(_ command: JSONTree, parents: [String]) -> [Command] {
    let words = parents + [text(command["commandName"])]
    guard command["shouldDisplay"] != .boolean(false), words.last != "help" else { return [] }
    let own = Command(words: words, tree: command, arguments: arguments(command, isRoot: parents.isEmpty))
    return [own] + elements(command["subcommands"]).flatMap { commands($0, parents: words) }
  }

  /// The descriptions of commands are in their help. That of the program has the exit codes, which all commands share.
  private static func section(_ command: Command, shared: [Argument]) -> String {
    let isRoot = command.words.count == 1
    let title = isRoot ? command.words[0] : command.words.dropFirst().joined(separator: " ")
    var parts = ["## " + title, text(command.tree["abstract"])]
    if isRoot { parts += discussion(text(command.tree["discussion"])) }
    let own = command.arguments.filter { !shared.contains($0) }
    if !own.isEmpty { parts.append(own.map(\.item).joined(separator: "\n")) }
    let names = command.arguments.filter { shared.contains($0) }.map { "`\($0.label)`" }
    if !names.isEmpty {
      parts.append("[Shared options](#options-shared-by-commands): \(names.joined(separator: ", ")).")
    }
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  /// Returns the options that several commands have with the same text, in the order of the help. Two such options with
  /// the same name would be ambiguous, so commands list these themselves.
  private static func shared(among commands: [Command]) -> [Argument] {
    var counts: [Argument: Int] = [:]
    var order: [Argument] = []
    for argument in commands.flatMap(\.arguments) {
      if counts[argument] == nil { order.append(argument) }
      counts[argument, default: 0] += 1
    }
    let several = order.filter { counts[$0, default: 0] > 1 }
    return several.filter { argument in several.count { $0.label == argument.label } == 1 }
  }

  private static func arguments(_ command: JSONTree, isRoot: Bool) -> [Argument] {
    var arguments: [Argument] = []
    for tree in elements(command["arguments"]) where isOwn(tree, isRoot: isRoot) {
      let argument = Argument(names: names(tree), meaning: meaning(tree))
      if let last = arguments.last, last.meaning == argument.meaning {
        // A flag and its inversion have the same text.
        arguments[arguments.count - 1].names += ", " + argument.names
      } else {
        arguments.append(argument)
      }
    }
    return arguments
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
    return switch text(argument["kind"]) {
    case "positional": "<\(value)>"
    case "flag": names.joined(separator: ", ")
    default: names.joined(separator: ", ") + " <\(value)>"
    }
  }

  private static func meaning(_ argument: JSONTree) -> String {
    var sentences = [text(argument["abstract"]), text(argument["discussion"])].filter { !$0.isEmpty }
    // An option that takes several words repeats its value, and is given once.
    if argument["isRepeating"] == .boolean(true), argument["parsingStrategy"] != .string("upToNextOption"),
      !sentences.contains(where: { $0.contains("epeatable") })
    {
      sentences.append("Repeatable.")
    }
    let meaning = prose(sentences.joined(separator: " ").replacing("\n", with: " "))
    let value = text(argument["defaultValue"])
    if !value.isEmpty { return meaning + " Default: `\(value)`." }
    return argument["isOptional"] == .boolean(false) ? meaning + " Required." : meaning
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
    text.replacing("<", with: "&lt;").replacing("*", with: "\\*")
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
