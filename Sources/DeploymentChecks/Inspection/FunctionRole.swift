internal import Text
internal import IAMPolicy
internal import Templates

/// The policies of a function's role that the template contains.
struct FunctionRole {
  /// A policy document, the name or ARN of an AWS managed policy, or a SAM policy template; and its resource.
  struct Policy {
    let place: String
    let value: TemplateValue
  }

  /// The policies, in template order.
  private(set) var policies: [Policy] = []
  /// Whether `policies` is complete: the role is in the template, and everything could be read.
  private(set) var isWhole = true

  init(of function: LenientTemplate.Resource, in survey: LenientTemplate) {
    guard function.says("Role") else {
      // SAM creates the role from these policies.
      add(function["Policies"], isSaid: function.says("Policies"), at: function.name, in: survey)
      return
    }
    guard let text = function["Role"]?.text, text.hasByteSuffix(".Arn"),
      let role = survey.resource(String(text.dropLast(bytes: ".Arn".utf8.count)))
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

  /// Adds a list of policies, some of which may be resources of the template.
  private mutating func add(
    _ list: TemplateValue?, isSaid: Bool, at place: String, in survey: LenientTemplate
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

  /// Whether a separate policy resource is attached to this role.
  private static func isFor(_ role: LenientTemplate.Resource, _ policy: LenientTemplate.Resource) -> Bool {
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
