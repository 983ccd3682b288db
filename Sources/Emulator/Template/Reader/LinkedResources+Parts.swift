/// The authorizers and integrations of one API.
extension LinkedResources {
  /// Returns who may call a route with each authorizer.
  func authorizers(_ kind: GatewayAPI.Kind) -> [String: RouteAccess] {
    var result: [String: RouteAccess] = [:]
    for (resource, properties) in owned("AWS::ApiGatewayV2::Authorizer") {
      let authorizers = AuthorizerReader(reader, api: identifier, report.part())
      let authorizer = authorizer(resource, properties, kind, authorizers)
      result[resource.name] = authorizers.access(authorizer, resource.line, resource.path)
    }
    return result
  }

  private func authorizer(
    _ resource: TemplateReader.ResolvedResource, _ reader: PropertyReader, _ kind: GatewayAPI.Kind,
    _ authorizers: AuthorizerReader
  ) -> GatewayAuthorizer? {
    let report = authorizers.report
    var properties = reader.reporting(to: report)
    let mayCall = properties.take("AuthorizerCredentialsArn") != nil
    properties.refuse(
      "JwtConfiguration", "IdentityValidationExpression",
      cure: "serve supports Lambda authorizers of type REQUEST only")
    let name = properties.requiredText("Name", cure: "write Name: Bearer")
    let type = properties.requiredText("AuthorizerType", cure: "write AuthorizerType: REQUEST")
    if let type, type != "REQUEST" {
      report.refuse(
        resource.line, resource.path + ".AuthorizerType", "is not emulated: \(type)", cure: "use REQUEST")
    }
    let address = properties.requiredText(
      "AuthorizerUri", cure: "write the invocation URI with the function's ARN")
    let sources = (properties.texts("IdentitySource") ?? []).compactMap { text -> IdentitySource? in
      if let source = IdentitySource(expression: text) { return source }
      report.refuse(
        resource.line, resource.path + ".IdentitySource", "is not known: \(text)",
        cure: "write $request.header.NAME (HTTP) or route.request.header.NAME (WebSocket)")
      return nil
    }
    var form = GatewayAuthorizer.Form.webSocket(sources)
    var lifetime = 0
    if case .http = kind {
      lifetime =
        properties.integer("AuthorizerResultTtlInSeconds", in: 0...GatewayAuthorizer.longestTimeToLiveSeconds)
        ?? 0
      let simple = properties.boolean("EnableSimpleResponses") ?? false
      let version = properties.word("AuthorizerPayloadFormatVersion", FunctionReader.PayloadVersion.self)
      form = version == .two ? .http2(sources, simpleAnswers: simple) : .http1(sources)
      if version != .two, simple {
        report.refuse(
          resource.line, resource.path + ".EnableSimpleResponses", "needs payload format 2.0",
          cure: "write AuthorizerPayloadFormatVersion: \"2.0\"")
      }
    }
    properties.finish()
    guard let name else { return nil }
    return authorizers.authorizer(
      name, address, form, lifetime, mayCall: mayCall, resource.line, resource.path)
  }

  func integrations(_ kind: GatewayAPI.Kind) -> [String: GatewayIntegration] {
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
    var properties = reader
    properties.pass(over: "Description", "TimeoutInMillis", "CredentialsArn", "PassthroughBehavior")
    let isWebSocket = if case .webSocket = kind { true } else { false }
    let type = properties.requiredText(
      "IntegrationType", cure: "write AWS_PROXY, HTTP_PROXY or, for WebSocket, MOCK")
    let path = resource.path + ".IntegrationUri"
    let result: GatewayIntegration?
    switch type {
    case "MOCK" where isWebSocket:
      // Without a route response, its output never reaches the client.
      properties.pass(over: "TemplateSelectionExpression", "RequestTemplates")
      result = .webSocketMock
    case "AWS_PROXY":
      properties.pass(over: "IntegrationMethod")
      let version = properties.word("PayloadFormatVersion", FunctionReader.PayloadVersion.self)
      let address = properties.requiredText("IntegrationUri", cure: "write the function's ARN")
      result = address.flatMap { self.reader.function($0, line: resource.line, path: path, report) }.map {
        .function($0, isWebSocket ? .webSocket : version == .two ? .http2 : .http1)
      }
    case "HTTP_PROXY" where !isWebSocket:
      let integrations = IntegrationReader(self.reader, isREST: false, report)
      let method = properties.text("IntegrationMethod").flatMap { $0 == "ANY" ? nil : $0 }
      properties.pass(over: "PayloadFormatVersion")
      let changes = properties.textMap("RequestParameters").compactMap { name, text, line in
        integrations.change(name, text, line: line, path: resource.path + ".RequestParameters")
      }
      result = properties.requiredText("IntegrationUri", cure: "write https://…").flatMap {
        integrations.httpIntegration($0, method, changes, line: resource.line, path: path)
      }
    case let other?:
      report.refuse(
        resource.line, resource.path + ".IntegrationType", "is not emulated: \(other)",
        cure: "use AWS_PROXY, HTTP_PROXY (HTTP APIs) or MOCK (WebSocket APIs)")
      _ = properties.takeAll()
      result = nil
    case nil: result = nil
    }
    properties.finish()
    return result
  }
}
