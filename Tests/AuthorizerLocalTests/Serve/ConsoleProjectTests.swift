import Foundation
import GatewayEmulator
import JSON
import LambdaEmulator
import TestTokens
import Testing

@testable import authorizer_local

/// What the console knows of the project that is served, and what it writes there.
@Suite struct ConsoleProjectTests {
  private static let test = JSONTree.members([
    "event": .string("events/decision-1.json"), "expected": .string("events/decision-1.expected.json"),
    "eventDocument": .members(["type": .string("TOKEN")]),
    "expectedDocument": .members(["outcome": .string("allowed")]),
    "tokens": .members(["decision-1": .members(["preset": .string("apple")])]),
  ])

  private static func save(_ recorded: RecordedMachine, from folder: String = "template") throws -> [String] {
    let saved = SavedTest(
      folder: recorded.folder + "/" + folder, files: recorded.machine.files, program: "authorizer-local")
    return try saved.write(test).map { String($0.dropFirst(recorded.folder.count + 1)) }
  }

  /// The recipes of the user stay as they are written.
  @Test(
    arguments: [
      (nil, "{\n  \"decision-1\": {\n    \"preset\": \"apple\"\n  }\n}\n"), ("{}", nil), (" { \n } \n", nil),
      (
        #"{"own":  {"preset":"apple"} }"#,
        "{\"own\":  {\"preset\":\"apple\"},\n  \"decision-1\": {\n    \"preset\": \"apple\"\n  }\n}\n"
      ),
    ] as [(String?, String?)])
  func aTestIsAddedToTheProject(_ old: String?, _ merged: String?) throws {
    let recorded = try RecordedMachine()
    if let old { try recorded.write(old, to: "events/tokens.json") }
    try recorded.write("{}", to: "events/other.json")
    let paths = try Self.save(recorded)
    #expect(paths == ["events/decision-1.json", "events/decision-1.expected.json", "events/tokens.json"])
    #expect(try recorded.text(of: "events/decision-1.json") == "{\n  \"type\": \"TOKEN\"\n}\n")
    let text = try recorded.text(of: "events/tokens.json")
    if let merged { #expect(text == merged) }
    let names = try TokenRecipes(parsing: Array(text.utf8)).names
    #expect(names.last == "decision-1" && names.count == (old?.contains("own") == true ? 2 : 1))
  }

  /// The printed command runs in every folder.
  @Test(
    arguments: [
      ("authorizer-local", nil, "authorizer-local test FOLDER/events"),
      ("dist/authorizer-local", nil, "FOLDER/dist/authorizer-local test FOLDER/events"),
      ("a tool/x", "my own.json", "'FOLDER/a tool/x' test FOLDER/events --config 'FOLDER/my own.json'"),
    ] as [(String, String?, String)])
  func theCommandRunsTheTest(_ program: String, _ config: String?, _ command: String) throws {
    let recorded = try RecordedMachine()
    let machine = Machine(
      files: recorded.machine.files, environment: [:], terminal: recorded.machine.terminal, executable: "x",
      program: program)
    let saved = SavedTest(
      folder: recorded.folder, files: machine.files, program: machine.command, config: config)
    #expect(
      saved.command(["\(recorded.folder)/events/a.json"])
        == command.replacing("FOLDER", with: recorded.folder))
  }

  /// Without a folder of events, it is made beside the template; the recipes are those that `test` reads.
  @Test func theFilesAreWhereTheyAreRead() throws {
    let recorded = try RecordedMachine()
    try recorded.write(#"{"own":{"preset":"apple"}}"#, to: "tokens.json")
    #expect(
      try Self.save(recorded, from: "api") == [
        "api/events/decision-1.json", "api/events/decision-1.expected.json", "tokens.json",
      ])
    #expect(try recorded.text(of: "tokens.json").hasPrefix(#"{"own":{"preset":"apple"},"#))
  }

  @Test(arguments: [
    ("events/decision-1.json", "mine", "exist"), ("events/tokens.json", "{", "correct it"),
    ("events/tokens.json", #"{"a":{"x":1}}"#, "correct it"), ("events/tokens.json", "[]", "correct it"),
  ]) func aFileOfTheUserIsNotReplaced(_ path: String, _ text: String, _ words: String) throws {
    let recorded = try RecordedMachine()
    try recorded.write(text, to: path)
    let error = #expect(throws: CommandFailure.self) { try Self.save(recorded) }
    let printed = "\(error?.message ?? "") \(error?.hint ?? "")"
    #expect(printed.contains(words), "\(String(describing: error))")
    #expect(try recorded.text(of: path) == text)
  }

  // MARK: Keys

  @Test(arguments: [
    (#""preset":"apple""#, "", "fetched from https://appleid.apple.com/auth/keys"),
    (
      #""preset":"apple","keys":{"seed":"own.json","pinned":true}"#, "",
      "from the key file of the configuration"
    ),
    (
      #""preset":"apple","keys":{"seed":"development.json","pinned":true}"#, "1",
      "the development keys, in place of the issuer's own"
    ),
  ]) func saysWhereTheKeysComeFrom(_ issuer: String, _ development: String, _ source: String) throws {
    let recorded = try RecordedMachine(hasKeys: true)
    let keys = try recorded.text(of: try recorded.machine.development.keySetPath())
    try recorded.write(keys, to: "development.json")
    try recorded.write(keys.replacing("development-", with: "own-"), to: "own.json")
    let settings = FunctionSettings(
      name: "Authorizer", executable: "bootstrap", arguments: [], taskRoot: recorded.folder,
      variables: [
        "AUTHORIZER_CONFIG": #"{"issuers":[{\#(issuer),"audiences":["a"]}]}"#,
        "AUTHORIZER_DEVELOPMENT": development,
      ])
    let sets = ServedAuthorizer(settings, on: recorded.machine).keySets
    #expect(sets.map { $0["source"] } == [.string(source)])
  }

  // MARK: The matrix

  /// What a rule requires, what its cell says, and what the column of the token says.
  @Test(arguments: [
    (
      #"{"any":[{"scopes":["write"]},{"claims":{"org_id":"staff"}}]}"#, ["write or org_id"],
      "scope read, but no claim org_id"
    ),
    (
      #"{"any":[{"scopes":["write"],"claims":{"org_id":"a"}},{"claims":{"tier":"gold"}}]}"#,
      ["org_id and write or tier"], #"claim tier: "trial" and scope read, but no claim org_id"#
    ),
    (#"{"scopes":["write","admin"]}"#, ["write", "admin"], "scope read"),
    (
      #"{"not":{"any":[{"claims":{"tier":"trial"}},{"scopes":["x"]}]}}"#, [#"not (tier is "trial")"#],
      #"claim tier: "trial" and scope read"#
    ),
  ]) func saysWhatATokenNeedsAndHas(_ requirement: String, _ needs: [String], _ has: String) async throws {
    let recorded = try RecordedMachine(hasKeys: true)
    try recorded.write(
      try recorded.text(of: try recorded.machine.development.keySetPath()), to: "development.json")
    let configuration =
      #"{"issuers":[{"preset":"cognito-id:eu-central-1_Example01","audiences":["1example23456789"],"keys":{"seed":"development.json","pinned":true}}],"#
      + #""default":"deny","rules":[{"allow":true,"routes":["GET /a"],"require":\#(requirement)}]}"#
    let claims = #"{"sub":"alice","scope":"read","tier":"trial"}"#
    try recorded.write(#"{"good":{"preset":"cognito-id","claims":\#(claims)}}"#, to: "tokens.json")
    #expect(await recorded.run("token", "good") == 0, "\(recorded.notes)")
    let event =
      #"{"type":"TOKEN","methodArn":"arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/a","#
      + #""authorizationToken":"Bearer \#(recorded.answer.trimmingCharacters(in: .newlines))"}"#
    let settings = FunctionSettings(
      name: "Authorizer", executable: "bootstrap", arguments: [], taskRoot: recorded.folder,
      variables: ["AUTHORIZER_CONFIG": configuration, "AUTHORIZER_DEVELOPMENT": "1"])
    let explanation = ServedAuthorizer(settings, on: recorded.machine)
      .explanation(of: Array(event.utf8), at: RecordedMachine.now)
    #expect(explanation?.needs == needs && explanation?.has == has, "\(String(describing: explanation))")
  }

  // MARK: Ownership

  /// The sentence is about the kind of API that was called.
  @Test(arguments: [
    #"{"type":"TOKEN","methodArn":"ARN/GET/users/bob","authorizationToken":"Bearer {{token good}}"}"#:
      "noRule: GET /users/bob belongs to another user: rules[0] allows GET /users/${sub}\n",
    #"{"type":"TOKEN","methodArn":"ARN/GET/users/alice","authorizationToken":"Bearer {{token good}}"}"#:
      "rules[0] allows GET /users/alice: the caller's own path (sub is alice)\n",
    #"{"version":"2.0","type":"REQUEST","routeArn":"ARN/GET/users/{id}","routeKey":"GET /users/{id}","#
      + #""rawPath":"/users/{id}","headers":{"authorization":"Bearer {{token good}}"}}"#:
      "GET /users/{id} is denied: it may be the template of a route, which these rules deny on an HTTP API\n",
  ]) func whoseThePathIs(_ event: String, _ words: String) async throws {
    let recorded = try RecordedMachine(hasKeys: true)
    try recorded.write(
      #"{"issuers":[{"preset":"apple","audiences":["com.example.app"]}],"default":"deny","#
        + #""rules":[{"allow":true,"routes":["GET /users/${sub}"]}]}"#, to: "authorizer.json")
    try recorded.write(#"{"good":{"preset":"apple","claims":{"sub":"alice"}}}"#, to: "tokens.json")
    let arn = "arn:aws:execute-api:eu-west-1:123456789012:api/prod"
    try recorded.write(event.replacing("ARN", with: arn), to: "event.json")
    _ = await recorded.run("explain", "event.json")
    #expect(recorded.answer.contains(words), "\(recorded.answer)\(recorded.notes)")
  }
}
