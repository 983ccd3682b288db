/// Looks at what stands around the APIs of a template: plain CloudFormation authorizers, logs, and the roles of the
/// functions that authorizers ask.
///
/// Needs no template that `serve` understands; what cannot be read here gives no finding.
public struct TemplateResourceInspection {
  /// What was found, in the order of the template.
  public private(set) var findings: [DeploymentFinding] = []
  private let survey: TemplateSurvey

  /// - Parameters:
  ///   - text: the template.
  ///   - parameters: values for its parameters.
  ///   - isUnderstood: whether it is one that `GatewayTemplate` takes, so that what it does not say is known too.
  public init(parsing text: String, parameters: [String: String] = [:], isUnderstood: Bool) {
    survey = TemplateSurvey(parsing: text, parameters: parameters)
    inspectAuthorizers()
    inspectBypasses()
    for name in survey.authorizerFunctions + survey.identityFunctions {
      guard let function = survey.resource(name) else { continue }
      findings += TemplateFunctionInspection(function, isUnderstood: isUnderstood).findings
      if isUnderstood { inspectLog(of: function) }
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
      findings.append(
        DeploymentFinding(
          .authorizerNotPermitted, "Resources.\(authorizer.name)",
          "nothing in the template lets API Gateway call \(function): on AWS each request would be a 500",
          cure: TemplateInspection.permissionCure))
    }
  }

  // MARK: Ways past the authorizer

  /// Addresses of functions that ask nobody, and permissions for everybody ("Control access to Lambda function URLs";
  /// AWS::Lambda::Permission, `Principal`).
  private mutating func inspectBypasses() {
    guard !survey.authorizerFunctions.isEmpty else { return }
    for resource in survey.resources {
      let problem: String
      switch resource.type {
      case "AWS::Serverless::Function"
      where resource["FunctionUrlConfig"]?["AuthType"]?.text == "NONE",
        "AWS::Lambda::Url" where resource["AuthType"]?.text == "NONE":
        problem = "AuthType NONE: whoever knows the address calls the function, and no authorizer is asked"
      case FunctionPermissions.type
      where resource["Principal"]?.text == "*"
        && !["SourceArn", "SourceAccount", "PrincipalOrgID", "FunctionUrlAuthType"].contains(
          where: resource.says):
        problem = "Principal \"*\" without a condition: every account may call the function past the API"
      default: continue
      }
      findings.append(
        DeploymentFinding(
          .authorizerBypassed, resource.name, problem,
          cure: "AuthType: AWS_IAM, or Principal: apigateway.amazonaws.com with the SourceArn of the API"
            + "; --accept authorizerBypassed where it is meant"))
    }
  }

  // MARK: Logs

  /// Lambda writes text where nothing is said ("Log and event formats").
  private mutating func inspectLog(of function: TemplateSurvey.Resource) {
    let logging = function["LoggingConfig"]
    if function.says("LoggingConfig"), logging == nil { return }
    guard logging?["LogFormat"]?.text ?? "Text" == "Text" else { return }
    let group = logging?["LogGroup"]?.text ?? "/aws/lambda/\(function["FunctionName"]?.text ?? function.name)"
    let filter = survey.resources.first { resource in
      resource.type == "AWS::Logs::MetricFilter" && resource["LogGroupName"]?.text == group
        && resource["FilterPattern"]?.text.map { $0.contains("$.") } == true
    }
    if let filter {
      findings.append(
        DeploymentFinding(
          .metricFilterUnmatched, filter.name,
          "it looks for members of JSON, and \(function.name) writes text: it counts nothing",
          cure: "write LoggingConfig: {LogFormat: JSON} at \(function.name)"))
    } else {
      findings.append(
        DeploymentFinding(
          .logFormatText, function.name, "it writes lines of text, in which queries find no members",
          cure: "write LoggingConfig: {LogFormat: JSON} (docs/operations.md)"))
    }
  }
}

/// What the role of a function may do.
private struct TemplateRole {
  private(set) var findings: [DeploymentFinding] = []
  private let survey: TemplateSurvey
  private let signsIn: Bool

  init(of function: TemplateSurvey.Resource, in survey: TemplateSurvey) {
    self.survey = survey
    signsIn = survey.identityFunctions.contains(function.name)
    for policy in FunctionRole(of: function, in: survey).policies { judge(policy.value, at: policy.place) }
  }

  /// A document, or the name or ARN of a policy of AWS; SAM's policy templates are narrow.
  private mutating func judge(_ policy: TemplateValue?, at place: String) {
    if let text = policy?.text {
      // One of the template is judged by its document.
      let name = text.split(separator: "/").last ?? text[...]
      if survey.resource(text) == nil,
        ["AdministratorAccess", "PowerUserAccess"].contains(name) || name.hasSuffix("FullAccess")
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

  /// `*`, and an ARN that names a service and a kind of thing and no thing: `arn:aws:s3:::*`, `arn:aws:dynamodb:*:*:table/*`.
  private static func namesEverything(_ resource: String) -> Bool {
    if resource == "*" { return true }
    let parts = resource.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "arn",
      let last = parts[5].split(whereSeparator: { "/:".contains($0) }).last
    else { return false }
    let things = parts[5].split { "/:".contains($0) }
    return last.allSatisfy { $0 == "*" }
      && things.dropLast().allSatisfy { $0.allSatisfy { $0.isLetter || $0 == "-" } }
      && things.count <= 2 && !(parts[2] == "s3" && things.count == 2)
  }

  /// A whole service, and what gives other rights or reads secrets.
  private static func isFarReaching(_ action: String) -> Bool {
    let lower = action.lowercased()
    return lower.hasSuffix(":*") || farReaching.contains { WildcardPattern(lower).matches($0) }
  }

  private static let farReaching = [
    "iam:passrole", "iam:createaccesskey", "iam:putrolepolicy", "sts:assumerole",
    "secretsmanager:getsecretvalue",
    "kms:decrypt", "ssm:getparameters", "lambda:updatefunctioncode",
  ]

  private mutating func add(_ place: String, _ what: String) {
    findings.append(
      DeploymentFinding(
        .roleTooWide, place,
        "the \(signsIn ? "function that signs users in" : "authorizer") may do more than it needs: \(what)",
        cure: "it needs logs:CreateLogStream and logs:PutLogEvents on its own log group"
          + (signsIn ? ", and its table" : ", dynamodb:GetItem where it asks for revocations, nothing else")))
  }
}
