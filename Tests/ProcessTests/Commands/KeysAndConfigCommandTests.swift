import Foundation
import JSON
import Testing
import TestSupport

/// `keys show --jwks` and `config check` from end to end.
@Suite(.hangLimit)
struct KeysAndConfigCommandTests {
  /// Creates a workshop with `jwks.json`.
  private static func workshop() async throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(try await workshop.run(["keys", "show"]).output, to: "jwks.json")
    return workshop
  }

  @Test(
    arguments: [
      (["keys", "show", "--jwks", "absent"], "there is no such file"),
      (["keys", "show", "--jwks", "empty.json"], "the key set contains no keys"),
      (["config", "check", "absent"], "there is no such file"),
      (["config", "check"], "no configuration to check"),
    ] as [([String], String)])
  func reportsWrongCommandsWithHints(_ arguments: [String], _ errors: String) async throws {
    let workshop = try await Self.workshop()
    try workshop.write(#"{"keys":[]}"#, to: "empty.json")
    let answer = try await workshop.run(arguments)
    #expect(answer.exit == 64, "\(answer.output)")
    #expect(answer.errors.contains(errors), "\(answer.errors)")
    #expect(answer.output.isEmpty)
  }

  @Test func listsTheKeysWithTheirProblems() async throws {
    let workshop = try await Self.workshop()
    let good = try JSONTree(parsing: Array(try await workshop.run(["keys", "show"]).output.utf8))
    guard case .array(let keys)? = good["keys"] else { throw CocoaError(.coderReadCorrupt) }
    let bad = try JSONTree(parsing: Array(#"{"kty":"oct","kid":"secret","k":"AAAA"}"#.utf8))
    let set = JSONTree.object([.init(name: "keys", value: .array([keys[0], bad]))])
    try workshop.write(String(decoding: set.bytes(), as: UTF8.self), to: "set.json")
    let answer = try await workshop.run(["keys", "show", "--jwks", "set.json"])
    #expect(answer.exit == 0)
    let rows = answer.output.split(separator: "\n").map {
      $0.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
    }
    #expect(rows[1] == ["development-rs256", "RSA", "2048", "RS256", "usable"])
    #expect(rows[2].prefix(5) == ["secret", "-", "-", "-", "symmetric,"])
    let json = try await workshop.run(["keys", "show", "--jwks", "set.json", "--json"])
    let root = try JSONDocument(parsing: Array(json.output.utf8), limits: .event).root
    let listed = try #require(root["keys"]).elements.map { $0 }
    #expect(listed.map { $0["usable"]?.boolean } == [true, false])
    #expect(listed[1]["flaw"]?.equals("symmetric") == true)
    try workshop.write(
      String(decoding: JSONTree.object([.init(name: "keys", value: .array([bad]))]).bytes(), as: UTF8.self),
      to: "none.json")
    #expect(try await workshop.run(["keys", "show", "--jwks", "none.json"]).exit == 1)
  }

  @Test func readsConfigurationsLikeTheFunction() async throws {
    let workshop = try await Self.workshop()
    let keys = #""keys":{"seed":"../jwks.json","pinned":true}"#
    try workshop.write(
      #"{"issuers":[{"preset":"apple","audiences":["a"],\#(keys)}]}"#, to: "deep/authorizer.json")
    let refused = try await workshop.run(["config", "check", "deep/authorizer.json"])
    #expect(refused.exit == 1)
    #expect(refused.output.hasPrefix("issuers[0].keys.seed: ../jwks.json: contains development keys"))
    let valid = try await workshop.run(["config", "check", "deep/authorizer.json", "--development"])
    #expect(valid.exit == 0, "\(valid.output)")
    #expect(valid.output == "valid\n  apple: https://appleid.apple.com for a, RS256, 10 keys\n")
    try workshop.write(#"{"issuers":[{"preset":"appel"},{}],"colour":1}"#, to: "wrong.json")
    let wrong = try await workshop.run(["config", "check", "wrong.json", "--json"])
    #expect(wrong.exit == 1)
    let root = try JSONDocument(parsing: Array(wrong.output.utf8), limits: .event).root
    #expect(root["valid"]?.boolean == false)
    let paths = try #require(root["problems"]).elements.compactMap { $0["path"]?.text }
    #expect(Set(paths).isSuperset(of: ["issuers[0].preset", "issuers[1].issuer", "colour"]), "\(paths)")
    let input = try await workshop.run(["config", "check", "-"], input: "{")
    #expect(input.exit == 1)
    #expect(input.output.contains("not JSON"))
    let short = ["AUTHORIZER_ISSUER": "apple", "AUTHORIZER_AUDIENCE": "a", "AUTHORIZER_KEYS": "jwks.json"]
    #expect(try await workshop.run(["config", "check", "--development"], environment: short).exit == 0)
    #expect(
      try await workshop.run(["config", "check"], environment: ["AUTHORIZER_ISSUER": "apple"]).exit == 1)
  }

  @Test func configCheckWarnsAboutSurprisingSettings() async throws {
    let workshop = try Workshop()
    let configuration = """
      {"issuers":[{"preset":"apple","audiences":["a"]},{"preset":"google","audiences":["a"]}],
      "default":"deny","rules":[{"routes":["GET /users/{id}","* /users/${sub}"],"allow":true}]}
      """
    try workshop.write(configuration, to: "authorizer.json")
    let warnings = [
      "rules[0].routes[0]: GET /users/{id} crosses segments, so it also reaches GET /users/a/b",
      "rules[0].routes[1]: two issuers may use the same value for different users; require one issuer:"
        + #" "require": { "issuers": [ … ] }"#,
    ]
    let answer = try await workshop.run(["config", "check", "authorizer.json"])
    #expect(answer.exit == 0)
    let lines = answer.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "valid, 2 warnings")
    #expect(lines.filter { $0.hasPrefix("warning: ") } == warnings.map { "warning: " + $0 })
    let json = try await workshop.run(["config", "check", "authorizer.json", "--json"])
    let root = try JSONDocument(parsing: Array(json.output.utf8), limits: .event).root
    #expect(root["valid"]?.boolean == true)
    #expect(
      root["warnings"]?.elements.compactMap { $0["path"]?.text } == [
        "rules[0].routes[0]", "rules[0].routes[1]",
      ])
  }
}
