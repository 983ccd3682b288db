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
    for name in survey.authorizerFunctions {
      guard let function = survey.resource(name) else { continue }
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

  init(of function: TemplateSurvey.Resource, in survey: TemplateSurvey) {
    self.survey = survey
    // SAM makes a role of these.
    for policy in function["Policies"]?.elements ?? [] { judge(policy, at: function.name) }
    guard let role = Self.role(of: function, in: survey) else { return }
    for policy in role["Policies"]?.elements ?? [] { judge(policy["PolicyDocument"], at: role.name) }
    for policy in role["ManagedPolicyArns"]?.elements ?? [] { judge(policy, at: role.name) }
    for policy in survey.resources {
      let roles: [String]
      switch policy.type {
      case "AWS::IAM::Policy", "AWS::IAM::ManagedPolicy":
        roles = policy["Roles"]?.elements.compactMap(\.text) ?? []
      case "AWS::IAM::RolePolicy": roles = [policy["RoleName"]?.text].compactMap { $0 }
      default: continue
      }
      guard roles.contains(role.name) || role["RoleName"]?.text.map(roles.contains) == true else { continue }
      judge(policy["PolicyDocument"], at: policy.name)
    }
  }

  /// `!GetAtt ROLE.Arn`, where the role is one of the template.
  private static func role(
    of function: TemplateSurvey.Resource, in survey: TemplateSurvey
  ) -> TemplateSurvey.Resource? {
    guard let text = function["Role"]?.text, text.hasSuffix(".Arn") else { return nil }
    return survey.resource(String(text.dropLast(".Arn".count)))
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
      let isEverywhere = statement["Resource"]?.elements.contains { $0.text == "*" } == true
      let actions = statement["Action"]?.elements.compactMap(\.text) ?? []
      let wide = actions.filter { $0 == "*" || $0 == "*:*" || (isEverywhere && $0.hasSuffix(":*")) }
      if !wide.isEmpty {
        add(place, wide.joined(separator: ", ") + (isEverywhere ? " on every resource" : ""))
      } else if isEverywhere, statement["NotAction"] != nil {
        add(place, "all but a few actions on every resource")
      }
    }
  }

  private mutating func add(_ place: String, _ what: String) {
    findings.append(
      DeploymentFinding(
        .roleTooWide, place, "the authorizer may do more than it needs: \(what)",
        cure: "it needs logs:CreateLogStream and logs:PutLogEvents on its own log group, nothing else"))
  }
}
