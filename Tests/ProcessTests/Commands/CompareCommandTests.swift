import Foundation
import JSON
import TestSupport
import Testing

/// `config compare` and `config prove` with the built function, which confirms each example.
@Suite(.needsBootstrap, .hangLimit)
struct CompareCommandTests {
  static let issuers = """
    "issuers":[{"name":"partner","issuer":"https://id.example.com","audiences":["api"],"algorithms":["ES256"],\
    "keys":{"url":"https://id.example.com/jwks"}},{"preset":"apple","audiences":["com.example.app"]}]
    """
  static let admin = #"{"routes":["* /admin/*"],"allow":true,"require":{"scopes":["admin"]}}"#
  static let old =
    "{\(issuers),\"default\":\"deny\",\"rules\":[{\"routes\":[\"GET /me\"],\"allow\":true},\(admin)]}"
  static let new =
    "{\(issuers),\"default\":\"deny\",\"rules\":[{\"routes\":[\"GET /*\"],\"allow\":true},\(admin)]}"

  private static func workshop(_ old: String, _ new: String, properties: String = "{}") throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(old, to: "old.json")
    try workshop.write(new, to: "new.json")
    try workshop.write(properties, to: "properties.json")
    return workshop
  }

  @Test func aWildcardThatOpensAdminIsTold() async throws {
    let workshop = try Self.workshop(Self.old, Self.new)
    let answer = try await workshop.run(["config", "compare", "old.json", "new.json"])
    #expect(answer.exit == 1, "\(answer.errors)")
    for line in [
      "What NEW allows and OLD refuses:",
      "  NEW lets anyone with a valid token call `GET /*`; OLD has no rule for it.",
      "  NEW lets anyone with a valid token call `GET /admin/*`; OLD needs `scope admin`.",
      "    for example GET /admin/x with the token {\"algorithm\":\"ES256\",\"claims\":{\"iss\":\"https://id.example.com\",",
      "OLD allows nothing that NEW refuses.",
    ] {
      #expect(answer.output.contains(line), "\(answer.output)")
    }
    #expect(!answer.output.contains("NOT CONFIRMED"))
    let reverse = try await workshop.run(["config", "compare", "new.json", "old.json"])
    #expect(reverse.exit == 0, "\(reverse.output) \(reverse.errors)")
  }

  /// Processes, because each one has another order of the members of a set.
  @Test func theExamplesAreTheSameInEachRun() throws {
    let rules = """
      {\(Self.issuers),"default":"deny","rules":[{"routes":["GET /a/*"],"allow":true,"require":{"claims":{\
      "org":["acme","beta","core","delta"],"plan":{"prefix":"pro-"},"roles":["x","y","z"],"level":[1,2,3,4]}}},\
      {"routes":["GET /orgs/${org}/${team}"],"allow":true,"require":{"any":[{"scopes":["read","write"]},\
      {"scopes":["admin"]}],"not":{"claims":{"team":["red","blue","green"]}}}}]}
      """
    let more = rules.replacing("\"delta\"]", with: "\"delta\",\"more\"]").replacing("pro-", with: "pr")
      .replacing("[\"admin\"]", with: "[\"admin\",\"root\"]").replacing(",\"green\"", with: "")
    let workshop = try Self.workshop(rules, more)
    let answers = try (0..<4).map { _ in try workshop.execute(["config", "compare", "old.json", "new.json"]) }
    #expect(answers.allSatisfy { $0.exit == 1 })
    #expect(Set(answers.map(\.output)).count == 1, "\(answers.map(\.output))")
    #expect(answers[0].output.components(separatedBy: "for example").count > 3, "\(answers[0])")
  }

  @Test func theTokenOfAnExampleIsARecipe() async throws {
    let workshop = try Self.workshop(Self.old, Self.new)
    let answer = try await workshop.run(["config", "compare", "old.json", "new.json", "--json"])
    let report = try JSONTree(parsing: Array(answer.output.utf8))
    #expect(report["newAllowsMore"] == .boolean(true))
    guard case .array(let differences)? = report["newAllows"] else { throw Missing() }
    #expect(differences.allSatisfy { $0["confirmed"] == .boolean(true) })
    let recipe = try #require(differences[0]["example"]?["token"])
    try workshop.write(
      String(decoding: JSONTree.members(["found": recipe]).bytes(), as: UTF8.self), to: "tokens.json")
    let token = try await workshop.run(["token", "found"])
    #expect(token.exit == 0 && token.output.split(separator: ".").count == 3, "\(token.errors)")
  }

  private struct Missing: Error {}

  @Test func aDifferenceThatIsNoRuleIsListed() async throws {
    let other = Self.old.replacing("[\"api\"]", with: "[\"api\",\"other\"]")
    let workshop = try Self.workshop(Self.old, other)
    let answer = try await workshop.run(["config", "compare", "old.json", "new.json"])
    #expect(answer.exit == 1)
    #expect(
      answer.output.contains(
        "Not compared:\n  issuers[partner].audiences: OLD [\"api\"], NEW [\"api\",\"other\"]\n"))
    let rulesOnly = try await workshop.run(["config", "compare", "old.json", "new.json", "--rules-only"])
    #expect(rulesOnly.exit == 0, "\(rulesOnly.output)")
    #expect(rulesOnly.output.contains("Only rules are compared"))
  }

  static let partner = """
    {"name":"partner","issuer":"https://id.example.com","audiences":["api"],"algorithms":["ES256"],\
    "keys":{"url":"https://id.example.com/jwks"}}
    """
  static let other = partner.replacing("partner", with: "other").replacing(
    "id.example", with: "other.example")
  static let pinned = partner.replacing(
    "\"url\":\"https://id.example.com/jwks\"", with: #""seed":"k.json","pinned":true"#)
  static let open = #""default":"deny","rules":[{"routes":["* /*","$connect"],"allow":true}]"#
  static let revoked = #","revocation":{"file":"r.json","issuers":["partner"]}"#
  static let dated =
    #""default":"deny","rules":[{"routes":["GET /a"],"allow":true,"require":{"claims":{"nbf":1900000000}}}]"#

  /// What is no rule, in the words of the report; all of these end with 1, and with `--rules-only` as the last column says.
  @Test(
    arguments: [
      (
        "{\"issuers\":[\(partner)]}", "{\"issuers\":[\(other)]}",
        "NEW accepts tokens of https://other.example.com, and OLD does not", 2
      ),
      (
        "{\"issuers\":[\(partner),\(other)]}", "{\"issuers\":[\(partner)]}",
        "OLD accepts tokens of https://other.example.com, and NEW does not", 0
      ),
      (
        "{\"issuers\":[\(partner)]}", "{\"issuers\":[\(partner)],\"fetch\":{\"proxy\":\"http://p:1\"}}",
        "fetch: OLD has none", 0
      ),
      (
        "{\"issuers\":[\(partner)],\(open)}", "{\"issuers\":[\(partner)]}",
        "default: NEW does not deny", 0
      ),
      (
        "{\"issuers\":[\(partner),\(other)]\(revoked)}",
        "{\"issuers\":[\(partner.replacing("partner", with: "x")),\(other.replacing("\"other\"", with: "\"partner\""))]\(revoked)}",
        "issuers[x].name: OLD \"partner\", NEW \"x\"", 0
      ),
      (
        "{\"issuers\":[\(partner)],\(dated)}", "{\"issuers\":[\(partner)],\(dated)}",
        "rules: NEW compares exp, iat or nbf with a number", 0
      ),
      (
        "{\"issuers\":[\(pinned)]}", "{\"issuers\":[\(pinned)]}",
        "issuers[partner].keys.seed: k.json cannot be read beside both", 0
      ),
    ])
  func whatIsNoRuleIsListed(_ old: String, _ new: String, _ line: String, _ rulesOnly: Int) async throws {
    let workshop = try Self.workshop(old, new)
    let answer = try await workshop.run(["config", "compare", "old.json", "new.json"])
    #expect(answer.exit == 1 && answer.output.contains(line), "\(answer.output) \(answer.errors)")
    let only = try await workshop.run(["config", "compare", "old.json", "new.json", "--rules-only"])
    #expect(only.exit == rulesOnly, "\(only.output) \(only.errors)")
    if rulesOnly == 2 {
      #expect(!answer.output.contains("NEW allows nothing"), "\(answer.output)")
      #expect(only.errors.contains("https://other.example.com"), "\(only.errors)")
    }
  }

  @Test func filesBehindTheSameTextAreCompared() async throws {
    let workshop = try Self.workshop("{}", "{}")
    try FileManager.default.createDirectory(
      at: workshop.folder.appendingPathComponent("old"), withIntermediateDirectories: true)
    for name in ["old/a.json", "new.json"] { try workshop.write("{\"issuers\":[\(Self.pinned)]}", to: name) }
    try workshop.write("{\"keys\":[]}", to: "old/k.json")
    try workshop.write("{\"keys\":[]}", to: "k.json")
    let same = try await workshop.run(["config", "compare", "old/a.json", "new.json"])
    #expect(same.exit == 0, "\(same.output) \(same.errors)")
    try workshop.write("{\"keys\": []}", to: "k.json")
    let answer = try await workshop.run(["config", "compare", "old/a.json", "new.json"])
    #expect(
      answer.exit == 1
        && answer.output.contains("issuers[partner].keys.seed: k.json beside OLD is not the file beside NEW"),
      "\(answer.output) \(answer.errors)")
  }

  @Test(
    arguments: [
      ("{", "{}", "old.json is not JSON"), ("{}", "{}", "old.json is invalid:\nissuers: a non-empty list"),
    ])
  func aConfigurationThatCannotBeReadEndsWithTwo(_ old: String, _ new: String, _ error: String) async throws {
    let answer = try await Self.workshop(old, new).run(["config", "compare", "old.json", "new.json"])
    #expect(answer.exit == 2)
    #expect(answer.errors.contains(error), "\(answer.errors)")
  }

  /// Every kind of event, place of the token and condition of a token in one pair.
  @Test(arguments: [#""tokenSources":["cookie:session"],"#, #""tokenSources":["query:token"],"#, ""])
  func examplesAreConfirmedWhereverTheTokenIs(_ source: String) async throws {
    func configuration(_ required: String, _ more: String) -> String {
      "{\(source)\(more)\(Self.issuers),\"gatewayCache\":\"off\",\"default\":\"deny\",\"rules\":[{\"routes\":"
        + "[\"GET /a/*\",\"$connect\",\"* /u/${sub}\"],\"allow\":true,\"require\":{\(required)}}]}"
    }
    let workshop = try Self.workshop(
      configuration(
        #""claims":{"email_verified":true,"o.d":{"contains":"x"}},"scopes":["s"],"authenticatedWithinSeconds":60"#,
        ""),
      configuration(
        #""claims":{"o.d":{"contains":"x"}},"authenticatedWithinSeconds":900"#,
        #""anonymous":{"routes":["GET /public/*","$connect"]},"#))
    let answer = try await workshop.run(["config", "compare", "old.json", "new.json", "--rules-only"])
    #expect(answer.exit == 1, "\(answer.output) \(answer.errors)")
    #expect(
      answer.output.contains("callers without a token call `$connect`, `GET /public/*`"), "\(answer.output)")
  }

  @Test func propertiesAreProvenOrRefuted() async throws {
    let properties = """
      {"properties":[
        {"name":"no guests","never":{"routes":["* /*"],"who":"guest"}},
        {"name":"admins only","never":{"routes":["* /admin/*"],"who":{"require":{"not":{"scopes":["admin"]}}}}}]}
      """
    let workshop = try Self.workshop(Self.old, Self.new, properties: properties)
    let holds = try await workshop.run(["config", "prove", "old.json", "properties.json"])
    #expect(holds.exit == 0 && holds.output == "proven: no guests\nproven: admins only\n", "\(holds.errors)")
    let refuted = try await workshop.run(["config", "prove", "new.json", "properties.json"])
    #expect(refuted.exit == 1)
    #expect(
      refuted.output.hasPrefix("proven: no guests\nrefuted: admins only\n  GET /admin/x with the token "),
      "\(refuted.output)")
    #expect(refuted.output.hasSuffix(" is allowed\n"))
    let noCallers = try Self.workshop(
      Self.old, Self.new,
      properties:
        #"{"properties":[{"name":"p","never":{"routes":["* /*"],"who":{"require":{"claims":{"iss":"x"}}}}}]}"#
    )
    let answer = try await noCallers.run(["config", "prove", "old.json", "properties.json", "--json"])
    #expect(answer.exit == 2 && answer.output.contains("\"result\": \"noCallers\""), "\(answer.output)")
  }
}
