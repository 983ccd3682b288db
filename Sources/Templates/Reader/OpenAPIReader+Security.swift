internal import Text
internal import GatewayModel
internal import Mapping

/// The security schemes of an OpenAPI document ("x-amazon-apigateway-authorizer object").
extension OpenAPIReader {
  /// Reads the schemes of one section.
  ///
  /// - Parameter isOfVersion: whether the document's version of OpenAPI has the section. API Gateway documents nothing
  ///   about the other one, so what asks for its schemes is closed.
  package func read(_ section: PropertyReader?, isOfVersion: Bool, _ document: inout OpenAPIDocument) {
    guard var section else { return }
    for member in section.takeAll() {
      let path = section.path(of: member.name)
      if isOfVersion {
        read(member, at: path, &document)
      } else if document.authorizers[member.name] == nil, !document.keySchemes.contains(member.name) {
        document.authorizers[member.name] = .closed([
          TemplateFinding(
            line: member.value.line, path: path, problem: "is in the section of another version of OpenAPI",
            cure: "write it under components.securitySchemes (OpenAPI 3) or securityDefinitions (Swagger 2.0)"
          )
        ])
      }
    }
  }

  private func read(_ member: TemplateValue.Member, at path: String, _ document: inout OpenAPIDocument) {
    let part = report.part()
    guard var scheme = PropertyReader(member.value, at: path, part) else {
      document.authorizers[member.name] = .closed(part.findings)
      return
    }
    scheme.pass(
      over: "description", "in", "flows", "flow", "authorizationUrl", "tokenUrl", "scopes", "scheme",
      "bearerFormat",
      "openIdConnectUrl")
    let type = scheme.text("type")
    let name = type == "apiKey" ? scheme.requiredText("name", cure: "write name: Authorization") : nil
    let header = name ?? scheme.text("name") ?? "Authorization"
    let authType = scheme.text("x-amazon-apigateway-authtype")?.lowercased()
    if authType == "awssigv4" {
      document.authorizers[member.name] = RouteAccess.signature.closed(by: part.findings)
      return
    }
    guard var authorizer = scheme.reader("x-amazon-apigateway-authorizer") else {
      finish(&scheme)
      if type == "apiKey", header.lowercased() == "x-api-key", authType == nil, part.findings.isEmpty {
        document.keySchemes.insert(member.name)
      } else {
        part.refuse(
          member.value.line, path, "has no authorizer",
          cure: "write x-amazon-apigateway-authorizer: API Gateway ignores other security schemes")
        document.authorizers[member.name] = .closed(part.findings)
      }
      return
    }
    let reader = AuthorizerReader(reader, api: api, part)
    let access = access(&authorizer, member.name, header: header, reader)
    finish(&scheme)
    document.authorizers[member.name] = access.closed(by: part.findings)
  }

  /// Reports the members of a scheme that are neither known nor extensions of other vendors.
  private func finish(_ scheme: inout PropertyReader) {
    for member in scheme.takeAll() where !isHarmlessExtension(member.name) {
      scheme.report.refuse(
        member.value.line, scheme.path(of: member.name), "is not known",
        cure: "check the spelling: x-amazon-apigateway-authorizer")
    }
  }

  private func access(
    _ authorizer: inout PropertyReader, _ name: String, header: String, _ authorizers: AuthorizerReader
  ) -> RouteAccess {
    let (line, path, part) = (authorizer.line, authorizer.path, authorizers.report)
    let type = authorizer.requiredText("type", cure: "write token, request, cognito_user_pools or jwt")?
      .lowercased()
    switch type {
    case "cognito_user_pools" where isREST:
      let pools = authorizer.texts("providerARNs") ?? []
      if pools.isEmpty || !pools.allSatisfy(authorizers.isUserPool) {
        part.refuse(
          line, authorizer.path(of: "providerARNs"), "is no list of ARNs of user pools",
          cure: "write - !GetAtt POOL.Arn")
      }
      let validation = authorizers.validation(
        authorizer.text("identityValidationExpression"), line,
        authorizer.path(of: "identityValidationExpression"))
      authorizer.pass(over: "authorizerResultTtlInSeconds", "identitySource")
      authorizer.finish()
      return .token(
        TokenAuthorizer(name: name, kind: .userPools(pools), source: .header(header), validation: validation),
        scopes: [])
    case "jwt" where !isREST:
      let source = sources(&authorizer).first ?? .header("Authorization")
      var configuration = authorizer.reader("jwtConfiguration")
      let issuer = configuration?.requiredText("issuer", cure: "write issuer: https://…")
      let audiences = configuration?.requiredTexts("audience", cure: "write audience: [CLIENT]") ?? []
      configuration?.finish()
      authorizer.finish()
      if let issuer { authorizers.check(issuer: issuer, line, path + ".jwtConfiguration.issuer") }
      guard let issuer, !audiences.isEmpty else {
        if part.findings.isEmpty {
          part.refuse(line, path, "has no issuer and audience", cure: "write jwtConfiguration with both")
        }
        return .closed(part.findings)
      }
      return .token(
        TokenAuthorizer(name: name, kind: .jwt(issuer: issuer, audiences: audiences), source: source),
        scopes: [])
    case "token" where isREST, "request":
      return lambda(&authorizer, name, isToken: type == "token", header: header, authorizers)
    default:
      part.refuse(
        line, authorizer.path(of: "type"), "is not emulated: \(type ?? "nothing")",
        cure: isREST ? "write token, request or cognito_user_pools" : "write request or jwt")
      return .closed(part.findings)
    }
  }

  private func lambda(
    _ authorizer: inout PropertyReader, _ name: String, isToken: Bool, header: String,
    _ authorizers: AuthorizerReader
  ) -> RouteAccess {
    let (line, path) = (authorizer.line, authorizer.path)
    let mayCall = authorizer.take("authorizerCredentials") != nil
    let function = authorizer.requiredText("authorizerUri", cure: "write the invocation URI of the function")
    let lifetime =
      authorizer.integer("authorizerResultTtlInSeconds", in: 0...GatewayAuthorizer.maximumTimeToLiveSeconds)
      ?? (isREST ? GatewayQuota.restTimeToLiveSeconds : 0)
    var form: GatewayAuthorizer.Form
    if isREST {
      authorizer.note(
        "belongs to HTTP APIs and has no effect", "authorizerPayloadFormatVersion", "enableSimpleResponses")
    }
    if isToken {
      authorizer.pass(over: "identitySource")
      let validation = authorizers.validation(
        authorizer.text("identityValidationExpression"), line,
        authorizer.path(of: "identityValidationExpression"))
      form = .token(header: header, validation)
    } else if isREST {
      authorizer.pass(over: "identityValidationExpression")
      form = .restRequest(sources(&authorizer))
    } else {
      let sources = sources(&authorizer)
      let simple = authorizer.boolean("enableSimpleResponses") ?? false
      let version = authorizer.word("authorizerPayloadFormatVersion", FunctionReader.PayloadVersion.self)
      form = version == .one ? .http1(sources) : .http2(sources, simpleAnswers: simple)
      if version == nil || version == .one && simple {
        authorizers.report.refuse(
          line, authorizer.path(of: "authorizerPayloadFormatVersion"),
          "must be 1.0, or 2.0 for simple responses",
          cure: "write authorizerPayloadFormatVersion: \"2.0\"")
      }
    }
    authorizer.finish()
    let result = authorizers.authorizer(name, function, form, lifetime, mayCall: mayCall, line, path)
    return authorizers.access(result, line, path)
  }

  /// Reads `identitySource`: one text with commas, or a list.
  private func sources(_ authorizer: inout PropertyReader) -> [IdentitySource] {
    let line = authorizer.line(of: "identitySource")
    let texts = (authorizer.texts("identitySource") ?? []).flatMap { $0.splitBytes(at: ",") }
    return texts.map(\.trimmingBlanks).compactMap { text in
      if let source = IdentitySource(expression: text) { return source }
      authorizer.report.refuse(
        line, authorizer.path(of: "identitySource"), "is not known: \(text)",
        cure: isREST ? "write method.request.header.NAME" : "write $request.header.NAME")
      return nil
    }
  }
}
