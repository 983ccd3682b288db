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
    let saved = SavedTest(folder: recorded.folder + "/" + folder, files: recorded.machine.files)
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
