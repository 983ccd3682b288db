import Foundation
import GatewayModel
import Templates
import TestSupport
import Testing

@testable import authorizer_local

/// The rules of a configuration, compared with the routes of a template.
@Suite struct RulesAndRoutesTests {
  private static let template = DoctorRunTests.template.replacing(
    "Method: get } }",
    with: """
      Method: get } }
              More: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: "/users/{id}", Method: get } }
      """)

  private static let configuration = """
    {"issuers":[{"preset":"apple","audiences":["a"]}],"default":"deny",
     "rules":[{"routes":["GET /mee","GET /users/:id"],"allow":true,"require":{"scopes":["s"]}}]}
    """

  private static let found = [
    "ruleMatchesNoRoute": "rules[0].routes[0]: GET /mee matches no route; did you mean GET /me?",
    "routeWithoutRule": "Api GET /me: every token gets 403, because no rule names this route",
    "variableWithColon":
      "rules[0].routes[1]: GET /users/:id matches only the text :id; if it is a path variable, write {id}",
    "scopeNeverSent":
      "rules[0].require.scopes: no token can meet this: tokens of apple have no scopes;"
      + #" require a claim that they have, such as "email_verified": true"#,
  ]

  private static func recorded() throws -> RecordedMachine {
    let recorded = try RecordedMachine()
    try recorded.write(template, to: "template.yaml")
    try recorded.write(configuration, to: "code/authorizer.json")
    return recorded
  }

  @Test func doctorNamesWhatDoesNotMeet() async throws {
    let recorded = try Self.recorded()
    let exit = await recorded.run("doctor")
    #expect(exit == 1)
    for (code, text) in Self.found {
      #expect(recorded.answer.contains("\nwarning \(code): \(text)\n  hint: "), "\(recorded.answer)")
    }
    // Not every route is for every token.
    #expect(recorded.answer.contains(#""allow": true } with the "require" it needs"#), "\(recorded.answer)")
    #expect(
      recorded.answer.contains(
        "this function guards GET /me, GET /users/{id}; pass --accept ruleMatchesNoRoute"))
  }

  @Test func configCheckComparesWithATemplate() async throws {
    let recorded = try Self.recorded()
    let exit = await recorded.run(words: "config check code/authorizer.json --template template.yaml")
    #expect(exit == 0 && recorded.notes == "", "\(recorded.notes)")
    let lines = recorded.answer.split(separator: "\n").map(String.init)
    #expect(lines.first == "valid, 4 warnings")
    #expect(
      Set(lines.filter { $0.hasPrefix("warning: ") }) == Set(Self.found.values.map { "warning: " + $0 }))
    // Without the template, nothing is known of its routes.
    let alone = try Self.recorded()
    _ = await alone.run("config", "check", "code/authorizer.json")
    #expect(alone.answer.hasPrefix("valid, 2 warnings\n"), "\(alone.answer)")
    let note = "note: not compared with a template; --template FILE compares the rules with an API\n"
    #expect(alone.answer.hasSuffix(note) && !recorded.answer.contains(note), "\(alone.answer)")
  }

  /// The commands that `serve` prints read the configuration that it reads.
  @Test(
    arguments: [
      (nil, "template.yaml shows"), ("../prod.json", "template.yaml --config ../prod.json shows"),
      ("a b.json", "template.yaml --config 'a b.json' shows"),
    ] as [(String?, String)])
  func serveRepeatsTheConfiguration(_ config: String?, _ words: String) throws {
    let recorded = try Self.recorded()
    let parsed = try ParsedTemplate(at: "template.yaml", TemplateValues(), on: recorded.machine)
    let examined = ExaminedTemplate(
      path: "template.yaml", template: try parsed.gateway(at: "template.yaml", for: "serve"),
      survey: parsed.survey, config: nil, machine: recorded.machine)
    let lines = ServedTemplate(examined, isOurs: true, config: config).lines
    #expect(lines.last?.contains("doctor --template " + words) == true, "\(lines)")
  }

  @Test func aTemplateThatCannotBeComparedIsRefused() async throws {
    let recorded = try Self.recorded()
    try recorded.write(Self.template.replacing("DefaultAuthorizer: Own", with: "# open"), to: "open.yaml")
    for (line, message) in [
      (
        "code/authorizer.json --template open.yaml", "no route of open.yaml has an authorizer of this project"
      ),
      ("code/authorizer.json --template none.yaml", "none.yaml"),
      ("--identity --template template.yaml", "--template compares rules, which identity.json does not have"),
    ] {
      let exit = await recorded.run(words: "config check " + line)
      #expect(exit == 64)
      #expect(recorded.notes.contains(message), "\(recorded.notes)")
    }
  }

  // MARK: What the project shows

  /// A page with a configuration, the first word of its JSON, and the template that the page deploys.
  static let pages = [
    ("README.md", "template/template.yaml"), ("README.ja.md", "template/template.yaml"),
    ("docs/guides/auth0.md", "template/http-api.yaml"), ("docs/guides/cognito.md", "template/http-api.yaml"),
    ("docs/guides/entra.md", "template/http-api.yaml"),
  ]

  @Test("the rules of a page are those of its template", arguments: pages)
  func page(_ page: String, _ template: String) async throws {
    let text = try Checkout.text(page)
    let json = try #require(text.components(separatedBy: "\n```json\n").dropFirst().first)
    let recorded = try RecordedMachine()
    try recorded.write(try #require(json.components(separatedBy: "\n```\n").first), to: "authorizer.json")
    try recorded.write(try Checkout.text(template), to: "template.yaml")
    _ = await recorded.run("config", "check", "authorizer.json", "--template", "template.yaml")
    #expect(recorded.answer.hasPrefix("valid\n"), "\(recorded.answer)\(recorded.notes)")
  }

  /// The issuer of a project, with its options, and what its guarded route requires.
  static let issuers: [(options: [String], requirement: String)] = [
    ([], #""claims": { "email_verified": true }"#),
    (["--issuer", "google", "--audience", "a"], #""claims": { "email_verified": true }"#),
    (["--issuer", "firebase:example-project"], #""claims": { "email_verified": true }"#),
    (["--issuer", "supabase:abcdefghijklmnopqrst"], #""claims": { "is_anonymous": false }"#),
    (
      ["--issuer", "auth0:example.eu.auth0.com", "--audience", "https://api.example.com"],
      #""scopes": ["read:orders"]"#
    ),
    (
      ["--issuer", "https://id.example.com", "--audience", "a", "--keys", "https://id.example.com/jwks"],
      #""scopes": ["read:orders"]"#
    ),
  ]

  @Test("a new project requires what its issuer sends, and has the routes of its rules", arguments: issuers)
  func project(options: [String], requirement: String) async throws {
    for kind in ["http", "rest"] {
      let recorded = try Self.installed(kind)
      let exit = await AuthorizerLocal.end(
        of: ["init", "--for", kind] + options + ["demo"], on: recorded.machine)
      #expect(exit == 0, "\(recorded.notes)")
      let text = try recorded.text(of: "demo/authorizer.json")
      #expect(
        text.contains(#""routes": ["GET /orders"], "allow": true, "require": { \#(requirement) }"#), "\(text)"
      )
      let check = await recorded.run(words: "config check demo/authorizer.json --template demo/template.yaml")
      #expect(check == 0 && recorded.answer.contains("\nvalid\n"), "\(recorded.answer)\(recorded.notes)")
    }
  }

  @Test(
    "the rules of every kind of project are those of its template",
    arguments: ["websocket", "sign-in", "mcp"])
  func kind(_ kind: String) async throws {
    let recorded = try Self.installed(kind)
    #expect(await recorded.run("init", "--for", kind, "demo") == 0, "\(recorded.notes)")
    let check = await recorded.run(words: "config check demo/authorizer.json --template demo/template.yaml")
    #expect(check == 0 && recorded.answer.contains("\nvalid\n"), "\(recorded.answer)\(recorded.notes)")
  }

  /// Returns a machine with the starter files of this kind.
  private static func installed(_ kind: String) throws -> RecordedMachine {
    let recorded = try RecordedMachine()
    let folder = recorded.folder + "/installed/share/authorizer-local/init"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Checkout.root.appending(path: "template/init/\(kind)").path, toPath: folder + "/" + kind)
    return recorded
  }
}
