@testable import DeploymentChecks
@testable import EmulatorTestSupport
@testable import Templates
import Testing

/// What an `AWS::Include` file adds to a template is inspected as if the template contained it.
@Suite struct IncludedResourceTests {
  typealias Code = DeploymentFinding.Code

  /// Returns the text with an include in place of some lines, and the file with these lines.
  private static func parsed(_ text: String, including lines: String) -> ParsedTemplate {
    let include = "  Fn::Transform: { Name: AWS::Include, Parameters: { Location: more.yaml } }\n"
    let rest = text.replacing(lines, with: "").replacing("\nResources:\n", with: "\nResources:\n" + include)
    return ParsedTemplate(
      rest,
      files: TemplateFiles { name in
        name == "more.yaml" ? .success(lines) : .failure(TemplateFiles.Problem("it does not exist"))
      })
  }

  private static let function = """
      Authorizer:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: provided.al2023
          CodeUri: .
          LoggingConfig: { LogFormat: JSON }
          FunctionUrlConfig: { AuthType: NONE }

    """

  private static let role = """
      Rights:
        Type: AWS::IAM::Role
        Properties: { ManagedPolicyArns: [arn:aws:iam::aws:policy/AdministratorAccess] }

    """

  @Test(
    arguments: [
      (function, "", [.authorizerBypassed, .handlerMissing]),
      (role, "      LoggingConfig: { LogFormat: JSON }\n      Role: !GetAtt Rights.Arn", [.roleTooWide]),
      (
        "  Url:\n    Type: AWS::Lambda::Url\n    Properties: { TargetFunctionArn: !GetAtt Backend.Arn, AuthType: NONE }\n",
        "      LoggingConfig: { LogFormat: JSON }", [.authorizerBypassed]
      ),
    ] as [(String, String, [Code])])
  func functionsAndRoles(_ included: String, _ properties: String, _ codes: [Code]) throws {
    var text = TemplateSamples.rest(auth: TemplateSamples.tokenAuth, function: properties)
    if included == Self.function {
      text = text.replacing(
        "  Authorizer:\n    Type: AWS::Serverless::Function\n    Properties:\n      Runtime: provided.al2023\n\n",
        with: "")
    }
    let parsed = Self.parsed(text, including: included)
    #expect(throws: Never.self) { try parsed.gateway.get() }
    let findings = TemplateResourceInspection(parsed.survey, isUnderstood: true).findings
    #expect(findings.map(\.code) == codes)
  }

  private static let table = """
      UserTable:
        Type: AWS::DynamoDB::Table
        DeletionPolicy: Retain
        UpdateReplacePolicy: Retain
        Properties:
          AttributeDefinitions: [{ AttributeName: id, AttributeType: S }]
          KeySchema: [{ AttributeName: id, KeyType: HASH }]
          TimeToLiveSpecification: { AttributeName: expires, Enabled: true }

    """

  @Test func theTableOfUsers() throws {
    let text = try TemplateSamples.deployed("identity").replacing("  UserTable:\n", with: "  OtherTable:\n")
    let parsed = Self.parsed(text, including: Self.table)
    let findings = TemplateIdentityInspection(
      parsed.survey, template: try parsed.gateway.get(),
      identities: ["IdentityFunction": TemplateIdentityTests.identity]
    ).findings
    #expect(findings.map(\.code) == [.tableKeyMismatch])
  }

  /// A secret in the file is as public as one in the template.
  @Test func aSecret() throws {
    let text = try TemplateSamples.deployed("identity").replacing(
      TemplateIdentityTests.resolved, with: "!FindInMap [Nonces, All, Secret]")
    let mapping = "  All: { Secret: C5t1siy2xfaFlb8K8Pgce2nnwWlJt10qwV7Gm7x4 }\n"
    let parsed = ParsedTemplate(
      text.replacing(
        "\nResources:\n",
        with:
          "\nMappings:\n  Nonces: { Fn::Transform: { Name: AWS::Include, Parameters: { Location: a } } }\nResources:\n"
      ), files: TemplateFiles { _ in .success(mapping) })
    let findings = TemplateIdentityInspection(
      parsed.survey, template: try parsed.gateway.get(),
      identities: ["IdentityFunction": TemplateIdentityTests.identity]
    ).findings
    #expect(findings.map(\.code) == [.secretInTemplate])
  }
}
