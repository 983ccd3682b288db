internal import GatewayModel
internal import Mapping
internal import Text

/// A reader for authorizers, of SAM's and other resources.
struct AuthorizerReader {
  let reader: TemplateReader
  /// The API ID.
  let api: String
  let report: TemplateReport

  /// `Auth` of an API: its authorizers, the default, and API keys.
  struct Auth {
    /// Whether it is of a REST API.
    var isREST = true
    /// Who may call a route with this authorizer.
    var authorizers: [String: RouteAccess] = [:]
    var defaultName: String?
    /// Whether `OPTIONS` has the default authorizer: never on an HTTP API; on a REST API unless it is disabled.
    var guardsPreflight = false
    /// Whether every method needs an API key.
    var needsAPIKey = false
    /// Whether `OPTIONS` needs the API key too.
    var needsAPIKeyOnPreflight = true
    /// `ResourcePolicy`.
    var policy: TemplateValue?
    /// The usage plan that SAM makes.
    var plan: SAMUsagePlan?

    /// The security schemes of the OpenAPI document, with those of SAM.
    private(set) var schemes = SecuritySchemes()
    /// The names that only the OpenAPI document has. SAM does not know them as authorizers.
    private(set) var documentNames: Set<String> = []

    /// Adds the schemes of an OpenAPI document, to which SAM adds its own for an HTTP API.
    mutating func add(_ document: OpenAPIDocument?) {
      var schemes = SecuritySchemes(document, isREST: isREST)
      schemes.authorizers.formUnion(authorizers.keys.map(ExactText.init))
      add(document, schemes)
    }

    /// Adds the schemes of the document of a REST API of SAM.
    ///
    /// - Parameter merges: `MergeDefinitions`.
    mutating func add(_ document: OpenAPIDocument?, _ events: [FunctionEvent], merges: Bool) {
      guard let document else { return }
      let security = SAMSecurity(
        authorizers: Set(authorizers.keys.filter { $0 != SAMSecurity.signature }.map(ExactText.init)),
        defaultName: defaultName, guardsPreflight: guardsPreflight, needsAPIKey: needsAPIKey, merges: merges)
      add(document, security.schemes(of: document, events))
    }

    /// SAM replaces the schemes with the name of one of its own, but for `AWS_IAM`.
    private mutating func add(_ document: OpenAPIDocument?, _ schemes: SecuritySchemes) {
      self.schemes = schemes
      for (name, access) in document?.authorizers ?? [:] where !schemes.isLost(name) {
        if isREST, name == SAMSecurity.signature, defaultName != name {
          authorizers[name] = access
        } else if authorizers[name] == nil {
          authorizers[name] = access
          documentNames.insert(name)
        }
      }
    }

    /// Whether a method needs an API key.
    ///
    /// - Parameter own: what the route itself says.
    func needsAPIKey(_ own: Bool?, method: String?) -> Bool {
      guard needsAPIKey else { return own ?? false }
      return method == "OPTIONS" && !needsAPIKeyOnPreflight ? false : own ?? true
    }
  }

  /// - Parameter report: the report about the API.
  init(_ reader: TemplateReader, api: String, _ report: TemplateReport) {
    self.reader = reader
    self.api = api
    self.report = report
  }

  /// The reader for one authorizer, whose findings close only the routes that it guards.
  func part() -> AuthorizerReader { AuthorizerReader(reader, api: api, report.part()) }

  /// Who may call a route with this authorizer.
  func access(_ authorizer: GatewayAuthorizer?, _ line: Int, _ path: String) -> RouteAccess {
    if let authorizer, report.findings.isEmpty { return .lambda(authorizer) }
    let unread = TemplateFinding(
      line: line, path: path, problem: "cannot be read", cure: "check its properties")
    return .closed(report.findings.isEmpty ? [unread] : report.findings)
  }

  /// Returns who may call a route: no client if its authorizer does not exist.
  func access(
    _ choice: AuthorizerChoice, of auth: Auth, method: String?, line: Int, path: String
  ) -> RouteAccess {
    let name: String
    switch choice {
    case .none: return .open
    case .inherited where method == "OPTIONS" && !auth.guardsPreflight: return .open
    case .inherited:
      guard let defaultName = auth.defaultName else { return .open }
      name = defaultName
    case .named(let own): name = own
    }
    if let access = auth.authorizers[name] { return access }
    return .closed([
      TemplateFinding(
        line: line, path: path, problem: "there is no authorizer \(name)", cure: "check the spelling")
    ])
  }

  func route(_ route: SAMRoute, of auth: Auth) -> GatewayRoute {
    var method: String?
    if case .path(let own, _) = route.match { method = own }
    // SAM adds its default to no list of an HTTP API.
    let hasNoDefault = !auth.isREST && !route.auth.requirements.isEmpty && route.auth.choice == .inherited
    var access =
      route.auth.isSigned
      ? RouteAccess.signature
      : access(
        hasNoDefault ? .none : route.auth.choice, of: auth, method: method, line: route.line, path: route.path
      )
    if auth.isREST, let other = auth.defaultName, method != "OPTIONS" || auth.guardsPreflight {
      let isForeign =
        if case .named(let name) = route.auth.choice { auth.documentNames.contains(name) } else { false }
      if isForeign || route.auth.isSigned {
        access = access.closed(by: [
          TemplateFinding(
            line: route.line, path: route.path,
            problem: "has an authorizer of the document, and SAM adds the default \(other)",
            cure: "write the authorizer under Auth, or remove DefaultAuthorizer")
        ])
      }
    }
    if case .lambda = access, route.auth.scopes?.isEmpty == false {
      access = access.closed(by: [
        TemplateFinding(
          line: route.line, path: route.path, problem: "has scopes, which a Lambda authorizer does not check",
          cure: "remove them")
      ])
    }
    var result = GatewayRoute(
      match: route.match, access: access.requiring(route.auth.scopes).closed(by: route.findings),
      needsAPIKey: auth.needsAPIKey(route.auth.needsAPIKey, method: method), integration: route.integration)
    result.validation = route.validation
    return result
  }

  // MARK: Kinds

  /// Reads an identity validation expression; an empty one is none.
  func validation(_ text: String?, _ line: Int, _ path: String) -> ValidationExpression? {
    guard let text, !text.isEmpty else { return nil }
    do throws(TextPattern.Unknown) {
      return try ValidationExpression(text)
    } catch {
      report.refuse(
        line, path, "is not a valid regular expression, or not one that serve supports: \(error.problem)",
        cure: "check brackets and parentheses, and write it without look-around and back references")
      return nil
    }
  }

  /// Reads the function of an authorizer.
  func address(
    _ properties: inout PropertyReader, _ name: String, cure: String
  ) -> ExternalFunctions.Address? {
    guard let value = properties.take(name) else {
      report.refuse(properties.line, properties.path(of: name), "is missing", cure: cure)
      return nil
    }
    if let text = value.text { return .text(text) }
    if let finding = value.finding { return .unknown(finding) }
    report.refuse(
      value, properties.path(of: name), "must be a string, found \(value.kindName)", cure: cure)
    return nil
  }

  /// Creates the authorizer after the checks that all kinds share.
  ///
  /// - Parameter mayCall: whether API Gateway may call the function without an explicit permission in the template.
  func authorizer(
    _ name: String, _ function: String?, _ form: GatewayAuthorizer.Form, _ lifetime: Int, mayCall: Bool,
    _ line: Int, _ path: String
  ) -> GatewayAuthorizer? {
    authorizer(
      name, at: function.map { .text($0) }, form, lifetime, mayCall: mayCall, line, path)
  }

  func authorizer(
    _ name: String, at address: ExternalFunctions.Address?, _ form: GatewayAuthorizer.Form, _ lifetime: Int,
    mayCall: Bool, _ line: Int, _ path: String
  ) -> GatewayAuthorizer? {
    guard let address, let function = reader.authorizerFunction(address, line: line, path: path, report)
    else { return nil }
    if !mayCall, !reader.externals.contains(function),
      !reader.permissions.letCall(function, authorizersOf: api)
    {
      report.noteUncallable(line, path, function)
    }
    let authorizer = GatewayAuthorizer(
      name: name, function: function, form: form, timeToLiveSeconds: lifetime)
    if lifetime > 0, authorizer.identitySources.isEmpty {
      report.refuse(
        line, path, "caches answers for \(lifetime) s, but has no identity source for the cache key",
        cure: "add an identity source, or set the TTL to 0")
      return nil
    }
    return authorizer
  }

  func sources(_ identity: inout PropertyReader?, _ path: String) -> [IdentitySource] {
    guard identity != nil else { return [] }
    let line = identity?.line ?? 1
    let headers = identity?.texts("Headers") ?? []
    let queries = identity?.texts("QueryStrings") ?? []
    let variables = identity?.texts("StageVariables") ?? []
    let contexts = identity?.texts("Context") ?? []
    for name in contexts where !ContextVariables.names.contains(name) {
      report.refuse(
        line, path + ".Identity.Context", "$context.\(name) is not supported",
        cure: "use one of \(ContextVariables.names.sorted().joined(separator: ", "))")
    }
    return headers.map { .header($0) } + queries.map { .query($0) } + variables.map { .stageVariable($0) }
      + contexts.map { .context($0) }
  }
}

extension IdentitySource {
  /// Parses an identity source in API Gateway's syntax: `method.request.header.X` (REST API), `$request.header.X` (HTTP
  /// API), `route.request.header.X` (WebSocket), `$stageVariables.x`, `$context.x`. Returns `nil` for any other text.
  package init?(expression text: String) {
    let bare = text.rest(after: "$") ?? text[...]
    let prefixes: [(String, (String) -> IdentitySource)] = [
      ("request.header.", { .header($0) }), ("request.querystring.", { .query($0) }),
      ("method.request.header.", { .header($0) }), ("method.request.querystring.", { .query($0) }),
      ("route.request.header.", { .header($0) }), ("route.request.querystring.", { .query($0) }),
      ("stageVariables.", { .stageVariable($0) }), ("context.", { .context($0) }),
    ]
    for (prefix, make) in prefixes where bare.hasBytePrefix(prefix) {
      let name = String(bare.dropFirst(bytes: prefix.utf8.count))
      guard !name.isEmpty else { return nil }
      if prefix == "context.", !ContextVariables.names.contains(name) { return nil }
      self = make(name)
      return
    }
    return nil
  }
}
