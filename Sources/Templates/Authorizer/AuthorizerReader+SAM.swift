internal import GatewayModel
internal import IAMPolicy
internal import Mapping
internal import Text

extension APIAuth {
  /// Reads `Auth` of `AWS::Serverless::Api` or `AWS::Serverless::HttpApi`.
  init(_ properties: inout PropertyReader, of api: some ResourceReader, isREST: Bool) {
    self.isREST = isREST
    // Each event may ask for AWS_IAM on a REST API.
    if isREST { authorizers["AWS_IAM"] = .signature }
    guard var auth = properties.reader("Auth") else { return }
    defaultName = auth.text("DefaultAuthorizer")
    if isREST {
      guardsPreflight = auth.boolean("AddDefaultAuthorizerToCorsPreflight") ?? true
      needsAPIKey = auth.boolean("ApiKeyRequired") ?? false
      needsAPIKeyOnPreflight = auth.boolean("AddApiKeyRequiredToCorsPreflight") ?? true
      policy = auth.take("ResourcePolicy")
      plan = SAMUsagePlan(&auth)
      // The role for the call of the integration.
      auth.pass(over: "InvokeRole")
    } else if auth.boolean("EnableIamAuthorizer") == true {
      authorizers["AWS_IAM"] = .signature
    }
    if var list = auth.reader("Authorizers") {
      for member in list.takeAll() {
        let path = list.path(of: member.name)
        guard authorizers[member.name] == nil else {
          auth.report.refuse(
            member.value.line, path, "has the name of API Gateway's own authorizer", cure: "rename it")
          continue
        }
        let part = api.authorizer(member.name, line: member.value.line, path: path)
        let access = isREST ? part.rest(member.value) : part.http(member.value)
        authorizers[member.name] = access.closed(by: part.report.findings)
      }
    }
    auth.finish()
    if let name = defaultName, authorizers[name] == nil {
      // Without this check, routes would silently have no authorizer.
      auth.refuse(member: "DefaultAuthorizer", "there is no authorizer \(name)", cure: "check the spelling")
    }
  }
}

/// The authorizers in `Auth` of `AWS::Serverless::Api` and `AWS::Serverless::HttpApi`.
extension AuthorizerReader {
  private func properties(_ value: TemplateValue) -> PropertyReader? {
    PropertyReader(value, at: location.path, report)
  }

  // MARK: REST APIs

  private enum PayloadType: String, CaseIterable { case token = "TOKEN", request = "REQUEST" }

  /// What SAM does not look at in an authorizer of a REST API.
  private static let unused = "has no effect: SAM ignores it in this authorizer"

  fileprivate func rest(_ value: TemplateValue) -> RouteAccess {
    guard var properties = properties(value) else { return closed }
    properties.note(
      Self.unused, "AuthorizerPayloadFormatVersion", "EnableSimpleResponses",
      "EnableFunctionDefaultPermissions")
    let isDisabled = properties.boolean("DisableFunctionDefaultPermissions") == true
    let mayCall = takeInvokeRole(&properties) || !isDisabled
    let type = properties.word("FunctionPayloadType", PayloadType.self) ?? .token
    let scopes = properties.texts("AuthorizationScopes", orOne: false) ?? []
    var identity = properties.reader("Identity")
    if let pools = properties.take("UserPoolArn") {
      properties.note(Self.unused, "FunctionArn")
      properties.warnOfOthers()
      return cognito(pools, &identity, scopes)
    }
    let address = address(&properties)
    properties.warnOfOthers()
    if !scopes.isEmpty {
      refuse("AuthorizationScopes", "has no effect on a Lambda authorizer", cure: "remove it")
    }
    let lifetime = lifetime(&identity) ?? GatewayQuota.restTimeToLiveSeconds
    let form: GatewayAuthorizer.Form
    switch type {
    case .token:
      identity?.note(Self.unused, "Headers", "QueryStrings", "StageVariables", "Context")
      form = .token(header: header(&identity), validation(&identity))
    case .request:
      identity?.note(Self.unused, "Header", "ValidationExpression")
      form = .restRequest(sources(&identity))
    }
    identity?.warnOfOthers()
    return lambda(address, form, lifetime: lifetime, mayCall: mayCall)
  }

  private func cognito(
    _ pools: TemplateValue, _ identity: inout PropertyReader?, _ scopes: [String]
  ) -> RouteAccess {
    let (header, validation) = (header(&identity), validation(&identity))
    identity?.note(Self.unused, "ReauthorizeEvery", "Headers", "QueryStrings", "StageVariables", "Context")
    identity?.warnOfOthers()
    let arns = pools.elements.map { $0.text ?? "" }
    guard !arns.isEmpty, arns.allSatisfy(isUserPool) else {
      report.refuse(
        pools, location.path + ".UserPoolArn", "is not the ARN of a user pool",
        cure: "write UserPoolArn: !GetAtt POOL.Arn")
      return closed
    }
    return userPools(arns, header: header, validation, scopes: scopes)
  }

  private func header(_ identity: inout PropertyReader?) -> String {
    let text = identity?.text("Header") ?? ""
    return text.isEmpty ? "Authorization" : text
  }

  private func validation(_ identity: inout PropertyReader?) -> ValidationExpression? {
    let line = identity?.line(of: "ValidationExpression") ?? 1
    return validation(identity?.text("ValidationExpression"), line: line, at: "Identity.ValidationExpression")
  }

  private func lifetime(_ identity: inout PropertyReader?) -> Int? {
    identity?.integer("ReauthorizeEvery", in: 0...GatewayAuthorizer.maximumTimeToLiveSeconds)
  }

  /// Reads the function of an authorizer.
  private func address(_ properties: inout PropertyReader) -> ExternalFunctions.Address? {
    let (name, cure) = ("FunctionArn", "write FunctionArn: !GetAtt FUNCTION.Arn")
    guard let value = properties.take(name) else {
      properties.refuse(member: name, "is missing", cure: cure)
      return nil
    }
    if let text = value.text { return .text(text) }
    if let finding = value.finding { return .unknown(finding) }
    report.refuse(value, properties.path(of: name), "must be a string, found \(value.kindName)", cure: cure)
    return nil
  }

  private func sources(_ identity: inout PropertyReader?) -> [IdentitySource] {
    guard let line = identity?.line else { return [] }
    let headers = identity?.texts("Headers") ?? []
    let queries = identity?.texts("QueryStrings") ?? []
    let variables = identity?.texts("StageVariables") ?? []
    let contexts = identity?.texts("Context") ?? []
    for name in contexts where !ContextVariables.names.contains(name) {
      report.refuse(
        line, location.path + ".Identity.Context", "$context.\(name) is not supported",
        cure: "use one of \(ContextVariables.names.sorted().joined(separator: ", "))")
    }
    return headers.map { .header($0) } + queries.map { .query($0) } + variables.map { .stageVariable($0) }
      + contexts.map { .context($0) }
  }

  /// Whether API Gateway assumes a role for the call; SAM's `NONE` means no role.
  private func takeInvokeRole(_ properties: inout PropertyReader) -> Bool {
    properties.take("FunctionInvokeRole").map { $0.text != "NONE" && $0.text != "" } ?? false
  }

  // MARK: HTTP APIs

  fileprivate func http(_ value: TemplateValue) -> RouteAccess {
    guard var properties = properties(value) else { return closed }
    if properties.has("JwtConfiguration") { return jwt(&properties) }
    // Unlike for REST APIs, SAM adds a permission only if it is enabled.
    let isEnabled = properties.boolean("EnableFunctionDefaultPermissions") == true
    let mayCall = takeInvokeRole(&properties) || isEnabled
    let address = address(&properties)
    let version = properties.requiredText(
      "AuthorizerPayloadFormatVersion", cure: "write AuthorizerPayloadFormatVersion: \"2.0\"")
    let simple = properties.boolean("EnableSimpleResponses") ?? false
    var identity = properties.reader("Identity")
    properties.refuse(
      "AuthorizationScopes", "IdentitySource", "OpenIdConnectUrl", cure: "remove it: SAM refuses it here")
    properties.warnOfOthers()
    // HTTP APIs do not cache by default.
    let lifetime = lifetime(&identity) ?? 0
    let sources = sources(&identity)
    identity?.warnOfOthers()
    guard let form = form(version, sources, simple) else { return closed }
    return lambda(address, form, lifetime: lifetime, mayCall: mayCall)
  }

  /// Returns `nil` with a finding for a payload format that does not exist.
  private func form(
    _ version: String?, _ sources: [IdentitySource], _ simple: Bool
  ) -> GatewayAuthorizer.Form? {
    switch version {
    case "2.0": return .http2(sources, simpleAnswers: simple)
    case "1.0" where !simple: return .http1(sources)
    case "1.0":
      refuse(
        "EnableSimpleResponses", "needs payload format 2.0",
        cure: "write AuthorizerPayloadFormatVersion: \"2.0\"")
    case let other?:
      refuse("AuthorizerPayloadFormatVersion", "is not known: \(other)", cure: "write \"1.0\" or \"2.0\"")
    case nil: break
    }
    return nil
  }

  private func jwt(_ properties: inout PropertyReader) -> RouteAccess {
    let scopes = properties.texts("AuthorizationScopes", orOne: false) ?? []
    let source = properties.requiredText("IdentitySource", cure: "write $request.header.Authorization")
    // SAM accepts the names of CloudFormation, Issuer and Audience, too.
    var configuration = properties.take("JwtConfiguration").flatMap {
      PropertyReader($0.lowercasedNames, at: location.path + ".JwtConfiguration", report)
    }
    let issuer = configuration?.requiredText("issuer", cure: "write issuer: https://…")
    let audiences = configuration?.requiredTexts("audience", cure: "write audience: [CLIENT]") ?? []
    configuration?.finish()
    properties.refuse(
      "FunctionArn", "FunctionInvokeRole", "Identity", "AuthorizerPayloadFormatVersion",
      "EnableSimpleResponses",
      "EnableFunctionDefaultPermissions", "OpenIdConnectUrl", cure: "remove it: SAM refuses it here")
    properties.warnOfOthers()
    check(issuer: issuer, at: "JwtConfiguration.issuer")
    guard let issuer, let source, let place = tokenSource(source) else { return unread }
    return jwt(issuer: issuer, audiences: audiences, source: place, scopes: scopes)
  }

  private func tokenSource(_ text: String) -> IdentitySource? {
    if text.hasBytePrefix("$"), !text.utf8.contains(where: { ", ".utf8.contains($0) }),
      let source = IdentitySource(expression: text)
    {
      switch source {
      case .header, .query: return source
      case .stageVariable, .context: break
      }
    }
    refuse(
      "IdentitySource", "is not known: \(text)",
      cure: "write $request.header.NAME or $request.querystring.NAME")
    return nil
  }
}

extension TemplateValue {
  /// The map with lower-case names.
  fileprivate var lowercasedNames: TemplateValue {
    mapMembers { Member(name: $0.name.lowercased(), value: $0.value) }
  }
}
