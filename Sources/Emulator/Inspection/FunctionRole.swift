/// The policies of a function's role, as far as the template has them.
struct FunctionRole {
  /// A document, the name or ARN of a policy of AWS, or one of SAM's policy templates; and where it stands.
  struct Policy {
    let place: String
    let value: TemplateValue
  }

  /// In the order of the template.
  private(set) var policies: [Policy] = []
  /// Whether these are all that there are: no role elsewhere, nothing that cannot be read.
  private(set) var isWhole = true

  init(of function: TemplateSurvey.Resource, in survey: TemplateSurvey) {
    guard function.says("Role") else {
      // SAM makes a role of these.
      add(function["Policies"], isSaid: function.says("Policies"), at: function.name, in: survey)
      return
    }
    guard let text = function["Role"]?.text, text.hasSuffix(".Arn"),
      let role = survey.resource(String(text.dropLast(".Arn".count)))
    else {
      isWhole = false
      return
    }
    if role.says("Policies"), role["Policies"] == nil { isWhole = false }
    for policy in role["Policies"]?.elements ?? [] { add(policy["PolicyDocument"], at: role.name) }
    add(role["ManagedPolicyArns"], isSaid: role.says("ManagedPolicyArns"), at: role.name, in: survey)
    for policy in survey.resources where Self.isFor(role, policy) {
      add(policy["PolicyDocument"], at: policy.name)
    }
  }

  private mutating func add(_ policy: TemplateValue?, at place: String) {
    if let policy { policies.append(Policy(place: place, value: policy)) } else { isWhole = false }
  }

  /// A list of policies, some of which may be resources of the template.
  private mutating func add(
    _ list: TemplateValue?, isSaid: Bool, at place: String, in survey: TemplateSurvey
  ) {
    guard let list else {
      if isSaid { isWhole = false }
      return
    }
    for policy in list.elements {
      if let resource = policy.text.flatMap(survey.resource) {
        add(resource["PolicyDocument"], at: resource.name)
      } else {
        add(policy, at: place)
      }
    }
  }

  /// Whether a policy of its own names this role.
  private static func isFor(_ role: TemplateSurvey.Resource, _ policy: TemplateSurvey.Resource) -> Bool {
    let roles: [String]
    switch policy.type {
    case "AWS::IAM::Policy", "AWS::IAM::ManagedPolicy":
      roles = policy["Roles"]?.elements.compactMap(\.text) ?? []
    case "AWS::IAM::RolePolicy": roles = [policy["RoleName"]?.text].compactMap { $0 }
    default: return false
    }
    return roles.contains(role.name) || role["RoleName"]?.text.map(roles.contains) == true
  }
}
