import Foundation
import JSON
import TestSupport
import Testing

/// The instructions in the incidents of `docs/operations.md` work.
@Suite(.needsFetchingFunction, .hangLimit)
struct RunbookTests {
  /// Commands of the incidents that no test runs, each with a reason.
  static let notRun: [(beginning: String, reason: String)] = [
    ("aws ", "needs an account"),
    ("authorizer-local serve", "ServeTests starts it"),
  ]

  /// Placeholders in capitals that a reader replaces. `ADDRESS` and `ISSUER` become the address of a local key set.
  static let replaced = [("NAME.json", "apple.json"), ("KID", "development-rs256")]

  /// Fragments of configurations in the text, and where they belong.
  static let fragments: [(fragment: String, configuration: String)] = [
    (
      #""pinned": true"#,
      #"{"issuers":[{"preset":"apple","audiences":["a"],"keys":{"seed":"keys/apple.json",FRAGMENT}}]}"#
    ),
    (
      #""leewaySeconds": 300"#,
      #"{"issuers":[{"preset":"apple","audiences":["a"],"keys":{"seed":"keys/apple.json"},FRAGMENT}]}"#
    ),
  ]

  @Test("each configuration of the incidents is valid")
  func configurations() async throws {
    let blocks = try Incidents().configurations
    #expect(blocks.count >= 2)
    for block in blocks { try await Self.expectSound(block) }
  }

  @Test("each quoted setting of the incidents is valid")
  func settings() async throws {
    let quoted = Set(try Incidents().quoted.filter { $0.contains(#/^"\w+": /#) })
    #expect(quoted == Set(Self.fragments.map(\.fragment)))
    for (fragment, configuration) in Self.fragments {
      try await Self.expectSound(configuration.replacing("FRAGMENT", with: fragment))
    }
  }

  @Test("each command of the incidents runs, or has a reason not to", .needsCurl)
  func commands() async throws {
    let workshop = try Workshop()
    let server = try LoopbackKeyServer(.keySet(try FetchingFunction.keySet()))
    try server.start()
    defer { server.stop() }
    try FileManager.default.createDirectory(
      at: workshop.folder.appendingPathComponent("keys"), withIntermediateDirectories: true)
    try workshop.write(
      #"{"issuers":[{"preset":"apple","audiences":["a"],"keys":{"seed":"keys/apple.json"}}]}"#,
      to: "authorizer.json")
    let token = try await workshop.run(["token", "--preset", "apple", "--audience", "a"])
    #expect(token.exit == 0, "\(token.errors)")
    var unused = Set(Self.notRun.map(\.beginning))
    let commands = try Incidents().commands
    #expect(commands.count >= 12)
    for command in commands {
      if let excuse = Self.notRun.first(where: { command.hasPrefix($0.beginning) }) {
        unused.remove(excuse.beginning)
        continue
      }
      var line = command
      for (word, value) in Self.replaced { line = line.replacing(word, with: value) }
      line = line.replacing("ADDRESS", with: server.address + "/jwks")
        .replacing(
          "keys fetch ISSUER",
          with: "keys fetch --development --fetch-keys '\(FetchingFunction.fetchKeys)' \(server.address)/jwks"
        )
        .replacing("config check", with: "config check --development")
        .replacing("TOKEN", with: token.output.trimmingCharacters(in: .whitespacesAndNewlines))
        .replacing("authorizer-local ", with: "'\(Workshop.tool.path)' ")
      let answer = try Shell.run(line, in: workshop)
      #expect(answer.exit == 0, "\(command)\n\(answer.output)\(answer.errors)")
    }
    #expect(unused.isEmpty, "no longer in docs/operations.md: \(unused.sorted())")
  }

  /// Runs `config check` with seeds as `keys fetch` writes them.
  private static func expectSound(_ configuration: String) async throws {
    let workshop = try Workshop()
    var tree = try JSONTree(parsing: Array(try await workshop.run(["keys", "show"]).output.utf8))
    tree["source"] = .string("https://id.example.com/jwks")
    tree["fetchedAt"] = .number("\(Int(Date().timeIntervalSince1970))")
    for name in ["apple", "partner"] {
      try workshop.write(String(decoding: tree.bytes(), as: UTF8.self), to: "keys/\(name).json")
    }
    try workshop.write(configuration, to: "authorizer.json")
    let answer = try await workshop.run(["config", "check", "--development", "authorizer.json"])
    #expect(answer.exit == 0, "\(configuration)\n\(answer.output)\(answer.errors)")
  }
}

/// The section "Incidents" of `docs/operations.md`: its blocks and texts in backquotes.
private struct Incidents {
  /// The JSON blocks.
  private(set) var configurations: [String] = []
  /// The texts in backquotes, each on one line.
  private(set) var quoted: [String] = []

  init() throws {
    let page = Workshop.packageRoot.appendingPathComponent("docs/operations.md")
    let lines = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex(of: "## Incidents"))
    var text = ""
    var open: (isJSON: Bool, lines: [String])?
    for line in lines[(start + 1)...].map({ $0.trimmingCharacters(in: .whitespaces) }) {
      if line.hasPrefix("## ") { break }
      if line.hasPrefix("```") {
        if let block = open, block.isJSON { configurations.append(block.lines.joined(separator: "\n")) }
        open = open == nil ? (line == "```json", []) : nil
      } else if open != nil {
        open?.lines.append(line)
      } else {
        text += line + " "
      }
    }
    quoted = text.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
  }

  /// The texts that begin with a program's name and have arguments.
  var commands: [String] {
    let programs = ["authorizer-local ", "aws ", "curl ", "openssl ", "printf "]
    return quoted.filter { text in programs.contains { text.hasPrefix($0) } }
  }
}
