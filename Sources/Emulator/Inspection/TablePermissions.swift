/// The permissions that a function's role has on one DynamoDB table.
struct TablePermissions {
  /// One `Allow` statement, or one SAM policy template.
  private struct Grant {
    let place: String
    let actions: [String]
    let isEverywhere: Bool
  }

  private var grants: [Grant] = []
  /// Whether the template shows every policy that applies.
  private(set) var isKnown: Bool
  private let names: Set<String>

  /// - Parameter names: the names of the table: its logical ID and its `TableName`.
  init(of function: TemplateSurvey.Resource, on names: Set<String>, in survey: TemplateSurvey) {
    self.names = names
    let role = FunctionRole(of: function, in: survey)
    isKnown = role.isWhole
    for policy in role.policies { read(policy) }
  }

  /// Returns the actions that no policy allows.
  func missing(of actions: [String]) -> [String] {
    actions.filter { action in
      !grants.contains { $0.actions.contains { Self.allows($0, action) } }
    }
  }

  /// Returns the allowed actions that are not needed, with the resource that allows them. Leaves out what
  /// `TemplateRole` reports.
  func excess(over actions: [String]) -> [(place: String, what: String)] {
    let needed = Set(actions.map { $0.lowercased() })
    return grants.compactMap { grant in
      let more = grant.actions.filter { action in
        let isTold = ["*", "*:*"].contains(action) || grant.isEverywhere && action.hasSuffix(":*")
        return action.lowercased().hasPrefix("dynamodb:") && !isTold && !needed.contains(action.lowercased())
      }
      if !more.isEmpty { return (grant.place, more.joined(separator: ", ")) }
      let isOurs = grant.actions.contains { needed.contains($0.lowercased()) }
      return grant.isEverywhere && isOurs ? (grant.place, "the same actions on every table") : nil
    }
  }

  /// Action names are case-insensitive ("IAM JSON policy elements: Action").
  private static func allows(_ pattern: String, _ action: String) -> Bool {
    WildcardPattern(pattern.lowercased()).matches(action.lowercased())
  }

  // MARK: Policies

  private mutating func read(_ policy: FunctionRole.Policy) {
    if let text = policy.value.text {
      let name = text.split(separator: "/").last.map(String.init) ?? text
      if !Self.withoutTables.contains(name) { isKnown = false }
    } else if let statements = policy.value["Statement"] {
      for statement in statements.elements { read(statement, at: policy.place) }
    } else {
      for template in policy.value.members ?? [] { readTemplate(template, at: policy.place) }
    }
  }

  /// Common AWS managed policies that contain nothing about DynamoDB.
  private static let withoutTables: Set<String> = [
    "AWSLambdaBasicExecutionRole", "AWSLambdaVPCAccessExecutionRole", "AWSXRayDaemonWriteAccess",
    "AWSXrayWriteOnlyAccess", "CloudWatchLambdaInsightsExecutionRolePolicy",
  ]

  private mutating func read(_ statement: TemplateValue, at place: String) {
    let actions = statement["Action"]?.elements.map(\.text) ?? []
    let resources = statement["Resource"]?.elements.map(\.text) ?? []
    guard statement["Effect"]?.text == "Allow", !actions.isEmpty, !resources.isEmpty,
      !actions.contains(nil), !resources.contains(nil)
    else {
      isKnown = false
      return
    }
    guard resources.contains(where: { $0.map(covers) == true }) else { return }
    grants.append(
      Grant(
        place: place, actions: actions.compactMap { $0 },
        isEverywhere: resources.contains { $0 == "*" || $0?.hasSuffix(":table/*") == true }))
  }

  /// "AWS SAM policy templates".
  private mutating func readTemplate(_ template: TemplateValue.Member, at place: String) {
    guard let actions = Self.templates[template.name] else { return }
    guard let table = template.value["TableName"]?.text else {
      isKnown = false
      return
    }
    guard names.contains(table) else { return }
    grants.append(Grant(place: place, actions: actions.map { "dynamodb:" + $0 }, isEverywhere: false))
  }

  private static let templates = [
    "DynamoDBCrudPolicy": [
      "GetItem", "DeleteItem", "PutItem", "Scan", "Query", "UpdateItem", "BatchWriteItem", "BatchGetItem",
      "DescribeTable", "ConditionCheckItem",
    ],
    "DynamoDBReadPolicy": ["GetItem", "Scan", "Query", "BatchGetItem", "DescribeTable"],
    "DynamoDBWritePolicy": ["PutItem", "UpdateItem", "BatchWriteItem"],
  ]

  /// Whether a statement's resource matches the table, in any region and account.
  private func covers(_ resource: String) -> Bool {
    if resource == "*" || names.contains(where: { resource == $0 + ".Arn" }) { return true }
    let parts = resource.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "arn", WildcardPattern(String(parts[2])).matches("dynamodb") else {
      return false
    }
    let pattern = WildcardPattern(String(parts[5]))
    return names.contains { pattern.matches("table/" + $0) }
  }
}
