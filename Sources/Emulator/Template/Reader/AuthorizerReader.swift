/// A reader for `Auth` of SAM's APIs.
struct AuthorizerReader {
  private let reader: TemplateReader
  /// The API ID.
  private let api: String
  let report: TemplateReport

  /// The authorizers of an API, the default, and whether `OPTIONS` uses it.
  struct Auth {
    /// Who may call a route with this authorizer.
    var authorizers: [String: RouteAccess] = [:]
    var defaultName: String?
    /// Whether `OPTIONS` has the default authorizer: never on an HTTP API; on a REST API unless it is disabled.
    var guardsPreflight = false
  }

  /// - Parameter report: the report about the API.
  init(_ reader: TemplateReader, api: String, _ report: TemplateReport) {
    self.reader = reader
    self.api = api
    self.report = report
  }

  /// The reader for one authorizer, whose findings close only the routes that it guards.
  private func part() -> AuthorizerReader { AuthorizerReader(reader, api: api, report.part()) }

  /// Who may call a route with this authorizer.
  func access(_ authorizer: GatewayAuthorizer?, _ line: Int, _ path: String) -> RouteAccess {
    if let authorizer, report.findings.isEmpty { return .lambda(authorizer) }
    let unread = TemplateFinding(
      line: line, path: path, problem: "cannot be read", cure: "check its properties")
    return .closed(report.findings.isEmpty ? [unread] : report.findings)
  }

  func auth(_ properties: inout PropertyReader, isREST: Bool) -> Auth {
    var result = Auth()
    guard var auth = properties.reader("Auth") else { return result }
    let line = auth.line
    result.defaultName = auth.text("DefaultAuthorizer")
    if isREST {
      result.guardsPreflight = auth.boolean("AddDefaultAuthorizerToCorsPreflight") ?? true
      auth.refuse(
        "ApiKeyRequired", "UsagePlan", "ResourcePolicy", "InvokeRole", "AddApiKeyRequiredToCorsPreflight",
        cure: "remove it: serve supports Lambda authorizers only")
    } else if auth.boolean("EnableIamAuthorizer") == true {
      report.refuse(
        line, auth.path(of: "EnableIamAuthorizer"), "is not emulated",
        cure: "remove it: serve supports Lambda authorizers only")
    }
    if var list = auth.reader("Authorizers") {
      for member in list.takeAll() {
        let path = list.path(of: member.name)
        let part = part()
        let authorizer =
          isREST
          ? part.restAuthorizer(member.name, member.value, path)
          : part.httpAuthorizer(member.name, member.value, path)
        result.authorizers[member.name] = part.access(authorizer, member.value.line, path)
      }
    }
    auth.finish()
    if let name = result.defaultName, name != "NONE", result.authorizers[name] == nil {
      // Without this check, routes would silently have no authorizer.
      report.refuse(
        line, auth.path(of: "DefaultAuthorizer"), "there is no authorizer \(name)",
        cure: "check the spelling")
    }
    return result
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
      guard let defaultName = auth.defaultName, defaultName != "NONE" else { return .open }
      name = defaultName
    case .named(let own): name = own
    }
    if let access = auth.authorizers[name] { return access }
    return .closed([
      TemplateFinding(
        line: line, path: path, problem: "there is no authorizer \(name)", cure: "check the spelling")
    ])
  }

  /// Returns the route of an OpenAPI operation.
  func route(_ operation: OpenAPIDocument.Operation, of auth: Auth) -> GatewayRoute {
    let security = operation.security
    let access =
      security.isSigned
      ? RouteAccess.signature
      : access(
        security.choice, of: auth, method: operation.method, line: operation.line, path: operation.path)
    var route = GatewayRoute(
      match: operation.match, access: access.requiring(security.scopes).closed(by: operation.findings),
      needsAPIKey: security.needsAPIKey ?? false, integration: operation.integration)
    route.validation = operation.validation
    return route
  }

  // MARK: Kinds

  private enum PayloadType: String, CaseIterable { case token = "TOKEN", request = "REQUEST" }

  private func restAuthorizer(_ name: String, _ value: TemplateValue, _ path: String) -> GatewayAuthorizer? {
    guard var properties = PropertyReader(value, at: path, report) else { return nil }
    properties.refuse(
      "UserPoolArn", "AuthorizationScopes",
      cure: "serve supports Lambda authorizers only; test this one on AWS")
    let isDisabled = properties.boolean("DisableFunctionDefaultPermissions") == true
    let mayCall = takeInvokeRole(&properties) || !isDisabled
    let arn = properties.requiredText("FunctionArn", cure: "write FunctionArn: !GetAtt FUNCTION.Arn")
    let type = properties.word("FunctionPayloadType", PayloadType.self) ?? .token
    var identity = properties.reader("Identity")
    properties.finish()
    let lifetime =
      identity?.integer("ReauthorizeEvery", in: 0...GatewayAuthorizer.longestTimeToLiveSeconds) ?? 300
    let form: GatewayAuthorizer.Form
    switch type {
    case .token:
      let header = identity?.text("Header") ?? "Authorization"
      let validation = validation(
        identity?.text("ValidationExpression"), value.line, path + ".Identity.ValidationExpression")
      form = .token(header: header, validation)
    case .request:
      form = .restRequest(sources(&identity, path))
    }
    identity?.finish()
    return authorizer(name, arn, form, lifetime, mayCall: mayCall, value.line, path)
  }

  /// Reads an identity validation expression; an empty one is none.
  func validation(_ text: String?, _ line: Int, _ path: String) -> ValidationExpression? {
    guard let text, !text.isEmpty else { return nil }
    if let expression = ValidationExpression(text) { return expression }
    report.refuse(
      line, path, "is not a valid regular expression", cure: "check that brackets and parentheses are closed")
    return nil
  }

  /// Whether API Gateway assumes a role for the call; SAM's `NONE` means no role.
  private func takeInvokeRole(_ properties: inout PropertyReader) -> Bool {
    properties.take("FunctionInvokeRole").map { $0.text != "NONE" } ?? false
  }

  private func httpAuthorizer(_ name: String, _ value: TemplateValue, _ path: String) -> GatewayAuthorizer? {
    guard var properties = PropertyReader(value, at: path, report) else { return nil }
    properties.refuse(
      "JwtConfiguration", "IdentitySource", "AuthorizationScopes",
      cure: "serve supports Lambda authorizers only; test this one on AWS")
    // Unlike for REST APIs, SAM adds a permission only if it is enabled.
    let isEnabled = properties.boolean("EnableFunctionDefaultPermissions") == true
    let mayCall = takeInvokeRole(&properties) || isEnabled
    let arn = properties.requiredText("FunctionArn", cure: "write FunctionArn: !GetAtt FUNCTION.Arn")
    let hasVersion = properties.requiredText(
      "AuthorizerPayloadFormatVersion", cure: "write AuthorizerPayloadFormatVersion: \"2.0\"")
    let simple = properties.boolean("EnableSimpleResponses") ?? false
    var identity = properties.reader("Identity")
    properties.finish()
    // HTTP APIs do not cache by default.
    let lifetime =
      identity?.integer("ReauthorizeEvery", in: 0...GatewayAuthorizer.longestTimeToLiveSeconds) ?? 0
    let sources = sources(&identity, path)
    identity?.finish()
    let form: GatewayAuthorizer.Form
    switch hasVersion {
    case "2.0": form = .http2(sources, simpleAnswers: simple)
    case "1.0" where !simple: form = .http1(sources)
    case "1.0":
      report.refuse(
        value.line, path + ".EnableSimpleResponses", "needs payload format 2.0",
        cure: "write AuthorizerPayloadFormatVersion: \"2.0\"")
      return nil
    case let other?:
      report.refuse(
        value.line, path + ".AuthorizerPayloadFormatVersion", "is not known: \(other)",
        cure: "write \"1.0\" or \"2.0\"")
      return nil
    case nil: return nil
    }
    return authorizer(name, arn, form, lifetime, mayCall: mayCall, value.line, path)
  }

  /// Creates the authorizer after the checks that all kinds share.
  ///
  /// - Parameter mayCall: whether API Gateway may call the function without an explicit permission in the template.
  func authorizer(
    _ name: String, _ function: String?, _ form: GatewayAuthorizer.Form, _ lifetime: Int, mayCall: Bool,
    _ line: Int, _ path: String
  ) -> GatewayAuthorizer? {
    guard let function, let function = reader.function(function, line: line, path: path, report) else {
      return nil
    }
    if !mayCall, !reader.permissions.letCall(function, authorizersOf: api) {
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

  private func sources(_ identity: inout PropertyReader?, _ path: String) -> [IdentitySource] {
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
  /// Parses an identity source in API Gateway's syntax: `method.request.header.X` (REST API), `$request.header.X` (HTTP API), `route.request.header.X`
  /// (WebSocket), `$stageVariables.x`, `$context.x`. Returns `nil` for any other text.
  init?(expression text: String) {
    let bare = text.hasPrefix("$") ? text.dropFirst() : text[...]
    let prefixes: [(String, (String) -> IdentitySource)] = [
      ("request.header.", { .header($0) }), ("request.querystring.", { .query($0) }),
      ("method.request.header.", { .header($0) }), ("method.request.querystring.", { .query($0) }),
      ("route.request.header.", { .header($0) }), ("route.request.querystring.", { .query($0) }),
      ("stageVariables.", { .stageVariable($0) }), ("context.", { .context($0) }),
    ]
    for (prefix, make) in prefixes where bare.hasPrefix(prefix) {
      let name = String(bare.dropFirst(prefix.count))
      guard !name.isEmpty else { return nil }
      if prefix == "context.", !ContextVariables.names.contains(name) { return nil }
      self = make(name)
      return
    }
    return nil
  }
}
