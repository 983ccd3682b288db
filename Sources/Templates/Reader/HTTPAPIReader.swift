internal import GatewayModel

/// A reader for `AWS::Serverless::HttpApi`.
struct HTTPAPIReader {
  private let resource: TemplateReader.ResolvedResource
  private let reader: TemplateReader
  private let report: TemplateReport

  /// - Parameter report: the report about the API.
  init(_ resource: TemplateReader.ResolvedResource, _ reader: TemplateReader, _ report: TemplateReport) {
    self.resource = resource
    self.reader = reader
    self.report = report
  }

  func read(_ events: inout FunctionEvents) -> GatewayAPI? {
    guard var properties = PropertyReader(resource.properties, at: resource.path, report) else { return nil }
    properties.pass(over: "Name", "Description", "Tags", "FailOnWarnings", "PropagateTags")
    properties.note("is not emulated", "AccessLogSettings")
    var throttles = ThrottleReader(report).routeSettings(&properties)
    // `DomainReader` reads it.
    properties.pass(over: "Domain")
    let stage = properties.text("StageName").flatMap { $0.isEmpty ? nil : $0 } ?? "$default"
    let variables = properties.dictionary("StageVariables")
    let identifier = TemplateNames.apiIdentifier(resource.name)
    let authorizers = AuthorizerReader(reader, api: identifier, report)
    var auth = authorizers.auth(&properties, isREST: false)
    let source = reader.document.resources.first { $0.name == resource.name }
    let policy = CrossOriginReader(report).read(
      &properties,
      // SAM passes a function on as it is.
      allowsCredentials: source?.hasCall("CorsConfiguration") == true
        ? nil : source?.isTrue("CorsConfiguration", "AllowCredentials"))
    let hasDocument = properties.has("DefinitionBody") || properties.has("DefinitionUri")
    let document = OpenAPIReader(reader, api: identifier, isREST: false, report).document(
      &properties, body: "DefinitionBody", location: "DefinitionUri")
    auth.add(document)
    var access = APIAccess()
    access.hasDefaultEndpoint =
      properties.boolean("DisableExecuteApiEndpoint").map { !$0 } ?? document?.hasDefaultEndpoint ?? true
    properties.finish()
    var routes = (document?.operations ?? []).map { $0.resolved(by: auth.schemes) }
    let fromEvents = events.take(for: identifier, report)
    routes.add(fromEvents, to: auth, hasDocument: hasDocument, merges: false, report)
    for event in fromEvents {
      if let throttle = event.throttle { throttles.own[event.route.match.key] = throttle }
    }
    var register = RouteRegister(report)
    for route in routes { register.enter(route.match, line: route.line, path: route.path) }
    if routes.isEmpty {
      report.refuse(
        resource.line, resource.path, "has no routes", cure: "write DefinitionBody, or Events of functions")
    }
    let all = routes.map { authorizers.route($0, of: auth) }
    throttles.reportUnknown(all, line: resource.line, path: resource.path, report)
    return GatewayAPI(
      name: resource.name, identifier: identifier, kind: .http(policy ?? document?.crossOrigin),
      stage: GatewayAPI.Stage(name: stage, variables: variables, throttles: throttles),
      routes: all, access: access)
  }
}
