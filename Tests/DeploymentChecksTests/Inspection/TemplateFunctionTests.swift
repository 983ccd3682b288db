@testable import EmulatorTestSupport
@testable import DeploymentChecks
@testable import Templates
import Testing

/// Tests of a function's own properties in a template, and of foreign functions.
@Suite struct TemplateFunctionTests {
  typealias Code = DeploymentFinding.Code

  static let function = """
          CodeUri: .
          Handler: bootstrap
          LoggingConfig: { LogFormat: JSON }
          Timeout: 10
          MemorySize: 128
          Environment: { Variables: { AUTHORIZER_ISSUER: apple, AUTHORIZER_AUDIENCE: a } }
    """

  static func findings(_ change: (String, String)?) -> [DeploymentFinding] {
    let function = change.map { Self.function.replacing($0.0, with: $0.1) } ?? Self.function
    let text = TemplateSamples.rest(auth: TemplateSamples.tokenAuth, function: function)
    return TemplateResourceInspection(ParsedTemplate(text).survey, isUnderstood: true).findings
  }

  @Test(
    arguments: [
      (nil, []), (("      Handler: bootstrap\n", ""), [.handlerMissing]),
      (("Handler: bootstrap", "Handler: index.handler"), [.handlerUnused]),
      (("MemorySize: 128", "MemorySize: 64"), [.memoryOutOfRange]),
      (("MemorySize: 128", "MemorySize: 10241"), [.memoryOutOfRange]),
      (("AUTHORIZER_ISSUER: apple", "AUTHORIZER_CONFG: x"), [.variableUnknown]),
      (("AUTHORIZER_ISSUER: apple", "AUTHORISER_ISSUER: x"), [.variableUnknown]),
      (("AUTHORIZER_ISSUER: apple", "AUTHORIZER_SECRET: ''"), []),
      (("AUTHORIZER_ISSUER: apple", "STAGE: x"), []),
      (("AUTHORIZER_ISSUER: apple", "AWS_SECRET_ACCESS_KEY: x"), [.variableReserved]),
      (("AUTHORIZER_ISSUER: apple", "DB_PASSWORD: hunter2"), [.secretInVariable]),
      (("AUTHORIZER_ISSUER: apple", "DB_PASSWORD: ''"), []),
      (("AUTHORIZER_ISSUER: apple", "DB_PASSWORD: '{{resolve:secretsmanager:a}}'"), []),
    ] as [((String, String)?, [Code])])
  func inspectsTheFunction(_ change: (String, String)?, _ codes: [Code]) {
    #expect(Self.findings(change).map(\.code) == codes)
  }

  @Test func suggestsTheIntendedVariable() {
    let cure = Self.findings(("AUTHORIZER_ISSUER: apple", "AUTHORIZER_CONFG: x")).first?.cure
    #expect(cure == "did you mean AUTHORIZER_CONFIG?")
  }

  /// A function that starts `bootstrap` is this project's, so only its runtime is wrong.
  @Test(arguments: [
    ("      Runtime: nodejs22.x\n      Handler: bootstrap\n", DeploymentFinding.Code.wrongRuntime),
    ("      Runtime: nodejs22.x\n      Handler: index.handler\n", .authorizerForeign),
    ("      Runtime: nodejs22.x\n    Metadata: { BuildMethod: makefile }\n", .authorizerForeign),
    ("      Runtime: provided.al2023\n    Metadata: { BuildMethod: rust-cargolambda }\n", .authorizerForeign),
    ("      Runtime: provided.al2023\n      Handler: authorizer.handle\n", .authorizerForeign),
  ])
  func recognizesItsOwnFunctionWithAnotherRuntime(_ properties: String, _ code: DeploymentFinding.Code) throws
  {
    let text = TemplateSamples.rest(auth: TemplateSamples.tokenAuth, extra: TemplateInspectionTests.responses)
    let changed = text.replacing("      Runtime: provided.al2023\n\n", with: properties)
    #expect(changed != text)
    let template = try GatewayTemplate(parsing: changed)
    #expect(template.foreignAuthorizers.isEmpty == (code == .wrongRuntime))
    // The template caches the answers for both routes, by the token alone.
    let codes = code == .authorizerForeign ? [code, .cachedForEveryRoute] : [code]
    #expect(TemplateInspection(template, [:]).findings.map(\.code) == codes)
  }

  @Test(
    arguments: [
      // A function in another language is foreign, so it is not checked.
      (
        ("      Runtime: provided.al2023\n\n", "      Runtime: nodejs22.x\n"),
        [.authorizerForeign, .cachedForEveryRoute]
      ),
      (("FunctionArn: !GetAtt Authorizer.Arn", "FunctionArn: !GetAtt Backend.Arn"), [.authorizerMistaken]),
    ] as [((String, String), [Code])])
  func detectsForeignFunctions(_ change: (String, String), _ codes: [Code]) throws {
    let text = TemplateSamples.rest(auth: TemplateSamples.tokenAuth, extra: TemplateInspectionTests.responses)
    let changed = text.replacing(change.0, with: change.1)
    #expect(changed != text)
    let template = try GatewayTemplate(parsing: changed)
    #expect(template.foreignAuthorizers.count == 1)
    #expect(TemplateInspection(template, [:]).findings.map(\.code) == codes)
  }

  @Test func reportsAnUnreadIdentitySource() throws {
    let text = TemplateInspectionTests.rest(
      TemplateInspectionTests.identity(
        "Headers: [Authorization, X-Client], Context: [identity.sourceIp], ReauthorizeEvery: 300"))
    #expect(try TemplateInspectionTests.codes(text, DeployedConfiguration()) == [.sourceUnread])
  }
}
