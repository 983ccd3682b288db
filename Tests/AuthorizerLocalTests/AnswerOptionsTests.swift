import AuthorizerContract
import GatewayModel
import ArgumentParser
import Testing

@testable import authorizer_local

/// Which form of answers a template says that its authorizers take.
@Suite struct AnswerOptionsTests {
  /// An authorizer of an API, as members of SAM's `Auth`.
  private static func authorizer(_ version: String, simple: String? = nil) -> String {
    "{ FunctionArn: !GetAtt Guard.Arn, AuthorizerPayloadFormatVersion: \"\(version)\", "
      + (simple.map { "EnableSimpleResponses: \($0), " } ?? "") + "Identity: { Headers: [Authorization] } }"
  }

  /// Returns a template with one route for each authorizer.
  private static func template(_ authorizers: [String]) -> String {
    let names = authorizers.indices.map { "Own\($0)" }
    let routes = names.map {
      "        \($0): { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: /\($0), Method: get, "
        + "Auth: { Authorizer: \($0) } } }"
    }
    let entries = zip(names, authorizers).map { "          \($0): \($1)" }
    return """
      Transform: AWS::Serverless-2016-10-31
      Parameters: { Simple: { Type: String } }
      Resources:
        Guard:
          Type: AWS::Serverless::Function
          Properties:
            Runtime: python3.13
            Handler: app.handler
            CodeUri: guard
            Events:
      \(routes.map { "      " + $0 }.joined(separator: "\n"))
        Api:
          Type: AWS::Serverless::HttpApi
          Properties:
            Auth:
              Authorizers:
      \(entries.map { "      " + $0 }.joined(separator: "\n"))
      """
  }

  @Test(
    arguments: [
      ([authorizer("2.0", simple: "true")], true), ([authorizer("2.0", simple: "false")], false),
      ([authorizer("2.0")], false), ([authorizer("1.0")], nil),
      ([authorizer("1.0"), authorizer("2.0", simple: "true")], true),
      ([authorizer("2.0"), authorizer("2.0", simple: "false")], false),
      ([authorizer("2.0", simple: "!Ref Simple")], true),
    ] as [([String], Bool?)])
  func theTemplateSaysWhetherAnswersAreSimple(_ authorizers: [String], _ isSimple: Bool?) throws {
    let recorded = try RecordedMachine()
    try recorded.write(Self.template(authorizers), to: "app/template.yaml")
    let options = try TestCommand.parse(["--template", "app/template.yaml", "--parameter", "Simple=true"])
    let answers = try options.answers.options(options.values, options.assumed)
    #expect(try answers.rules(on: recorded.machine).takesSimpleAnswers == isSimple)
  }

  @Test func theOptionsOfTheCommandLineStay() throws {
    let recorded = try RecordedMachine()
    try recorded.write(Self.template([Self.authorizer("2.0")]), to: "t.yaml")
    let arguments = [
      "a.json", "--template", "t.yaml", "--assume", "answer-limit=8KiB", "--parameter", "Simple=a",
    ]
    let options = try InvokeCommand.parse(arguments)
    let answers = try options.answers.options(options.values, options.assumed)
    let rules = try answers.rules(on: recorded.machine)
    #expect(rules.assumptions.answerLimit == .webSocket && rules.takesSimpleAnswers == false)
  }

  @Test(
    arguments: [
      (
        template([authorizer("2.0", simple: "true"), authorizer("2.0")]),
        "error: t.yaml: EnableSimpleResponses is true for Own0 and false for Own1\n"
          + "hint: give --simple-responses or --no-simple-responses instead of --template\n"
      ),
      (template([authorizer("2.0", simple: "!Ref Simple")]), "hint: only these values are missing"),
      ("Resources: {}", "hint: serve supports no API of this template"),
      (nil, "t.yaml"),
    ] as [(String?, String)])
  func aTemplateThatDoesNotSayItIsRefused(_ template: String?, _ message: String) async throws {
    let recorded = try RecordedMachine()
    try recorded.write("{}", to: "a.json")
    if let template { try recorded.write(template, to: "t.yaml") }
    let exit = await recorded.run("invoke", "a.json", "--function", "false", "--template", "t.yaml")
    #expect(exit == 64)
    #expect(recorded.notes.contains(message), "\(recorded.notes)")
  }
}
