import Foundation
import JSON
import Testing
import TestSupport

/// `AUTHORIZER_LOCAL_TIMEOUT_FACTOR`.
@Suite(
  .enabled(if: Workshop.python != nil, "python3 is not installed: no scripted functions"),
  .timeLimit(.minutes(HangLimit.minutes)))
struct TimeoutFactorTests {
  private static let variable = "AUTHORIZER_LOCAL_TIMEOUT_FACTOR"

  @Test(arguments: ["0", "-1", "91", "1.5", "six", "6 "])
  func refusesInvalidValues(_ value: String) throws {
    let answer = try Workshop().run(
      ["invoke", "-", "--function", "true"], input: ScriptedRuntime.event("Allow"),
      environment: [Self.variable: value])
    Self.expectRefusal(answer, value)
  }

  private static let commands: [[String]] = [
    ["test", "--function", "true"],
    ["keys", "fetch", "https://id.example.com/jwks", "--fetch-keys", "/bin/true"],
    ["serve", "--port", "0", "--function", "true"] + ServeTests.quickStart.dropLast(2),
  ]

  @Test(arguments: commands) func isCheckedByEveryCommand(_ command: [String]) throws {
    let workshop = try Workshop()
    try workshop.write(ScriptedRuntime.event("Allow"), to: "events/a.json")
    try workshop.write(#"{"outcome":"allowed"}"#, to: "events/a.expected.json")
    Self.expectRefusal(try workshop.run(command, environment: [Self.variable: "0"]), "0")
  }

  private static func expectRefusal(_ answer: Workshop.Answer, _ value: String) {
    #expect(answer.exit == 64, "\(answer.output) \(answer.errors)")
    let words = "error: \(variable) must be a whole number from 1 to 90, found \(value)\n"
    #expect(answer.errors.contains(words), "\(answer.errors)")
    #expect(answer.errors.contains("hint: "), "\(answer.errors)")
    #expect(answer.output.isEmpty)
  }

  /// The function reports its remaining time, which is shorter the later it began.
  @Test(
    arguments: [
      ("60", [], 10_000..<600_001), ("90", [], 10_000..<900_001),
      ("60", ["--timeout", "300"], 10_000..<300_001),
    ] as [(String, [String], Range<Int64>)])
  func multipliesTheDefaultTimeouts(_ factor: String, _ options: [String], _ expected: Range<Int64>) throws {
    let workshop = try Workshop()
    try workshop.write(ScriptedRuntime.source, to: ScriptedRuntime.path)
    let answer = try workshop.run(
      ["invoke", "-", "--json"] + options + ScriptedRuntime.arguments(),
      input: ScriptedRuntime.event("environment"),
      environment: [Self.variable: factor, "AUTHORIZER_LOCAL_SECRET": "of the user"])
    #expect(answer.exit == 0, "\(answer.errors)")
    let root = try JSONDocument(parsing: Array(answer.output.utf8), limits: .event).root
    let context = try #require(root["results"]?.elements.first { _ in true }?["response"]?["context"])
    #expect(expected.contains(try #require(context["left"]?.number?.integer)))
    #expect(context[Self.variable] == nil)
    #expect(context["AUTHORIZER_LOCAL_SECRET"]?.text == "of the user")
  }
}
