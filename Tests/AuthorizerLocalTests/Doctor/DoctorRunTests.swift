import DeploymentChecks
import FunctionHost
import Testing

@testable import authorizer_local

/// `doctor` on templates and folders.
@Suite struct DoctorRunTests {
  /// An HTTP API whose one route this project's authorizer guards.
  static let template = """
    AWSTemplateFormatVersion: "2010-09-09"
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Api:
        Type: AWS::Serverless::HttpApi
        Properties:
          Auth:
            DefaultAuthorizer: Own
            Authorizers:
              Own:
                FunctionArn: !GetAtt AuthorizerFunction.Arn
                AuthorizerPayloadFormatVersion: "2.0"
                EnableFunctionDefaultPermissions: true
                Identity: { Headers: [Authorization] }
      AuthorizerFunction:
        Type: AWS::Serverless::Function
        Properties:
          CodeUri: code
          Handler: bootstrap
          Runtime: provided.al2023
          Architectures: [x86_64]
          Timeout: 5
      Backend:
        Type: AWS::Serverless::Function
        Properties:
          CodeUri: backend
          Handler: index.handler
          Runtime: nodejs22.x
          Events:
            Me: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: /me, Method: get } }
    """

  @Test func theNearestTemplateIsExaminedWithItsConfiguration() async throws {
    let recorded = try RecordedMachine()
    try recorded.write(Self.template, to: "template.yaml")
    try recorded.write(#"{"issuers":[{"preset":"apple","audiences":["a"]}]}"#, to: "code/authorizer.json")
    _ = await recorded.run("doctor")
    #expect(recorded.notes == "")
    #expect(
      recorded.answer.hasPrefix(
        "template: \(recorded.folder)/template.yaml\nconfiguration: code/authorizer.json\nissuer apple: "),
      "\(recorded.answer)")
  }

  /// The two surveys of a template read its files too.
  @Test func includedResourcesAreExamined() async throws {
    let recorded = try RecordedMachine()
    let include = "  Fn::Transform: { Name: AWS::Include, Parameters: { Location: url.yaml } }"
    try recorded.write(
      Self.template.replacing("\nResources:\n", with: "\nResources:\n\(include)\n"), to: "template.yaml")
    try recorded.write(
      "Url: { Type: AWS::Lambda::Url, Properties: { TargetFunctionArn: !Ref Backend, AuthType: NONE } }",
      to: "url.yaml")
    _ = await recorded.run("doctor")
    #expect(recorded.answer.contains("warning authorizerBypassed: Url: AuthType NONE"), "\(recorded.answer)")
  }

  @Test(
    arguments: [
      ("a.zip b.zip", "unexpected argument 'b.zip'"),
      ("a.yaml", "a.yaml is not a package\nhint: give a template with --template a.yaml"),
      ("a.zip --config c.json", "--config needs a template without a package"),
    ])
  func inputsThatDoNotFitAreRefused(_ arguments: String, _ message: String) async throws {
    let recorded = try RecordedMachine()
    for name in ["a.zip", "b.zip", "a.yaml", "b.yaml", "c.json"] { try recorded.write("x", to: name) }
    let exit = await recorded.run(words: "doctor " + arguments)
    #expect(exit == 64)
    #expect(recorded.notes.hasPrefix("error: \(message)\n"), "\(recorded.notes)")
  }

  // MARK: The report

  private static let findings = [
    DeploymentFinding(.defaultAllow, "rules", "a \u{1B}[31mproblem", cure: "a cure"),
    DeploymentFinding(.pinnedKeys, "apple", "pinned", cure: "none"),
    DeploymentFinding(.configurationInvalid, "issuers", "empty", cure: "correct it"),
  ]

  private static func report(
    _ findings: [DeploymentFinding], accepting: Set<DeploymentFinding.Code> = []
  ) -> DoctorReport {
    DoctorReport(findings: findings, accepted: accepting, facts: [("a", "b")])
  }

  @Test func errorsComeFirstAndNamesAreEscaped() {
    let lines = Self.report(Self.findings).lines.map { $0.rendered(inColor: false) }
    #expect(
      lines == [
        "a: b", "error configurationInvalid: issuers: empty", "  hint: correct it",
        #"warning defaultAllow: rules: a \u{1b}[31mproblem"#, "  hint: a cure",
        "note pinnedKeys: apple: pinned",
        "errors: 1, warnings: 1",
      ])
  }

  @Test func anAcceptedWarningIsShownAndDoesNotFail() throws {
    let recorded = try RecordedMachine()
    let report = Self.report(Array(Self.findings.prefix(2)), accepting: [.defaultAllow])
    #expect(report.isSound)
    try report.show(on: recorded.machine.terminal, isJSON: false)
    #expect(recorded.answer.contains("accepted defaultAllow: "))
    #expect(recorded.answer.hasSuffix("errors: 0, warnings: 0\n"))
    #expect(throws: CommandExit.unmet) {
      try Self.report(Self.findings).show(on: recorded.machine.terminal, isJSON: true)
    }
  }

  /// The handler of an authorizer in Python, its build, a file, and what is reported.
  static let handlers: [(handler: String, build: String, file: String, problem: String?)] = [
    ("app.handler", "", "code/app.py", nil), ("app.handler", "", "app.py", "has no file app for its handler"),
    ("handler", "", "code/app.py", "its handler is handler"),
    ("app.handler", "Metadata: { BuildMethod: python3.12 }", "app.py", nil),
  ]

  @Test("a handler of another project without a file is found", arguments: handlers)
  func foreignHandler(_ row: (handler: String, build: String, file: String, problem: String?)) async throws {
    let recorded = try RecordedMachine()
    try recorded.write(
      Self.template.replacing("Handler: bootstrap", with: "Handler: \(row.handler)")
        .replacing("Runtime: provided.al2023", with: "Runtime: python3.12")
        .replacing(
          "    Properties:\n      CodeUri: code",
          with: "    \(row.build)\n    Properties:\n      CodeUri: code"),
      to: "template.yaml")
    for file in [row.file, "code/other.txt"] {
      try recorded.write("def handler(event, context): pass\n", to: file)
    }
    _ = await recorded.run("doctor")
    #expect(recorded.answer.contains("handlerNotFound") == (row.problem != nil), "\(recorded.answer)")
    if let problem = row.problem { #expect(recorded.answer.contains(problem), "\(recorded.answer)") }
  }

  /// A finding has the name of its warning, so that `--accept` takes it. One is of the configuration in general.
  @Test(arguments: ConfigurationProblem.Warning.allCases.filter { $0 != .settingWithoutEffect })
  func aWarningHasAFindingOfItsName(_ warning: ConfigurationProblem.Warning) {
    #expect(DeploymentFinding.Code(rawValue: "\(warning)") != nil)
  }
}
