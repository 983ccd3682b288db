internal import Text
internal import GatewayModel

/// A reader for one `AWS::ApiGatewayV2::Api` and the resources that refer to it: WebSocket APIs, and HTTP APIs without
/// SAM.
struct APIGatewayV2Reader: ResourceReader {
  let resource: TemplateReader.ResolvedResource
  let reader: TemplateReader
  let report: Diagnostics

  /// Returns the API, once for each stage.
  func apis() -> [GatewayAPI] {
    guard var properties = properties else { return [] }
    properties.pass(over: "Name", "Description", "Tags", "Version", "FailOnWarnings", "IpAddressType")
    properties.pass(over: "CredentialsArn", "DisableSchemaValidation")
    _ = properties.parsed(
      "BasePath", "is not emulated", cure: "write BasePath: ignore, and the whole paths in the document"
    ) { $0 == "ignore" ? $0 : nil }
    var access = APIAccess()
    access.keySource = keySource(&properties)
    let isDisabled = properties.boolean("DisableExecuteApiEndpoint")
    let document = OpenAPIReader(api: self, isREST: false).document(
      &properties, body: "Body", location: "BodyS3Location")
    access.hasDefaultEndpoint = isDisabled.map { !$0 } ?? document?.hasDefaultEndpoint ?? true
    let quick = quickRoute(&properties)
    let kind = kind(&properties, document)
    properties.finish()
    guard let kind else { return [] }
    let parts = parts(kind)
    var register = RouteRegister(report)
    var routes = [quick].compactMap { $0 }
    if let quick {
      register.enter(quick.match, line: properties.line(of: "Target"), path: properties.path(of: "Target"))
    }
    var auth = APIAuth()
    auth.isREST = false
    auth.add(document)
    for route in document?.routes(auth.schemes, report) ?? [] {
      register.enter(route.match, line: route.line, path: route.path)
      routes.append(auth.route(route))
    }
    routes += owned("AWS::ApiGatewayV2::Route").compactMap { resource, properties in
      let route = route(resource, properties, of: kind, parts)
      if let route { register.enter(route.match, line: resource.line, path: resource.path) }
      return route
    }
    var stages = owned("AWS::ApiGatewayV2::Stage").compactMap { stage($0.0, $0.1, kind) }
    for stage in stages {
      stage.throttles.reportUnknown(routes, line: resource.line, path: resource.path, report)
    }
    if quick != nil, !stages.contains(where: { !$0.isInPath }) {
      stages.append(GatewayAPI.Stage(name: "$default", variables: [:]))
    }
    if stages.isEmpty { refuse("has no stage", cure: "write an AWS::ApiGatewayV2::Stage") }
    if routes.isEmpty { refuse("has no routes", cure: "write an AWS::ApiGatewayV2::Route") }
    return stages.map {
      GatewayAPI(
        name: resource.name, identifier: identifier, kind: kind, stage: $0, routes: routes, access: access)
    }
  }

  private func kind(_ properties: inout PropertyReader, _ document: OpenAPIDocument?) -> GatewayAPI.Kind? {
    // Only HTTP APIs have a document, whose import needs no protocol.
    let hasProtocol = document == nil || properties.has("ProtocolType")
    let type =
      hasProtocol
      ? properties.requiredText("ProtocolType", cure: "write ProtocolType: WEBSOCKET or HTTP") : "HTTP"
    switch type {
    case "WEBSOCKET" where document != nil:
      refuse("has a Body, which WebSocket APIs do not have", cure: "remove Body")
      return nil
    case "WEBSOCKET": return selection(&properties, resource).map { .webSocket($0) }
    case "HTTP":
      properties.pass(over: "RouteSelectionExpression")
      return .http(CrossOriginReader(report: report).read(&properties) ?? document?.crossOrigin)
    case let other?:
      refuse("is not known: ProtocolType \(other)", cure: "write WEBSOCKET or HTTP")
      return nil
    case nil: return nil
    }
  }

  /// The route that `Target` makes with its integration ("quick create"): `RouteKey`, or `$default`.
  private func quickRoute(_ properties: inout PropertyReader) -> GatewayRoute? {
    let key = properties.text("RouteKey") ?? "$default"
    let line = properties.line(of: "Target")
    guard let target = properties.text("Target") else { return nil }
    guard let match = match(key, .http(nil), resource) else { return nil }
    let part = report.part()
    let path = properties.path(of: "Target")
    let integration: GatewayIntegration? =
      target.hasBytePrefix("http")
      ? IntegrationReader(reader: reader, isREST: false, report: part).httpIntegration(
        target, nil, [], line: line, path: path)
      : reader.function(target, line: line, path: path, part).map { .function($0, .http2) }
    let unread = Diagnostic(
      line: line, path: path, problem: "cannot be read", cure: "write an ARN or a URL")
    return GatewayRoute(
      match: match, access: .open, integration: integration ?? .unavailable(part.findings.first ?? unread))
  }

  /// Reports the parts of an API whose API is not known: without one of its routes, another would get its requests.
  /// Parts of an API elsewhere are noted.
  static func reportUnclaimed(_ reader: TemplateReader) {
    let known = Set(
      reader.resources.filter { $0.type == "AWS::ApiGatewayV2::Api" || samTypes.contains($0.type) }
        .map { TemplateNames.apiIdentifier($0.name) })
    for resource in reader.resources
    where resource.type.hasBytePrefix("AWS::ApiGatewayV2::") && resource.type != "AWS::ApiGatewayV2::Api"
      && !DomainReader.types.contains(resource.type)
    {
      let value = resource.properties["ApiId"]
      if let text = value?.text, TemplateNames.isAPIIdentifier(text) {
        if known.contains(text) { continue }
        reader.report.note(
          resource.line, resource.path, "belongs to no API of this template and is not served",
          cure: "write ApiId: !Ref API")
      } else {
        let named = value?.text ?? ""
        reader.report.refuse(
          value ?? resource.properties, resource.path,
          "belongs to no API of this template\(named.isEmpty ? "" : ": \(named) is no ID of an API")",
          cure: "write ApiId: !Ref \(reader.names.isResource(named) ? named : "API")")
      }
    }
  }

  private static let samTypes: Set = ["AWS::Serverless::HttpApi", "AWS::Serverless::WebSocketApi"]

  /// Closes an API of SAM that has a route or a default of another resource: it may guard what SAM leaves open.
  static func closeChanged(
    _ api: TemplateReader.ResolvedResource, _ reader: TemplateReader, _ report: Diagnostics
  ) {
    guard samTypes.contains(api.type) else { return }
    for resource in reader.resources
    where resource.type == "AWS::ApiGatewayV2::Route"
      && resource.properties["ApiId"]?.text == TemplateNames.apiIdentifier(api.name)
    {
      report.refuse(
        resource.line, resource.path, "changes \(api.name), an API of SAM, which is not emulated",
        cure: "write the route below \(api.name) or as an event of a function")
    }
  }

  // MARK: Parts

  func owned(_ type: String) -> [(TemplateReader.ResolvedResource, PropertyReader)] {
    owned(type, by: "ApiId")
  }

  func selection(
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
    _ resource: TemplateReader.ResolvedResource, _ reader: PropertyReader, _ kind: GatewayAPI.Kind
  ) -> GatewayAPI.Stage? {
    var properties = reader
    properties.pass(over: "DeploymentId", "AutoDeploy", "Description", "Tags")
    properties.note("is not emulated", "AccessLogSettings")
    if case .webSocket = kind { ThrottleReader.noteMessages(&properties) }
    let throttles = ThrottleReader(report: report).routeSettings(&properties)
    properties.refuse(
      "ClientCertificateId", "AccessPolicyId", cure: "remove it in a local copy of the template")
    let name = properties.requiredText("StageName", cure: "write StageName: live")
    let variables = properties.dictionary("StageVariables")
    properties.finish()
    return name.map { GatewayAPI.Stage(name: $0, variables: variables, throttles: throttles) }
  }

  /// Returns a route; `nil` with a finding about the API if its key cannot be read.
  private func route(
    _ resource: TemplateReader.ResolvedResource, _ all: PropertyReader, of kind: GatewayAPI.Kind,
    _ parts: Parts
  ) -> GatewayRoute? {
    var keyed = all
    let key = keyed.requiredText("RouteKey", cure: "write RouteKey: $connect or GET /pets")
    guard let key, let match = match(key, kind, resource) else { return nil }
    let part = report.part()
    var properties = keyed.reporting(to: part)
    properties.pass(over: "OperationName")
    var settings: WebSocketRouteSettings?
    if case .webSocket = kind { settings = WebSocketRouteSettings(&properties, isConnect: match == .connect) }
    properties.refuse(
      "ApiKeyRequired", "ModelSelectionExpression", "RequestModels", "RequestParameters",
      "RouteResponseSelectionExpression",
      cure: "remove it in a local copy of the template, and test it on AWS")
    let target = properties.text("Target")
    let authorization = RouteAuthorization(&properties, nativeTypes: "JWT")
    properties.finish()
    let access = authorization.access(by: parts.authorizers, of: resource, part)
    if case .webSocket = kind, match != .connect, authorization.isGuarded {
      part.refuse(
        resource.line, resource.path + ".AuthorizationType", "only $connect can have an authorizer",
        cure: "remove it here")
    }
    return GatewayRoute(
      match: match, access: access.closed(by: part.findings), needsAPIKey: settings?.needsAPIKey ?? false,
      integration: integration(target, of: match, resource, parts.integrations),
      reply: settings?.reply(hasResponse: parts.answered.contains(resource.name)) ?? .none)
  }

  /// Returns the integration that the `Target` of a route names.
  private func integration(
    _ target: String?, of match: GatewayRoute.Match, _ resource: TemplateReader.ResolvedResource,
    _ integrations: [String: GatewayIntegration]
  ) -> GatewayIntegration {
    // "Setting up an integration for $connect is optional" ("The $connect route").
    if target == nil, match == .connect { return .webSocketMock }
    return target?.rest(after: "integrations/").flatMap { integrations[String($0)] }
      ?? .unavailable(
        Diagnostic(
          line: resource.line, path: resource.path + ".Target",
          problem: "refers to no integration of this API",
          cure: "write Target: !Sub integrations/${INTEGRATION}"))
  }

  private func match(
    _ key: String, _ kind: GatewayAPI.Kind, _ resource: TemplateReader.ResolvedResource
  ) -> GatewayRoute.Match? {
    if key == "$default" { return .default }
    var cure = "write GET /pets/{id}, with one space and the method in upper case"
    if case .webSocket = kind {
      if key == "$connect" { return .connect }
      // Keys with a dollar sign are API Gateway's own.
      if key == "$disconnect" || !key.hasBytePrefix("$") { return .message(key) }
      cure = "write $connect, $disconnect, $default or a name without a dollar sign"
    } else {
      let parts = key.splitBytes(at: " ", omittingEmptySubsequences: false).map(String.init)
      if parts.count == 2, parts[0] == "ANY" || GatewayRoute.methods.contains(parts[0]),
        let pattern = PathPattern(parts[1])
      {
        return .path(method: parts[0] == "ANY" ? nil : parts[0], pattern)
      }
    }
    report.refuse(resource.line, resource.path + ".RouteKey", "is not a route key: \(key)", cure: cure)
    return nil
  }
}
