/// A reader for `AWS::ApiGatewayV2` resources, which refer to each other: WebSocket APIs, and HTTP APIs without SAM.
final class LinkedResources {
  let reader: TemplateReader
  var report: TemplateReport { reader.report }
  private var claimed: Set<String> = []

  init(_ reader: TemplateReader) { self.reader = reader }

  func api(_ resource: TemplateReader.ResolvedResource) -> GatewayAPI? {
    guard var properties = PropertyReader(resource.properties, at: resource.path, report) else { return nil }
    properties.pass(over: "Name", "Description", "Tags", "Version", "FailOnWarnings", "IpAddressType")
    properties.refuse(
      "Body", "BodyS3Location", "ApiKeySelectionExpression", "CredentialsArn", "DisableExecuteApiEndpoint",
      "DisableSchemaValidation", "RouteKey", "Target", "BasePath",
      cure: "write routes, integrations and authorizers as resources")
    let identifier = TemplateNames.apiIdentifier(resource.name)
    let kind: GatewayAPI.Kind?
    switch properties.requiredText("ProtocolType", cure: "write ProtocolType: WEBSOCKET or HTTP") {
    case "WEBSOCKET": kind = selection(&properties, resource).map { .webSocket($0) }
    case "HTTP":
      properties.pass(over: "RouteSelectionExpression")
      kind = .http(CrossOriginReader(report).read(&properties))
    case let other?:
      report.refuse(
        resource.line, resource.path, "is not known: ProtocolType \(other)", cure: "write WEBSOCKET or HTTP")
      kind = nil
    case nil: kind = nil
    }
    properties.finish()
    guard let kind else { return nil }
    let authorizers = self.authorizers(of: identifier, kind)
    let integrations = self.integrations(of: identifier, kind)
    var register = RouteRegister(report)
    let routes = owned("AWS::ApiGatewayV2::Route", by: identifier).compactMap { resource, properties in
      let route = route(resource, properties, kind, authorizers, integrations)
      if let route { register.enter(route.match, line: resource.line, path: resource.path) }
      return route
    }
    let stages = owned("AWS::ApiGatewayV2::Stage", by: identifier).compactMap { stage($0.0, $0.1) }
    guard stages.count == 1, let stage = stages.first else {
      report.refuse(
        resource.line, resource.path, "has \(stages.count) stages",
        cure: "write one: serve emulates one stage of an API")
      return nil
    }
    if routes.isEmpty {
      report.refuse(resource.line, resource.path, "has no routes", cure: "write an AWS::ApiGatewayV2::Route")
    }
    return GatewayAPI(name: resource.name, identifier: identifier, kind: kind, stage: stage, routes: routes)
  }

  /// Reports resources whose API is not in this template; otherwise they would be ignored.
  func refuseUnclaimed() {
    for resource in reader.resources
    where resource.type.hasPrefix("AWS::ApiGatewayV2::") && resource.type != "AWS::ApiGatewayV2::Api"
      && !claimed.contains(resource.name)
    {
      report.refuse(
        resource.line, resource.path, "belongs to no API of this template", cure: "write ApiId: !Ref API")
    }
  }

  // MARK: Parts

  func owned(
    _ type: String, by identifier: String
  ) -> [(TemplateReader.ResolvedResource, PropertyReader)] {
    reader.resources.filter { $0.type == type }.compactMap { resource in
      guard !claimed.contains(resource.name),
        resource.properties.members?.first(where: { $0.name == "ApiId" })?.value.text == identifier,
        var properties = PropertyReader(resource.properties, at: resource.path, report)
      else { return nil }
      claimed.insert(resource.name)
      _ = properties.take("ApiId")
      return (resource, properties)
    }
  }

  private func selection(
    _ properties: inout PropertyReader, _ resource: TemplateReader.ResolvedResource
  ) -> RouteSelection? {
    guard let text = properties.requiredText("RouteSelectionExpression", cure: "write $request.body.action")
    else { return nil }
    if let selection = RouteSelection(text) { return selection }
    report.refuse(
      resource.line, properties.path(of: "RouteSelectionExpression"), "is not emulated: \(text)",
      cure: "write $request.body.NAME")
    return nil
  }

  private func stage(
    _ resource: TemplateReader.ResolvedResource, _ reader: PropertyReader
  ) -> GatewayAPI.Stage? {
    var properties = reader
    properties.pass(over: "DeploymentId", "AutoDeploy", "Description", "Tags")
    properties.note(
      "is not emulated", "AccessLogSettings", "DefaultRouteSettings", "RouteSettings")
    properties.refuse(
      "ClientCertificateId", "AccessPolicyId", cure: "remove it in a local copy of the template")
    let name = properties.requiredText("StageName", cure: "write StageName: live")
    let variables = Dictionary(properties.textMap("StageVariables").map { ($0.name, $0.text) }) { first, _ in
      first
    }
    properties.finish()
    return name.map { GatewayAPI.Stage(name: $0, variables: variables) }
  }

  private func route(
    _ resource: TemplateReader.ResolvedResource, _ reader: PropertyReader, _ kind: GatewayAPI.Kind,
    _ authorizers: [String: GatewayAuthorizer], _ integrations: [String: GatewayIntegration]
  ) -> GatewayRoute? {
    var properties = reader
    properties.pass(over: "OperationName")
    properties.refuse(
      "ApiKeyRequired", "AuthorizationScopes", "ModelSelectionExpression", "RequestModels",
      "RequestParameters",
      "RouteResponseSelectionExpression",
      cure: "remove it in a local copy of the template, and test it on AWS")
    let key = properties.requiredText("RouteKey", cure: "write RouteKey: $connect or GET /pets")
    let target = properties.text("Target")
    let type = properties.text("AuthorizationType") ?? "NONE"
    let authorizerName = properties.text("AuthorizerId")
    properties.finish()
    guard let key, let match = match(key, kind, resource) else { return nil }
    var authorizer: GatewayAuthorizer?
    switch type {
    case "NONE": break
    case "CUSTOM":
      authorizer = authorizerName.flatMap { authorizers[$0] }
      if authorizer == nil {
        report.refuse(
          resource.line, resource.path + ".AuthorizerId", "refers to no authorizer of this API",
          cure: "write !Ref AUTHORIZER")
      }
      if case .webSocket = kind, match != .connect {
        report.refuse(
          resource.line, resource.path + ".AuthorizationType", "only $connect can have an authorizer",
          cure: "remove it here")
      }
    case let other:
      report.refuse(
        resource.line, resource.path + ".AuthorizationType", "is not emulated: \(other)",
        cure: "use NONE or CUSTOM")
    }
    let prefix = "integrations/"
    guard let target, target.hasPrefix(prefix),
      let integration = integrations[String(target.dropFirst(prefix.count))]
    else {
      report.refuse(
        resource.line, resource.path + ".Target", "refers to no integration of this API",
        cure: "write Target: !Sub integrations/${INTEGRATION}")
      return nil
    }
    if case .webSocket = kind, match != .connect, case .function = integration {
      report.note(
        resource.line, resource.path,
        "the function is not invoked: messages are echoed, and $disconnect is not emulated")
    }
    return GatewayRoute(
      match: match, access: authorizer.map { .lambda($0) } ?? .open, integration: integration)
  }

  private func match(
    _ key: String, _ kind: GatewayAPI.Kind, _ resource: TemplateReader.ResolvedResource
  ) -> GatewayRoute.Match? {
    if key == "$default" { return .default }
    if case .webSocket = kind { return key == "$connect" ? .connect : .message(key) }
    let parts = key.split(separator: " ").map(String.init)
    if parts.count == 2, let pattern = PathPattern(parts[1]) {
      return .path(method: parts[0] == "ANY" ? nil : parts[0], pattern)
    }
    report.refuse(
      resource.line, resource.path + ".RouteKey", "is not a route key: \(key)", cure: "write GET /pets/{id}")
    return nil
  }
}
