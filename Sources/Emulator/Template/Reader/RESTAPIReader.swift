/// A reader for `AWS::Serverless::Api`.
struct RESTAPIReader {
  private let resource: TemplateReader.ResolvedResource
  private let reader: TemplateReader
  private let report: TemplateReport

  /// - Parameter report: the report about the API.
  init(_ resource: TemplateReader.ResolvedResource, _ reader: TemplateReader, _ report: TemplateReport) {
    self.resource = resource
    self.reader = reader
    self.report = report
  }

  private enum EndpointType: String, CaseIterable { case regional = "REGIONAL", edge = "EDGE" }

  /// Refuses private APIs: they are reachable only from a VPC, and their resource policy decides too.
  private func readEndpoint(_ properties: inout PropertyReader) {
    let path = properties.path(of: "EndpointConfiguration")
    guard let value = properties.take("EndpointConfiguration"),
      var endpoint = PropertyReader(value, at: path, report)
    else { return }
    _ = endpoint.word("Type", EndpointType.self)
    endpoint.pass(over: "IpAddressType")
    endpoint.finish()
  }

  func read(_ events: inout FunctionEvents) -> GatewayAPI? {
    guard var properties = PropertyReader(resource.properties, at: resource.path, report) else { return nil }
    properties.pass(over: "Name", "Description", "Tags", "OpenApiVersion", "FailOnWarnings")
    readEndpoint(&properties)
    properties.note(
      "is not emulated", "TracingEnabled", "MethodSettings", "AccessLogSetting", "AlwaysDeploy",
      "PropagateTags")
    properties.refuse(
      "Models", "CanarySetting", "CacheClusterEnabled", "CacheClusterSize",
      "BinaryMediaTypes",
      "MinimumCompressionSize", "Domain", "ApiKeySourceType", "Mode", "MergeDefinitions", "Policy",
      "SecurityPolicy", "DisableExecuteApiEndpoint",
      cure: "remove it in a local copy of the template, and test it on AWS")
    let stage = properties.requiredText("StageName", cure: "write StageName: prod") ?? "prod"
    let variables = properties.dictionary("Variables")
    let identifier = TemplateNames.apiIdentifier(resource.name)
    let authorizers = AuthorizerReader(reader, api: identifier, report)
    var auth = authorizers.auth(&properties, isREST: true)
    var responses = GatewayResponsesReader(report).read(&properties)
    let cors = RESTCrossOrigin(&properties, report)
    let document = OpenAPIReader(reader, api: identifier, isREST: true, report).document(
      &properties, body: "DefinitionBody", location: "DefinitionUri")
    auth.authorizers.merge(document?.authorizers ?? [:]) { own, _ in own }
    let operations = document?.operations ?? []
    responses.changes.merge(document?.responses.changes ?? [:]) { own, _ in own }
    var access = APIAccess()
    access.keySource = document?.keySource ?? .header
    access.hasDefaultEndpoint = document?.hasDefaultEndpoint ?? true
    access.resourcePolicy = ResourcePolicyReader(reader, report).document(
      document?.policy, of: identifier, at: resource.path)
    properties.finish()
    let fromEvents = events.take(for: identifier, report, isManaged: document == nil)
    var register = RouteRegister(report, isREST: true)
    for operation in operations {
      register.enter(
        .path(method: operation.method, operation.pattern), line: operation.line, path: operation.path)
    }
    for event in fromEvents {
      if let pattern = event.pattern {
        register.enter(.path(method: event.method, pattern), line: event.line, path: event.path)
      }
    }
    var routes = operations.map { authorizers.route($0, of: auth) }
    routes += fromEvents.compactMap { event in
      event.pattern.map {
        GatewayRoute(
          match: .path(method: event.method, $0),
          access: authorizers.access(
            event.authorizer, of: auth, method: event.method, line: event.line, path: event.path
          ).closed(by: event.findings),
          integration: .function(event.function, .rest))
      }
    }
    if let cors {
      let preflightAccess = authorizers.access(
        .inherited, of: auth, method: "OPTIONS", line: resource.line, path: resource.path)
      routes += cors.routes(beside: routes, preflightAccess)
    }
    if routes.isEmpty {
      report.refuse(
        resource.line, resource.path, "has no routes", cure: "write DefinitionBody, or Events of functions")
    }
    return GatewayAPI(
      name: resource.name, identifier: identifier, kind: .rest(responses),
      stage: GatewayAPI.Stage(name: stage, variables: variables), routes: routes, access: access,
      binaryMediaTypes: document?.binaryMediaTypes ?? [])
  }
}

/// `Cors` of a REST API, from which SAM creates an `OPTIONS` method for each path.
private struct RESTCrossOrigin {
  private let headers: [(name: String, value: ParameterValue)]

  /// Returns `nil` if the API has none.
  init?(_ properties: inout PropertyReader, _ report: TemplateReport) {
    guard let value = properties.take("Cors") else { return nil }
    let path = properties.path(of: "Cors")
    if let origin = value.text {
      headers =
        [("Access-Control-Allow-Origin", Self.literal(origin))]
        + [("Access-Control-Allow-Methods", .literal("OPTIONS,GET,PUT,POST,DELETE,PATCH,HEAD"))]
      return
    }
    guard var cors = PropertyReader(value, at: path, report) else { return nil }
    var headers: [(String, ParameterValue)] = []
    for (member, name) in [
      ("AllowHeaders", "Access-Control-Allow-Headers"), ("AllowMethods", "Access-Control-Allow-Methods"),
      ("AllowOrigin", "Access-Control-Allow-Origin"), ("MaxAge", "Access-Control-Max-Age"),
    ] {
      guard let text = cors.text(member) else { continue }
      guard text.hasPrefix("'"), text.hasSuffix("'"), text.count >= 2 else {
        report.refuse(
          value.line, cors.path(of: member), "must be in apostrophes", cure: #"write "'\#(text)'""#)
        continue
      }
      headers.append((name, Self.literal(text)))
    }
    if cors.boolean("AllowCredentials") == true {
      headers.append(("Access-Control-Allow-Credentials", .literal("true")))
    }
    cors.finish()
    if headers.contains(where: { $0.0 == "Access-Control-Allow-Credentials" }),
      !headers.contains(where: { $0.0 == "Access-Control-Allow-Origin" && $0.1 != .literal("*") })
    {
      report.refuse(
        value.line, cors.path, "allows credentials for every origin, which SAM and browsers refuse",
        cure: "write the origin, or remove AllowCredentials")
    }
    self.headers = headers
  }

  private static func literal(_ text: String) -> ParameterValue {
    .literal(
      text.hasPrefix("'") && text.hasSuffix("'") && text.count >= 2
        ? String(text.dropFirst().dropLast()) : text)
  }

  /// Returns an `OPTIONS` route for each path that has none.
  func routes(beside routes: [GatewayRoute], _ access: RouteAccess) -> [GatewayRoute] {
    var patterns: [PathPattern] = []
    for case .path(_, let pattern) in routes.map(\.match) where !patterns.contains(pattern) {
      patterns.append(pattern)
    }
    guard let request = try? MappingTemplate(#"{"statusCode":200}"#) else { return [] }
    let response = MockIntegration.Response(
      pattern: nil, status: 200, headers: headers.map { .init(name: $0.name, value: $0.value) },
      contentType: "application/json", template: nil)
    return patterns.filter { pattern in
      !routes.contains { $0.match == .path(method: "OPTIONS", pattern) }
    }.map {
      GatewayRoute(
        match: .path(method: "OPTIONS", $0), access: access,
        integration: .mock(MockIntegration(request: request, responses: [response])))
    }
  }
}
