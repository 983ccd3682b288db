internal import GatewayModel
internal import Text

/// `Auth` of an API: its authorizers, the default, and API keys.
struct APIAuth {
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
    schemes.authorizers.formUnion(authorizers.keys.map(ByteString.init))
    add(document, schemes)
  }

  /// Adds the schemes of the document of a REST API of SAM.
  ///
  /// - Parameter merges: `MergeDefinitions`.
  mutating func add(_ document: OpenAPIDocument?, _ events: [FunctionEvent], merges: Bool) {
    guard let document else { return }
    let security = SAMSecurity(
      authorizers: Set(authorizers.keys.filter { $0 != SAMSecurity.signature }.map(ByteString.init)),
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

  /// Returns who may call a route: no client if its authorizer does not exist.
  func access(_ choice: AuthorizerChoice, method: String?, line: Int, path: String) -> RouteAccess {
    let name: String
    switch choice {
    case .none: return .open
    case .inherited where method == "OPTIONS" && !guardsPreflight: return .open
    case .inherited:
      guard let defaultName else { return .open }
      name = defaultName
    case .named(let own): name = own
    }
    if let access = authorizers[name] { return access }
    return .closed([
      Diagnostic(
        line: line, path: path, problem: "there is no authorizer \(name)", cure: "check the spelling")
    ])
  }

  /// Returns the route with who may call it.
  func route(_ route: SAMRoute) -> GatewayRoute {
    var method: String?
    if case .path(let own, _) = route.match { method = own }
    // SAM adds its default to no list of an HTTP API.
    let hasNoDefault = !isREST && !route.auth.requirements.isEmpty && route.auth.choice == .inherited
    var access =
      route.auth.isSigned
      ? RouteAccess.signature
      : access(hasNoDefault ? .none : route.auth.choice, method: method, line: route.line, path: route.path)
    if isREST, let other = defaultName, method != "OPTIONS" || guardsPreflight {
      let isForeign =
        if case .named(let name) = route.auth.choice { documentNames.contains(name) } else { false }
      if isForeign || route.auth.isSigned {
        access = access.closed(by: [
          Diagnostic(
            line: route.line, path: route.path,
            problem: "has an authorizer of the document, and SAM adds the default \(other)",
            cure: "write the authorizer under Auth, or remove DefaultAuthorizer")
        ])
      }
    }
    if case .lambda = access, route.auth.scopes?.isEmpty == false {
      access = access.closed(by: [
        Diagnostic(
          line: route.line, path: route.path, problem: "has scopes, which a Lambda authorizer does not check",
          cure: "remove them")
      ])
    }
    var result = GatewayRoute(
      match: route.match, access: access.requiring(route.auth.scopes).closed(by: route.findings),
      needsAPIKey: needsAPIKey(route.auth.needsAPIKey, method: method), integration: route.integration)
    result.validation = route.validation
    return result
  }
}
