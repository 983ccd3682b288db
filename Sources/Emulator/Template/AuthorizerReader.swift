/// Reads the `Auth` of SAM's APIs.
struct AuthorizerReader {
  private let reader: TemplateReader
  /// The API's id.
  private let api: String
  private var report: TemplateReport { reader.report }

  /// The authorizers of an API, its default, and whether `OPTIONS` gets it too.
  struct Auth {
    var authorizers: [String: GatewayAuthorizer] = [:]
    /// Names of all of them, also of those that could not be read.
    var declared: Set<String> = []
    var defaultName: String?
    /// SAM never gives it to `OPTIONS` of an HTTP API, and to `OPTIONS` of a REST API unless it is told not to.
    var guardsPreflight = false
  }

  init(_ reader: TemplateReader, api: String) {
    self.reader = reader
    self.api = api
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
        cure: "serve knows Lambda authorizers only")
    } else if auth.boolean("EnableIamAuthorizer") == true {
      report.refuse(
        line, auth.path(of: "EnableIamAuthorizer"), "is not emulated",
        cure: "serve knows Lambda authorizers only")
    }
    if var list = auth.reader("Authorizers") {
      for member in list.takeAll() {
        result.declared.insert(member.name)
        let path = list.path(of: member.name)
        result.authorizers[member.name] =
          isREST
          ? restAuthorizer(member.name, member.value, path) : httpAuthorizer(member.name, member.value, path)
      }
    }
    auth.finish()
    if let name = result.defaultName, name != "NONE", !result.declared.contains(name) {
      // An authorizer that is silently not called is the worst of all.
      report.refuse(
        line, auth.path(of: "DefaultAuthorizer"), "there is no authorizer \(name)",
        cure: "is the name spelled right?")
    }
    return result
  }

  /// The authorizer that a route gets; a finding where it names one that is not there.
  func authorizer(
    _ choice: AuthorizerChoice, of auth: Auth, method: String?, line: Int, path: String
  ) -> GatewayAuthorizer? {
    let name: String
    switch choice {
    case .none: return nil
    case .inherited where method == "OPTIONS" && !auth.guardsPreflight: return nil
    case .inherited:
      guard let defaultName = auth.defaultName, defaultName != "NONE" else { return nil }
      name = defaultName
    case .named(let own): name = own
    }
    if let authorizer = auth.authorizers[name] { return authorizer }
    if case .named = choice, !auth.declared.contains(name) {
      report.refuse(line, path, "there is no authorizer \(name)", cure: "is the name spelled right?")
    }
    return nil
  }

  // MARK: Kinds

  private enum PayloadType: String, CaseIterable { case token = "TOKEN", request = "REQUEST" }

  private func restAuthorizer(_ name: String, _ value: TemplateValue, _ path: String) -> GatewayAuthorizer? {
    guard var properties = PropertyReader(value, at: path, report) else { return nil }
    properties.refuse(
      "UserPoolArn", "AuthorizationScopes", cure: "serve knows Lambda authorizers only; test this one on AWS")
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
      var validation: ValidationExpression?
      if let text = identity?.text("ValidationExpression") {
        validation = ValidationExpression(text)
        if validation == nil {
          report.refuse(
            value.line, path + ".Identity.ValidationExpression", "is no regular expression",
            cure: "is it closed?")
        }
      }
      form = .token(header: header, validation)
    case .request:
      form = .restRequest(sources(&identity, path))
    }
    identity?.finish()
    return authorizer(name, arn, form, lifetime, mayCall: mayCall, value.line, path)
  }

  /// Whether API Gateway takes on a role for the call; `NONE` is SAM's word for none.
  private func takeInvokeRole(_ properties: inout PropertyReader) -> Bool {
    properties.take("FunctionInvokeRole").map { $0.text != "NONE" } ?? false
  }

  private func httpAuthorizer(_ name: String, _ value: TemplateValue, _ path: String) -> GatewayAuthorizer? {
    guard var properties = PropertyReader(value, at: path, report) else { return nil }
    properties.refuse(
      "JwtConfiguration", "IdentitySource", "AuthorizationScopes",
      cure: "serve knows Lambda authorizers only; test this one on AWS")
    // Unlike for REST APIs, SAM writes no permission unless it is told to.
    let isEnabled = properties.boolean("EnableFunctionDefaultPermissions") == true
    let mayCall = takeInvokeRole(&properties) || isEnabled
    let arn = properties.requiredText("FunctionArn", cure: "write FunctionArn: !GetAtt FUNCTION.Arn")
    let hasVersion = properties.requiredText(
      "AuthorizerPayloadFormatVersion", cure: "write AuthorizerPayloadFormatVersion: \"2.0\"")
    let simple = properties.boolean("EnableSimpleResponses") ?? false
    var identity = properties.reader("Identity")
    properties.finish()
    // HTTP APIs keep nothing unless told to.
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

  /// The last checks that all kinds share.
  ///
  /// - Parameter mayCall: whether API Gateway may call the function without a permission of its own in the template.
  func authorizer(
    _ name: String, _ function: String?, _ form: GatewayAuthorizer.Form, _ lifetime: Int, mayCall: Bool,
    _ line: Int, _ path: String
  ) -> GatewayAuthorizer? {
    guard let function, let function = reader.function(function, line: line, path: path) else { return nil }
    if !mayCall, !reader.permissions.letCall(function, authorizersOf: api) {
      report.noteUncallable(line, path, function)
    }
    let authorizer = GatewayAuthorizer(
      name: name, function: function, form: form, timeToLiveSeconds: lifetime)
    if lifetime > 0, authorizer.identitySources.isEmpty {
      report.refuse(
        line, path, "keeps answers for \(lifetime) s and has no identity source to keep them under",
        cure: "name an identity source, or set the time to live to 0")
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
        line, path + ".Identity.Context", "$context.\(name) is not known here",
        cure: "known are \(ContextVariables.names.sorted().joined(separator: ", "))")
    }
    return headers.map { .header($0) } + queries.map { .query($0) } + variables.map { .stageVariable($0) }
      + contexts.map { .context($0) }
  }
}

extension IdentitySource {
  /// An identity source as API Gateway itself spells it: `$request.header.X` (HTTP API), `route.request.header.X`
  /// (WebSocket), `$stageVariables.x`, `$context.x`; `nil` for what is not known.
  init?(expression text: String) {
    let bare = text.hasPrefix("$") ? text.dropFirst() : text[...]
    let prefixes: [(String, (String) -> IdentitySource)] = [
      ("request.header.", { .header($0) }), ("request.querystring.", { .query($0) }),
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
