internal import GatewayModel
internal import Text

/// One route of an API of SAM, from an event or from an operation of its OpenAPI document.
package struct SAMRoute {
  let match: GatewayRoute.Match
  var choice: AuthorizerChoice
  /// `nil` for the scopes of the authorizer.
  var scopes: [String]?
  /// `nil` for the API's setting.
  var needsAPIKey: Bool?
  /// Whether an event asks for the API key.
  private var isKeyOfEvent = false
  /// Whether the operation says `x-amazon-apigateway-auth: AWS_IAM`.
  var isSigned = false
  /// Whether the operation has a list of requirements, so that SAM adds no default to it on an HTTP API.
  var isListed = false
  /// The names that it asks for in vain.
  private(set) var ignored: [OpenAPIDocument.Requirement] = []
  var integration: GatewayIntegration
  /// Whether the operation has no integration of its own.
  var lacksIntegration = false
  /// The parameters that a request must have.
  var validation = RequestValidation()
  /// What closes the route.
  var findings: [TemplateFinding]
  let line: Int
  let path: String
  /// The path of its requests as written, by which SAM compares it.
  let writtenPath: String

  init(_ operation: OpenAPIDocument.Operation, _ schemes: SecuritySchemes) {
    match = operation.match
    choice = .inherited
    isListed = !operation.security.entries.isEmpty
    isSigned = operation.security.isSigned
    integration = operation.integration
    lacksIntegration = operation.lacksIntegration
    validation = operation.validation
    findings = operation.findings
    (line, path, writtenPath) = (operation.line, operation.path, operation.writtenPath)
    for requirement in operation.security.entries.joined() { add(requirement, schemes) }
  }

  /// Adds one name of `security`.
  private mutating func add(_ requirement: OpenAPIDocument.Requirement, _ schemes: SecuritySchemes) {
    let meaning = schemes.meaning(of: requirement.name)
    switch meaning {
    case .ignored: ignored.append(requirement)
    case .apiKey: needsAPIKey = true
    case .none, .authorizer:
      let other = meaning == .none ? AuthorizerChoice.none : .named(requirement.name)
      if requirement.scopes == nil {
        refuse("has scopes that are not strings", requirement, cure: "write \(requirement.name): []")
      }
      if choice != .inherited, choice != other {
        refuse(
          "has more than one authorizer", requirement,
          cure: "write one: a method of API Gateway has one authorizer")
      }
      (choice, scopes) = (other, requirement.scopes)
    }
  }

  private mutating func refuse(_ problem: String, _ requirement: OpenAPIDocument.Requirement, cure: String) {
    findings.append(
      TemplateFinding(line: requirement.line, path: path + ".security", problem: problem, cure: cure))
  }

  /// Removes what SAM names and does not define, so that API Gateway ignores it.
  fileprivate mutating func removeUndefined(_ schemes: SecuritySchemes) {
    func requirement(_ name: String) -> OpenAPIDocument.Requirement {
      OpenAPIDocument.Requirement(name: name, scopes: [], line: line)
    }
    if case .named(SAMSecurity.signature) = choice, !schemes.hasAuthorizer(SAMSecurity.signature) {
      choice = .none
      ignored.append(requirement(SAMSecurity.signature))
    }
    if needsAPIKey == true, isKeyOfEvent, !schemes.hasKey(SAMSecurity.apiKey) {
      needsAPIKey = nil
      ignored.append(requirement(SAMSecurity.apiKey))
    }
  }

  /// - Parameter auth: the API's.
  init(_ event: FunctionEvent, of auth: AuthorizerReader.Auth) {
    match = event.match
    choice = event.auth.choice
    scopes = event.auth.scopes
    needsAPIKey = event.auth.needsAPIKey
    isKeyOfEvent = needsAPIKey == true
    integration = event.integration
    validation = event.validation
    findings = event.findings
    (line, path, writtenPath) = (event.line, event.path, event.writtenPath)
    check(event, auth)
  }

  /// Refuses what SAM refuses of an event's `Auth`.
  private mutating func check(_ event: FunctionEvent, _ auth: AuthorizerReader.Auth) {
    guard event.auth.isWritten else { return }
    let hasDefault = auth.defaultName != nil
    if choice == .none, !hasDefault {
      refuse("Authorizer is NONE, but the API has no DefaultAuthorizer", cure: "remove Auth")
    }
    if auth.isREST {
      if choice == .inherited, scopes?.isEmpty == false {
        refuse("has AuthorizationScopes without an Authorizer", cure: "write Authorizer too")
      }
      if needsAPIKey == false, !auth.needsAPIKey {
        refuse("ApiKeyRequired is false, but the API requires no key", cure: "remove ApiKeyRequired")
      }
    } else {
      if needsAPIKey != nil || event.auth.policy != nil {
        refuse("has API keys or a resource policy, which HTTP APIs do not have", cure: "remove them")
      }
      // SAM enters the default by name, so it counts for OPTIONS too.
      if choice == .inherited, let name = auth.defaultName {
        choice = .named(name)
      } else if choice == .inherited {
        refuse("Auth has no Authorizer, and the API has no DefaultAuthorizer", cure: "write Authorizer")
      }
      // An empty list does not replace the scopes of the authorizer.
      if scopes?.isEmpty == true { scopes = nil }
    }
  }

  mutating func refuse(_ problem: String, cure: String) {
    findings.append(TemplateFinding(line: line, path: path, problem: problem, cure: cure))
  }

  /// Adds the `Auth` of an event to an operation, whose own stays.
  mutating func add(_ other: SAMRoute) {
    findings += other.findings
    if other.choice != .inherited {
      if choice != .inherited, choice != other.choice || isSigned {
        refuse("has two authorizers, one of its own and one of an event", cure: "write one of them")
      }
      (choice, scopes) = (other.choice, other.scopes ?? scopes)
    }
    isKeyOfEvent = isKeyOfEvent || other.isKeyOfEvent && needsAPIKey != true
    needsAPIKey = other.needsAPIKey ?? needsAPIKey
  }
}

extension [SAMRoute] {
  /// Adds the events of functions to the operations of an OpenAPI document, as SAM does.
  ///
  /// - Parameters:
  ///   - hasDocument: whether the API has a document of its own.
  ///   - merges: `MergeDefinitions` of a REST API.
  mutating func add(
    _ events: [FunctionEvent], to auth: AuthorizerReader.Auth, hasDocument: Bool, merges: Bool,
    _ report: TemplateReport
  ) {
    for event in events {
      let route = SAMRoute(event, of: auth)
      let place = hasDocument ? firstIndex { $0.isSame(as: route) } : nil
      switch (hasDocument, place) {
      case (false, _): append(route)
      case (true, let place?) where auth.isREST && merges: self[place].replace(by: route)
      case (true, nil) where auth.isREST && merges:
        if case .path(method: nil, _) = event.match {
          report.refuse(
            event.line, event.path, "any method is not merged into a document",
            cure: "write the methods, or remove MergeDefinitions")
        }
        append(route)
      case (true, let place) where auth.isREST:
        if event.auth.overrides, let place { self[place].add(route) } else { noteUnused(event, report) }
      case (true, let place?):
        if event.auth.isWritten { self[place].add(route) }
        if self[place].lacksIntegration {
          (self[place].integration, self[place].lacksIntegration) = (route.integration, false)
        } else if event.hasFormat, case .function(let name, _) = self[place].integration,
          case .function(_, let format) = event.integration
        {
          self[place].integration = .function(name, format)
        }
      case (true, nil): append(route)
      }
    }
    if hasDocument, auth.isREST {
      for place in indices { self[place].removeUndefined(auth.schemes) }
    }
    warnOfIgnored(auth.schemes, report)
  }

  private func noteUnused(_ event: FunctionEvent, _ report: TemplateReport) {
    report.note(
      event.line, event.path,
      "adds no route\(event.auth.isWritten ? ", and its Auth has no effect" : ""): the API has an OpenAPI document"
    )
  }
}

extension SAMRoute {
  /// Replaces what the event says (`MergeDefinitions`): its integration, and its security if it has any.
  fileprivate mutating func replace(by event: SAMRoute) {
    integration = event.integration
    if event.validation != RequestValidation() { validation = event.validation }
    findings += event.findings
    if event.choice != .inherited || event.needsAPIKey != nil {
      (choice, scopes, needsAPIKey) = (event.choice, event.scopes, event.needsAPIKey)
      (isKeyOfEvent, ignored) = (event.isKeyOfEvent, [])
    }
  }

  /// Whether SAM takes both for one operation.
  fileprivate func isSame(as other: SAMRoute) -> Bool {
    match.hasSameRequests(as: other.match) && writtenPath.hasSameBytes(as: other.writtenPath)
  }
}

extension OpenAPIDocument {
  /// Returns the routes of a document that API Gateway imports as it is.
  package func routes(_ schemes: SecuritySchemes, _ report: TemplateReport) -> [SAMRoute] {
    let routes = operations.map { SAMRoute($0, schemes) }
    routes.warnOfIgnored(schemes, report)
    return routes
  }
}

extension [SAMRoute] {
  /// The number of routes that a warning names.
  private static let namedRoutes = 3

  /// Warns of names that guard nothing, once for each.
  fileprivate func warnOfIgnored(_ schemes: SecuritySchemes, _ report: TemplateReport) {
    var asking: [ByteString: [(route: SAMRoute, line: Int)]] = [:]
    var names: [ByteString] = []
    for route in self {
      for requirement in route.ignored {
        let name = ByteString(requirement.name)
        if asking[name] == nil { names.append(name) }
        asking[name, default: []].append((route, requirement.line))
      }
    }
    for name in names {
      guard let all = asking[name], let first = all.first else { continue }
      let keys = all.prefix(Self.namedRoutes).map(\.route.match.key).joined(separator: ", ")
      let rest = all.count - Self.namedRoutes
      let (problem, cure) = schemes.reason(name.text)
      report.warn(
        first.line, first.route.path + ".security",
        "API Gateway ignores \(name.text): \(problem), so it does not guard \(keys)"
          + (rest > 0 ? " and \(rest) more" : ""), cure: cure)
    }
  }
}
