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
          Diagnostic(
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
      "bearerFormat", "openIdConnectUrl")
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
    let access = access(
      &authorizer, header: header, name,
      AuthorizerReader(
        reader: reader, api: identifier, name: member.name,
        location: SourceLocation(line: authorizer.line, path: authorizer.path), report: part))
    finish(&scheme)
    document.authorizers[member.name] = access.closed(by: part.findings)
  }

  /// Reports the members of a scheme that are neither known nor extensions of other vendors.
  private func finish(_ scheme: inout PropertyReader) {
    for member in scheme.takeAll() where !isHarmlessExtension(member.name) {
      scheme.refuse(member, "is not known", cure: "check the spelling: x-amazon-apigateway-authorizer")
    }
  }

  private func access(
    _ properties: inout PropertyReader, header: String, _ name: String?, _ authorizer: AuthorizerReader
  ) -> RouteAccess {
    let type = properties.requiredText("type", cure: "write token, request, cognito_user_pools or jwt")?
      .lowercased()
    switch type {
    case "cognito_user_pools" where isREST:
      let pools = properties.texts("providerARNs") ?? []
      if pools.isEmpty || !pools.allSatisfy(authorizer.isUserPool) {
        authorizer.refuse(
          "providerARNs", "is no list of ARNs of user pools", cure: "write - !GetAtt POOL.Arn")
      }
      let validation = validation(&properties, authorizer)
      properties.pass(over: "authorizerResultTtlInSeconds", "identitySource")
      properties.finish()
      return authorizer.userPools(pools, header: header, validation)
    case "jwt" where isREST: return authorizer.restJWT(&properties, .openAPI, schemeHeader: name)
    case "jwt":
      let source = sources(&properties, authorizer).first ?? .header("Authorization")
      var configuration = properties.reader("jwtConfiguration")
      let issuer = configuration?.requiredText("issuer", cure: "write issuer: https://…")
      let audiences = configuration?.requiredTexts("audience", cure: "write audience: [CLIENT]") ?? []
      configuration?.finish()
      properties.finish()
      authorizer.check(issuer: issuer, at: "jwtConfiguration.issuer")
      guard let issuer, !audiences.isEmpty else {
        if authorizer.report.findings.isEmpty {
          authorizer.refuse(nil, "has no issuer and audience", cure: "write jwtConfiguration with both")
        }
        return authorizer.closed
      }
      return authorizer.jwt(issuer: issuer, audiences: audiences, source: source)
    case "token" where isREST, "request":
      return lambda(&properties, tokenHeader: type == "token" ? header : nil, authorizer)
    default:
      authorizer.refuse(
        "type", "is not emulated: \(type ?? "nothing")",
        cure: isREST ? "write token, request, cognito_user_pools or jwt" : "write request or jwt")
      return authorizer.closed
    }
  }

  /// - Parameter tokenHeader: the header of a `token` authorizer; `nil` for `request`.
  private func lambda(
    _ properties: inout PropertyReader, tokenHeader: String?, _ authorizer: AuthorizerReader
  ) -> RouteAccess {
    let mayCall = properties.take("authorizerCredentials") != nil
    let function = properties.requiredText("authorizerUri", cure: "write the invocation URI of the function")
    let lifetime =
      authorizer.lifetime(&properties, "authorizerResultTtlInSeconds")
      ?? (isREST ? GatewayQuota.restTimeToLiveSeconds : 0)
    let form: GatewayAuthorizer.Form
    if isREST {
      properties.note(
        "belongs to HTTP APIs and has no effect", "authorizerPayloadFormatVersion", "enableSimpleResponses")
    }
    if let tokenHeader {
      properties.pass(over: "identitySource")
      form = .token(header: tokenHeader, validation(&properties, authorizer))
    } else if isREST {
      properties.pass(over: "identityValidationExpression")
      form = .restRequest(sources(&properties, authorizer))
    } else {
      let sources = sources(&properties, authorizer)
      let simple = properties.boolean("enableSimpleResponses") ?? false
      let version = properties.word("authorizerPayloadFormatVersion", FunctionReader.PayloadVersion.self)
      form = version == .one ? .http1(sources) : .http2(sources, simpleAnswers: simple)
      if version == nil || version == .one && simple {
        authorizer.refuse(
          "authorizerPayloadFormatVersion", "must be 1.0, or 2.0 for simple responses",
          cure: "write authorizerPayloadFormatVersion: \"2.0\"")
      }
    }
    properties.finish()
    return authorizer.lambda(function.map { .text($0) }, form, lifetime: lifetime, mayCall: mayCall)
  }

  private func validation(
    _ properties: inout PropertyReader, _ authorizer: AuthorizerReader
  ) -> ValidationExpression? {
    let name = "identityValidationExpression"
    return authorizer.validation(properties.text(name), at: name)
  }

  /// Reads `identitySource`: one text with commas, or a list.
  private func sources(_ properties: inout PropertyReader, _ authorizer: AuthorizerReader) -> [IdentitySource]
  {
    let line = properties.line(of: "identitySource")
    return authorizer.sources(
      properties.texts("identitySource"), separator: ",", member: "identitySource", line: line,
      cure: isREST ? "write method.request.header.NAME" : "write $request.header.NAME")
  }
}
