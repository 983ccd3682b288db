internal import GatewayModel

/// A reader for `AWS::Serverless::WebSocketApi` (SAM translator 1.110, "WebSocketApi").
struct WebSocketAPIReader {
  private let resource: TemplateReader.ResolvedResource
  private let reader: TemplateReader
  private let report: TemplateReport
  private var identifier: String { TemplateNames.apiIdentifier(resource.name) }

  /// - Parameter report: the report about the API.
  init(_ resource: TemplateReader.ResolvedResource, _ reader: TemplateReader, _ report: TemplateReport) {
    self.resource = resource
    self.reader = reader
    self.report = report
  }

  func read() -> GatewayAPI? {
    guard var properties = PropertyReader(resource.properties, at: resource.path, report) else { return nil }
    properties.pass(
      over: "Name", "Description", "Tags", "PropagateTags", "IpAddressType", "DisableSchemaValidation")
    properties.note("is not emulated", "AccessLogSettings")
    ThrottleReader.noteMessages(&properties)
    let throttles = ThrottleReader(report).routeSettings(&properties)
    properties.refuse("Domain", cure: "remove it in a local copy of the template, and test it on AWS")
    let linked = LinkedResources(resource, reader, report)
    var access = APIAccess()
    access.keySource = linked.keySource(&properties)
    access.hasDefaultEndpoint = properties.boolean("DisableExecuteApiEndpoint") != true
    let selection = linked.selection(&properties, resource)
    let stage = stage(&properties, throttles)
    let auth = properties.take("Auth").map { self.auth($0) }
    let routes = routes(&properties, auth)
    throttles.reportUnknown(routes, line: resource.line, path: resource.path, report)
    if auth != nil, !routes.contains(where: { $0.match == .connect }) {
      report.refuse(
        resource.line, properties.path(of: "Auth"), "needs a $connect route, as SAM does",
        cure: "write $connect below Routes")
    }
    properties.finish()
    guard let selection else { return nil }
    return GatewayAPI(
      name: resource.name, identifier: identifier, kind: .webSocket(selection), stage: stage, routes: routes,
      access: access)
  }

  private func stage(
    _ properties: inout PropertyReader, _ throttles: GatewayAPI.Stage.Throttles
  ) -> GatewayAPI.Stage {
    let line = properties.line(of: "StageName")
    // Unlike for HTTP APIs, SAM's default has no dollar sign.
    let name = properties.text("StageName") ?? "default"
    if name == "$default" {
      report.refuse(
        line, properties.path(of: "StageName"), "cannot be $default for a WebSocket API",
        cure: "write StageName: live")
    }
    return GatewayAPI.Stage(
      name: name, variables: properties.dictionary("StageVariables"), throttles: throttles)
  }

  // MARK: Authorization

  /// Returns who may connect.
  private func auth(_ value: TemplateValue) -> RouteAccess {
    let path = resource.path + ".Auth"
    let authorizers = AuthorizerReader(reader, api: identifier, report.part())
    guard var auth = PropertyReader(value, at: path, authorizers.report) else {
      return .closed(authorizers.report.findings)
    }
    let type = auth.requiredText("AuthType", cure: "write AuthType: CUSTOM, AWS_IAM or NONE")
    var access: RouteAccess?
    switch type {
    case "NONE": access = .open
    case "AWS_IAM": access = .signature
    case "CUSTOM": return custom(&auth, authorizers, value.line)
    case nil: break
    case let other?:
      // SAM accepts the words in any case, but then makes no authorizer.
      authorizers.report.refuse(
        value.line, auth.path(of: "AuthType"), "is not known: \(other)",
        cure: "write CUSTOM, AWS_IAM or NONE in capital letters")
    }
    auth.finish(cure: "remove it: only AuthType CUSTOM has more settings")
    return (access ?? .closed([])).closed(by: authorizers.report.findings)
  }

  private func custom(
    _ auth: inout PropertyReader, _ authorizers: AuthorizerReader, _ line: Int
  ) -> RouteAccess {
    // SAM adds the permission, unless there is a role.
    auth.pass(over: "InvokeRole")
    let function = auth.requiredText("AuthArn", cure: "write AuthArn: !GetAtt FUNCTION.Arn")
    let sources = (auth.texts("IdentitySource") ?? []).compactMap { text -> IdentitySource? in
      if let source = IdentitySource(expression: text) { return source }
      authorizers.report.refuse(
        line, auth.path(of: "IdentitySource"), "is not known: \(text)",
        cure: "write route.request.header.NAME or route.request.querystring.NAME")
      return nil
    }
    let name = auth.text("Name") ?? resource.name + "ConnectAuthorizer"
    auth.finish()
    let authorizer = authorizers.authorizer(
      name, function, .webSocket(sources), 0, mayCall: true, line, auth.path)
    return authorizers.access(authorizer, line, auth.path)
  }

  // MARK: Routes

  private func routes(_ properties: inout PropertyReader, _ auth: RouteAccess?) -> [GatewayRoute] {
    let answered = LinkedResources(resource, reader, report).answeredRoutes()
    var routes: [GatewayRoute] = []
    if var list = properties.reader("Routes") {
      routes = list.takeAll().compactMap {
        route($0.name, $0.value, at: list.path(of: $0.name), auth, answered)
      }
    }
    if routes.isEmpty {
      report.refuse(
        resource.line, properties.path(of: "Routes"), "is empty", cure: "write $connect and other route keys")
    }
    return routes
  }

  private func route(
    _ key: String, _ value: TemplateValue, at path: String, _ auth: RouteAccess?, _ answered: Set<String>
  ) -> GatewayRoute? {
    let isConnect = key == "$connect"
    let isPredefined = isConnect || key == "$disconnect" || key == "$default"
    guard isPredefined || !key.isEmpty && key.allSatisfy({ $0.isLetter || $0.isNumber }) else {
      report.refuse(
        value.line, path, "must have letters and digits only, as SAM requires", cure: "rename the route")
      return nil
    }
    let part = report.part()
    guard var properties = PropertyReader(value, at: path, part) else {
      return GatewayRoute(
        match: isConnect ? .connect : key == "$default" ? .default : .message(key),
        access: .closed(part.findings), integration: .webSocketMock)
    }
    properties.pass(over: "OperationName")
    properties.note(IntegrationReader.fixedTimeout, "IntegrationTimeout")
    let settings = WebSocketRouteSettings(&properties, isConnect: isConnect)
    let backend = report.part()
    var ofBackend = properties.reporting(to: backend)
    let address = ofBackend.requiredText("FunctionArn", cure: "write FunctionArn: !GetAtt FUNCTION.Arn")
    properties.pass(over: "FunctionArn")
    properties.finish()
    let function = address.flatMap {
      reader.function($0, line: value.line, path: path + ".FunctionArn", backend)
    }
    let unread = TemplateFinding(
      line: value.line, path: path + ".FunctionArn", problem: "cannot be read",
      cure: "write FunctionArn: !GetAtt FUNCTION.Arn")
    let name = resource.name + (isPredefined ? key.dropFirst().capitalizedKey : key[...].capitalizedKey)
    return GatewayRoute(
      match: isConnect ? .connect : key == "$default" ? .default : .message(key),
      access: (isConnect ? auth ?? .open : .open).closed(by: part.findings),
      needsAPIKey: settings.needsAPIKey,
      integration: function.map { .function($0, .webSocket) }
        ?? .unavailable(backend.findings.first ?? unread),
      reply: settings.reply(hasResponse: answered.contains(name + "Route")))
  }
}

extension Substring {
  /// The form in SAM's logical IDs: Python's `capitalize`.
  fileprivate var capitalizedKey: String { prefix(1).uppercased() + dropFirst().lowercased() }
}
