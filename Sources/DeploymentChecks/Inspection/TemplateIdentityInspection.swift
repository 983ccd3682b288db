internal import GatewayModel
package import Templates

/// The settings of the sign-in function's configuration that its template must match.
package struct DeployedIdentity: Equatable, Sendable {
  /// The user table; `nil` if users are stored in a file or the store is unknown.
  package let table: DeployedTable?
  package let secretVariables: [String]
  /// The prefix of every path; empty if there is none.
  package let basePath: String

  package init(table: DeployedTable?, secretVariables: [String] = [], basePath: String = "") {
    self.table = table
    self.secretVariables = secretVariables
    self.basePath = basePath
  }
}

/// Checks the resources around the sign-in functions of a template: their routes, their table and its permissions,
/// and their secret.
///
/// Ignores what it cannot read.
package struct TemplateIdentityInspection {
  package private(set) var findings: [DeploymentFinding] = []
  let survey: LenientTemplate
  package let identities: [String: DeployedIdentity]

  /// - Parameters:
  ///   - survey: the resources of the template.
  ///   - template: what affects requests; `nil` if it is not supported.
  ///   - identities: the configurations of the sign-in functions, by function name, without those that could not be
  ///     read.
  ///   - revocations: the tables from which authorizers read revocations, by the authorizers' names.
  ///   - proofs: the tables in which authorizers remember used proofs, by the authorizers' names.
  package init(
    _ survey: LenientTemplate, template: GatewayTemplate?, identities: [String: DeployedIdentity],
    revocations: [String: DeployedTable] = [:], proofs: [String: [DeployedTable]] = [:]
  ) {
    self.survey = survey
    self.identities = identities
    let names = survey.identityFunctions
    if let template {
      inspectRoutes(of: template, names)
      inspectRuntimes(of: template, names)
    }
    for name in names {
      guard let identity = identities[name], let function = survey.resource(name) else { continue }
      inspectSecrets(identity.secretVariables, of: function)
      guard let table = identity.table else { continue }
      inspectTable(table)
      inspectRole(
        of: function, on: table, Self.identityActions.map { TableAction($0) }, "cannot sign users in",
        cure: "as in template/identity.yaml")
    }
    for (name, table) in revocations.sorted(by: { $0.key < $1.key }) {
      guard let function = survey.resource(name) else { continue }
      let isShared = proofs[name, default: []].contains { $0.name == table.name }
      inspectRole(
        of: function, on: table, [table.lookup],
        besides: Array(table.lookups.dropFirst()) + (isShared ? [Self.memory] : []),
        "cannot read revocations",
        cure: table.readsBatches
          ? "which \"revocation\".\"issuers\" needs as an object (docs/revocation.md)"
          : "as in template/identity.yaml",
        missing: table.readsBatches ? .batchGetItemMissing : .roleTooNarrow)
      compare(table, of: name)
    }
    inspectProofTables(proofs, revocations)
  }

  /// Checks the tables of used proofs, which may be those of users.
  private mutating func inspectProofTables(
    _ proofs: [String: [DeployedTable]], _ revocations: [String: DeployedTable]
  ) {
    let users = Set(identities.values.compactMap(\.table?.name))
    for (name, tables) in proofs.sorted(by: { $0.key < $1.key }) {
      guard let function = survey.resource(name) else { continue }
      for table in tables {
        if !users.contains(table.name) { inspectProofTable(table) }
        inspectRole(
          of: function, on: table, [Self.memory],
          besides: revocations[name].flatMap { $0.name == table.name ? $0.lookups : nil } ?? [],
          "fails every request with a DPoP proof",
          cure: "for keys that begin with dpop# (docs/bound-tokens.md)")
      }
    }
  }

  /// The actions that the function needs: transactions of Put, Update and ConditionCheck need the permission of each
  /// operation ("Using IAM with DynamoDB transactions").
  private static let identityActions = [
    "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:ConditionCheckItem",
  ]
  /// A write of a used proof (docs/dynamodb.md).
  private static let memory = TableAction("dynamodb:PutItem", key: "dpop#")

  package mutating func add(_ code: DeploymentFinding.Code, _ place: String, _ problem: String, cure: String)
  {
    let finding = DeploymentFinding(code, place, problem, cure: cure)
    // Two functions may share a table.
    if !findings.contains(finding) { findings.append(finding) }
  }

  // MARK: Routes

  private static let signInPaths = [
    "/auth/nonce", "/auth/verify", "/auth/apple", "/auth/apple/notifications",
  ]
  /// The second path is an example of all subjects.
  private static let userPaths = ["/users/me", "/users/001234.5678"]

  private mutating func inspectRoutes(of template: GatewayTemplate, _ names: [String]) {
    for api in template.distinctAPIs {
      let table = RouteTable(api)
      // The base path belongs to a custom domain, or to the API itself.
      func routes(_ method: String, _ paths: [String]) -> [GatewayRoute] {
        names.flatMap { name in
          let basePath = identities[name]?.basePath ?? ""
          return paths.flatMap { path in
            Set(["", basePath]).sorted().compactMap { table.route(method: method, path: $0 + path)?.route }
          }.filter { route in
            route.integration.function == name
          }
        }
      }
      for route in routes("POST", Self.signInPaths) where route.authorizer != nil {
        add(
          .signInGuarded, "\(api.name) \(route.key)",
          "it has an authorizer, but users who sign in and Apple's notifications have no token",
          cure: "write Auth: {Authorizer: NONE} at the event")
      }
      for route in routes("GET", Self.userPaths) where route.authorizer == nil {
        add(
          .userRouteOpen, "\(api.name) \(route.key)",
          "it has no authorizer: the function cannot identify the caller and always answers 401",
          cure: "set DefaultAuthorizer at the API, or an authorizer at this route")
      }
    }
  }

  private mutating func inspectRuntimes(of template: GatewayTemplate, _ names: [String]) {
    for name in names {
      guard let runtime = template.functions[name]?.runtime, runtime != RuntimeImage.identifier else {
        continue
      }
      add(
        .wrongRuntime, name,
        "Runtime is \(runtime), but the function is built for \(RuntimeImage.identifier)",
        cure: "write Runtime: \(RuntimeImage.identifier)")
    }
  }

  // MARK: Roles

  /// - Parameters:
  ///   - others: further actions on the same table that the function needs, which are checked elsewhere.
  ///   - code: what is reported if an action is missing.
  private mutating func inspectRole(
    of function: LenientTemplate.Resource, on table: DeployedTable, _ actions: [TableAction],
    besides others: [TableAction] = [], _ consequence: String, cure: String,
    missing code: DeploymentFinding.Code = .roleTooNarrow
  ) {
    var names: Set = [table.name]
    if let resource = tableResource(table.name) { names.insert(resource.name) }
    let permissions = TablePermissions(of: function, on: names, in: survey)
    let missing = permissions.missing(of: actions)
    let needed = actions.map(\.name).joined(separator: ", ")
    if permissions.isKnown, !missing.isEmpty {
      add(
        code, function.name,
        "no policy allows \(missing.map(\.text).joined(separator: ", ")) on \(table.name): the function \(consequence)",
        cure: "allow \(needed) on the table, \(cure)")
    }
    // The same text for both lists, since a finding is reported once.
    let all = (actions + others).map(\.name).sorted().joined(separator: ", ")
    for (place, what) in permissions.excess(over: actions, besides: others) {
      add(
        .roleTooWide, place, "\(function.name) has more rights on \(table.name) than it needs: \(what)",
        cure: "allow only \(all) on the table")
    }
  }

  /// Checks that the authorizer reads the table that a sign-in function writes.
  private mutating func compare(_ table: DeployedTable, of authorizer: String) {
    let filled = survey.identityFunctions.compactMap { name in
      identities[name]?.table.map { (function: name, table: $0) }
    }
    // A table without a region is in the stack's region, which is not known here.
    let isFilled = filled.contains { _, other in
      let regions = [table.region, other.region].compactMap { $0 }
      return other.name == table.name && Set(regions).count <= 1
    }
    guard let other = filled.first, !isFilled else { return }
    func text(_ table: DeployedTable) -> String { table.name + (table.region.map { " in \($0)" } ?? "") }
    add(
      .tablesDiffer, authorizer,
      "it reads revocations from \(text(table)), but \(other.function) writes them to \(text(other.table))",
      cure: "name the same table in both configurations")
  }
}
