import Foundation
import JSON
import TestSupport
import Testing

@testable import authorizer_local

/// Whole commands on a machine of their own, without a process.
@Suite struct CommandRunTests {
  @Test(
    arguments: [
      ("serve", 64, "error: no template found\nhint: give --template FILE, or write a project with init\n"),
      (
        "doctor", 64,
        "error: no template found\nhint: name a package, give --template FILE, or write a project with init\n"
      ),
      (
        "doctor --template absent.yaml", 64,
        "error: cannot read absent.yaml\nhint: there is no such file\n"
      ),
      (
        "config check", 64,
        "error: no configuration to check\nhint: name a file: authorizer-local config check FILE\n"
      ),
      (
        "config check --identity", 64,
        "error: no configuration to check\nhint: name a file: authorizer-local config check --identity FILE\n"
      ),
      (
        "token good", 64,
        "error: no tokens.json for the requested tokens\nhint: create one beside the events, or give --tokens FILE\n"
      ),
      (
        "test events", 64,
        "error: no such folder: events\nhint: an event is X.json, and its expectation is X.expected.json\n"
      ),
      ("invoke absent.json", 64, "error: cannot read absent.json\nhint: there is no such file\n"),
      (
        "invoke folder", 64,
        "error: folder is a folder\nhint: run all of its events with authorizer-local test folder, or send them with "
          + "invoke folder/*.json\n"
      ),
      (
        "invoke bad.json", 64,
        "error: bad.json is not JSON: the text ends too early at line 1, column 2\n"
          + "hint: send a file unchanged with invoke --raw\n"
      ),
      ("keys show --jwks bad.json", 64, "error: bad.json: "),
      (
        "evaluate bad.json --arn x", 64,
        "error: bad.json is not JSON: the text ends too early at line 1, column 2\n"
      ),
      (
        "event https://api.example.com/", 64,
        "error: the URL has no stage\nhint: write HOST/STAGE/PATH, or give --stage\n"
      ),
      (
        "event --kind webSocket -X POST wss://a/live", 64,
        "note: the stage is live, the first part of the path; change it with --stage NAME or --stage '$default'\n"
          + "error: a WebSocket handshake is a GET\nhint: omit -X\n"
      ),
      (
        "event ftp://a/b", 64,
        "error: not a valid https URL: ftp://a/b\nhint: write https://HOST/STAGE/PATH\n"
      ),
      ("init --for soap demo", 64, "error: --for: there is no kind soap\n"),
      (
        "init demo", 69,
        "error: the starter files for http are missing\nhint: install authorizer-local again, or run it in its "
          + "checkout\n"
      ),
      (
        "package", 69,
        "is missing\nhint: run make install again in the checkout, or give its path with --bootstrap FILE\n"
      ),
      (
        "keys fetch apple", 69,
        "is missing\nhint: run make install again in the checkout, or give its path with"
      ),
      (
        "serv", 64, "error: unexpected argument 'serv': there is no such command\nhint: did you mean serve?\n"
      ),
      ("config chekc", 64, "hint: did you mean check?\n"),
      (
        "help ini", 64,
        "error: unexpected argument 'ini': there is no such command\nhint: did you mean init?\n"
      ),
    ] as [(String, Int32, String)])
  func aCommandThatCannotWorkSaysWhy(_ line: String, _ exit: Int32, _ errors: String) async throws {
    let recorded = try RecordedMachine()
    try recorded.write("{", to: "bad.json")
    try recorded.write("{}", to: "folder/a.json")
    let found = await recorded.run(words: line)
    #expect(found == exit)
    #expect(recorded.notes.contains(errors), "\(recorded.notes)")
    #expect(recorded.answer == "")
  }

  @Test func helpAndVersionAreAnswers() async throws {
    for (line, beginning) in [
      ("--help", "OVERVIEW: Runs an API Gateway"), ("keys", "OVERVIEW: Makes and shows"),
    ] {
      let recorded = try RecordedMachine(["COLUMNS": "80"])
      let exit = await recorded.run(words: line)
      #expect(exit == 0 && recorded.notes == "")
      #expect(recorded.answer.hasPrefix(beginning))
    }
    let recorded = try RecordedMachine()
    let exit = await recorded.run("--version")
    #expect(exit == 0 && recorded.answer == "authorizer-local \(Release.version)\n")
  }

  // MARK: config check

  @Test func aValidConfigurationIsSummarized() async throws {
    let recorded = try RecordedMachine()
    try recorded.write(#"{"issuers":[{"preset":"apple","audiences":["a","b"]}]}"#, to: "authorizer.json")
    let exit = await recorded.run("config", "check")
    #expect(exit == 0 && recorded.notes == "")
    #expect(
      recorded.answer
        == "valid\n  apple: https://appleid.apple.com for a or b, RS256, keys fetched from the issuer\n")
  }

  @Test func problemsAreAnswersAndTheExitCodeIsOne() async throws {
    let recorded = try RecordedMachine(input: #"{"issuers":[]}"#)
    let exit = await recorded.run("config", "check", "--json", "-")
    #expect(exit == 1 && recorded.notes == "")
    let root = try JSONDocument(parsing: Array(recorded.answer.utf8), limits: .event).root
    #expect(root["valid"]?.boolean == false)
    #expect(root["problems"].map { Array($0.elements).count } ?? 0 > 0)
  }

  @Test func theEnvironmentOfTheMachineConfiguresTheFunction() async throws {
    let recorded = try RecordedMachine(["AUTHORIZER_ISSUER": "apple", "AUTHORIZER_AUDIENCE": "own"])
    let exit = await recorded.run("config", "check")
    #expect(exit == 0, "\(recorded.answer)")
    #expect(recorded.answer.contains(" for own, "))
  }

  // MARK: evaluate

  private static let policy = """
    {"Version":"2012-10-17","Statement":[{"Sid":"pets","Effect":"Allow","Action":"execute-api:Invoke",\
    "Resource":"arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets",\
    "Condition":{"DateGreaterThan":{"aws:CurrentTime":"2026-11-21T10:30:00Z"}}}]}
    """

  @Test(
    arguments: [
      (["--clock", "+1h"], 0), (["--clock", "2026-11-21T11:00:00Z"], 0), ([], 1), (["--clock", "+10m"], 1),
    ] as [([String], Int32)])
  func aConditionUsesTheTimeOfTheMachine(_ time: [String], _ exit: Int32) async throws {
    let recorded = try RecordedMachine(input: Self.policy)
    let arn = "arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets"
    let found = await AuthorizerLocal.end(of: ["evaluate", "-", "--arn", arn] + time, on: recorded.machine)
    #expect(found == exit)
    #expect(recorded.answer != "" && recorded.notes == "")
  }

  // MARK: event

  @Test func anEventHasTheTimeOfTheMachine() async throws {
    let recorded = try RecordedMachine()
    let exit = await recorded.run(
      "event", "--token", "good",
      "https://a1b2c3.execute-api.eu-west-1.amazonaws.com/prod/pets?limit=1&tag=a+b")
    #expect(exit == 0 && recorded.notes == "")
    let event = try JSONDocument(parsing: Array(recorded.answer.utf8), limits: .event).root
    #expect(
      event["routeArn"]?.text == "arn:aws:execute-api:eu-west-1:123456789012:a1b2c3/prod/GET/pets")
    #expect(event["requestContext"]?["timeEpoch"]?.number?.integer == RecordedMachine.now * 1000)
    #expect(event["requestContext"]?["time"]?.text == "21/Nov/2026:10:00:00 +0000")
    #expect(event["headers"]?["Authorization"]?.text == nil)
    #expect(event["headers"]?["authorization"]?.text == "Bearer {{token good}}")
    #expect(event["queryStringParameters"]?["tag"]?.text == "a b")
  }

  // MARK: keys and tokens

  @Test func aTokenIsSignedWithTheKeysOfTheFolder() async throws {
    let recorded = try RecordedMachine(hasKeys: true)
    let minted = await recorded.run(
      "token", "--preset", "oidc:https://id.example.com", "--audience", "api", "--subject", "-s", "--expires",
      "+10m", "--claim", "n=1")
    #expect(minted == 0, "\(recorded.notes)")
    let claims = try DissectedToken(recorded.answer).payload()
    #expect(claims["exp"] == .integer(RecordedMachine.now + 600))
    #expect(claims["sub"] == .string("-s") && claims["n"] == .integer(1))

    let other = try RecordedMachine(hasKeys: true)
    let made = await other.run("keys", "make")
    #expect(made == 0 && other.answer == other.folder + "/.development/jwks.json\n")
  }

  @Test func aTokenIsExplainedAtTheTimeOfTheMachine() async throws {
    let first = try RecordedMachine(hasKeys: true)
    _ = await first.run("token", "--preset", "apple", "--audience", "app", "--expires", "+1h")
    for (now, exit, word) in [("+1m", 0, "accepted: "), ("+2h", 1, "expired: ")] as [(String, Int32, String)]
    {
      let recorded = try RecordedMachine(
        ["AUTHORIZER_ISSUER": "apple", "AUTHORIZER_AUDIENCE": "app"], input: first.answer, hasKeys: true)
      let found = await recorded.run("explain", "-", "--clock", now)
      #expect(found == exit && recorded.answer.hasPrefix(word), "\(recorded.answer) \(recorded.notes)")
    }
  }
}
