import DeploymentChecks
import Foundation
import Testing
import TestSupport

/// What `test` and `invoke` say about a function that has no keys, does not start, or has a correct narrow policy.
@Suite(.needsPython, .hangLimit)
struct TestReportTests {
  /// The scripted function with a decision line before each answer; its reason is what the event asks for.
  static let decidingSource = ScriptedRuntime.source.replacing(
    #"do = event["do"]"#,
    with: #"""
      do = event["do"]
          line = {"message": "decision", "requestId": request.split("/")[2], "outcome": "any", "reason": do}
          print(json.dumps(line))
      """#)

  /// This project's function, which alone writes decision lines, allows every route of the token.
  @Test(arguments: [(false, 1), (true, 0)] as [(Bool, Int32)])
  func aPolicyForTheOnlyRouteOfATokenIsNoFinding(_ hasDecisionLine: Bool, _ exit: Int32) throws {
    let workshop = try Workshop()
    let source = hasDecisionLine ? Self.decidingSource : ScriptedRuntime.source
    let arn = "arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets"
    try workshop.write(
      source.replacing(#""Resource": "*""#, with: #""Resource": "\#(arn)""#), to: ScriptedRuntime.path)
    try workshop.write(ScriptedRuntime.event("Allow"), to: "events/a.json")
    try workshop.write(#"{"outcome":"allowed"}"#, to: "events/a.expected.json")
    let answer = try workshop.execute(["test", "--strict"] + ScriptedRuntime.arguments())
    #expect(answer.exit == exit, "\(answer.output)\(answer.errors)")
    #expect(answer.errors.contains("narrowPolicy") == (exit == 1), "\(answer.errors)")
  }

  /// The configuration in a package names the issuers' keys, which cannot verify development tokens.
  @Test func aPackageWithoutKeysGetsAHintAndNoExpectation() throws {
    let workshop = try Workshop()
    let start = "#!/bin/sh\nexec \(Workshop.python ?? "python3") -I -u function.py\n"
    let package = try DeploymentPackage(files: [
      .init(path: "bootstrap", bytes: Array(start.utf8), permissions: 0o755),
      .init(path: "function.py", bytes: Array((Self.decidingSource + "\n").utf8), permissions: 0o644),
    ])
    try Data(package.archive).write(to: workshop.folder.appendingPathComponent("function.zip"))
    try workshop.write(ScriptedRuntime.event("keysUnavailable"), to: "events/a.json")
    let hint = "hint: the package's own configuration verifies with the issuers' real keys"
    let update = try workshop.execute(["test", "--update", "--zip", "function.zip"])
    #expect(update.exit == 1, "\(update.output)\(update.errors)")
    #expect(update.errors.contains("the function had no keys to verify the token with (keysUnavailable)"))
    #expect(update.errors.contains(hint), "\(update.errors)")
    let expectation = workshop.folder.appendingPathComponent("events/a.expected.json").path
    #expect(!FileManager.default.fileExists(atPath: expectation))
    let invoke = ["invoke", "events/a.json", "--zip", "function.zip"]
    let plain = try workshop.execute(invoke)
    #expect(plain.errors.contains(hint), "\(plain.errors)")
    for options in [["--real-keys"], ["--env", "AUTHORIZER_ISSUER=apple"]] {
      let other = try workshop.execute(invoke + options)
      #expect(!other.errors.contains(hint), "\(options): \(other.errors)")
    }
  }

  /// A folder with an event of GET /b, which no rule of its configuration matches, and a wrong expectation.
  private static func unmet() throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(
      #"{"issuers":[{"preset":"apple","audiences":["app"]}],"default":"deny","#
        + #""rules":[{"routes":["GET /a"],"allow":true}]}"#, to: "events/authorizer.json")
    try workshop.write(#"{"t":{"preset":"apple","claims":{"aud":"app"}}}"#, to: "events/tokens.json")
    for name in ["a", "b"] {
      try workshop.write(
        #"{"type":"TOKEN","methodArn":"arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/\#(name)","#
          + #""authorizationToken":"Bearer {{token t}}"}"#, to: "events/\(name).json")
      try workshop.write(#"{"outcome":"allowed"}"#, to: "events/\(name).expected.json")
    }
    return workshop
  }

  private static let noRule = #"why: No rule matches GET /b, and "default" is "deny""#
  private static let granted = "why: rules[0] allows GET /a: any valid token"

  @Test(.needsBootstrap)
  func aFailedTestOfTheAuthorizerSaysWhy() throws {
    let workshop = try Self.unmet()
    let command = ["test", "events", "--function", Workshop.bootstrap]
    let answer = try workshop.execute(command + ["--junit", "report.xml"])
    #expect(answer.exit == 1, "\(answer.output)\(answer.errors)")
    #expect(answer.output.contains("b:\n  outcome: expected allowed, found forbidden"), "\(answer.output)")
    #expect(answer.output.contains("\n  \(Self.noRule)\n") && !answer.output.contains(Self.granted))
    #expect(
      try TestCommandTests.text("report.xml", in: workshop).contains(
        #"<failure message="outcome: No rule matches GET /b, and &quot;default&quot; is &quot;deny&quot;">"#))
    let verbose = try workshop.execute(command + ["--verbose"])
    #expect(verbose.output.contains("a:\n  \(Self.granted)\n"), "\(verbose.output)")
    #expect(verbose.output.contains("\n  \(Self.noRule)\n"))
  }

  /// Another function may decide by other rules than those of a file beside its events.
  @Test(arguments: [ScriptedRuntime.source, decidingSource])
  func nothingIsSaidForAnotherAuthorizer(_ source: String) throws {
    let workshop = try Self.unmet()
    try workshop.write(source, to: ScriptedRuntime.path)
    try workshop.write(
      ScriptedRuntime.event("Deny", more: #","authorizationToken":"Bearer {{token t}}""#), to: "events/b.json"
    )
    let answer = try workshop.execute(["test", "events/b.json", "--verbose"] + ScriptedRuntime.arguments())
    #expect(answer.exit == 1, "\(answer.output)\(answer.errors)")
    #expect(answer.output.contains("found forbidden") && !answer.output.contains("why: "), "\(answer.output)")
  }

  /// A function that never starts has one log, and no answers to compare.
  @Test func aFailedStartIsReportedOnce() throws {
    let workshop = try Workshop()
    try workshop.write("echo a broken import >&2\nexit 1\n", to: "broken.sh")
    for name in ["a", "b"] {
      try workshop.write(ScriptedRuntime.event("Allow"), to: "events/\(name).json")
      try workshop.write(
        #"{"outcome":"allowed","response":{"principalId":"u"}}"#, to: "events/\(name).expected.json")
    }
    let answer = try workshop.execute(["test", "--function", "sh broken.sh"])
    #expect(answer.exit == 2, "\(answer.output)\(answer.errors)")
    #expect(answer.errors.components(separatedBy: "a broken import").count == 2, "\(answer.errors)")
    #expect(answer.output.contains("the function died before its first event: exit status 1"))
    #expect(!answer.output.contains("principalId"), "\(answer.output)")
  }

  /// All events share the file.
  @Test func aWrongRecipeIsReportedOnce() throws {
    let workshop = try ScriptedRuntime.workshop()
    try workshop.write(#"{"good":{"claims":{"sub":"u"},"omit":"absent"}}"#, to: "events/tokens.json")
    for name in ["a", "b"] {
      try workshop.write(
        ScriptedRuntime.event("Allow", more: #","authorizationToken":"Bearer {{token good}}""#),
        to: "events/\(name).json")
      try workshop.write(#"{"outcome":"allowed"}"#, to: "events/\(name).expected.json")
    }
    let answer = try workshop.execute(["test"] + ScriptedRuntime.arguments())
    #expect(answer.exit == 1, "\(answer.output)\(answer.errors)")
    #expect(answer.errors.components(separatedBy: "absent is not present").count == 2, "\(answer.errors)")
    #expect(answer.output.contains("tokens.json is invalid"), "\(answer.output)")
    #expect(!answer.output.contains("absent is not present"), "\(answer.output)")
  }
}
