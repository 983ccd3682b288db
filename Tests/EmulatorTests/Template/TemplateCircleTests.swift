import Testing

@testable import Emulator

/// Templates that lead back to themselves, or whose work would multiply.
@Suite struct TemplateCircleTests {
  /// A template whose function has this variable.
  private static func template(_ sections: String, variable: String = "x") -> String {
    TemplateSamples.rest(
      auth: TemplateSamples.tokenAuth, function: "      Environment: { Variables: { A: \(variable) } }"
    ).replacing("Resources:\n", with: sections + "\nResources:\n")
  }

  struct Circle: Sendable {
    let sections: String
    let variable: String
    /// What stands in the line of the finding.
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
  ]) func aCircleIsAFindingWithItsLine(_ circle: Circle) throws {
    let text = Self.template(circle.sections, variable: circle.variable)
    let error = try #require(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let finding = try #require(error.findings.first { $0.path == circle.path }, "\(error.findings)")
    #expect(lines[finding.line - 1].hasPrefix(circle.line), "\(finding)")
    #expect(error.findings.count { $0.path == circle.path } == 1)
  }

  /// The steps that a template with so many conditions takes, each of which mentions the one before it many times.
  private static func steps(conditions count: Int) -> Int {
    var sections = "Conditions:\n  C0: !Equals [a, a]"
    for index in 1...count {
      let part = "!Condition C\(index - 1)"
      sections += "\n  C\(index): !And [\(part), !Or [\(part), \(part)], !Not [!Not [\(part)]]]"
    }
    let report = TemplateReport()
    let reader = TemplateReader(
      template(sections, variable: "!If [C\(count), x, y]"), parameters: [:], place: TemplateNames.Place(),
      report)
    #expect(report.error == nil)
    return reader.functions.steps
  }

  @Test func eachConditionIsDecidedOnce() {
    let few = Self.steps(conditions: 4)
    let many = Self.steps(conditions: 8)
    // Eight parts in each condition: itself, four mentions, Or and two times Not.
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
  ]) func aLongChainIsAFindingWithItsLine(_ chain: Chain) throws {
    let count = 3000
    let conditions = (0..<count).map { "\n  C\($0): \(chain.link($0 + 1))" }.joined()
    let text = Self.template(
      "Conditions:\(conditions)\n  C\(count): !Equals [a, a]", variable: "!If [C0, x, y]")
    let error = try #require(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let finding = try #require(
      error.findings.first {
        $0.problem == "lies within over \(IntrinsicFunctions.maximumDepth) values and conditions"
      })
    let name = try #require(finding.path.split(separator: ".").last)
    #expect(lines[finding.line - 1].hasPrefix("  \(name): "), "\(finding)")
  }

  @Test func aTextThatDoublesAtEachLevelIsRefused() throws {
    var text = "x"
    for _ in 0..<40 { text = "{ 'Fn::Sub': ['${a}${a}', { a: \(text) }] }" }
    let error = try #require(throws: TemplateError.self) {
      try GatewayTemplate(parsing: Self.template("Mappings: {}", variable: text))
    }
    #expect(
      error.findings.contains {
        $0.problem == "Sub makes a text of over \(IntrinsicFunctions.maximumTextBytes) bytes"
      })
  }
}
