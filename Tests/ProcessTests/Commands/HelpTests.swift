import Foundation
import Testing
import TestSupport

/// The help and completions of every command.
@Suite(.hangLimit)
struct HelpTests {
  /// The programs that an example may start with, besides variables.
  static let programs: Set = ["authorizer-local", "make", "curl", "cat", "git"]

  @Test("every command has examples, and each begins with a command")
  func examples() throws {
    let commands = try CommandTree.all.get()
    let names = Set(commands.map { $0.words.dropFirst().joined(separator: " ") })
    #expect(commands.count >= 20)
    for command in commands {
      // A group of commands may leave the examples to its commands.
      let isGroup = commands.contains {
        $0.words.count > command.words.count && $0.words.starts(with: command.words)
      }
      #expect(isGroup || !command.examples.isEmpty, "\(command)")
      for example in command.examples {
        let words = example.split(separator: " ").map(String.init)
        let start = words.drop(while: Self.isAssignment)
        #expect(Self.programs.contains(start.first ?? ""), "\(example)")
        guard start.first == "authorizer-local", let next = start.dropFirst().first else { continue }
        #expect(names.contains(next), "\(example)")
      }
    }
  }

  private static func isAssignment(_ word: String) -> Bool {
    guard let sign = word.firstIndex(of: "=") else { return false }
    return word[..<sign].allSatisfy { $0.isUppercase || $0 == "_" }
  }

  @Test("no terminal width breaks an example, and prose is wrapped", arguments: [50, 80, 120])
  func width(_ columns: Int) async throws {
    let workshop = try Workshop(hasDevelopmentKeys: false)
    for command in try CommandTree.all.get() {
      let words = Array(command.words.dropFirst())
      let answer = try await workshop.run(words + ["--help"], environment: ["COLUMNS": String(columns)])
      #expect(answer.exit == 0)
      let lines = answer.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      for example in command.examples { #expect(lines.contains("  " + example), "\(command): \(example)") }
      let usage = try #require(lines.firstIndex { $0.hasPrefix("USAGE: ") })
      let overview = lines[..<usage].filter { !$0.hasPrefix("  ") }
      // The library does not break the usage; an empty line ends it.
      let options = lines[usage...].drop { !$0.isEmpty }
      for line in overview + options {
        // A description begins in column 26; a word that is too long cannot be broken.
        let words = line.dropFirst(line.hasPrefix("  ") ? 26 : 0).split(separator: " ")
        #expect(line.count <= columns || words.count <= 1, "\(command): \(line)")
      }
      let text = overview.joined(separator: " ")
      for paragraph in command.discussion.split(separator: "\n") where !paragraph.hasPrefix("  ") {
        #expect(text.contains(paragraph), "\(command): \(paragraph)")
      }
    }
  }

  @Test(
    "help of other spellings is the same",
    arguments: [["help", "serve"], ["serve", "-h"], ["serve", "--help"]])
  func spellings(_ arguments: [String]) async throws {
    let workshop = try Workshop(hasDevelopmentKeys: false)
    let answer = try await workshop.run(arguments)
    let usual = try await workshop.run(["serve", "--help"])
    #expect(answer.exit == 0 && answer.output == usual.output)
  }

  @Test(
    "shells can read the completions",
    arguments: [("bash", "/bin/bash"), ("zsh", "/usr/bin/zsh"), ("fish", "/usr/bin/fish")])
  func completions(_ name: String, _ shell: String) async throws {
    let workshop = try Workshop(hasDevelopmentKeys: false)
    let answer = try await workshop.run(["--generate-completion-script", name])
    #expect(answer.exit == 0 && answer.output.contains("authorizer-local"), "\(answer.errors)")
    try workshop.write(answer.output, to: "completions")
    guard FileManager.default.isExecutableFile(atPath: shell) else { return }
    let parsed = try Shell.run("\(shell) -n completions", in: workshop)
    #expect(parsed.exit == 0 && parsed.errors.isEmpty, "\(parsed.errors)")
  }
}
