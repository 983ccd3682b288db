@testable import GatewayModel
@testable import EmulatorTestSupport
@testable import Templates
import Testing

/// Small templates that would need much time or memory: `serve` stops at a limit with a name.
@Suite struct TemplateSizeTests {
  private static func api(_ name: String, parameter: String, variable: String) -> String {
    """
    Transform: AWS::Serverless-2016-10-31
    Parameters:
      P: { Type: \(parameter) }
    Resources:
      Api:
        Type: AWS::Serverless::Api
        Properties:
          StageName: prod
          Name: \(name)
          Variables: { X: \(variable) }
          DefinitionBody: { openapi: 3.0.1, paths: { /a: { get: { x-amazon-apigateway-integration: { type: mock } } } } }
    """
  }

  /// Each call is small; their number times the length of the value is not.
  @Test(arguments: [
    ("String", "!Select [0, !Split [',', !Ref P]]", 100_000, ","),
    ("String", "!Join ['', [!Ref P, !Ref P]]", 100_000, "x"),
    ("String", "!Sub '${P}${P}'", 100_000, "x"),
    ("String", "!Base64 {Ref: P}", 100_000, "x"),
    ("CommaDelimitedList", "!Select [0, !Ref P]", 100_000, ","),
  ]) func aLongValueIsRepeatedWithinALimit(_ type: String, _ call: String, _ length: Int, _ byte: String) {
    let value = String(repeating: byte == "," ? "a," : byte, count: length)
    let text = Self.api("x", parameter: "\(type), Default: '\(value)'", variable: "\(call)")
    #expect(SAMTemplate.problems(text) == [])
    let calls = repeatElement(call, count: 400).joined(separator: ", ")
    let bomb = text.replacing("X: \(call)", with: "X: !Select [399, [\(calls)]]")
    #expect(
      SAMTemplate.problems(bomb) == ["the functions of the template make over 33554432 bytes and elements"])
  }

  @Test func aLongSeparatorIsNotLookedForInALongText() {
    let value = String(repeating: "a", count: 20_000)
    let text = Self.api(
      "x", parameter: "String, Default: \(value)", variable: "!Select [0, !Split [\(value)b, !Ref P]]")
    #expect(
      SAMTemplate.problems(text) == ["the functions of the template make over 33554432 bytes and elements"])
  }

  @Test(arguments: [
    ("a,b,,c", ","), ("a--b----c", "--"), (",", ","), ("abc", ","), ("aXXXb", "XX"), ("a\u{301},b", ","),
  ])
  func splitsAText(_ text: String, _ separator: String) {
    let template = Self.api(
      "x", parameter: "String, Default: \"\(text)\"",
      variable: "!Join ['|', !Split [\"\(separator)\", !Ref P]]")
    let expected = text.split(separator: separator, omittingEmptySubsequences: false).joined(separator: "|")
    let variables = try? GatewayTemplate(parsing: template).apis.first?.stage.variables
    #expect(variables?["X"] == expected)
  }

  @Test func aTemplateHasAMaximumOfResources() {
    let resources = (0...TemplateDocument.maximumResources).map { "  R\($0): { Type: AWS::SQS::Queue }" }
    let text = "Resources:\n" + resources.joined(separator: "\n")
    #expect(SAMTemplate.problems(text).first == "has \(TemplateDocument.maximumResources + 1) resources")
  }

  /// With `Cors`, each path gets another route.
  @Test func anAPIHasAMaximumOfRoutes() {
    let count = RouteRegister.maximumRoutes + 1
    let paths = (0..<count).map { "/p\($0): *o" }.joined(separator: ", ")
    let text = SAMTemplate.text(
      resources: SAMTemplate.rest(
        "Cors: \"'*'\", Description: { a: &o { get: { x-amazon-apigateway-integration: { type: mock } } } }, DefinitionBody: { openapi: 3.0.1, paths: { \(paths) } }"
      ))
    #expect(SAMTemplate.problems(text) == ["is one of over \(RouteRegister.maximumRoutes) routes"])
  }

  /// A mapping is evaluated at each use.
  @Test func aMappingIsRepeatedWithinALimit() {
    let list = (0..<2000).map { "a\($0)" }.joined(separator: ", ")
    let uses = repeatElement("!Select [0, !FindInMap [M, A, B]]", count: 220).joined(separator: ", ")
    let text = """
      Mappings: { M: { A: { B: [\(list)] } } }
      """ + "\n" + Self.api("x", parameter: "String, Default: a", variable: "!Select [219, [\(uses)]]")
    #expect(SAMTemplate.problems(text).contains("is one of over \(IntrinsicFunctions.maximumSteps) values"))
  }
}
