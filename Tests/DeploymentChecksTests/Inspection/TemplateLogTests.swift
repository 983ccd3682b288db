@testable import EmulatorTestSupport
@testable import DeploymentChecks
@testable import Templates
import Testing

/// Tests of logs, roles, and the templates of the project.
@Suite struct TemplateLogTests {
  typealias Code = DeploymentFinding.Code
  typealias Samples = TemplateInspectionTests

  static func function(_ properties: String, _ resources: String = "") -> String {
    Samples.rest(Samples.cached, function: "      Timeout: 10\n" + properties) + "\n" + resources
  }

  static func filter(_ group: String) -> String {
    """
      Failures:
        Type: AWS::Logs::MetricFilter
        Properties: { LogGroupName: \(group), FilterPattern: '{ $.level = "ERROR" }' }
    """
  }

  @Test(
    arguments: [
      (function(""), [.logFormatText]), (function("      LoggingConfig: { LogFormat: JSON }"), []),
      (function("      LoggingConfig: { LogFormat: Text }"), [.logFormatText]),
      (function("", filter("/aws/lambda/Authorizer")), [.metricFilterUnmatched]),
      (function("      LoggingConfig: { LogGroup: g }", filter("g")), [.metricFilterUnmatched]),
      (function("      LoggingConfig: { LogGroup: g, LogFormat: JSON }", filter("g")), []),
      (function("", filter("other")), [.logFormatText]),
    ] as [(String, [Code])])
  func reportsTextLogs(_ template: String, _ codes: [Code]) {
    #expect(
      TemplateResourceInspection(ParsedTemplate(template).survey, isUnderstood: true).findings.map(\.code)
        == codes)
  }

  static func role(_ statement: String, _ more: String = "") -> String {
    function(
      "      LoggingConfig: { LogFormat: JSON }\n      Role: !GetAtt Rights.Arn",
      """
        Rights:
          Type: AWS::IAM::Role
          Properties:
            Policies: [{ PolicyName: a, PolicyDocument: { Statement: [{ \(statement) }] } }]
      \(more)
      """)
  }

  static let narrow = "Effect: Allow, Action: logs:PutLogEvents, Resource: \"*\""

  @Test(
    arguments: [
      role(narrow): 0,
      role("Effect: Allow, Action: \"*\", Resource: \"arn:aws:s3:::b/*\""): 1,
      role("Effect: Allow, Action: [\"dynamodb:*\", \"logs:*\"], Resource: \"*\""): 1,
      role("Effect: Allow, Action: \"logs:*\", Resource: !GetAtt Logs.Arn"): 0,
      role("Effect: Allow, Action: \"**\", Resource: \"arn:aws:s3:::b/*\""): 1,
      role("Effect: Allow, Action: \"s3:*\", Resource: \"arn:aws:s3:::*\""): 1,
      role("Effect: Allow, Action: \"s3:*\", Resource: \"arn:aws:s3:::b/*\""): 0,
      role("Effect: Allow, Action: \"s3:*\", NotResource: \"arn:aws:s3:::b\""): 1,
      role("Effect: Allow, Action: \"dynamodb:*\", Resource: \"arn:aws:dynamodb:*:*:table/*\""): 1,
      role("Effect: Allow, Action: \"dynamodb:*\", Resource: \"arn:aws:dynamodb:*:*:table/T\""): 0,
      role("Effect: Allow, Action: [\"iam:Pass*\"], Resource: \"*\""): 1,
      role("Effect: Allow, Action: \"secretsmanager:GetSecretValue\", Resource: \"*\""): 1,
      role(
        "Effect: Allow, Action: [\"xray:PutTraceSegments\", \"ec2:CreateNetworkInterface\"], Resource: \"*\""
      ): 0,
      role("Effect: Deny, Action: \"*\", Resource: \"*\""): 0,
      role("Effect: Allow, NotAction: \"iam:*\", Resource: \"*\""): 1,
      role("Effect: Allow, Action: !ImportValue Actions, Resource: \"*\""): 0,
      role(narrow, "      ManagedPolicyArns: [arn:aws:iam::aws:policy/AdministratorAccess]"): 1,
      role(
        narrow,
        "      ManagedPolicyArns: [arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]"): 0,
      role(
        narrow,
        """
          More:
            Type: AWS::IAM::Policy
            Properties: { Roles: [!Ref Rights], PolicyDocument: { Statement: { Effect: Allow, Action: "*", Resource: "*" } } }
        """): 1,
      role(
        narrow,
        """
          More:
            Type: AWS::IAM::Policy
            Properties: { Roles: [other], PolicyDocument: { Statement: { Effect: Allow, Action: "*", Resource: "*" } } }
        """): 0,
      function(
        "      LoggingConfig: { LogFormat: JSON }\n      Policies: [AmazonDynamoDBFullAccess, { SQSPollerPolicy: { QueueName: q } }]"
      ): 1,
      function(
        "      LoggingConfig: { LogFormat: JSON }\n      Policies: { Statement: { Effect: Allow, Action: \"s3:*\", Resource: \"*\" } }"
      ): 1,
    ] as [String: Int])
  func findsRolesThatAreTooWide(_ template: String, _ count: Int) throws {
    _ = try? GatewayTemplate(parsing: template)
    let findings = TemplateResourceInspection(ParsedTemplate(template).survey, isUnderstood: true).findings
    #expect(findings.map(\.code) == Array(repeating: .roleTooWide, count: count))
  }

  /// The role of a backend function is not inspected.
  @Test func ignoresTheRoleOfABackend() throws {
    let text = Self.function("      LoggingConfig: { LogFormat: JSON }").replacing(
      "  Backend:\n    Type: AWS::Serverless::Function\n    Properties:\n",
      with:
        "  Backend:\n    Type: AWS::Serverless::Function\n    Properties:\n      Policies: AdministratorAccess\n"
    )
    #expect(text.contains("AdministratorAccess"))
    #expect(try TemplateExposureTests.codes(text) == [])
  }

  @Test(arguments: ["template", "simple-answers"]) func deployedTemplatesHaveNoFindings(_ name: String) throws
  {
    let parameters = ["Issuer": "apple", "Audience": "com.example.app"]
    let text = try TemplateSamples.deployed(name)
    let template = try GatewayTemplate(parsing: text, parameters: parameters)
    let configuration = DeployedConfiguration(isSimple: name == "simple-answers", fetchMilliseconds: 3000)
    let gateway = TemplateInspection(template, Samples.configurations(of: template, configuration)).findings
    let others = TemplateResourceInspection(
      ParsedTemplate(text, parameters: parameters).survey, isUnderstood: true
    ).findings
    // Throttling exists only on AWS.
    let notes = (gateway + others).filter { $0.code == .templateNote }
    #expect(notes.allSatisfy { $0.problem.contains("Settings") }, "\(notes)")
    #expect((gateway + others).map(\.code).filter { $0 != .templateNote } == [])
  }
}
