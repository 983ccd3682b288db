/// One route of an API of SAM, from an event or from an operation of its OpenAPI document.
struct SAMRoute {
  let match: GatewayRoute.Match
  var choice: AuthorizerChoice
  /// `nil` for the scopes of the authorizer.
  var scopes: [String]?
  /// `nil` for the API's setting.
  var needsAPIKey: Bool?
  /// Whether the operation says `x-amazon-apigateway-auth: AWS_IAM`.
  var isSigned = false
  var integration: GatewayIntegration
  /// The parameters that a request must have.
  var validation = RequestValidation()
  /// What closes the route.
  var findings: [TemplateFinding]
  let line: Int
  let path: String

  init(_ operation: OpenAPIDocument.Operation) {
    match = operation.match
    choice = operation.security.choice
    scopes = operation.security.scopes
    needsAPIKey = operation.security.needsAPIKey
    isSigned = operation.security.isSigned
    integration = operation.integration
    validation = operation.validation
    findings = operation.findings
    (line, path) = (operation.line, operation.path)
  }

  /// - Parameter auth: the API's.
  init(_ event: FunctionEvent, of auth: AuthorizerReader.Auth) {
    match = event.match
    choice = event.auth.choice
    scopes = event.auth.scopes
    needsAPIKey = event.auth.needsAPIKey
    integration = event.integration
    validation = event.validation
    findings = event.findings
    (line, path) = (event.line, event.path)
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
      let place = hasDocument ? firstIndex { $0.match.hasSameRequests(as: event.match) } : nil
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
        if event.hasFormat, case .function(let name, _) = self[place].integration,
          case .function(_, let format) = event.integration
        {
          self[place].integration = .function(name, format)
        }
      case (true, nil): append(route)
      }
    }
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
    }
  }
}

extension GatewayRoute.Match {
  /// Whether two matches are the same key, whatever the names of parameters.
  fileprivate func hasSameRequests(as other: GatewayRoute.Match) -> Bool {
    guard case .path(let method, let pattern) = self, case .path(let otherMethod, let otherPattern) = other
    else { return self == other }
    return method == otherMethod && pattern.text == otherPattern.text
  }
}
