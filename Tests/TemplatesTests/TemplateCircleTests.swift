@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import Testing

/// Templates with circular references, or with work that grows exponentially.
@Suite struct TemplateCircleTests {
  /// Returns a template whose function has this variable.
  private static func template(_ sections: String, variable: String = "x") -> String {
    TemplateSamples.rest(
      auth: TemplateSamples.tokenAuth, function: "      Environment: { Variables: { A: \(variable) } }"
    ).replacing("Resources:\n", with: sections + "\nResources:\n")
  }

  struct Circle: Sendable {
    let sections: String
    let variable: String
    /// The beginning of the line of the finding.
    let line: String
    let path: String

    init(_ sections: String, _ variable: String, line: String, path: String) {
      self.sections = sections
      self.variable = variable
      self.line = line
      self.path = path
    }
  }

  @Test(arguments: [
    Circle(
      "Mappings: { M: { a: { b: !FindInMap [M, a, b] } } }", "!FindInMap [M, a, b]", line: "Mappings:",
      path: "Mappings.M.a.b"),
    Circle(
      "Mappings:\n  M:\n    a:\n      b: { 'Fn::FindInMap': [M, a, c] }\n      c: [ !FindInMap [M, a, b] ]",
      "!FindInMap [M, a, b]", line: "      b:", path: "Mappings.M.a.b"),
    Circle(
      "Mappings:\n  M:\n    a:\n      b: [ !FindInMap [M, a, b] ]", "!Join ['', !FindInMap [M, a, b]]",
      line: "      b:", path: "Mappings.M.a.b"),
    Circle(
      "Mappings: { M: { a: { b: !FindInMap [!FindInMap [M, a, b], a, b] } } }", "!FindInMap [M, a, b]",
      line: "Mappings:", path: "Mappings.M.a.b"),
    Circle(
      "Mappings: { M: { a: { b: !Ref AWS::Region } } }", "!FindInMap [M, a, b]", line: "Mappings:",
      path: "Mappings.M.a.b"),
    Circle(
      "Conditions:\n  A: !Not [!Condition B]\n  B: !Not [!Condition A]", "!If [A, x, y]", line: "  B: ",
      path: "Conditions.A"),
    Circle("Conditions: { A: !Condition A }", "!If [A, x, y]", line: "Conditions:", path: "Conditions.A"),
  ]) func reportsACircularReferenceWithItsLine(_ circle: Circle) throws {
    let text = Self.template(circle.sections, variable: circle.variable)
    let error = try #require(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let finding = try #require(error.findings.first { $0.path == circle.path }, "\(error.findings)")
    #expect(lines[finding.line - 1].hasPrefix(circle.line), "\(finding)")
    #expect(error.findings.count { $0.path == circle.path } == 1)
  }

  /// Returns the number of steps for a template in which each condition refers to the previous one several times.
  private static func steps(conditions count: Int) -> Int {
    var sections = "Conditions:\n  C0: !Equals [a, a]"
    for index in 1...count {
      let part = "!Condition C\(index - 1)"
      sections += "\n  C\(index): !And [\(part), !Or [\(part), \(part)], !Not [!Not [\(part)]]]"
    }
    let report = Diagnostics()
    let document = TemplateDocument(
      template(sections, variable: "!If [C\(count), x, y]"), parameters: [:], report)
    let reader = TemplateReader(document, place: AWSLocation(), report)
    #expect(report.findings == [])
    return reader.functions.steps
  }

  @Test func evaluatesEachConditionOnce() {
    let few = Self.steps(conditions: 4)
    let many = Self.steps(conditions: 8)
    // Each condition has eight parts: itself, four references, Or and two Not.
    #expect(many - few == 4 * 8)
    #expect(Self.steps(conditions: 100) - many == 92 * 8)
  }

  struct Chain: Sendable, CustomTestStringConvertible {
    let name: String
    let link: @Sendable (Int) -> String
    var testDescription: String { name }
  }

  @Test(arguments: [
    Chain(name: "Condition") { "!Condition C\($0)" },
    Chain(name: "Not") { "!Not [!Condition C\($0)]" },
    Chain(name: "If") { "!Equals [!If [C\($0), a, b], a]" },
  ]) func reportsALongChainWithItsLine(_ chain: Chain) throws {
    let count = 3000
    let conditions = (0..<count).map { "\n  C\($0): \(chain.link($0 + 1))" }.joined()
    let text = Self.template(
      "Conditions:\(conditions)\n  C\(count): !Equals [a, a]", variable: "!If [C0, x, y]")
    let error = try #require(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let finding = try #require(
      error.findings.first {
        $0.problem == "is nested in over \(IntrinsicFunctions.maximumDepth) values and conditions"
      })
    let name = try #require(finding.path.split(separator: ".").last)
    #expect(lines[finding.line - 1].hasPrefix("  \(name): "), "\(finding)")
  }

  @Test func refusesAStringThatDoublesAtEachLevel() throws {
    var text = "x"
    for _ in 0..<40 { text = "{ 'Fn::Sub': ['${a}${a}', { a: \(text) }] }" }
    let error = try #require(throws: TemplateError.self) {
      try GatewayTemplate(parsing: Self.template("Mappings: {}", variable: text))
    }
    #expect(
      error.findings.contains {
        $0.problem == "Sub returns over \(IntrinsicFunctions.maximumTextBytes) bytes"
      })
  }
}
