internal import GatewayModel
internal import IAMPolicy
internal import Mapping
internal import Text

/// `Auth` of `AWS::Serverless::Api` and `AWS::Serverless::HttpApi`.
extension AuthorizerReader {
  package func auth(_ properties: inout PropertyReader, isREST: Bool) -> Auth {
    var result = Auth()
    result.isREST = isREST
    // Each event may ask for AWS_IAM on a REST API.
    if isREST { result.authorizers["AWS_IAM"] = .signature }
    guard var auth = properties.reader("Auth") else { return result }
    result.defaultName = auth.text("DefaultAuthorizer")
    if isREST {
      result.guardsPreflight = auth.boolean("AddDefaultAuthorizerToCorsPreflight") ?? true
      result.needsAPIKey = auth.boolean("ApiKeyRequired") ?? false
      result.needsAPIKeyOnPreflight = auth.boolean("AddApiKeyRequiredToCorsPreflight") ?? true
      result.policy = auth.take("ResourcePolicy")
      result.plan = SAMUsagePlan(&auth, reader)
      // The role for the call of the integration.
      auth.pass(over: "InvokeRole")
    } else if auth.boolean("EnableIamAuthorizer") == true {
      result.authorizers["AWS_IAM"] = .signature
    }
    if var list = auth.reader("Authorizers") {
      for member in list.takeAll() {
        let path = list.path(of: member.name)
        guard result.authorizers[member.name] == nil else {
          report.refuse(
            member.value.line, path, "has the name of API Gateway's own authorizer", cure: "rename it")
          continue
        }
        let part = part()
        let access =
          isREST ? part.rest(member.name, member.value, path) : part.http(member.name, member.value, path)
        result.authorizers[member.name] = access.closed(by: part.report.findings)
      }
    }
    auth.finish()
    if let name = result.defaultName, result.authorizers[name] == nil {
      // Without this check, routes would silently have no authorizer.
      report.refuse(
        auth.line, auth.path(of: "DefaultAuthorizer"), "there is no authorizer \(name)",
        cure: "check the spelling")
    }
    return result
  }

  // MARK: REST APIs

  private enum PayloadType: String, CaseIterable { case token = "TOKEN", request = "REQUEST" }

  /// What SAM does not look at in an authorizer of a REST API.
  private static let unused = "has no effect: SAM ignores it in this authorizer"

  private func rest(_ name: String, _ value: TemplateValue, _ path: String) -> RouteAccess {
    guard var properties = PropertyReader(value, at: path, report) else { return .closed(report.findings) }
    properties.note(
      Self.unused, "AuthorizerPayloadFormatVersion", "EnableSimpleResponses",
      "EnableFunctionDefaultPermissions")
    let isDisabled = properties.boolean("DisableFunctionDefaultPermissions") == true
    let mayCall = takeInvokeRole(&properties) || !isDisabled
    let type = properties.word("FunctionPayloadType", PayloadType.self) ?? .token
    let scopes = properties.textList("AuthorizationScopes") ?? []
    var identity = properties.reader("Identity")
    if let pools = properties.take("UserPoolArn") {
      properties.note(Self.unused, "FunctionArn")
      properties.warnOfOthers()
      return cognito(name, pools, &identity, scopes, path)
    }
    let address = address(&properties, "FunctionArn", cure: "write FunctionArn: !GetAtt FUNCTION.Arn")
    properties.warnOfOthers()
    if !scopes.isEmpty {
      report.refuse(
        value.line, path + ".AuthorizationScopes", "has no effect on a Lambda authorizer", cure: "remove it")
    }
    let lifetime =
      identity?.integer("ReauthorizeEvery", in: 0...GatewayAuthorizer.maximumTimeToLiveSeconds)
      ?? GatewayQuota.restTimeToLiveSeconds
    let form: GatewayAuthorizer.Form
    switch type {
    case .token:
      identity?.note(Self.unused, "Headers", "QueryStrings", "StageVariables", "Context")
      form = .token(header: header(&identity), validation(&identity, path))
    case .request:
      identity?.note(Self.unused, "Header", "ValidationExpression")
      form = .restRequest(sources(&identity, path))
    }
    identity?.warnOfOthers()
    let result = authorizer(name, at: address, form, lifetime, mayCall: mayCall, value.line, path)
    return access(result, value.line, path)
  }

  private func cognito(
    _ name: String, _ pools: TemplateValue, _ identity: inout PropertyReader?, _ scopes: [String],
    _ path: String
  ) -> RouteAccess {
    let (header, validation) = (header(&identity), validation(&identity, path))
    identity?.note(Self.unused, "ReauthorizeEvery", "Headers", "QueryStrings", "StageVariables", "Context")
    identity?.warnOfOthers()
    let arns = pools.elements.map { $0.text ?? "" }
    guard !arns.isEmpty, arns.allSatisfy(isUserPool) else {
      report.refuse(
        pools, path + ".UserPoolArn", "is not the ARN of a user pool",
        cure: "write UserPoolArn: !GetAtt POOL.Arn")
      return .closed(report.findings)
    }
    return .token(
      TokenAuthorizer(
        name: name, kind: .userPools(arns), source: .header(header), validation: validation),
      scopes: scopes)
  }

  /// Whether a text is the ARN of a user pool, or the attribute of one in this template.
  func isUserPool(_ text: String) -> Bool {
    let parts = text.splitBytes(at: ":", omittingEmptySubsequences: false)
    if parts.count == 6, parts[0] == "arn", parts[2] == "cognito-idp", parts[5].hasBytePrefix("userpool/") {
      return true
    }
    return text.hasByteSuffix(".Arn")
      && reader.names.isResource(String(text.dropLast(bytes: ".Arn".utf8.count)))
  }

  private func header(_ identity: inout PropertyReader?) -> String {
    let text = identity?.text("Header") ?? ""
    return text.isEmpty ? "Authorization" : text
  }

  private func validation(_ identity: inout PropertyReader?, _ path: String) -> ValidationExpression? {
    let line = identity?.line(of: "ValidationExpression") ?? 1
    return validation(identity?.text("ValidationExpression"), line, path + ".Identity.ValidationExpression")
  }

  /// Whether API Gateway assumes a role for the call; SAM's `NONE` means no role.
  private func takeInvokeRole(_ properties: inout PropertyReader) -> Bool {
    properties.take("FunctionInvokeRole").map { $0.text != "NONE" && $0.text != "" } ?? false
  }

  // MARK: HTTP APIs

  private func http(_ name: String, _ value: TemplateValue, _ path: String) -> RouteAccess {
    guard var properties = PropertyReader(value, at: path, report) else { return .closed(report.findings) }
    if properties.has("JwtConfiguration") { return jwt(name, &properties) }
    // Unlike for REST APIs, SAM adds a permission only if it is enabled.
    let isEnabled = properties.boolean("EnableFunctionDefaultPermissions") == true
    let mayCall = takeInvokeRole(&properties) || isEnabled
    let address = address(&properties, "FunctionArn", cure: "write FunctionArn: !GetAtt FUNCTION.Arn")
    let version = properties.requiredText(
      "AuthorizerPayloadFormatVersion", cure: "write AuthorizerPayloadFormatVersion: \"2.0\"")
    let simple = properties.boolean("EnableSimpleResponses") ?? false
    var identity = properties.reader("Identity")
    properties.refuse(
      "AuthorizationScopes", "IdentitySource", "OpenIdConnectUrl", cure: "remove it: SAM refuses it here")
    properties.warnOfOthers()
    // HTTP APIs do not cache by default.
    let lifetime =
      identity?.integer("ReauthorizeEvery", in: 0...GatewayAuthorizer.maximumTimeToLiveSeconds) ?? 0
    let sources = sources(&identity, path)
    identity?.warnOfOthers()
    guard let form = form(version, sources, simple, value.line, path) else {
      return .closed(report.findings)
    }
    let result = authorizer(name, at: address, form, lifetime, mayCall: mayCall, value.line, path)
    return access(result, value.line, path)
  }

  /// Returns `nil` with a finding for a payload format that does not exist.
  private func form(
    _ version: String?, _ sources: [IdentitySource], _ simple: Bool, _ line: Int, _ path: String
  ) -> GatewayAuthorizer.Form? {
    switch version {
    case "2.0": return .http2(sources, simpleAnswers: simple)
    case "1.0" where !simple: return .http1(sources)
    case "1.0":
      report.refuse(
        line, path + ".EnableSimpleResponses", "needs payload format 2.0",
        cure: "write AuthorizerPayloadFormatVersion: \"2.0\"")
    case let other?:
      report.refuse(
        line, path + ".AuthorizerPayloadFormatVersion", "is not known: \(other)",
        cure: "write \"1.0\" or \"2.0\"")
    case nil: break
    }
    return nil
  }

  private func jwt(_ name: String, _ properties: inout PropertyReader) -> RouteAccess {
    let (line, path) = (properties.line, properties.path)
    let scopes = properties.textList("AuthorizationScopes") ?? []
    let source = properties.requiredText("IdentitySource", cure: "write $request.header.Authorization")
    // SAM accepts the names of CloudFormation, Issuer and Audience, too.
    var configuration = properties.take("JwtConfiguration").flatMap {
      PropertyReader($0.lowercasedNames, at: path + ".JwtConfiguration", report)
    }
    let issuer = configuration?.requiredText("issuer", cure: "write issuer: https://…")
    let audiences = configuration?.requiredTexts("audience", cure: "write audience: [CLIENT]") ?? []
    configuration?.finish()
    properties.refuse(
      "FunctionArn", "FunctionInvokeRole", "Identity", "AuthorizerPayloadFormatVersion",
      "EnableSimpleResponses",
      "EnableFunctionDefaultPermissions", "OpenIdConnectUrl", cure: "remove it: SAM refuses it here")
    properties.warnOfOthers()
    if let issuer { check(issuer: issuer, line, path + ".JwtConfiguration.issuer") }
    guard let issuer, let source, let place = tokenSource(source, line, path) else {
      return access(nil, line, path)
    }
    return .token(
      TokenAuthorizer(name: name, kind: .jwt(issuer: issuer, audiences: audiences), source: place),
      scopes: scopes)
  }

  /// Reports an issuer that no token of API Gateway's JWT authorizers has.
  package func check(issuer: String, _ line: Int, _ path: String) {
    if issuer.hasBytePrefix("https://") { return }
    report.refuse(line, path, "is not an HTTPS URL", cure: "write https://…")
  }

  private func tokenSource(_ text: String, _ line: Int, _ path: String) -> IdentitySource? {
    if text.hasBytePrefix("$"), !text.utf8.contains(where: { ", ".utf8.contains($0) }),
      let source = IdentitySource(expression: text)
    {
      switch source {
      case .header, .query: return source
      case .stageVariable, .context: break
      }
    }
    report.refuse(
      line, path + ".IdentitySource", "is not known: \(text)",
      cure: "write $request.header.NAME or $request.querystring.NAME")
    return nil
  }
}

extension TemplateValue {
  /// The map with lower-case names.
  fileprivate var lowercasedNames: TemplateValue {
    guard let members else { return self }
    return TemplateValue(
      line: line, content: .map(members.map { Member(name: $0.name.lowercased(), value: $0.value) }))
  }
}
