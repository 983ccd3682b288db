import Foundation
import JSON
import TestSupport
import Testing

/// A visible command of `authorizer-local` and its help, as the program describes itself.
struct CommandTree: Sendable, CustomTestStringConvertible {
  /// The words of the command, `authorizer-local` first.
  let words: [String]
  let abstract: String
  let discussion: String

  var testDescription: String { words.joined(separator: " ") }

  /// The lines after `Example:` or `Examples:`, without their indentation.
  var examples: [String] {
    var examples: [String] = []
    var isExample = false
    for line in discussion.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("Example") {
        isExample = true
      } else if isExample, line.hasPrefix("  ") {
        examples.append(String(line.dropFirst(2)))
      } else {
        isExample = false
      }
    }
    return examples
  }

  /// All commands; read once.
  static let all = Result {
    let answer = try Workshop().execute(["--experimental-dump-help"])
    let dump = try JSONTree(parsing: Array(answer.output.utf8), limits: .event)
    return commands(try #require(dump["command"]), parents: [])
  }

  private static func commands(_ command: JSONTree, parents: [String]) -> [CommandTree] {
    let words = parents + [command["commandName"]?.text ?? ""]
    guard command["shouldDisplay"] != .boolean(false), words.last != "help" else { return [] }
    let own = CommandTree(
      words: words, abstract: command["abstract"]?.text ?? "", discussion: command["discussion"]?.text ?? "")
    return [own] + (command["subcommands"]?.elements ?? []).flatMap { commands($0, parents: words) }
  }
}
