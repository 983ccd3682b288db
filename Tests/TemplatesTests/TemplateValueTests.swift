@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import Foundation
import TestSupport
import Testing
import Yams

/// Values that only an account knows, files beside the template, duplicate names, and tags.
@Suite struct TemplateValueTests {
  /// Returns a template of an HTTP API with this stage name.
  private static func template(stage: String, sections: String = "", extra: String = "") -> String {
    """
    Transform: [AWS::Serverless-2016-10-31, AWS::LanguageExtensions]
    \(sections)
    Resources:
      App:
        Type: AWS::Serverless::Application
        Properties: { Location: app.yaml }
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: provided.al2023
          Events: { Any: { Type: HttpApi, Properties: { ApiId: !Ref Api } } }
      Api:
        Type: AWS::Serverless::HttpApi
        Properties:
          StageName: \(stage)
          \(extra)
    """
  }

  struct Value: Sendable {
    let expression: String
    var parameters: [String: String] = [:]
    var sections = ""
    /// The stage, or the problem and the cure.
    let result: String
  }

  @Test(arguments: [
    Value(
      expression: "!ImportValue main-stage",
      result: "only the account knows import:main-stage (add --parameter import:main-stage=VALUE)"),
    Value(expression: "!ImportValue main-stage", parameters: ["import:main-stage": "dev"], result: "dev"),
    Value(
      expression: "'{{resolve:ssm:/stage:1}}'",
      result: "only the account knows ssm:/stage:1 (add --parameter ssm:/stage:1=VALUE)"),
    Value(expression: "'{{resolve:ssm:/stage:1}}'", parameters: ["ssm:/stage:1": "dev"], result: "dev"),
    Value(
      expression: "!GetAtt App.Outputs.Stage",
      result: "only the account knows App.Outputs.Stage (add --parameter App.Outputs.Stage=VALUE)"),
    Value(expression: "!GetAtt App.Outputs.Stage", parameters: ["App.Outputs.Stage": "dev"], result: "dev"),
    Value(
      expression: "!Sub 'x-${App.Outputs.Stage}'", parameters: ["App.Outputs.Stage": "dev"], result: "x-dev"),
    Value(expression: "!Select [1, !Split [',', 'a,dev']]", result: "dev"),
    Value(
      expression: "!Ref Name", sections: "Parameters: { Name: { Type: String } }",
      result: "has no value (add --parameter Name=VALUE, or a Default)"),
    Value(
      expression: "!Ref Name",
      sections: "Parameters: { Name: { Type: AWS::SSM::Parameter::Value<String>, Default: /stage } }",
      result: "has no value (add --parameter Name=VALUE)"),
    Value(
      expression: "!Select [1, !Ref Names]",
      sections: "Parameters: { Names: { Type: CommaDelimitedList, Default: 'a, dev' } }", result: "dev"),
    Value(
      expression: "!If [Is, dev, other]", sections: "Conditions: { Is: !Equals [!ImportValue x, y] }",
      result: "only the account knows import:x (add --parameter import:x=VALUE)"),
  ]) func aValueOfTheAccountIsGivenByName(_ value: Value) throws {
    let text = Self.template(stage: value.expression, sections: value.sections)
    do throws(TemplateError) {
      let template = try GatewayTemplate(parsing: text, parameters: value.parameters)
      #expect(template.apis.map(\.stage.name) == [value.result])
    } catch {
      #expect(error.findings.map { "\($0.problem) (\($0.cure))" } == [value.result])
    }
  }

  @Test func anUnknownValueThatNothingReadsChangesNothing() throws {
    let text = Self.template(stage: "dev", extra: "Description: !ImportValue unused")
    #expect(try GatewayTemplate(parsing: text).apis.map(\.stage.name) == ["dev"])
  }

  @Test func aGivenValueThatNothingUsesIsRefused() {
    let error = #expect(throws: TemplateError.self) {
      try GatewayTemplate(parsing: Self.template(stage: "dev"), parameters: ["import:stge": "dev"])
    }
    #expect(error?.findings.map(\.path) == ["Parameters.import:stge"])
  }

  // MARK: Files

  private static let include =
    "DefinitionBody: { 'Fn::Transform': { Name: AWS::Include, Parameters: { Location: api.yaml } } }"

  private static func routes(_ body: String) throws(TemplateError) -> [GatewayRoute] {
    let text = Self.template(stage: "dev", extra: include).replacing("Events:", with: "Ignored:")
      .replacing("      Ignored: { Any: { Type: HttpApi, Properties: { ApiId: !Ref Api } } }\n", with: "")
    let files = TemplateFiles { name in
      name == "api.yaml" ? .success(body) : .failure(TemplateFiles.Problem("it does not exist"))
    }
    return try GatewayTemplate(parsing: text, files: files).apis.flatMap(\.routes)
  }

  @Test func anIncludedFileDefinesRoutes() throws {
    let routes = try Self.routes(
      """
      openapi: 3.0.1
      paths:
        /pets:
          get:
            x-amazon-apigateway-integration:
              type: aws_proxy
              payloadFormatVersion: "2.0"
              uri: { Fn::GetAtt: [Backend, Arn] }
      """)
    #expect(routes.map(\.key) == ["GET /pets"])
  }

  @Test func aFindingInAnIncludedFileHasItsLine() throws {
    let body = "openapi: 3.0.1\npaths:\n  /pets:\n    get:\n      surprise: 1\n"
    let error = #expect(throws: TemplateError.self) { try Self.routes(body) }
    let lines = error?.lines(in: "template.yaml") ?? []
    #expect(
      lines.contains {
        $0.hasPrefix("api.yaml:5: Resources.Api.Properties.DefinitionBody.paths./pets.get.surprise: ")
      },
      "\(lines)")
  }

  @Test func anAbsentFileClosesTheAPI() {
    let text = Self.template(stage: "dev", extra: Self.include)
    let error = #expect(throws: TemplateError.self) { try GatewayTemplate(parsing: text) }
    #expect(
      error?.findings.first?.problem
        == "the file api.yaml is not read: files beside the template are not read here")
  }

  // MARK: Duplicate names

  @Test func aDuplicateNameClosesOnlyWhatItDecides() throws {
    let harmless = "Tags: { One: { A: 1, A: 2 } }"
    #expect(try GatewayTemplate(parsing: Self.template(stage: "dev", extra: harmless)).apis.count == 1)
    let decisive = "Auth: { DefaultAuthorizer: A, DefaultAuthorizer: NONE }"
    let error = #expect(throws: TemplateError.self) {
      try GatewayTemplate(parsing: Self.template(stage: "dev", extra: decisive))
    }
    #expect(
      error?.findings.contains {
        $0.path == "Resources.Api.Properties.Auth.DefaultAuthorizer"
          && $0.problem == "is there twice: the other one is below"
      } == true)
  }

  /// The words that are no texts in YAML 1.1, and others, in each spelling.
  static let words =
    ["yes", "no", "true", "false", "on", "off", "null", "y", "type", "inf"].flatMap {
      [$0, $0.capitalized, $0.uppercased()]
    } + [
      "~", "0x1F", "<<", "1.5e3", "2001-01-01", "=", "123456789012", ".nan", "", "FALSEx", "Falsey", "abcdef",
    ]

  /// The first rule of `TemplateText.resolver` changes no tag.
  @Test func theResolverHasTheTagsOfYAML() {
    var generator = SeededGenerator(seed: 21)
    let alphabet = Array("yesnoftrulabETyNIF0189.:-+~=<_ \n\"TZ")
    let random = (0..<4000).map { _ in
      String(
        (0..<Int.random(in: 1...8, using: &generator)).compactMap { _ in
          alphabet.randomElement(using: &generator)
        })
    }
    let texts = Self.words + Self.words.map { $0 + "\n" } + random + zip(Self.words, random).map { $0 + $1 }
    let tags = texts.map { Resolver.default.resolveTag(of: Node($0)).rawValue }
    let different = zip(texts, tags).filter { TemplateText.resolver.resolveTag(of: Node($0)).rawValue != $1 }
    #expect(different.isEmpty)
    #expect(Set(tags).count == 8)
  }
}
