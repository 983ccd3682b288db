@testable import GatewayModel
@testable import AuthorizerContract
@testable import LambdaEmulator
import Foundation
import JSON
import TestSupport
import Testing

@Suite struct ContractTests {
  static func contract(_ text: String) throws -> ContractFile { try ContractFile(parsing: Array(text.utf8)) }

  static func result(_ answer: InvocationAnswer, reason: String? = nil) -> InvocationResult {
    let line =
      #"{"message":"decision","requestId":"id","outcome":"unauthorized","reason":"\#(reason ?? "")"}"#
    return InvocationResult(
      requestID: "id", answer: answer, microseconds: 7,
      lines: reason == nil ? [] : [FunctionLogLine(stream: .standardOutput, text: line)], peakMemoryKiB: nil)
  }

  static let event = Array((EvaluationTests.events[.http2] ?? "").utf8)

  static func error(_ message: String) -> InvocationAnswer {
    .error(
      FunctionErrorReport(
        headerType: "Function.X",
        document: Array(#"{"errorMessage":"\#(message)","errorType":"Function.X"}"#.utf8)))
  }

  @Test(arguments: [
    ("no json", "notJSON"), ("[]", "wrongType"), ("{}", "missing"), (#"{"outcome":"allow"}"#, "wrongType"),
    (#"{"outcome":1}"#, "wrongType"), (#"{"outcome":"allowed","reson":"x"}"#, "unknownMember"),
    (#"{"outcome":"allowed","reason":""}"#, "wrongType"),
    (#"{"outcome":"allowed","reason":null}"#, "wrongType"),
    (#"{"outcome":"failure","error":"x"}"#, "wrongType"), (#"{"outcome":"failure","error":{}}"#, "missing"),
    (#"{"outcome":"failure","error":{"message":"x"}}"#, "unknownMember"),
    (#"{"outcome":"failure","error":{"errorType":1}}"#, "wrongType"),
    (#"{"outcome":"failure","error":{"errorType":"x"},"response":{}}"#, "both"),
    (#"{"outcome":"allowed","outcome":"allowed"}"#, "notJSON"),
  ]) func refusesAnInvalidExpectation(_ text: String, _ code: String) throws {
    let error = try #require(throws: ContractError.self) { try Self.contract(text) }
    #expect(caseName(error) == code)
  }

  @Test(
    arguments: [
      (#"{"outcome":"allowed"}"#, InvocationAnswer.response(Array(#"{"isAuthorized":true}"#.utf8)), nil, []),
      (#"{"outcome":"forbidden"}"#, .response(Array(#"{"isAuthorized":true}"#.utf8)), nil, ["outcome"]),
      (#"{"outcome":"unauthorized","reason":"expired"}"#, error("Unauthorized"), "expired", []),
      (#"{"outcome":"unauthorized","reason":"expired"}"#, error("Unauthorized"), "revoked", ["reason"]),
      // Another authorizer writes no decision line; only the outcome is checked.
      (#"{"outcome":"unauthorized","reason":"expired"}"#, error("Unauthorized"), nil, []),
      (
        #"{"outcome":"unauthorized","error":{"errorMessage":"Unauthorized"}}"#, error("Unauthorized"), nil, []
      ),
      (#"{"outcome":"failure","error":{"errorType":"Function.Y"}}"#, error("x"), nil, ["error.errorType"]),
      (
        #"{"outcome":"failure","error":{"errorType":"Function.X","errorMessage":"y"}}"#, error("x"), nil,
        ["error.errorMessage"]
      ),
      (
        #"{"outcome":"failure","error":{"errorType":"Function.X"}}"#, .died(.status(1)), nil,
        ["error.errorType"]
      ),
      (
        #"{"outcome":"allowed","response":{"context":{"a":1},"isAuthorized":true}}"#,
        .response(Array(#"{"isAuthorized":true,"context":{"a":1}}"#.utf8)), nil, []
      ),
      (
        #"{"outcome":"allowed","response":{"isAuthorized":true}}"#,
        .response(Array(#"{"isAuthorized":true,"context":{}}"#.utf8)), nil, ["response"]
      ),
      (#"{"outcome":"unauthorized","response":{}}"#, error("Unauthorized"), nil, ["response"]),
    ] as [(String, InvocationAnswer, String?, [String])])
  func findsDifferencesFromTheExpectation(
    _ text: String, _ answer: InvocationAnswer, _ reason: String?, _ subjects: [String]
  ) throws {
    let evaluation = Evaluation(of: answer, to: Self.event)
    let mismatches = try Self.contract(text).mismatches(
      evaluation: evaluation, result: Self.result(answer, reason: reason))
    #expect(mismatches.map(\.subject) == subjects)
  }

  /// The matchers of the expectation are not lines of a response.
  @Test func aMissingResponseIsOneLine() throws {
    let contract = try Self.contract(
      #"{"outcome":"allowed","response":{"$includes":{"principalId":"alice"}}}"#)
    let answer = Self.error("Unauthorized")
    let mismatches = contract.mismatches(
      evaluation: Evaluation(of: answer, to: Self.event), result: Self.result(answer))
    let report = ContractReport([
      .init(
        name: "a", eventKind: .http2, outcome: .unauthorized, reason: nil, microseconds: 1,
        mismatches: Array(mismatches.dropFirst()))
    ])
    #expect(report.details == ["a:", "  response: expected a response, found no response"])
  }

  @Test func differenceShowsChangedLinesWithContext() {
    let old = (1...12).map(String.init)
    var new = old
    new[5] = "six"
    let difference = UnifiedDifference(
      expected: old.joined(separator: "\n"), found: new.joined(separator: "\n"))
    #expect(difference.lines == ["@@", " 3", " 4", " 5", "-6", "+six", " 7", " 8", " 9", "@@"])
    #expect(UnifiedDifference(expected: "a", found: "b\nc").lines == ["-a", "+b", "+c"])
  }

  @Test func suiteContainsEveryEventOfTheFolderInOrder() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("suite-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = [
      "b.json", "b.expected.json", "a/x.json", "a/authorizer.json", "tokens.json", "authorizer.json",
      "only.expected.json", "notes.txt", ".hidden/y.json",
    ]
    for file in files {
      let url = folder.appendingPathComponent(file)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("{}".utf8).write(to: url)
    }
    let suite = try ContractSuite(directory: folder.path)
    #expect(suite.cases.map(\.name) == ["a/x", "b", "only"])
    #expect(suite.cases.first?.expectationPath.hasSuffix("/a/x.expected.json") == true)
    for file in ["b.json", "b.expected.json"] {
      let one = try ContractSuite(directory: folder.path + "/" + file)
      #expect(one.cases == suite.cases.filter { $0.name == "b" })
    }
    for file in ["tokens.json", "notes.txt"] {
      let path = folder.path + "/" + file
      #expect(throws: ContractSuiteError.noEvents(path)) { try ContractSuite(directory: path) }
    }
    #expect(throws: ContractSuiteError.noEvents(folder.path + "/.hidden/none")) {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent(".hidden/none"), withIntermediateDirectories: true)
      return try ContractSuite(directory: folder.path + "/.hidden/none")
    }
    #expect(throws: ContractSuiteError.noDirectory("/nonexistent")) {
      try ContractSuite(directory: "/nonexistent")
    }
  }

  static let report = ContractReport([
    .init(
      name: "good", eventKind: .http2, outcome: .allowed, reason: nil, microseconds: 1_000_184, mismatches: []
    ),
    .init(
      name: "bad <&>", eventKind: nil, outcome: nil, reason: nil, microseconds: nil,
      mismatches: [Mismatch(subject: "event", expected: "\"x\"", found: "\u{1}", note: "why")]),
  ])

  @Test func reportHasATableAndASummary() {
    #expect(
      Self.report.table.lines == [
        "file     kind   outcome  reason       µs  result", "good     http2  allowed  -       1000184  pass",
        "bad <&>  -      -        -             -  FAIL",
      ])
    #expect(Self.report.summary == "1 passed, 1 failed")
    #expect(Self.report.details == ["bad <&>:", "  event: expected \"x\", found \u{1} (why)"])
  }

  /// A report of one test whose function says why it decided so.
  private static func explained(_ mismatches: [Mismatch]) -> ContractReport {
    var entry = ContractReport.Entry(
      name: "a", eventKind: .http2, outcome: .forbidden, reason: "noRule", microseconds: 1,
      mismatches: mismatches)
    entry.why = "No rule matches <GET /b>"
    return ContractReport([entry])
  }

  @Test func theSentenceOfAFailedTestIsInEachReport() throws {
    let report = Self.explained([
      Mismatch(subject: "outcome", expected: "allowed", found: "forbidden", note: "denied by Statement[0]")
    ])
    #expect(
      report.details == [
        "a:", "  outcome: expected allowed, found forbidden (denied by Statement[0])",
        "  why: No rule matches <GET /b>",
      ])
    #expect(report.junit.contains(#"<failure message="outcome: No rule matches &lt;GET /b&gt;">"#))
    #expect(report.junit.contains("\nwhy: No rule matches &lt;GET /b&gt;</failure>"))
    let root = try JSONDocument(parsing: report.json, limits: .event).root
    #expect(root["tests"]?.elements.first(where: { _ in true })?["why"]?.text == "No rule matches <GET /b>")
  }

  @Test func aPassedTestMayBeExplained() {
    let report = Self.explained([])
    #expect(report.details == ["a:", "  why: No rule matches <GET /b>"])
    #expect(!report.junit.contains("No rule"))
  }

  @Test func reportIsWrittenAsJSON() throws {
    let root = try JSONDocument(parsing: Self.report.json, limits: .event).root
    #expect(root["passed"]?.number?.integer == 1)
    let tests = Array(try #require(root["tests"]).elements)
    #expect(tests.map { $0["passed"]?.boolean } == [true, false])
    #expect(tests.first?["microseconds"]?.number?.integer == 1_000_184)
    #expect(tests.last?["outcome"] == nil)
  }

  @Test func reportIsWrittenAsValidXML() {
    let text = Self.report.junit
    #expect(text.contains(#"<testcase classname="contract" name="good" time="1.000184"/>"#))
    #expect(text.contains(#"name="bad &lt;&amp;&gt;""#))
    #expect(text.contains(#"<failure message="event: why">"#))
    #expect(!text.contains("\u{1}"))
    #expect(text.contains(#"tests="2" failures="1""#))
  }
}
