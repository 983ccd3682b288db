internal import GatewayModel

/// The authorizers and integrations of one API.
extension LinkedResources {
  /// Returns who may call a route with each authorizer.
  package func authorizers(_ kind: GatewayAPI.Kind) -> [String: RouteAccess] {
    var result: [String: RouteAccess] = [:]
    for (resource, properties) in owned("AWS::ApiGatewayV2::Authorizer") {
      let authorizers = AuthorizerReader(reader, api: identifier, report.part())
      result[resource.name] = access(
        resource, properties.reporting(to: authorizers.report), kind, authorizers
      )
      .closed(by: authorizers.report.findings)
    }
    return result
  }

  private func access(
    _ resource: TemplateReader.ResolvedResource, _ all: PropertyReader, _ kind: GatewayAPI.Kind,
    _ authorizers: AuthorizerReader
  ) -> RouteAccess {
    var properties = all
    let report = authorizers.report
    let name = properties.requiredText("Name", cure: "write Name: Bearer") ?? resource.name
    let type = properties.requiredText("AuthorizerType", cure: "write AuthorizerType: REQUEST")
    let sources = (properties.texts("IdentitySource") ?? []).compactMap { text -> IdentitySource? in
      if let source = IdentitySource(expression: text) { return source }
      report.refuse(
        resource.line, resource.path + ".IdentitySource", "is not known: \(text)",
        cure: "write $request.header.NAME (HTTP) or route.request.header.NAME (WebSocket)")
      return nil
    }
    switch (type, kind) {
    case ("JWT"?, .http): return tokens(&properties, name, sources, authorizers)
    case ("REQUEST"?, _):
      let authorizer = lambda(&properties, name, sources, kind, resource, authorizers)
      return authorizers.access(authorizer, resource.line, resource.path)
    default:
      report.refuse(
        resource.line, resource.path + ".AuthorizerType", "is not emulated: \(type ?? "nothing")",
        cure: "use REQUEST, or JWT for an HTTP API")
      return .closed(report.findings)
    }
  }

  private func tokens(
    _ properties: inout PropertyReader, _ name: String, _ sources: [IdentitySource],
    _ authorizers: AuthorizerReader
  ) -> RouteAccess {
    let report = authorizers.report
    let (line, path) = (properties.line, properties.path)
    var configuration = properties.reader("JwtConfiguration")
    let issuer = configuration?.text("Issuer")
    let audiences = configuration?.texts("Audience") ?? []
    configuration?.finish()
    properties.finish()
    if let issuer { authorizers.check(issuer: issuer, line, path + ".JwtConfiguration.Issuer") }
    guard let issuer, !audiences.isEmpty, sources.count == 1 else {
      // An issuer that only the account knows is not missing.
      if report.findings.isEmpty {
        report.refuse(
          line, path, "needs one identity source, an issuer and an audience",
          cure: "write IdentitySource and JwtConfiguration")
      }
      return .closed(report.findings)
    }
    return .token(
      TokenAuthorizer(name: name, kind: .jwt(issuer: issuer, audiences: audiences), source: sources[0]),
      scopes: [])
  }

  private func lambda(
    _ properties: inout PropertyReader, _ name: String, _ sources: [IdentitySource], _ kind: GatewayAPI.Kind,
    _ resource: TemplateReader.ResolvedResource, _ authorizers: AuthorizerReader
  ) -> GatewayAuthorizer? {
    let mayCall = properties.take("AuthorizerCredentialsArn") != nil
    properties.pass(over: "IdentityValidationExpression")
    let address = properties.requiredText(
      "AuthorizerUri", cure: "write the invocation URI with the function's ARN")
    var form = GatewayAuthorizer.Form.webSocket(sources)
    var lifetime = 0
    if case .http = kind {
      lifetime =
        properties.integer("AuthorizerResultTtlInSeconds", in: 0...GatewayAuthorizer.maximumTimeToLiveSeconds)
        ?? 0
      let simple = properties.boolean("EnableSimpleResponses") ?? false
      let version = properties.word("AuthorizerPayloadFormatVersion", FunctionReader.PayloadVersion.self)
      form = version == .two ? .http2(sources, simpleAnswers: simple) : .http1(sources)
      if version != .two, simple {
        authorizers.report.refuse(
          resource.line, resource.path + ".EnableSimpleResponses", "needs payload format 2.0",
          cure: "write AuthorizerPayloadFormatVersion: \"2.0\"")
      }
    }
    properties.finish()
    return authorizers.authorizer(
      name, address, form, lifetime, mayCall: mayCall, resource.line, resource.path)
  }

  package func integrations(_ kind: GatewayAPI.Kind) -> [String: GatewayIntegration] {
    var result: [String: GatewayIntegration] = [:]
    for (resource, properties) in owned("AWS::ApiGatewayV2::Integration") {
      let part = report.part()
      let integration = integration(resource, properties.reporting(to: part), kind, part)
      let unread = TemplateFinding(
        line: resource.line, path: resource.path, problem: "cannot be read", cure: "check its properties")
      let finding = part.findings.first ?? unread
      result[resource.name] =
        part.findings.isEmpty ? integration ?? .unavailable(finding) : .unavailable(finding)
    }
    return result
  }

  private func integration(
    _ resource: TemplateReader.ResolvedResource, _ reader: PropertyReader, _ kind: GatewayAPI.Kind,
    _ report: TemplateReport
  ) -> GatewayIntegration? {
    guard case .webSocket = kind else {
      return IntegrationReader(self.reader, isREST: false, report).version2(reader)
    }
    var properties = reader
    properties.pass(over: "Description", "CredentialsArn", "PassthroughBehavior")
    properties.note(IntegrationReader.fixedTimeout, "TimeoutInMillis")
    let type = properties.requiredText("IntegrationType", cure: "write AWS_PROXY, HTTP_PROXY or MOCK")
    let path = resource.path + ".IntegrationUri"
    let result: GatewayIntegration?
    switch type {
    case "MOCK":
      // Without a route response, its output never reaches the client.
      properties.pass(
        over: "TemplateSelectionExpression", "RequestTemplates", "IntegrationResponseSelectionExpression")
      result = .webSocketMock
    case "AWS_PROXY":
      properties.pass(over: "IntegrationMethod", "PayloadFormatVersion")
      let address = properties.requiredText("IntegrationUri", cure: "write the function's ARN")
      result = address.flatMap { self.reader.function($0, line: resource.line, path: path, report) }.map {
        .function($0, .webSocket)
      }
    case "HTTP_PROXY":
      // Parameter mappings of WebSocket APIs are those of REST APIs.
      let integrations = IntegrationReader(self.reader, isREST: true, report)
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
