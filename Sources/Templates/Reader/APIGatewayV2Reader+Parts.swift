internal import GatewayModel

/// The parts to which routes refer.
extension APIGatewayV2Reader {
  /// The parts of one API, by the names of their resources.
  struct Parts {
    /// Who may call a route with each authorizer.
    let authorizers: [String: RouteAccess]
    let integrations: [String: GatewayIntegration]
    /// The routes that have a route response.
    let answered: Set<String>
  }

  func parts(_ kind: GatewayAPI.Kind) -> Parts {
    Parts(
      authorizers: authorizers(owned("AWS::ApiGatewayV2::Authorizer")) { access(&$0, kind, $1) },
      integrations: integrations(kind), answered: answeredRoutes())
  }

  private func access(
    _ properties: inout PropertyReader, _ kind: GatewayAPI.Kind, _ authorizer: AuthorizerReader
  ) -> RouteAccess {
    let type = properties.requiredText("AuthorizerType", cure: "write AuthorizerType: REQUEST")
    let sources = authorizer.sources(
      properties.texts("IdentitySource"), member: "IdentitySource",
      cure: "write $request.header.NAME (HTTP) or route.request.header.NAME (WebSocket)")
    switch (type, kind) {
    case ("JWT"?, .http): return tokens(&properties, sources, authorizer)
    case ("REQUEST"?, _): return lambda(&properties, sources, of: kind, authorizer)
    default:
      authorizer.refuse(
        "AuthorizerType", "is not emulated: \(type ?? "nothing")",
        cure: "use REQUEST, or JWT for an HTTP API")
      return authorizer.closed
    }
  }

  private func tokens(
    _ properties: inout PropertyReader, _ sources: [IdentitySource], _ authorizer: AuthorizerReader
  ) -> RouteAccess {
    var configuration = properties.reader("JwtConfiguration")
    let issuer = configuration?.text("Issuer")
    let audiences = configuration?.texts("Audience") ?? []
    configuration?.finish()
    properties.finish()
    authorizer.check(issuer: issuer, at: "JwtConfiguration.Issuer")
    guard let issuer, !audiences.isEmpty, sources.count == 1 else {
      // An issuer that only the account knows is not missing.
      if authorizer.report.findings.isEmpty {
        authorizer.refuse(
          nil, "needs one identity source, an issuer and an audience",
          cure: "write IdentitySource and JwtConfiguration")
      }
      return authorizer.closed
    }
    return authorizer.jwt(issuer: issuer, audiences: audiences, source: sources[0])
  }

  private func lambda(
    _ properties: inout PropertyReader, _ sources: [IdentitySource], of kind: GatewayAPI.Kind,
    _ authorizer: AuthorizerReader
  ) -> RouteAccess {
    let mayCall = properties.take("AuthorizerCredentialsArn") != nil
    properties.pass(over: "IdentityValidationExpression")
    let address = properties.requiredText(
      "AuthorizerUri", cure: "write the invocation URI with the function's ARN")
    var form = GatewayAuthorizer.Form.webSocket(sources)
    var lifetime = 0
    if case .http = kind {
      lifetime = authorizer.lifetime(&properties, "AuthorizerResultTtlInSeconds") ?? 0
      let simple = properties.boolean("EnableSimpleResponses") ?? false
      let version = properties.word("AuthorizerPayloadFormatVersion", FunctionReader.PayloadVersion.self)
      form = version == .two ? .http2(sources, simpleAnswers: simple) : .http1(sources)
      if version != .two, simple {
        authorizer.refuse(
          "EnableSimpleResponses", "needs payload format 2.0",
          cure: "write AuthorizerPayloadFormatVersion: \"2.0\"")
      }
    }
    properties.finish()
    return authorizer.lambda(address.map { .text($0) }, form, lifetime: lifetime, mayCall: mayCall)
  }

  private func integrations(_ kind: GatewayAPI.Kind) -> [String: GatewayIntegration] {
    var result: [String: GatewayIntegration] = [:]
    for (resource, properties) in owned("AWS::ApiGatewayV2::Integration") {
      let part = report.part()
      let integration = integration(resource, properties.reporting(to: part), of: kind, part)
      let unread = Diagnostic(
        line: resource.line, path: resource.path, problem: "cannot be read", cure: "check its properties")
      result[resource.name] =
        part.findings.first.map { .unavailable($0) } ?? integration ?? .unavailable(unread)
    }
    return result
  }

  private func integration(
    _ resource: TemplateReader.ResolvedResource, _ reader: PropertyReader, of kind: GatewayAPI.Kind,
    _ report: Diagnostics
  ) -> GatewayIntegration? {
    guard case .webSocket = kind else {
      return IntegrationReader(reader: self.reader, isREST: false, report: report).version2(reader)
    }
    var properties = reader
    properties.pass(over: "Description", "CredentialsArn", "PassthroughBehavior")
    properties.note(IntegrationReader.fixedTimeout, "TimeoutInMillis")
    let type = properties.requiredText("IntegrationType", cure: "write AWS_PROXY, HTTP_PROXY or MOCK")
    let path = resource.path + ".IntegrationUri"
    let result: GatewayIntegration?
    switch type {
    case "MOCK":
      // Without a route response, its output never reaches the client. CDK writes an empty address.
      properties.pass(
        over: "IntegrationUri", "TemplateSelectionExpression", "RequestTemplates",
        "IntegrationResponseSelectionExpression")
      result = .webSocketMock
    case "AWS_PROXY":
      properties.pass(over: "IntegrationMethod", "PayloadFormatVersion")
      let address = properties.requiredText("IntegrationUri", cure: "write the function's ARN")
      result = address.flatMap { self.reader.function($0, line: resource.line, path: path, report) }.map {
        .function($0, .webSocket)
      }
    case "HTTP_PROXY":
      // Parameter mappings of WebSocket APIs are those of REST APIs.
      let integrations = IntegrationReader(reader: self.reader, isREST: true, report: report)
      let method = properties.text("IntegrationMethod").flatMap { $0 == "ANY" ? nil : $0 }
      let changes = properties.textMap("RequestParameters").compactMap { name, text, line in
        integrations.change(name, text, line: line, path: resource.path + ".RequestParameters")
      }
      result = properties.requiredText("IntegrationUri", cure: "write https://…").flatMap {
        integrations.httpIntegration($0, method, changes, line: resource.line, path: path)
      }
    case let other?:
      report.refuse(
        resource.line, resource.path + ".IntegrationType", "is not emulated: \(other)",
        cure: "use AWS_PROXY, HTTP_PROXY or MOCK")
      _ = properties.takeAll()
      result = nil
    case nil: result = nil
    }
    properties.finish()
    return result
  }
}
