internal import Text
internal import IAMPolicy
package import Templates
internal import Bytes

/// Checks the resources around the APIs of a template: plain CloudFormation authorizers, logs, and the roles of the
/// functions that authorizers invoke.
///
/// Also works for a template that `serve` does not support. Ignores what it cannot read.
package struct TemplateResourceInspection {
  /// The findings, in template order.
  package private(set) var findings: [DeploymentFinding] = []
  private let survey: LenientTemplate

  /// - Parameters:
  ///   - survey: the template.
  ///   - isUnderstood: whether `GatewayTemplate` can read the template, so that a missing property is known to be
  ///     missing.
  ///   - foreign: the authorizer functions of other projects, whose logs are not checked.
  package init(_ survey: LenientTemplate, isUnderstood: Bool, foreign: [String] = []) {
    self.survey = survey
    // Otherwise `GatewayTemplate` has the same finding.
    if !isUnderstood { inspectAuthorizers() }
    inspectBypasses()
    for name in survey.authorizerFunctions + survey.identityFunctions {
      guard let function = survey.resource(name) else { continue }
      let isForeign = foreign.contains(name)
      if !isForeign {
        findings += TemplateFunctionInspection(function, isUnderstood: isUnderstood).findings
        if isUnderstood { inspectLog(of: function) }
      }
      findings += TemplateRole(of: function, in: survey).findings
    }
  }

  // MARK: Authorizers

  private mutating func inspectAuthorizers() {
    for authorizer in survey.resources where authorizer.type == "AWS::ApiGateway::Authorizer" {
      guard !authorizer.says("AuthorizerCredentials"),
        let function = authorizer["AuthorizerUri"]?.text.flatMap(survey.names.function),
        let api = authorizer["RestApiId"]?.text,
        !survey.permissions.letCall(function, authorizersOf: api)
      else { continue }
      findings.add(
        .authorizerNotPermitted, "Resources.\(authorizer.name)",
        "no permission in the template lets API Gateway invoke \(function): on AWS every request gets a 500",
        cure: TemplateInspection.permissionCure)
    }
  }

  // MARK: Ways past the authorizer

  /// Reports function URLs without authentication, and permissions for every account ("Control access to Lambda
  /// function URLs"; AWS::Lambda::Permission, `Principal`).
  private mutating func inspectBypasses() {
    guard !survey.authorizerFunctions.isEmpty else { return }
    for resource in survey.resources {
      let problem: String
      switch resource.type {
      case "AWS::Serverless::Function"
      where resource["FunctionUrlConfig"]?["AuthType"]?.text == "NONE",
        "AWS::Lambda::Url" where resource["AuthType"]?.text == "NONE":
        problem =
          "AuthType NONE: anyone who knows the URL can call the function, and the authorizer is not invoked"
      case FunctionPermissions.type
      where resource["Principal"]?.text == "*"
        && !["SourceArn", "SourceAccount", "PrincipalOrgID", "FunctionUrlAuthType"].contains(
          where: resource.says):
        problem =
          "Principal \"*\" without a condition: every AWS account can invoke the function directly, without the API"
      default: continue
      }
      findings.add(
        .authorizerBypassed, resource.name, problem,
        cure:
          "write AuthType: AWS_IAM, or Principal: apigateway.amazonaws.com with the SourceArn of the API"
          + "; pass --accept authorizerBypassed if this is intended")
    }
  }

  // MARK: Logs

  /// The default format is text ("Log and event formats").
  private mutating func inspectLog(of function: LenientTemplate.Resource) {
    let logging = function["LoggingConfig"]
    if function.says("LoggingConfig"), logging == nil { return }
    guard logging?["LogFormat"]?.text ?? "Text" == "Text" else { return }
    let group = logging?["LogGroup"]?.text ?? "/aws/lambda/\(function["FunctionName"]?.text ?? function.name)"
    let filter = survey.resources.first { resource in
      resource.type == "AWS::Logs::MetricFilter" && resource["LogGroupName"]?.text == group
        && resource["FilterPattern"]?.text.map { $0.containsBytes(of: "$.") } == true
    }
    if let filter {
      findings.add(
        .metricFilterUnmatched, filter.name,
        "its pattern needs JSON, but \(function.name) logs text: the metric stays at 0",
        cure: "write LoggingConfig: {LogFormat: JSON} at \(function.name)")
    } else {
      findings.add(
        .logFormatText, function.name, "it logs plain text, so log queries cannot select JSON members",
        cure: "write LoggingConfig: {LogFormat: JSON} (docs/operations.md)")
    }
  }
}

/// Checks the policies of a function's role.
private struct TemplateRole {
  private(set) var findings: [DeploymentFinding] = []
  private let survey: LenientTemplate
  private let signsIn: Bool

  init(of function: LenientTemplate.Resource, in survey: LenientTemplate) {
    self.survey = survey
    signsIn = survey.identityFunctions.contains(function.name)
    for policy in FunctionRole(of: function, in: survey).policies { judge(policy.value, at: policy.place) }
  }

  /// Checks a policy document, or the name or ARN of an AWS managed policy. SAM's policy templates are narrow.
  private mutating func judge(_ policy: TemplateValue?, at place: String) {
    if let text = policy?.text {
      // A policy that the template defines is checked by its document.
      let name = text.splitBytes(at: "/").last ?? text[...]
      if survey.resource(text) == nil,
        ["AdministratorAccess", "PowerUserAccess"].contains(name) || name.hasByteSuffix("FullAccess")
      {
        add(place, "the policy \(name)")
      }
      return
    }
    for statement in policy?["Statement"]?.elements ?? []
    where statement["Effect"]?.text.map({ $0 == "Allow" }) == true {
      let isEverywhere =
        statement["NotResource"] != nil
        || statement["Resource"]?.elements.contains { $0.text.map(Self.namesEverything) == true } == true
      let actions = statement["Action"]?.elements.compactMap(\.text) ?? []
      let wide = actions.filter { action in
        action.allSatisfy { "*?:".contains($0) } || (isEverywhere && Self.isFarReaching(action))
      }
      if !wide.isEmpty {
        add(place, wide.joined(separator: ", ") + (isEverywhere ? " on every resource" : ""))
      } else if isEverywhere, statement["NotAction"] != nil {
        add(place, "all but a few actions on every resource")
      }
    }
  }

  /// Whether it is `*`, or an ARN with a service and a resource type but no resource name, such as `arn:aws:s3:::*`
  /// or `arn:aws:dynamodb:*:*:table/*`.
  private static func namesEverything(_ resource: String) -> Bool {
    if resource == "*" { return true }
    let parts = resource.splitBytes(at: ":", maxSplits: 5, omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "arn",
      case let things = parts[5].utf8.split(whereSeparator: { $0 == .slash || $0 == .colon }),
      let last = things.last
    else { return false }
    return last.allSatisfy { $0 == .asterisk }
      && things.dropLast().allSatisfy { $0.allSatisfy { $0.isLetter || $0 == .hyphen } }
      && things.count <= 2 && !(parts[2] == "s3" && things.count == 2)
  }

  /// Whether an action covers a whole service, grants other rights, or reads secrets.
  private static func isFarReaching(_ action: String) -> Bool {
    let lower = action.lowercased()
    return lower.hasByteSuffix(":*") || farReaching.contains { WildcardPattern(lower).matches($0) }
  }

  private static let farReaching = [
    "iam:passrole", "iam:createaccesskey", "iam:putrolepolicy", "sts:assumerole",
    "secretsmanager:getsecretvalue",
    "kms:decrypt", "ssm:getparameters", "lambda:updatefunctioncode",
  ]

  private mutating func add(_ place: String, _ what: String) {
    findings.add(
      .roleTooWide, place,
      "the role of the \(signsIn ? "sign-in function" : "authorizer") allows more than needed: \(what)",
      cure: "allow only logs:CreateLogStream and logs:PutLogEvents on its own log group"
        + (signsIn ? ", and access to its table" : ", and dynamodb:GetItem if it reads revocations"))
  }
}
