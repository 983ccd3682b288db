import Foundation
import JSON
import Testing
import TestSupport

/// `jws verify`, `keys show --jwks` and `config check` from end to end.
@Suite(.timeLimit(.minutes(HangLimit.minutes)))
struct SignatureCommandTests {
  private static let tokens = """
    {"good":{"preset":"apple"},"elliptic":{"preset":"apple","algorithm":"ES256"},
    "expired":{"preset":"apple","claims":{"exp":"-2h"}},
    "forged":{"preset":"apple","key":"forged"},"other":{"preset":"apple","key":"other"},
    "hs256":{"preset":"apple","secret":"a secret of at least 32 bytes, for tests"},
    "text":{"rawPayload":"no JSON at all"}}
    """

  /// Creates a workshop with `jwks.json`, and tokens by name.
  private static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    try workshop.addDevelopmentKeys()
    try workshop.write(tokens, to: "tokens.json")
    try workshop.write(try workshop.run(["keys", "show"]).output, to: "jwks.json")
    return workshop
  }

  private static func token(_ name: String, in workshop: borrowing Workshop) throws -> String {
    try workshop.run(["token", name]).output.trimmingCharacters(in: .newlines)
  }

  private static func line(_ reason: String?) -> String {
    reason.map { #"{"valid":false,"reason":"\#($0)"}"# } ?? #"{"valid":true}"#
  }

  private static let verify = ["jws", "verify", "--jwks", "jwks.json"]

  @Test func answersEachLineInOrder() throws {
    let workshop = try Self.workshop()
    let lines: [(token: String, reason: String?)] = [
      (try Self.token("good", in: workshop), nil), (try Self.token("elliptic", in: workshop) + "\r", nil),
      (try Self.token("expired", in: workshop), nil), (try Self.token("text", in: workshop), nil),
      (try Self.token("forged", in: workshop), "signatureMismatch"),
      (try Self.token("other", in: workshop), "unknownKey"),
      (try Self.token("hs256", in: workshop), "algorithmNotAllowed"), ("a.b.c.d.e", "encryptedToken"),
      ("", "malformedToken"), (String(repeating: "A", count: 100_000), "malformedToken"),
      (" " + (try Self.token("good", in: workshop)), "malformedToken"),
      (try Self.token("good", in: workshop), nil),
    ]
    let input = lines.map(\.token).joined(separator: "\n")
    let answer = try workshop.run(Self.verify, input: input)
    #expect(answer.exit == 1, "\(answer.errors)")
    #expect(answer.output == lines.map { Self.line($0.reason) + "\n" }.joined())
    try workshop.write(input + "\n", to: "tokens.txt")
    #expect(try workshop.run(Self.verify + ["tokens.txt"]).output == answer.output)
    let good = try workshop.run(Self.verify, input: lines[0].token + "\n" + lines[1].token + "\n")
    #expect(good.exit == 0)
    #expect(good.output == Self.line(nil) + "\n" + Self.line(nil) + "\n")
    let none = try workshop.run(Self.verify)
    #expect(none.exit == 64)
    #expect(none.output.isEmpty)
    #expect(none.errors.hasPrefix("error: there is no token to check\nhint: pipe tokens in"))
    let limited = try workshop.run(Self.verify + ["--algorithm", "ES256"], input: lines[0].token)
    #expect(limited.output == Self.line("algorithmNotAllowed") + "\n")
  }

  @Test func readsASecretFromAFileOrAVariable() throws {
    let workshop = try Self.workshop()
    let secret = "a secret of at least 32 bytes, for tests"
    try workshop.write(secret + "\n", to: "secret")
    let token = try Self.token("hs256", in: workshop)
    let verify = ["jws", "verify", "--algorithm", "HS256"]
    let file = try workshop.run(verify + ["--secret-file", "secret"], input: token)
    #expect(file.output == Self.line(nil) + "\n", "\(file.errors)")
    let variable = verify + ["--secret-env", "SECRET"]
    #expect(try workshop.run(variable, input: token, environment: ["SECRET": secret]).exit == 0)
    let wrong = try workshop.run(variable, input: token, environment: ["SECRET": secret + "!"])
    #expect(wrong.output == Self.line("signatureMismatch") + "\n")
    let good = try Self.token("good", in: workshop)
    #expect(
      try workshop.run(variable, input: good, environment: ["SECRET": secret]).output
        == Self.line("algorithmNotAllowed") + "\n")
  }

  /// A client on a pipe receives each answer before it sends the next line.
  @Test func answersALineBeforeTheNextOne() throws {
    let workshop = try Self.workshop()
    let token = try Self.token("good", in: workshop)
    let process = workshop.process(Self.verify)
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    for text in [token, "x"] {
      try input.fileHandleForWriting.write(contentsOf: Data((text + "\n").utf8))
      let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      #expect(answer == Self.line(text == token ? nil : "malformedToken") + "\n")
    }
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 1)
  }

  @Test(
    arguments: [
      (["jws", "verify"], "give exactly one of --jwks"),
      (["jws", "verify", "--secret-env", "X"], "needs its --algorithm"),
      (["jws", "verify", "--jwks", "jwks.json", "--algorithm", "none"], "--algorithm must be one of"),
      (["jws", "verify", "--jwks", "absent"], "there is no such file"),
      (["jws", "verify", "--jwks", "empty.json"], "the key set contains no keys"),
      (
        ["jws", "verify", "--jwks", "bad.json"],
        "key short: rsaBits, n has 17 bits; 2048 to 8192 are accepted"
      ),
      (["jws", "verify", "--jwks", "jwks.json", "absent"], "cannot read absent"),
      (["jws", "verify", "--jwks", "jwks.json", "."], "cannot read ."),
      (["jws", "verify", "--secret-env", "ABSENT", "--algorithm", "HS256"], "ABSENT is not set"),
      (["jws", "verify", "--secret-file", "short", "--algorithm", "HS256"], "HS256, which needs 32"),
      (["jws", "verify", "--secret-file", "pem", "--algorithm", "HS256"], "key, not a secret"),
      (
        ["jws", "verify", "--secret-file", "short", "--algorithm", "RS256"], "only with HS256, HS384 or HS512"
      ),
      (["keys", "show", "--jwks", "absent"], "there is no such file"),
      (["keys", "show", "--jwks", "empty.json"], "the key set contains no keys"),
      (["config", "check", "absent"], "there is no such file"),
      (["config", "check"], "no configuration to check"),
    ] as [([String], String)])
  func reportsWrongCommandsWithHints(_ arguments: [String], _ errors: String) throws {
    let workshop = try Self.workshop()
    try workshop.write(#"{"keys":[]}"#, to: "empty.json")
    try workshop.write(#"{"keys":[{"kty":"RSA","kid":"short","n":"AQAB","e":"AQAB"}]}"#, to: "bad.json")
    try workshop.write("short", to: "short")
    try workshop.write("-----BEGIN PUBLIC KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", to: "pem")
    let answer = try workshop.run(arguments)
    #expect(answer.exit == 64, "\(answer.output)")
    #expect(answer.errors.contains(errors), "\(answer.errors)")
    #expect(answer.output.isEmpty)
  }

  @Test func listsTheKeysWithTheirProblems() throws {
    let workshop = try Self.workshop()
    let good = try JSONTree(parsing: Array(try workshop.run(["keys", "show"]).output.utf8))
    guard case .array(let keys)? = good["keys"] else { throw CocoaError(.coderReadCorrupt) }
    let bad = try JSONTree(parsing: Array(#"{"kty":"oct","kid":"secret","k":"AAAA"}"#.utf8))
    let set = JSONTree.object([.init(name: "keys", value: .array([keys[0], bad]))])
    try workshop.write(String(decoding: set.bytes(), as: UTF8.self), to: "set.json")
    let answer = try workshop.run(["keys", "show", "--jwks", "set.json"])
    #expect(answer.exit == 0)
    let rows = answer.output.split(separator: "\n").map {
      $0.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
    }
    #expect(rows[1] == ["development-rs256", "RSA", "2048", "RS256", "usable"])
    #expect(rows[2].prefix(5) == ["secret", "-", "-", "-", "symmetric,"])
    let json = try workshop.run(["keys", "show", "--jwks", "set.json", "--json"])
    let root = try JSONDocument(parsing: Array(json.output.utf8), limits: .event).root
    let listed = try #require(root["keys"]).elements.map { $0 }
    #expect(listed.map { $0["usable"]?.boolean } == [true, false])
    #expect(listed[1]["flaw"]?.equals("symmetric") == true)
    try workshop.write(
      String(decoding: JSONTree.object([.init(name: "keys", value: .array([bad]))]).bytes(), as: UTF8.self),
      to: "none.json")
    #expect(try workshop.run(["keys", "show", "--jwks", "none.json"]).exit == 1)
  }

  @Test func readsConfigurationsLikeTheFunction() throws {
    let workshop = try Self.workshop()
    let keys = #""keys":{"seed":"../jwks.json","pinned":true}"#
    try workshop.write(
      #"{"issuers":[{"preset":"apple","audiences":["a"],\#(keys)}]}"#, to: "deep/authorizer.json")
    let refused = try workshop.run(["config", "check", "deep/authorizer.json"])
    #expect(refused.exit == 1)
    #expect(refused.output.hasPrefix("issuers[0].keys.seed: ../jwks.json: contains development keys"))
    let valid = try workshop.run(["config", "check", "deep/authorizer.json", "--development"])
    #expect(valid.exit == 0, "\(valid.output)")
    #expect(valid.output == "valid\n  apple: https://appleid.apple.com for a, RS256, 10 keys\n")
    try workshop.write(#"{"issuers":[{"preset":"appel"},{}],"colour":1}"#, to: "wrong.json")
    let wrong = try workshop.run(["config", "check", "wrong.json", "--json"])
    #expect(wrong.exit == 1)
    let root = try JSONDocument(parsing: Array(wrong.output.utf8), limits: .event).root
    #expect(root["valid"]?.boolean == false)
    let paths = try #require(root["problems"]).elements.compactMap { $0["path"]?.text }
    #expect(Set(paths).isSuperset(of: ["issuers[0].preset", "issuers[1].issuer", "colour"]), "\(paths)")
    let input = try workshop.run(["config", "check", "-"], input: "{")
    #expect(input.exit == 1)
    #expect(input.output.contains("not JSON"))
    let short = ["AUTHORIZER_ISSUER": "apple", "AUTHORIZER_AUDIENCE": "a", "AUTHORIZER_KEYS": "jwks.json"]
    #expect(try workshop.run(["config", "check", "--development"], environment: short).exit == 0)
    #expect(try workshop.run(["config", "check"], environment: ["AUTHORIZER_ISSUER": "apple"]).exit == 1)
  }

  @Test func configCheckWarnsAboutSurprisingSettings() throws {
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
    let answer = try workshop.run(["config", "check", "authorizer.json"])
    #expect(answer.exit == 0)
    let lines = answer.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "valid, 2 warnings")
    #expect(lines.filter { $0.hasPrefix("warning: ") } == warnings.map { "warning: " + $0 })
    let json = try workshop.run(["config", "check", "authorizer.json", "--json"])
    let root = try JSONDocument(parsing: Array(json.output.utf8), limits: .event).root
    #expect(root["valid"]?.boolean == true)
    #expect(
      root["warnings"]?.elements.compactMap { $0["path"]?.text } == [
        "rules[0].routes[0]", "rules[0].routes[1]",
      ])
  }
}
