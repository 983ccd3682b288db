internal import GatewayModel

/// A reader for `AWS::Serverless::HttpApi`.
struct HTTPAPIReader: ResourceReader {
  let resource: TemplateReader.ResolvedResource
  let reader: TemplateReader
  let report: Diagnostics

  func read(_ events: inout FunctionEvents) -> GatewayAPI? {
    guard var properties = properties else { return nil }
    properties.pass(over: "Name", "Description", "Tags", "FailOnWarnings", "PropagateTags")
    properties.note("is not emulated", "AccessLogSettings")
    var throttles = ThrottleReader(report: report).routeSettings(&properties)
    // `DomainReader` reads it.
    properties.pass(over: "Domain")
    let stage = properties.text("StageName").flatMap { $0.isEmpty ? nil : $0 } ?? "$default"
    let variables = properties.dictionary("StageVariables")
    var auth = APIAuth(&properties, of: self, isREST: false)
    let policy = CrossOriginReader(report: report).read(
      &properties,
      // SAM passes a function on as it is.
      allowsCredentials: source?.hasCall("CorsConfiguration") == true
        ? nil : source?.isTrue("CorsConfiguration", "AllowCredentials"))
    let hasDocument = properties.has("DefinitionBody") || properties.has("DefinitionUri")
    let document = OpenAPIReader(api: self, isREST: false).document(
      &properties, body: "DefinitionBody", location: "DefinitionUri")
    auth.add(document)
    var access = APIAccess()
    access.hasDefaultEndpoint = hasDefaultEndpoint(&properties, document)
    properties.finish()
    var routes = (document?.operations ?? []).map { $0.resolved(by: auth.schemes) }
    let fromEvents = events.take(for: identifier, report)
    routes.add(fromEvents, to: auth, hasDocument: hasDocument, merges: false, report)
    for event in fromEvents {
      if let throttle = event.throttle { throttles.own[event.route.match.key] = throttle }
    }
    var register = RouteRegister(report)
    for route in routes { register.enter(route.match, line: route.line, path: route.path) }
    if routes.isEmpty { refuse("has no routes", cure: "write DefinitionBody, or Events of functions") }
    let all = routes.map(auth.route)
    throttles.reportUnknown(all, line: resource.line, path: resource.path, report)
    return GatewayAPI(
      name: resource.name, identifier: identifier, kind: .http(policy ?? document?.crossOrigin),
      stage: GatewayAPI.Stage(name: stage, variables: variables, throttles: throttles),
      routes: all, access: access)
  }
}
