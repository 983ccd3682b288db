import Foundation
import JSON
import Testing
import TestSupport

/// `authorizer-local` from end to end: its output and its exit codes.
@Suite(.needsPython, .hangLimit)
struct CommandLineTests {
  /// aws-sam-cli#1081: exit status 0 after an error of the function.
  @Test(
    arguments: [
      ("Allow", [], 0, "allowed"), ("Deny", [], 0, "forbidden"), ("Unauthorized", [], 0, "unauthorized"),
      ("NoKeys", [], 2, "failure"), ("garbage", [], 2, "failure"), ("exit", [], 3, "failure"),
      ("hang", ["--timeout", "0.5"], 3, "failure"), ("Deny", ["--expect", "allowed"], 1, "forbidden"),
      ("Deny", ["--expect", "forbidden"], 0, "forbidden"), ("NoKeys", ["--expect", "failure"], 0, "failure"),
      ("NoKeys", ["--expect", "allowed"], 1, "failure"), ("exit", ["--expect", "allowed"], 3, "failure"),
    ] as [(String, [String], Int32, String)])
  func invokeExitsWithTheCodeOfTheOutcome(
    _ act: String, _ options: [String], _ exit: Int32, _ outcome: String
  ) throws {
    let workshop = try ScriptedRuntime.workshop()
    let answer = try workshop.execute(
      ["invoke", "-"] + options + ScriptedRuntime.arguments(), input: ScriptedRuntime.event(act))
    #expect(answer.exit == exit, "\(answer.errors)")
    #expect(answer.output.hasPrefix("outcome    \(outcome)\n"))
  }

  @Test(arguments: ["crash", "report"])
  func aCrashAndAReportedErrorAtStartAreFailedInitializations(_ start: String) throws {
    let workshop = try ScriptedRuntime.workshop()
    let answer = try workshop.execute(
      ["invoke", "-"] + ScriptedRuntime.arguments(start: start), input: ScriptedRuntime.event("Allow"))
    #expect(answer.exit == 2, "\(answer.errors)")
  }

  @Test(
    arguments: [
      ([], 0, "", ""), (["--help"], 0, "USAGE", ""), (["--version"], 0, "authorizer-local ", ""),
      (["invoke", "--help"], 0, "authorizer-local invoke", ""),
      (["nonsense"], 64, "", "error: unexpected argument"),
      (["help", "nonsense"], 64, "", "there is no such command"),
      (["token", "--preset", "auht0:x"], 64, "", "did you mean auth0?"),
      (["keys", "fetch", "auht0:x"], 64, "", "hint: did you mean auth0?"),
      (["token", "--preset", "apple", "--claim", "nbf=10m"], 64, "", "10m is not a relative time"),
      (["explain", "x", "--clock", "10m"], 64, "", "did you mean +10m?"),
      (["config", "check", "bad.json"], 1, "not JSON: the text ends too early at line 1, column 2", ""),
      (
        ["event", "render", "bad.json"], 64, "",
        "error: bad.json is not JSON: the text ends too early at line 1, column 2"
      ),
      (["invoke", "--nonsense"], 64, "", "error: "),
      (["invoke", "good.json"], 64, "", "error: no configuration"),
      (["invoke", "good.json", "--function", "./absent"], 69, "", "error: no such function"),
      (["invoke", "good.json", "--function", "absent-command"], 69, "failure", ""),
      (["invoke", "placeholder.json", "--function", "true"], 64, "", "error: no tokens.json"),
      (["test", "absent"], 64, "", "error: no such folder"),
      (["test", "empty"], 64, "", "hint: an event is X.json"),
      (["test", "."], 64, "", "error: no configuration"),
      (
        ["test", "."], 64, "",
        "or give --handler FILE:NAME or --function COMMAND for an authorizer of your own"
      ),
      (["token", "--preset", "nonsense"], 64, "", "error: "), (["keys", "nonsense"], 64, "", "error: "),
      (["evaluate", "good.json", "--arn", "x"], 64, "", "error: the policy cannot be evaluated"),
    ] as [([String], Int32, String, String)])
  func reportsWrongCommandsWithHints(
    _ arguments: [String], _ exit: Int32, _ output: String, _ errors: String
  ) throws {
    let workshop = try Workshop()
    try workshop.write("{", to: "bad.json")
    try workshop.write("{}", to: "good.json")
    try workshop.write(#"{"authorizationToken":"Bearer {{token good}}"}"#, to: "placeholder.json")
    try workshop.write("no event", to: "empty/notes.txt")
    let answer = try workshop.execute(arguments)
    #expect(answer.exit == exit, "\(answer.output) \(answer.errors)")
    #expect(answer.output.contains(output) || output.isEmpty)
    #expect(answer.errors.contains(errors) || errors.isEmpty)
    #expect(exit == 0 || output != "" || answer.output.isEmpty)
  }

  @Test func strictFailsAnEventWithFindingsInEveryReport() throws {
    let workshop = try ScriptedRuntime.workshop()
    try workshop.write(ScriptedRuntime.event("Allow"), to: "events/a.json")
    try workshop.write(#"{"outcome":"allowed"}"#, to: "events/a.expected.json")
    try workshop.write(ScriptedRuntime.event("Unauthorized"), to: "events/b.json")
    try workshop.write(#"{"outcome":"unauthorized"}"#, to: "events/b.expected.json")
    let lax = try workshop.execute(["test"] + ScriptedRuntime.arguments())
    #expect(lax.exit == 0)
    #expect(lax.errors.contains("warning: "), "the policy of the script has a finding")
    let strict = try workshop.execute(
      ["test", "--strict", "--junit", "report.xml"] + ScriptedRuntime.arguments())
    #expect(strict.exit == 1)
    #expect(strict.output.hasSuffix("\n1 passed, 1 failed\n"), "\(strict.output)")
    #expect(strict.output.contains("expected no finding"))
    let report = try String(contentsOf: workshop.folder.appendingPathComponent("report.xml"), encoding: .utf8)
    #expect(report.contains(#"tests="2" failures="1""#))
    let json = try workshop.execute(["test", "--strict", "--json"] + ScriptedRuntime.arguments())
    #expect(json.exit == 1)
    let root = try JSONDocument(parsing: Array(json.output.utf8), limits: .event).root
    #expect(root["failed"]?.number?.integer == 1)
    #expect(root["tests"].map { $0.elements.map { $0["passed"]?.boolean } } == [false, true])
  }

  @Test(
    arguments: [
      ("+10m", nil), ("2040-01-01T00:00:00Z", 2_208_988_800), ("2208988800", 2_208_988_800),
    ] as [(String, Int64?)])
  func signsADateAsANumber(_ text: String, _ expected: Int64?) throws {
    let workshop = try Workshop()
    let answer = try workshop.execute(["token", "--preset", "apple", "--expires", text])
    let date = try #require(try Self.payload(of: answer.output)["exp"]?.number?.integer)
    #expect(expected == nil || date == expected)
  }

  @Test func reportsAPortInUse() throws {
    let workshop = try Workshop()
    let template = try Checkout.text("template/template.yaml")
    try workshop.write(template, to: "template.yaml")
    try workshop.write(
      #"{"issuers":[{"preset":"apple","audiences":["a"]}]}"#, to: "authorizer.json")
    let listener = try LoopbackSocket.listener()
    defer { close(listener.descriptor) }
    let answer = try workshop.execute(["serve", "--port", String(listener.port), "--function", "true"])
    #expect(answer.exit == 69)
    #expect(
      answer.errors.contains("error: port \(listener.port) is in use\nhint: end the program"),
      "\(answer.errors)")
  }

  @Test func rawSendsAFileUnchanged() throws {
    let workshop = try ScriptedRuntime.workshop()
    let answer = try workshop.execute(["invoke", "--raw", "-"] + ScriptedRuntime.arguments(), input: "{")
    #expect(answer.exit == 3)
    #expect(answer.errors.contains("JSONDecodeError"))
  }

  @Test func testReportsPassedAndFailedContracts() throws {
    let workshop = try ScriptedRuntime.workshop()
    try workshop.write(ScriptedRuntime.event("Allow"), to: "events/a.json")
    try workshop.write(#"{"outcome":"allowed"}"#, to: "events/a.expected.json")
    try workshop.write(ScriptedRuntime.event("Unauthorized"), to: "events/deep/b.json")
    try workshop.write(
      #"{"outcome":"unauthorized","error":{"errorType":"T"}}"#, to: "events/deep/b.expected.json")
    let good = try workshop.execute(["test", "--junit", "report.xml"] + ScriptedRuntime.arguments())
    #expect(good.exit == 0, "\(good.errors)")
    #expect(good.output.hasSuffix("\n2 passed, 0 failed\n"))
    let report = try String(contentsOf: workshop.folder.appendingPathComponent("report.xml"), encoding: .utf8)
    #expect(report.contains(#"tests="2" failures="0""#))

    try workshop.write(ScriptedRuntime.event("Deny"), to: "events/c.json")
    let missing = try workshop.execute(["test", "events"] + ScriptedRuntime.arguments())
    #expect(missing.exit == 1)
    #expect(missing.output.hasSuffix("\n2 passed, 1 failed\n"))
    #expect(missing.output.contains("expectation: expected c.expected.json, found no file"))

    try workshop.write(#"{"outcome":"allowed","response":{"principalId":"v"}}"#, to: "events/c.expected.json")
    let bad = try workshop.execute(["test", "events", "--json"] + ScriptedRuntime.arguments())
    #expect(bad.exit == 1)
    let root = try JSONDocument(parsing: Array(bad.output.utf8), limits: .event).root
    #expect(root["failed"]?.number?.integer == 1)

    try workshop.write(ScriptedRuntime.event("exit"), to: "events/c.json")
    #expect(try workshop.execute(["test", "events"] + ScriptedRuntime.arguments()).exit == 3)
  }

  @Test func passesTheNearestConfigurationInlineAndSharesProcesses() throws {
    let workshop = try ScriptedRuntime.workshop()
    let issuers =
      #"{"issuers":[{"preset":"apple","keys":{"url":"https://x"}},{"name":"s","keys":{"secret":{"file":"f"}}}]}"#
    try workshop.write(issuers, to: "events/authorizer.json")
    try workshop.write(#"{"issuers":[]}"#, to: "events/other/authorizer.json")
    let event = ScriptedRuntime.event("environment")
    for path in ["events/a.json", "events/deep/b.json", "events/other/c.json"] {
      try workshop.write(event, to: path)
    }
    let arguments = ["events/a.json", "events/deep/b.json", "events/other/c.json", "--json"]
    let answer = try workshop.execute(["invoke"] + arguments + ScriptedRuntime.arguments())
    let root = try JSONDocument(parsing: Array(answer.output.utf8), limits: .event).root
    let contexts = try #require(root["results"]).elements.compactMap { $0["response"]?["context"] }
    #expect(contexts.count == 3, "\(answer.errors)")
    let processes = contexts.map { $0["pid"]?.number?.integer }
    #expect(processes[0] == processes[1])
    #expect(processes[0] != processes[2])
    #expect(contexts.map { $0["AUTHORIZER_DEVELOPMENT"]?.text } == ["1", "1", "1"])
    #expect(contexts[0]["root"]?.text?.hasSuffix("/events") == true)
    let inline = try JSONDocument(
      parsing: try #require(contexts[0]["AUTHORIZER_CONFIG"]?.utf8), limits: .configuration
    ).root
    let keys = try #require(inline["issuers"]).elements.compactMap { $0["keys"] }
    #expect(keys[0]["seed"]?.text?.hasSuffix("/.development/jwks.json") == true)
    #expect(keys[0]["pinned"]?.boolean == true)
    #expect(keys[0]["url"] == nil)
    #expect(keys[1]["secret"]?["file"]?.equals("f") == true)

    let real = try workshop.execute(
      ["invoke", "events/a.json", "--json", "--real-keys"] + ScriptedRuntime.arguments())
    #expect(real.output.contains("https://x"))
    #expect(!real.output.contains("AUTHORIZER_DEVELOPMENT"))
  }

  @Test func mintsTokensByNameOrPresetAndFillsEvents() throws {
    let workshop = try Workshop()
    try workshop.write(#"{"good":{"preset":"apple"}}"#, to: "tokens.json")
    try workshop.write(#"{"authorizationToken":"Bearer {{token good}}"}"#, to: "deep/event.json")
    let named = try workshop.execute(["token", "good"])
    #expect(named.exit == 0, "\(named.errors)")
    #expect(named.output.split(separator: ".").count == 3)
    let rendered = try workshop.execute(["event", "render", "deep/event.json"])
    #expect(rendered.exit == 0, "\(rendered.errors)")
    #expect(rendered.output.contains("Bearer ey"))
    let shaped = try workshop.execute([
      "token", "--preset", "oidc:https://id.example.com", "--audience", "api", "--subject", "s", "--expires",
      "+10m",
      "--claim", "n=1", "--claim", "t=one two",
    ])
    #expect(shaped.exit == 0, "\(shaped.errors)")
    let payload = try Self.payload(of: shaped.output)
    #expect(payload["aud"]?.equals("api") == true)
    #expect(payload["sub"]?.equals("s") == true)
    #expect(payload["n"]?.number?.integer == 1)
    #expect(payload["t"]?.equals("one two") == true)
    // A value that begins with a dash is not an option.
    let expired = try workshop.execute([
      "token", "--preset", "oidc:https://id.example.com", "--audience", "-a", "--subject", "-s", "--expires",
      "-1h", "--claim", "-c=1",
    ])
    #expect(expired.exit == 0, "\(expired.errors)")
    let past = try Self.payload(of: expired.output)
    #expect(past["exp"]?.number?.integer.map { $0 < Int64(Date().timeIntervalSince1970) - 3000 } == true)
    #expect(past["aud"]?.equals("-a") == true && past["sub"]?.equals("-s") == true)
    #expect(past["-c"]?.number?.integer == 1)
    let path = try workshop.execute(["keys", "make"]).output.trimmingCharacters(in: .newlines)
    let shown = try workshop.execute(["keys", "show"]).output
    #expect(try String(contentsOfFile: path, encoding: .utf8) == shown)
    #expect(shown.contains("development-rs256"))
    #expect(!shown.contains(#""d""#))
  }

  private static func payload(of token: String) throws -> JSONValue {
    try JSONDocument(parsing: Array(DissectedToken(token).payloadText.utf8), limits: .token).root
  }

  @Test(
    arguments: [
      (#"{"Statement":{"Effect":"Allow","Action":"*","Resource":"*"}}"#, 0, "allowed by Statement[0]"),
      (
        #"{"policyDocument":{"Statement":{"Effect":"Deny","Action":"*","Resource":"*"}}}"#, 1,
        "denied by Statement[0]"
      ),
      (
        #"{"Statement":{"Effect":"Allow","Action":"s3:*","Resource":"*"}}"#, 1,
        "denied: no statement allows it"
      ),
    ] as [(String, Int32, String)])
  func evaluateExitsWithTheDecision(_ policy: String, _ exit: Int32, _ text: String) throws {
    let answer = try Workshop().execute(["evaluate", "-", "--arn", "arn:x"], input: policy)
    #expect(answer.exit == exit)
    #expect(answer.output.hasPrefix(text + "\n"))
  }

  @Test(arguments: [SIGINT, SIGTERM]) func endsTheFunctionOnASignal(_ signal: Int32) throws {
    let workshop = try ScriptedRuntime.workshop()
    try workshop.write(ScriptedRuntime.event("hang"), to: "event.json")
    let process = workshop.process(["invoke", "event.json", "--verbose"] + ScriptedRuntime.arguments())
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    var text = ""
    while !text.contains("\n") {
      let part = errors.fileHandleForReading.availableData
      guard !part.isEmpty else { break }
      text += String(decoding: part, as: UTF8.self)
    }
    let function = try #require(Int32(text.split(separator: " ").last?.dropLast() ?? ""))
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    #expect(process.terminationStatus == 128 + signal)
    // The pipe closes when the function ends, because no other process has its write end.
    #expect(errors.fileHandleForReading.readDataToEndOfFile().isEmpty)
    // The kernel may take a moment to end a killed process. A living process always has a command line.
    let hasEnded = HangLimit.wait {
      (FileManager.default.contents(atPath: "/proc/\(function)/cmdline") ?? Data()).isEmpty
    }
    #expect(hasEnded)
  }
}
