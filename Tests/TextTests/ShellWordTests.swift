@testable import Text
import Foundation
import TestSupport
import Testing

/// Words of commands that users copy.
@Suite struct ShellWordTests {
  private static let node = ["/usr/bin/node", "/usr/local/bin/node", "/opt/homebrew/bin/node"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  private static let names =
    HostileNames.words + HostileNames.unprintable + HostileNames.random(seed: 3, count: 500)

  @Test(arguments: [
    ("abc", "abc"), ("", "''"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("$x", "'$x'"),
    ("a=b,c/d", "a=b,c/d"), ("=ls", "'=ls'"), ("%1", "'%1'"), ("a!b", #"'a'\!'b'"#), (#"a\b"#, #"'a'\\'b'"#),
    ("x'\u{301}y", "'x'\\''\u{301}y'"), ("é", "'é'"), ("a\nb", nil), ("a\tb", nil), ("a\u{0}", nil),
    ("a\u{202E}b", nil), ("a\u{200D}b", nil), ("\u{1B}", nil),
  ])
  func aShellReadsOneWord(_ text: String, _ word: String?) {
    #expect(ShellWord.quoted(text).map { Array($0.utf8) } == word.map { Array($0.utf8) })
    #expect(ShellWord.quoted(text, or: "NAME") == word ?? "NAME")
  }

  @Test(arguments: [
    ("a/b", "a/b"), ("/a", "/a"), ("-a", "./-a"), ("~a", "'./~a'"), ("+1", "./+1"), ("a b", "'a b'"),
    ("./a", "./a"), ("é", "'./é'"), ("a\nb", "FILE"),
  ])
  func aPathIsNoOption(_ path: String, _ word: String) { #expect(ShellWord.path(path, or: "FILE") == word) }

  @Test(arguments: [
    ("Name", "VALUE", "Name=VALUE"), ("a b", "VALUE", "'a b=VALUE'"), ("a\nb", "VALUE", "NAME=VALUE"),
    ("Name", "qemu ./it's", #"'Name=qemu ./it'\''s'"#), ("a\nb", "qemu x", "'NAME=qemu x'"),
  ])
  func anAssignmentIsOneWord(_ name: String, _ value: String, _ word: String) {
    #expect(ShellWord.assignment(name, value) == word)
  }

  @Test("a shell reads a word as the text", arguments: PrintedCommands.shells)
  func shells(_ shell: String) throws {
    let texts = Self.names.filter { !$0.utf8.contains(0) }
    let words = texts.map(ShellWord.exact)
    let runs = try PrintedCommands.run(words.map { "curl \($0)" }, in: shell)
    for (text, run) in zip(texts, runs) {
      let expected = [["curl", text].map { Array($0.utf8) }]
      #expect(run.calls.map { $0.map { Array($0.utf8) } } == expected && run.files == [], "\(run)")
    }
  }

  @Test("the page of the console has the same rule", .enabled(if: node != nil, "node is not installed"))
  func script() throws {
    let program = """
      const vm = require("vm"), fs = require("fs");
      vm.runInThisContext(fs.readFileSync(process.argv[1], "utf8"));
      const names = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
      process.stdout.write(JSON.stringify(names.map((name) => vm.runInThisContext("shellWord")(name))));
      """
    let file = FileManager.default.temporaryDirectory.appending(path: "names-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try JSONEncoder().encode(Self.names).write(to: file)
    let process = Process()
    process.executableURL = URL(filePath: Self.node ?? "")
    process.arguments = [
      "-e", program, Checkout.root.appending(path: "Sources/ConsolePage/Script/formats.js").path, file.path,
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let words = try JSONDecoder().decode(
      [String?].self, from: pipe.fileHandleForReading.readToEnd() ?? Data())
    process.waitUntilExit()
    #expect(words.count == Self.names.count)
    for (name, word) in zip(Self.names, words) {
      #expect(word.map { Array($0.utf8) } == ShellWord.quoted(name).map { Array($0.utf8) }, "\(name)")
    }
  }
}
