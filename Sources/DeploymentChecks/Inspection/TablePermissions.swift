internal import Text
internal import IAMPolicy
internal import Templates

/// An action on a table that a function needs.
struct TableAction: Equatable {
  let name: String
  /// The beginning of the keys of the items; empty for every item.
  let key: String

  init(_ name: String, key: String = "") {
    self.name = name
    self.key = key
  }

  /// The action as human-readable text.
  var text: String { name + (key.isEmpty ? "" : " for \(key)*") }
}

/// The permissions that a function's role has on one DynamoDB table.
struct TablePermissions {
  /// One `Allow` statement, or one SAM policy template.
  private struct Grant {
    let place: String
    let actions: [String]
    let isEverywhere: Bool
    /// The patterns of the keys that a condition allows; `nil` without such a condition.
    let keys: [String]?

    /// Whether the statement allows the action on the items that it is needed for.
    func allows(_ action: TableAction) -> Bool {
      guard actions.contains(where: { TablePermissions.allows($0, action.name) }) else { return false }
      // One of the longest keys: the pattern may be longer than the beginning.
      let item = action.key + String(repeating: "0", count: 64)
      return action.key.isEmpty || keys.map { $0.contains { WildcardPattern($0).matches(item) } } ?? true
    }
  }

  private var grants: [Grant] = []
  /// Whether the template shows every policy that applies.
  private(set) var isKnown: Bool
  private let names: Set<String>

  /// - Parameter names: the names of the table: its logical ID and its `TableName`.
  init(of function: LenientTemplate.Resource, on names: Set<String>, in survey: LenientTemplate) {
    self.names = names
    let role = FunctionRole(of: function, in: survey)
    isKnown = role.isWhole
    for policy in role.policies { read(policy) }
  }

  /// Returns the actions that no policy allows.
  func missing(of actions: [TableAction]) -> [TableAction] {
    actions.filter { action in !grants.contains { $0.allows(action) } }
  }

  /// Returns the allowed actions that are not needed, with the resource that allows them. Leaves out what
  /// `TemplateRole` reports.
  ///
  /// - Parameter others: further actions that are needed.
  func excess(
    over actions: [TableAction], besides others: [TableAction] = []
  ) -> [(place: String, what: String)] {
    let needed = Set((actions + others).map { $0.name.lowercased() })
    return grants.compactMap { grant in
      let more = grant.actions.filter { action in
        let isTold = ["*", "*:*"].contains(action) || grant.isEverywhere && action.hasByteSuffix(":*")
        return action.lowercased().hasBytePrefix("dynamodb:") && !isTold
          && !needed.contains(action.lowercased())
      }
      if !more.isEmpty { return (grant.place, more.joined(separator: ", ")) }
      let isOurs = grant.actions.contains { needed.contains($0.lowercased()) }
      if grant.isEverywhere && isOurs { return (grant.place, "the same actions on every table") }
      // A read of another item tells little; a write could replace a user or a revocation.
      let unlimited = actions.filter { action in
        !action.key.isEmpty && action.name == "dynamodb:PutItem" && grant.keys == nil
          && grant.actions.contains { $0.lowercased() == action.name.lowercased() }
      }
      return unlimited.isEmpty
        ? nil
        : (
          grant.place,
          unlimited.map { "\($0.name) for every item, not only for \($0.key)*" }.joined(separator: ", ")
        )
    }
  }

  /// Action names are case-insensitive ("IAM JSON policy elements: Action").
  fileprivate static func allows(_ pattern: String, _ action: String) -> Bool {
    WildcardPattern(pattern.lowercased()).matches(action.lowercased())
  }

  // MARK: Policies

  private mutating func read(_ policy: FunctionRole.Policy) {
    if let text = policy.value.text {
      let name = text.splitBytes(at: "/").last.map(String.init) ?? text
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
        isEverywhere: resources.contains { $0 == "*" || $0?.hasByteSuffix(":table/*") == true },
        keys: Self.keys(statement["Condition"])))
  }

  /// Returns the patterns of a condition on the keys of items ("Using IAM policy conditions for fine-grained access
  /// control"); `nil` if there is none. One that cannot be read may be right.
  private static func keys(_ condition: TemplateValue?) -> [String]? {
    for member in condition?.members ?? [] where member.name.containsBytes(of: "String") {
      guard let values = member.value["dynamodb:LeadingKeys"] else { continue }
      let texts = values.elements.compactMap(\.text)
      return texts.count == values.elements.count && !member.name.containsBytes(of: "Not") ? texts : ["*"]
    }
    return nil
  }

  /// "AWS SAM policy templates".
  private mutating func readTemplate(_ template: TemplateValue.Member, at place: String) {
    guard let actions = Self.templates[template.name] else { return }
    guard let table = template.value["TableName"]?.text else {
      isKnown = false
      return
    }
    guard names.contains(table) else { return }
    grants.append(
      Grant(place: place, actions: actions.map { "dynamodb:" + $0 }, isEverywhere: false, keys: nil))
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
    let parts = resource.splitBytes(at: ":", maxSplits: 5, omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "arn", WildcardPattern(String(parts[2])).matches("dynamodb") else {
      return false
    }
    let pattern = WildcardPattern(String(parts[5]))
    return names.contains { pattern.matches("table/" + $0) }
  }
}
