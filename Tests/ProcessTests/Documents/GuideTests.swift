import Foundation
import JSON
import TestSupport
import Testing

/// Follows every guide of `docs/guides`: writes its files, runs its commands in order, and compares their output with
/// the text block after them.
@Suite(.needsBootstrap, .needsCurl, .serialized, .hangLimit)
struct GuideTests {
  /// Commands that no test runs, each with a reason.
  static let notRun: [(beginning: String, reason: String)] = [
    ("( cd template && sam ", "needs an account; make check-sam runs sam build"),
    ("( cd demo && sam ", "needs an account; make check-sam validates the template"),
    ("sam ", "needs an account"),
    ("aws ", "needs an account"),
    ("AUTHORIZER_ARN=$(aws ", "needs an account"),
    ("terraform ", "needs an account"),
    ("( cd my-api/cdk && npm ", "connects to a registry"),
    ("( cd my-api/cdk && npx ", "needs an account"),
    ("( cd my-api/serverless && npx ", "needs an account"),
    ("curl -i https://API-ID.", "needs a deployed API"),
    ("curl -i -H \"Authorization: Bearer $TOKEN\" https://API-ID.", "needs a deployed API"),
    ("make serve TLS=1", "builds TLS; make check-bound does the same"),
    ("python3 -m venv my-mcp/", "connects to a registry"),
    ("my-mcp/environment/bin/", "needs the MCP SDK and a browser; make check-mcp has both"),
    (".build/debug/authorizer-local token", "needs the server of the command before it"),
    ("curl -s -o body.json -w '%{http_code}\\n' --cacert", "needs the server of the command before it"),
  ]

  static let pages: [String] = {
    let folder = Workshop.packageRoot.appendingPathComponent("docs/guides")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".md") }.sorted()
  }()

  /// The guides that need Node.js.
  static let pagesWithNode: Set = ["websocket.md", "test-your-own-authorizer.md", "migrate.md"]

  @Test("the guides exist") func guides() {
    #expect(Self.pages.count >= 10)
    for page in Self.pagesWithNode { #expect(Self.pages.contains(page)) }
  }

  @Test(
    "the files of a guide can be written and its commands run",
    arguments: pages.filter { !pagesWithNode.contains($0) })
  func page(_ name: String) async throws { try await Self.follow(name) }

  @Test(
    "the files of a guide with Node.js can be written and its commands run",
    .needsNode, arguments: pagesWithNode.sorted())
  func pageWithNode(_ name: String) async throws { try await Self.follow(name) }

  private static func follow(_ name: String) async throws {
    let page = try Readme("docs/guides/" + name)
    let workshop = try Self.checkout()
    var gateway: ServedGateway?
    for (index, block) in page.blocks.enumerated() {
      if let file = page.files[index] {
        try workshop.write(block.text + "\n", to: file)
        if file.hasSuffix("authorizer.json") { try await Self.check(file, in: workshop) }
      } else if block.language == "sh" {
        let commands = block.commands.filter { command in
          !Self.notRun.contains { command.hasPrefix($0.beginning) }
        }
        if let served = commands.first, Self.serves(served) {
          #expect(commands.count == 1)
          gateway = try Self.serve(served, in: workshop)
        } else if !commands.isEmpty {
          let next =
            index + 1 < page.blocks.count && page.files[index + 1] == nil ? page.blocks[index + 1] : nil
          let said = next?.language == "text" && Self.follows(block, next, in: name) ? next : nil
          try Self.run(block, said: said, gateway?.port, in: workshop)
        }
      } else if block.language == "json" {
        let tree = try JSONTree(parsing: Array(block.text.utf8))
        guard tree["issuers"] != nil else { continue }
        try workshop.write(block.text, to: "sample/authorizer.json")
        try await Self.check("sample/authorizer.json", in: workshop)
      }
    }
  }

  @Test("each command that no test runs is in a guide")
  func commandsThatAreNotRun() throws {
    let commands = try Self.pages.flatMap {
      try Readme("docs/guides/" + $0).blocks(in: "sh").flatMap(\.commands)
    }
    for (beginning, _) in Self.notRun {
      #expect(commands.contains { $0.hasPrefix(beginning) }, "no guide has: \(beginning)")
    }
  }

  /// A reader pastes the commands of several pages into one shell.
  @Test("no command of README or guide changes the shell's folder")
  func folders() throws {
    for page in ["README.md"] + Self.pages.map({ "docs/guides/" + $0 }) {
      let commands = try Readme(page).blocks(in: "sh").flatMap(\.commands)
      #expect(!commands.contains { $0.hasPrefix("cd ") }, "\(page)")
    }
  }

  @Test("no guide writes a file of another guide, or one that other guides' commands would find first")
  func files() throws {
    var writers: [String: String] = [:]
    for page in Self.pages {
      for file in Set(try Readme("docs/guides/" + page).files.compactMap(\.self)) {
        #expect(!["authorizer.json", "tokens.json"].contains(file), "\(page): \(file) in the root")
        guard file != "template/authorizer.json" else { continue }
        #expect(writers[file] == nil, "\(page): \(file) is also in \(writers[file] ?? "")")
        writers[file] = page
      }
    }
    #expect(writers.count > 10)
  }

  @Test("the client of mcp.md takes no other request of a browser for the answer of a login", .needsPython)
  func client() throws {
    let source = try #require(try Readme("docs/guides/mcp.md").blocks(in: "python").first)
    let workshop = try Workshop()
    try workshop.write(source.text + "\n", to: "client.py")
    let script = Workshop.packageRoot.appendingPathComponent("Tests/Fixtures/mcp/callback.py").path
    let answer = try Shell.run("'\(Workshop.python ?? "")' -B '\(script)' client.py", in: workshop)
    #expect(answer.exit == 0, "\(answer.errors)")
    #expect(answer.output == "one a i\n404 200\n b i\n404 200\n", "\(answer.output)")
  }

  // MARK: Setup

  /// Creates a folder like the repository after `make build`; `template` is a copy, because guides write there.
  private static func checkout() throws -> Workshop {
    let workshop = try ReadmeTests.checkout()
    let files = FileManager.default
    let template = workshop.folder.appendingPathComponent("template")
    try files.removeItem(at: template)
    try files.copyItem(at: Workshop.packageRoot.appendingPathComponent("template"), to: template)
    for name in ["authorizer.json", "keys"] {
      try? files.removeItem(at: template.appendingPathComponent(name))
    }
    for name in ["Makefile", "dist/call-dynamodb"] {
      try files.createSymbolicLink(
        atPath: workshop.folder.appendingPathComponent(name).path,
        withDestinationPath: Workshop.packageRoot.appendingPathComponent(name).path)
    }
    return workshop
  }

  private static func check(_ file: String, in workshop: borrowing Workshop) async throws {
    // The check reads the secret too, so it must be set.
    let answer = try await workshop.run(
      ["config", "check", "--development", file],
      environment: ["AUTHORIZER_TICKET_SECRET": "xlwyYEcFC1XH6ni7Eh6awu43xH7G8hYMwCJ+16v0"])
    #expect(answer.exit == 0, "\(file): \(answer.output)")
  }

  private static let servesHere = "( cd demo && authorizer-local serve )"

  private static func serves(_ command: String) -> Bool {
    command.hasPrefix("dist/authorizer-local serve ") || command == servesHere
  }

  private static func serve(_ command: String, in workshop: borrowing Workshop) throws -> ServedGateway {
    if command == servesHere {
      return try ServedGateway(workshop, [], in: workshop.folder.appendingPathComponent("demo"))
    }
    let words = command.split(separator: " ").dropFirst(2).joined(separator: " ")
    // The shell expands quotation marks and commands, and prints one word per line.
    let answer = try Shell.run("printf '%s\\n' " + words, in: workshop)
    #expect(answer.exit == 0, "\(command)\n\(answer.errors)")
    return try ServedGateway(workshop, answer.output.split(separator: "\n").map(String.init))
  }

  private static func run(
    _ block: Readme.Block, said: Readme.Block?, _ port: Int?, in workshop: borrowing Workshop
  ) throws {
    let lines = block.text.components(separatedBy: "\n").filter { line in
      !notRun.contains { line.hasPrefix($0.beginning) }
    }
    let script = lines.joined(separator: "\n").replacing(
      "http://127.0.0.1:8080", with: "http://127.0.0.1:\(port ?? 0)")
    let answer = try Shell.run(script, in: workshop)
    #expect(answer.exit == 0, "\(script)\n\(answer.output)\n\(answer.errors)")
    guard let said else { return }
    #expect(agrees(answer.output, with: said.text), "\(script)\n\(answer.output)\n\(answer.errors)")
  }

  /// Whether the text block directly follows the commands.
  private static func follows(_ block: Readme.Block, _ next: Readme.Block?, in name: String) -> Bool {
    guard let next,
      let page = try? Checkout.text("docs/guides/" + name)
    else { return false }
    return page.contains("\(block.text)\n```\n\n```text\n\(next.text)\n```")
  }

  /// Whether the output matches the text, in which `…` matches anything on its line.
  private static func agrees(_ output: String, with text: String) -> Bool {
    let found = output.split(separator: "\n").map(String.init)
    let said = text.split(separator: "\n").map(String.init)
    guard found.count == said.count else { return false }
    return zip(found, said).allSatisfy { found, said in
      let parts = said.components(separatedBy: "…")
      guard parts.count > 1 else { return found == said }
      guard found.hasPrefix(parts[0]), found.hasSuffix(parts[parts.count - 1]) else { return false }
      var rest = found[...]
      for part in parts where !part.isEmpty {
        guard let range = rest.firstRange(of: part) else { return false }
        rest = rest[range.upperBound...]
      }
      return true
    }
  }
}
