import Foundation
import Testing
import TestSupport

/// The help, man pages and completions of every command.
@Suite(.timeLimit(.minutes(HangLimit.minutes)))
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
  func width(_ columns: Int) throws {
    let workshop = try Workshop(hasDevelopmentKeys: false)
    for command in try CommandTree.all.get() {
      let words = Array(command.words.dropFirst())
      let answer = try workshop.run(words + ["--help"], environment: ["COLUMNS": String(columns)])
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
  func spellings(_ arguments: [String]) throws {
    let workshop = try Workshop(hasDevelopmentKeys: false)
    let answer = try workshop.run(arguments)
    let usual = try workshop.run(["serve", "--help"])
    #expect(answer.exit == 0 && answer.output == usual.output)
  }

  // MARK: Man pages

  /// The man pages in a folder of their own.
  private static func pages(in workshop: borrowing Workshop) throws -> [(name: String, path: String)] {
    let answer = try workshop.run(["manual", "a b/man"])
    try #require(answer.exit == 0, "\(answer.errors)")
    let folder = workshop.folder.appendingPathComponent("a b/man").path
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map {
      (name: $0, path: "\(folder)/\($0)")
    }
  }

  @Test("every command has a man page")
  func manualPages() throws {
    let workshop = try Workshop(hasDevelopmentKeys: false)
    let names = try CommandTree.all.get().map { $0.words.joined(separator: "-") + ".1" }
    #expect(try Self.pages(in: workshop).map(\.name) == names.sorted())
    try workshop.write("", to: "file")
    let refused = try workshop.run(["manual", "file/man"])
    #expect(refused.exit == 64 && refused.errors.hasPrefix("error: cannot write file/man/"), "\(refused)")
  }

  @Test(
    "groff reads the man pages without a warning, and examples stay as they are",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff"), "groff is not installed"))
  func groff() throws {
    let workshop = try Workshop(hasDevelopmentKeys: false)
    let commands = try CommandTree.all.get()
    for page in try Self.pages(in: workshop) {
      // 1000 columns: only filled text depends on the width.
      let answer = try Shell.run("groff -man -ww -Tutf8 -P-c -rLL=1000n '\(page.path)'", in: workshop)
      #expect(answer.exit == 0 && answer.errors.isEmpty, "\(page.name): \(answer.errors)")
      let lines = Set(answer.output.split(separator: "\n").map { $0.drop { $0 == " " } })
      for command in commands where command.words.joined(separator: "-") + ".1" == page.name {
        for example in command.examples { #expect(lines.contains(example[...]), "\(page.name): \(example)") }
      }
    }
  }

  @Test(
    "mandoc reads the man pages without a warning",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/mandoc"), "mandoc is not installed"))
  func mandoc() throws {
    let workshop = try Workshop(hasDevelopmentKeys: false)
    for page in try Self.pages(in: workshop) {
      // A page without a date is the same in every build.
      let answer = try Shell.run(
        "mandoc -T lint -W warning '\(page.path)' | grep -v 'missing date' || true", in: workshop)
      #expect(answer.output.isEmpty, "\(answer.output)")
    }
  }

  @Test(
    "shells can read the completions",
    arguments: [("bash", "/bin/bash"), ("zsh", "/usr/bin/zsh"), ("fish", "/usr/bin/fish")])
  func completions(_ name: String, _ shell: String) throws {
    let workshop = try Workshop(hasDevelopmentKeys: false)
    let answer = try workshop.run(["--generate-completion-script", name])
    #expect(answer.exit == 0 && answer.output.contains("authorizer-local"), "\(answer.errors)")
    try workshop.write(answer.output, to: "completions")
    guard FileManager.default.isExecutableFile(atPath: shell) else { return }
    let parsed = try Shell.run("\(shell) -n completions", in: workshop)
    #expect(parsed.exit == 0 && parsed.errors.isEmpty, "\(parsed.errors)")
  }
}
