internal import GatewayModel

/// A reader for `AWS::Serverless::WebSocketApi` (SAM translator 1.110, "WebSocketApi").
struct WebSocketAPIReader: ResourceReader {
  let resource: TemplateReader.ResolvedResource
  let reader: TemplateReader
  let report: Diagnostics

  func read() -> GatewayAPI? {
    guard var properties = properties else { return nil }
    properties.pass(
      over: "Name", "Description", "Tags", "PropagateTags", "IpAddressType", "DisableSchemaValidation")
    properties.note("is not emulated", "AccessLogSettings")
    ThrottleReader.noteMessages(&properties)
    let throttles = ThrottleReader(report: report).routeSettings(&properties)
    properties.refuse("Domain", cure: "remove it in a local copy of the template, and test it on AWS")
    let linked = APIGatewayV2Reader(resource: resource, reader: reader, report: report)
    var access = APIAccess()
    access.keySource = linked.keySource(&properties)
    access.hasDefaultEndpoint = properties.boolean("DisableExecuteApiEndpoint") != true
    let selection = linked.selection(&properties, resource)
    let stage = stage(&properties, throttles)
    let auth = properties.take("Auth").map { self.auth($0) }
    let routes = routes(&properties, auth, answered: linked.answeredRoutes())
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
    let authorizer = authorizer(
      resource.name + "ConnectAuthorizer", line: value.line, path: resource.path + ".Auth")
    guard var auth = PropertyReader(value, at: authorizer.location.path, authorizer.report) else {
      return authorizer.closed
    }
    let type = auth.requiredText("AuthType", cure: "write AuthType: CUSTOM, AWS_IAM or NONE")
    var access: RouteAccess?
    switch type {
    case "NONE": access = .open
    case "AWS_IAM": access = .signature
    case "CUSTOM": return custom(&auth, authorizer)
    case nil: break
    case let other?:
      // SAM accepts the words in any case, but then makes no authorizer.
      authorizer.refuse(
        "AuthType", "is not known: \(other)", cure: "write CUSTOM, AWS_IAM or NONE in capital letters")
    }
    auth.finish(cure: "remove it: only AuthType CUSTOM has more settings")
    return (access ?? .closed([])).closed(by: authorizer.report.findings)
  }

  private func custom(_ auth: inout PropertyReader, _ unnamed: AuthorizerReader) -> RouteAccess {
    // SAM adds the permission, unless there is a role.
    auth.pass(over: "InvokeRole")
    let function = auth.requiredText("AuthArn", cure: "write AuthArn: !GetAtt FUNCTION.Arn")
    let sources = unnamed.sources(
      auth.texts("IdentitySource"), member: "IdentitySource",
      cure: "write route.request.header.NAME or route.request.querystring.NAME")
    var authorizer = unnamed
    if let name = auth.text("Name") { authorizer.name = name }
    auth.finish()
    return authorizer.lambda(function.map { .text($0) }, .webSocket(sources), lifetime: 0, mayCall: true)
  }

  // MARK: Routes

  private func routes(
    _ properties: inout PropertyReader, _ auth: RouteAccess?, answered: Set<String>
  ) -> [GatewayRoute] {
    var routes: [GatewayRoute] = []
    if var list = properties.reader("Routes") {
      routes = list.takeAll().compactMap { member in
        route(member, at: list.path(of: member.name), auth) { answered.contains($0) }
      }
    }
    if routes.isEmpty {
      report.refuse(
        resource.line, properties.path(of: "Routes"), "is empty", cure: "write $connect and other route keys")
    }
    return routes
  }

  private func route(
    _ member: TemplateValue.Member, at path: String, _ auth: RouteAccess?, isAnswered: (String) -> Bool
  ) -> GatewayRoute? {
    let (key, value) = (member.name, member.value)
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
    let unread = Diagnostic(
      line: value.line, path: path + ".FunctionArn", problem: "cannot be read",
      cure: "write FunctionArn: !GetAtt FUNCTION.Arn")
    let name = resource.name + (isPredefined ? key.dropFirst().capitalizedKey : key[...].capitalizedKey)
    return GatewayRoute(
      match: isConnect ? .connect : key == "$default" ? .default : .message(key),
      access: (isConnect ? auth ?? .open : .open).closed(by: part.findings),
      needsAPIKey: settings.needsAPIKey,
      integration: function.map { .function($0, .webSocket) }
        ?? .unavailable(backend.findings.first ?? unread),
      reply: settings.reply(hasResponse: isAnswered(name + "Route")))
  }
}

extension Substring {
  /// The form in SAM's logical IDs: Python's `capitalize`.
  fileprivate var capitalizedKey: String { prefix(1).uppercased() + dropFirst().lowercased() }
}
