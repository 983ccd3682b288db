/// What a configuration of the function that signs users in says about what stands around it.
public struct DeployedIdentity: Equatable, Sendable {
  /// Where users are kept; `nil` for a file, or where that is not known.
  public let table: DeployedTable?
  /// The variables that hold a secret.
  public let secretVariables: [String]
  /// What stands before each path; empty for nothing.
  public let basePath: String

  /// A configuration.
  public init(table: DeployedTable?, secretVariables: [String] = [], basePath: String = "") {
    self.table = table
    self.secretVariables = secretVariables
    self.basePath = basePath
  }
}

/// Looks at what stands around the functions of a template that sign users in: their routes, their table, who may do what
/// with it, and where their secret is.
///
/// What cannot be read here gives no finding.
public struct TemplateIdentityInspection {
  /// What was found.
  public private(set) var findings: [DeploymentFinding] = []
  let survey: TemplateSurvey
  let identities: [String: DeployedIdentity]

  /// - Parameters:
  ///   - text: the template.
  ///   - parameters: values for its parameters.
  ///   - template: the same, where it was understood.
  ///   - identities: configurations of the functions that sign users in, by their names; one that could not be read is absent.
  ///   - revocations: the tables that authorizers ask for revocations, by the authorizers' names.
  public init(
    parsing text: String, parameters: [String: String] = [:], template: GatewayTemplate?,
    identities: [String: DeployedIdentity], revocations: [String: DeployedTable] = [:]
  ) {
    survey = TemplateSurvey(parsing: text, parameters: parameters)
    self.identities = identities
    let names = survey.identityFunctions
    if let template {
      inspectRoutes(of: template, names)
      inspectRuntimes(of: template, names)
    }
    for name in names {
      guard let identity = identities[name], let function = survey.resource(name) else { continue }
      inspectSecrets(identity.secretVariables, of: function, in: text)
      guard let table = identity.table else { continue }
      inspectTable(table)
      inspectRole(of: function, on: table, Self.identityActions, "signs nobody in")
    }
    for (name, table) in revocations.sorted(by: { $0.key < $1.key }) {
      guard let function = survey.resource(name) else { continue }
      inspectRole(of: function, on: table, Self.authorizerActions, "gets no answer about revocations")
      compare(table, of: name)
    }
  }

  /// What the function calls: transactions of Put, Update and ConditionCheck need the permissions of these ("Using IAM with
  /// DynamoDB transactions").
  private static let identityActions = [
    "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:ConditionCheckItem",
  ]
  private static let authorizerActions = ["dynamodb:GetItem"]

  mutating func add(_ code: DeploymentFinding.Code, _ place: String, _ problem: String, cure: String) {
    let finding = DeploymentFinding(code, place, problem, cure: cure)
    // Two functions may share a table.
    if !findings.contains(finding) { findings.append(finding) }
  }

  // MARK: Routes

  private static let signInPaths = [
    "/auth/nonce", "/auth/verify", "/auth/apple", "/auth/apple/notifications",
  ]
  /// The second stands for every subject.
  private static let userPaths = ["/users/me", "/users/001234.5678"]

  private mutating func inspectRoutes(of template: GatewayTemplate, _ names: [String]) {
    for api in template.apis {
      let table = RouteTable(api)
      // The base path belongs to a domain of one's own, or to the API itself.
      func routes(_ method: String, _ paths: [String]) -> [GatewayRoute] {
        names.flatMap { name in
          let basePath = identities[name]?.basePath ?? ""
          return paths.flatMap { path in
            Set(["", basePath]).sorted().compactMap { table.route(method: method, path: $0 + path)?.route }
          }.filter { route in
            if case .function(name, _) = route.integration { true } else { false }
          }
        }
      }
      for route in routes("POST", Self.signInPaths) where route.authorizer != nil {
        add(
          .signInGuarded, "\(api.name) \(route.key)",
          "it has an authorizer: whoever has no token yet cannot get one, and Apple's notifications bring none",
          cure: "write Auth: {Authorizer: NONE} at the event")
      }
      for route in routes("GET", Self.userPaths) where route.authorizer == nil {
        add(
          .userRouteOpen, "\(api.name) \(route.key)",
          "it has no authorizer: the function does not know who calls, and answers 401 to everybody",
          cure: "set DefaultAuthorizer at the API, or an authorizer here")
      }
    }
  }

  private mutating func inspectRuntimes(of template: GatewayTemplate, _ names: [String]) {
    for name in names {
      guard let runtime = template.functions[name]?.runtime, runtime != RuntimeImage.identifier else {
        continue
      }
      add(
        .wrongRuntime, name, "Runtime is \(runtime); it is built for \(RuntimeImage.identifier)",
        cure: "write Runtime: \(RuntimeImage.identifier)")
    }
  }

  // MARK: Roles

  private mutating func inspectRole(
    of function: TemplateSurvey.Resource, on table: DeployedTable, _ actions: [String],
    _ consequence: String
  ) {
    var names: Set = [table.name]
    if let resource = tableResource(table.name) { names.insert(resource.name) }
    let permissions = TablePermissions(of: function, on: names, in: survey)
    let missing = permissions.missing(of: actions)
    if permissions.isKnown, !missing.isEmpty {
      add(
        .roleTooNarrow, function.name,
        "nothing allows it \(missing.joined(separator: ", ")) on \(table.name): it \(consequence)",
        cure: "allow \(actions.joined(separator: ", ")) on the table, as template/identity.yaml does")
    }
    for (place, what) in permissions.excess(over: actions) {
      add(
        .roleTooWide, place, "\(function.name) may do more with \(table.name) than it needs: \(what)",
        cure: "it needs \(actions.joined(separator: ", ")) on the table, nothing else")
    }
  }

  /// Whether the authorizer asks a table that a function fills.
  private mutating func compare(_ table: DeployedTable, of authorizer: String) {
    let filled = survey.identityFunctions.compactMap { name in
      identities[name]?.table.map { (function: name, table: $0) }
    }
    // A region that is not written is that of the stack, which is not known here.
    let isFilled = filled.contains { _, other in
      let regions = [table.region, other.region].compactMap { $0 }
      return other.name == table.name && Set(regions).count <= 1
    }
    guard let other = filled.first, !isFilled else { return }
    func text(_ table: DeployedTable) -> String { table.name + (table.region.map { " in \($0)" } ?? "") }
    add(
      .tablesDiffer, authorizer,
      "it asks \(text(table)) for revocations, and \(other.function) writes them to \(text(other.table))",
      cure: "name one table in both configurations")
  }
}
