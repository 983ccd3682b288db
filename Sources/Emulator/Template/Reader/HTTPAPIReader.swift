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
    properties.pass(over: "Name", "Description", "Tags", "FailOnWarnings")
    properties.note(
      "is not emulated", "AccessLogSettings", "DefaultRouteSettings", "RouteSettings", "PropagateTags")
    properties.refuse(
      "Domain", "DisableExecuteApiEndpoint",
      cure: "remove it in a local copy of the template, and test it on AWS")
    let stage = properties.text("StageName") ?? "$default"
    let variables = properties.dictionary("StageVariables")
    let identifier = TemplateNames.apiIdentifier(resource.name)
    let authorizers = AuthorizerReader(reader, api: identifier, report)
    var auth = authorizers.auth(&properties, isREST: false)
    let policy = CrossOriginReader(report).read(&properties)
    let document = OpenAPIReader(reader, api: identifier, isREST: false, report).document(
      &properties, body: "DefinitionBody", location: "DefinitionUri")
    auth.authorizers.merge(document?.authorizers ?? [:]) { own, _ in own }
    let operations = document?.operations ?? []
    var access = APIAccess()
    access.hasDefaultEndpoint = document?.hasDefaultEndpoint ?? true
    properties.finish()
    let fromEvents = events.take(for: identifier, report, isManaged: document == nil)
    var routes = operations.map { authorizers.route($0, of: auth) }
    routes += fromEvents.map { event in
      GatewayRoute(
        match: event.pattern.map { .path(method: event.method, $0) } ?? .default,
        access: authorizers.access(
          event.authorizer, of: auth, method: event.method, line: event.line, path: event.path
        ).closed(by: event.findings),
        integration: .function(event.function, event.format))
    }
    var register = RouteRegister(report)
    let places = operations.map { ($0.line, $0.path) } + fromEvents.map { ($0.line, $0.path) }
    for (route, place) in zip(routes, places) {
      register.enter(route.match, line: place.0, path: place.1)
    }
    if routes.isEmpty {
      report.refuse(
        resource.line, resource.path, "has no routes", cure: "write DefinitionBody, or Events of functions")
    }
    return GatewayAPI(
      name: resource.name, identifier: identifier, kind: .http(policy ?? document?.crossOrigin),
      stage: GatewayAPI.Stage(name: stage, variables: variables), routes: routes, access: access)
  }
}
