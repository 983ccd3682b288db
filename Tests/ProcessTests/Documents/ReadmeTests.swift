import Foundation
import Testing

/// Everything that the README shows works.
@Suite(.needsBootstrap, .serialized)
struct ReadmeTests {
  /// Commands that no test runs, each with a reason.
  static let notRun: [(beginning: String, reason: String)] = [
    ("make serve", "firstScreen starts the same gateway on another port"),
    ("( cd template && sam build && sam deploy", "needs an account; make check-sam runs sam build"),
    ("curl -i https://API-ID.", "needs a deployed API"),
    ("dist/authorizer-local config compare", "needs two configurations, as CompareCommandTests has"),
  ]

  /// These commands build, and a build would wait for the one that runs this test, so `make -n` only checks that they
  /// exist. Their work is tested elsewhere: `make test` begins with `make bootstrap`, and `PackageCommandTests` packs
  /// and starts the result.
  static let buildCommands: Set = ["make run", "make test", "make build", "make package"]

  /// Commands with an expected exit code other than 0: the answer about an expired token is no.
  static let exits: [String: Int32] = ["dist/authorizer-local explain events/rest-token-expired.json": 1]

  static func isFirstScreen(_ block: Readme.Block) -> Bool { block.commands.first?.hasPrefix("API=") == true }

  @Test("each command of the README runs, or has a reason not to")
  func commands() throws {
    let workshop = try Self.checkout()
    try Self.configure(workshop)
    var unused = Set(Self.notRun.map(\.beginning))
    for block in try Readme("README.md").blocks(in: "sh") where !Self.isFirstScreen(block) {
      var script: [String] = []
      for command in block.commands {
        if let excuse = Self.notRun.first(where: { command.hasPrefix($0.beginning) }) {
          unused.remove(excuse.beginning)
        } else if Self.buildCommands.contains(command) {
          script.append("make -n -C '\(Workshop.packageRoot.path)' \(command.dropFirst(5)) >/dev/null")
        } else {
          script.append(command + (Self.exits[command].map { " || [ $? = \($0) ]" } ?? ""))
        }
      }
      let answer = try Shell.run(script.joined(separator: "\n"), in: workshop)
      #expect(answer.exit == 0, "\(script.joined(separator: "\n"))\n\(answer.errors)")
    }
    #expect(unused.isEmpty, "no longer in the README: \(unused.sorted())")
  }

  @Test("the first screen returns a 200, a 401 and a 403, as its table shows", .needsCurl)
  func firstScreen() throws {
    let readme = try Readme("README.md")
    let block = try #require(readme.blocks(in: "sh").first(where: Self.isFirstScreen))
    let workshop = try Workshop()
    let gateway = try ServeTests.gateway(workshop)
    let script = block.text.replacing(
      "API=http://127.0.0.1:8080", with: "API=http://127.0.0.1:\(gateway.port)")
    #expect(script != block.text)
    let answer = try Shell.run(script, in: workshop)
    let said = Self.rows(readme.lines)
    #expect(said.map(\.status) == ["200", "401", "403"])
    // Bodies do not end with a line feed, so the next answer begins on the same line.
    let answers = answer.output.components(separatedBy: "HTTP/1.1 ").dropFirst()
    #expect(answers.count == said.count, "\(answer.output)\(answer.errors)")
    for (answer, said) in zip(answers, said) {
      #expect(answer.hasPrefix(said.status) && answer.hasSuffix(said.body), "\(answer)")
    }
  }

  @Test("each JSON block is a valid configuration")
  func configurations() async throws {
    let blocks = try Readme("README.md").blocks(in: "json")
    #expect(blocks.count >= 2)
    for block in blocks {
      let workshop = try Workshop()
      try workshop.write(block.text, to: "authorizer.json")
      let answer = try await workshop.run(["config", "check", "--development", "authorizer.json"])
      #expect(answer.exit == 0, "\(block.text)\n\(answer.output)")
    }
  }

  @Test("the Japanese README has the same blocks, headings, tables and names")
  func translation() throws {
    let (english, japanese) = (try Readme("README.md"), try Readme("README.ja.md"))
    #expect(english.blocks(in: "json") == japanese.blocks(in: "json"))
    #expect(english.blocks(in: "sh").map(\.commands) == japanese.blocks(in: "sh").map(\.commands))
    #expect(english.blocks.map(\.language) == japanese.blocks.map(\.language))
    #expect(english.shape == japanese.shape)
    #expect(english.codeWordsOfTables.sorted() == japanese.codeWordsOfTables.sorted())
  }

  // MARK: Means

  /// Creates a folder like the repository after `make build`.
  static func checkout() throws -> Workshop {
    let workshop = try Workshop()
    let files = FileManager.default
    let dist = workshop.folder.appendingPathComponent("dist")
    try files.createDirectory(at: dist, withIntermediateDirectories: true)
    for (name, target) in [
      ("authorizer-local", Workshop.tool.path), ("bootstrap", Workshop.bootstrap),
      ("fetch-keys", Workshop.packageRoot.appendingPathComponent("dist/fetch-keys").path),
    ] {
      try files.createSymbolicLink(
        atPath: dist.appendingPathComponent(name).path, withDestinationPath: target)
    }
    for name in ["docs", "Tests", "template"] {
      try files.createSymbolicLink(
        atPath: workshop.folder.appendingPathComponent(name).path,
        withDestinationPath: Workshop.packageRoot.appendingPathComponent(name).path)
    }
    // Not a link, because an event is written there.
    try files.copyItem(
      at: Workshop.packageRoot.appendingPathComponent("events"),
      to: workshop.folder.appendingPathComponent("events"))
    return workshop
  }

  /// Writes `template/authorizer.json` as a reader would: the README's last configuration.
  private static func configure(_ workshop: borrowing Workshop) throws {
    let files = FileManager.default
    let template = workshop.folder.appendingPathComponent("template")
    try files.removeItem(at: template)
    try files.copyItem(at: Workshop.packageRoot.appendingPathComponent("template"), to: template)
    let block = try #require(Readme("README.md").blocks(in: "json").last)
    try workshop.write(block.text, to: "template/authorizer.json")
  }

  /// Returns the rows such as ``| 200 | `{"principalId":"alice"}` |``.
  private static func rows(_ lines: [String]) -> [(status: String, body: String)] {
    lines.compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 2, ["200", "401", "403"].contains(cells[0]) else { return nil }
      return (cells[0], cells[1].trimmingCharacters(in: ["`"]))
    }
  }
}
