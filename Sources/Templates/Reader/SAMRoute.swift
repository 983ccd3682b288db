internal import GatewayModel
internal import Text

/// One route of an API of SAM, from an event or from an operation of its OpenAPI document.
package struct SAMRoute {
  let match: GatewayRoute.Match
  /// The path of its requests as SAM writes it into the document, and by which SAM compares it.
  let writtenPath: String
  var auth = Auth()
  var integration: GatewayIntegration
  /// Whether the operation has no integration. SAM adds that of an event to such an operation of an HTTP API.
  var lacksIntegration = false
  /// The parameters that a request must have.
  var validation = RequestValidation()
  /// What closes the route.
  var findings: [Diagnostic] = []
  let line: Int
  let path: String

  /// What an operation or an event says about its callers.
  struct Auth {
    /// The entries of `security` of an operation, each with the names that it asks for.
    var requirements: [[OpenAPIDocument.Requirement]] = []
    /// The names that it asks for in vain.
    var ignored: [OpenAPIDocument.Requirement] = []
    /// Whether the operation says `x-amazon-apigateway-auth: AWS_IAM`.
    var isSigned = false
    /// Whether the event has a member of `Auth`.
    var isWritten = false
    var choice = AuthorizerChoice.inherited
    /// `nil` for the scopes of the authorizer.
    var scopes: [String]?
    /// `nil` for the API's setting.
    var needsAPIKey: Bool?
    /// Whether an event asks for the API key.
    var isKeyOfEvent = false
    /// `OverrideApiAuth`: the event's `Auth` also counts for a route of `DefinitionBody`.
    var overrides = false
    /// `ResourcePolicy` of the event, a part of the policy of the API.
    var policy: TemplateValue?
  }

  /// Returns the route with what its `security` asks for, since all schemes are known.
  func resolved(by schemes: SecuritySchemes) -> SAMRoute {
    var route = self
    for requirement in auth.requirements.joined() { route.add(requirement, schemes) }
    return route
  }

  /// Adds one name of `security`.
  private mutating func add(_ requirement: OpenAPIDocument.Requirement, _ schemes: SecuritySchemes) {
    let meaning = schemes.meaning(of: requirement.name)
    switch meaning {
    case .ignored: auth.ignored.append(requirement)
    case .apiKey: auth.needsAPIKey = true
    case .none, .authorizer:
      let other = meaning == .none ? AuthorizerChoice.none : .named(requirement.name)
      if requirement.scopes == nil {
        refuse("has scopes that are not strings", requirement, cure: "write \(requirement.name): []")
      }
      if auth.choice != .inherited, auth.choice != other {
        refuse(
          "has more than one authorizer", requirement,
          cure: "write one: a method of API Gateway has one authorizer")
      }
      (auth.choice, auth.scopes) = (other, requirement.scopes)
    }
  }

  private mutating func refuse(_ problem: String, _ requirement: OpenAPIDocument.Requirement, cure: String) {
    findings.append(
      Diagnostic(line: requirement.line, path: path + ".security", problem: problem, cure: cure))
  }

  /// Removes what SAM names and does not define, so that API Gateway ignores it.
  fileprivate mutating func removeUndefined(_ schemes: SecuritySchemes) {
    func requirement(_ name: String) -> OpenAPIDocument.Requirement {
      OpenAPIDocument.Requirement(name: name, scopes: [], line: line)
    }
    if case .named(SAMSecurity.signature) = auth.choice, !schemes.hasAuthorizer(SAMSecurity.signature) {
      auth.choice = .none
      auth.ignored.append(requirement(SAMSecurity.signature))
    }
    if auth.needsAPIKey == true, auth.isKeyOfEvent, !schemes.hasKey(SAMSecurity.apiKey) {
      auth.needsAPIKey = nil
      auth.ignored.append(requirement(SAMSecurity.apiKey))
    }
  }

  /// Returns the route of an event, with findings about what SAM refuses of its `Auth`.
  ///
  /// - Parameter api: the `Auth` of the API.
  fileprivate func checked(by api: APIAuth) -> SAMRoute {
    var route = self
    if auth.isWritten { route.check(api) }
    return route
  }

  private mutating func check(_ api: APIAuth) {
    let hasDefault = api.defaultName != nil
    if auth.choice == .none, !hasDefault {
      refuse("Authorizer is NONE, but the API has no DefaultAuthorizer", cure: "remove Auth")
    }
    if api.isREST {
      if auth.choice == .inherited, auth.scopes?.isEmpty == false {
        refuse("has AuthorizationScopes without an Authorizer", cure: "write Authorizer too")
      }
      if auth.needsAPIKey == false, !api.needsAPIKey {
        refuse("ApiKeyRequired is false, but the API requires no key", cure: "remove ApiKeyRequired")
      }
    } else {
      if auth.needsAPIKey != nil || auth.policy != nil {
        refuse("has API keys or a resource policy, which HTTP APIs do not have", cure: "remove them")
      }
      // SAM enters the default by name, so it counts for OPTIONS too.
      if auth.choice == .inherited, let name = api.defaultName {
        auth.choice = .named(name)
      } else if auth.choice == .inherited {
        refuse("Auth has no Authorizer, and the API has no DefaultAuthorizer", cure: "write Authorizer")
      }
      // An empty list does not replace the scopes of the authorizer.
      if auth.scopes?.isEmpty == true { auth.scopes = nil }
    }
  }

  mutating func refuse(_ problem: String, cure: String) {
    findings.append(Diagnostic(line: line, path: path, problem: problem, cure: cure))
  }

  /// Adds the `Auth` of an event to an operation, whose own stays.
  mutating func add(_ other: SAMRoute) {
    findings += other.findings
    if other.auth.choice != .inherited {
      if auth.choice != .inherited, auth.choice != other.auth.choice || auth.isSigned {
        refuse("has two authorizers, one of its own and one of an event", cure: "write one of them")
      }
      (auth.choice, auth.scopes) = (other.auth.choice, other.auth.scopes ?? auth.scopes)
    }
    auth.isKeyOfEvent = auth.isKeyOfEvent || other.auth.isKeyOfEvent && auth.needsAPIKey != true
    auth.needsAPIKey = other.auth.needsAPIKey ?? auth.needsAPIKey
  }
}

extension [SAMRoute] {
  /// Adds the events of functions to the operations of an OpenAPI document, as SAM does.
  ///
  /// - Parameters:
  ///   - hasDocument: whether the API has a document of its own.
  ///   - merges: `MergeDefinitions` of a REST API.
  mutating func add(
    _ events: [FunctionEvent], to auth: APIAuth, hasDocument: Bool, merges: Bool, _ report: Diagnostics
  ) {
    for event in events {
      let route = event.route.checked(by: auth)
      let place = hasDocument ? firstIndex { $0.isSame(as: route) } : nil
      switch (hasDocument, place) {
      case (false, _): append(route)
      case (true, let place?) where auth.isREST && merges: self[place].replace(by: route)
      case (true, nil) where auth.isREST && merges:
        if case .path(method: nil, _) = route.match {
          report.refuse(
            route.line, route.path, "any method is not merged into a document",
            cure: "write the methods, or remove MergeDefinitions")
        }
        append(route)
      case (true, let place) where auth.isREST:
        if route.auth.overrides, let place { self[place].add(route) } else { noteUnused(route, report) }
      case (true, let place?):
        if route.auth.isWritten { self[place].add(route) }
        if self[place].lacksIntegration {
          (self[place].integration, self[place].lacksIntegration) = (route.integration, false)
        } else if event.hasFormat, case .function(let name, _) = self[place].integration,
          case .function(_, let format) = route.integration
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

  private func noteUnused(_ event: SAMRoute, _ report: Diagnostics) {
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
    if event.auth.choice != .inherited || event.auth.needsAPIKey != nil {
      (auth.choice, auth.scopes, auth.needsAPIKey) =
        (event.auth.choice, event.auth.scopes, event.auth.needsAPIKey)
      (auth.isKeyOfEvent, auth.ignored) = (event.auth.isKeyOfEvent, [])
    }
  }

  /// Whether SAM takes both for one operation.
  fileprivate func isSame(as other: SAMRoute) -> Bool {
    match.hasSameRequests(as: other.match) && writtenPath.hasSameBytes(as: other.writtenPath)
  }
}

extension OpenAPIDocument {
  /// Returns the routes of a document that API Gateway imports as it is.
  package func routes(_ schemes: SecuritySchemes, _ report: Diagnostics) -> [SAMRoute] {
    let routes = operations.map { $0.resolved(by: schemes) }
    routes.warnOfIgnored(schemes, report)
    return routes
  }
}

extension [SAMRoute] {
  /// The number of routes that a warning names.
  private static let namedRoutes = 3

  /// Warns of names that guard nothing, once for each.
  fileprivate func warnOfIgnored(_ schemes: SecuritySchemes, _ report: Diagnostics) {
    var asking: [ByteString: [(route: SAMRoute, line: Int)]] = [:]
    var names: [ByteString] = []
    for route in self {
      for requirement in route.auth.ignored {
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
