import Foundation
import JSON
import Testing
import TestSupport

/// `AUTHORIZER_LOCAL_TIMEOUT_FACTOR`.
@Suite(.needsPython, .hangLimit)
struct TimeoutFactorTests {
  private static let variable = "AUTHORIZER_LOCAL_TIMEOUT_FACTOR"

  @Test(arguments: ["0", "-1", "91", "1.5", "six", "6 "])
  func refusesInvalidValues(_ value: String) throws {
    let answer = try Workshop().execute(
      ["invoke", "-", "--function", "true"], input: ScriptedRuntime.event("Allow"),
      environment: [Self.variable: value])
    Self.expectRefusal(answer, value)
  }

  private static let commands: [[String]] = [
    ["test", "--function", "true"],
    ["keys", "fetch", "https://id.example.com/jwks", "--fetch-keys", "/bin/true"],
    ["serve", "--port", "0", "--function", "true"] + ServeTests.quickStart.dropLast(2),
  ]

  @Test(arguments: commands) func isCheckedBeforeAnythingStarts(_ command: [String]) throws {
    let workshop = try Workshop()
    try workshop.write(ScriptedRuntime.event("Allow"), to: "events/a.json")
    try workshop.write(#"{"outcome":"allowed"}"#, to: "events/a.expected.json")
    Self.expectRefusal(try workshop.execute(command, environment: [Self.variable: "0"]), "0")
  }

  @Test(.needsBootstrap)
  func isCheckedByPackage() throws {
    let answer = try Workshop().execute(PackageCommandTests.arguments(), environment: [Self.variable: "0"])
    // The package is already written then: only the start of the function has a timeout.
    #expect(answer.exit == 64, "\(answer.output) \(answer.errors)")
    #expect(answer.errors.contains("error: \(Self.variable) must be a whole number"), "\(answer.errors)")
  }

  private static func expectRefusal(_ answer: Workshop.Answer, _ value: String) {
    #expect(answer.exit == 64, "\(answer.output) \(answer.errors)")
    let words = "error: \(variable) must be a whole number from 1 to 90, found \(value)\n"
    #expect(answer.errors.contains(words), "\(answer.errors)")
    #expect(answer.errors.contains("hint: "), "\(answer.errors)")
    #expect(answer.output.isEmpty)
  }

  /// The timeout is the deadline less the time at which the invocation began. That time is between the start of the
  /// command and the time at which the function received the event.
  @Test(
    arguments: [
      ("60", [], 600_000), ("90", [], 900_000), ("60", ["--timeout", "300"], 300_000),
    ] as [(String, [String], Int64)])
  func multipliesTheDefaultTimeouts(_ factor: String, _ options: [String], _ milliseconds: Int64) throws {
    let workshop = try ScriptedRuntime.workshop()
    let start = Int64(Date().timeIntervalSince1970 * 1000)
    let answer = try workshop.execute(
      ["invoke", "-", "--json"] + options + ScriptedRuntime.arguments(),
      input: ScriptedRuntime.event("environment"),
      environment: [Self.variable: factor, "AUTHORIZER_LOCAL_SECRET": "of the user"])
    #expect(answer.exit == 0, "\(answer.errors)")
    let root = try JSONDocument(parsing: Array(answer.output.utf8), limits: .event).root
    let context = try #require(root["results"]?.elements.first { _ in true }?["response"]?["context"])
    let deadline = try #require(context["deadline"]?.number?.integer)
    let left = try #require(context["left"]?.number?.integer)
    #expect(deadline - start >= milliseconds)
    #expect(left <= milliseconds)
    #expect(context[Self.variable] == nil)
    #expect(context["AUTHORIZER_LOCAL_SECRET"]?.text == "of the user")
  }
}
