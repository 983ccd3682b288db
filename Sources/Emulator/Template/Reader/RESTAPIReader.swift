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

  private enum EndpointType: String, CaseIterable {
    case regional = "REGIONAL", edge = "EDGE", `private` = "PRIVATE"
  }

  /// Returns whether only VPC endpoints reach the API.
  private func readEndpoint(_ properties: inout PropertyReader) -> Bool {
    let path = properties.path(of: "EndpointConfiguration")
    guard let value = properties.take("EndpointConfiguration") else { return false }
    // SAM accepts the type alone.
    let alone = TemplateValue.Member(name: "Type", value: value)
    let map = value.text == nil ? value : TemplateValue(line: value.line, content: .map([alone]))
    guard var endpoint = PropertyReader(map, at: path, report) else { return false }
    let type = endpoint.word("Type", EndpointType.self)
    endpoint.pass(over: "IpAddressType")
    if type == .private { endpoint.pass(over: "VPCEndpointIds") }
    endpoint.finish()
    return type == .private
  }

  /// Skips what changes no decision and no single answer.
  private func readOthers(_ properties: inout PropertyReader) {
    // Names and tags; how SAM writes and CloudFormation imports the document; models, which are documentation without a
    // validator; TLS versions.
    properties.pass(
      over: "Name", "Description", "Tags", "PropagateTags", "FailOnWarnings", "Mode", "AlwaysDeploy",
      "Models",
      "SecurityPolicy", "EndpointAccessMode")
    properties.note(
      "is not emulated", "TracingEnabled", "AccessLogSetting", "CacheClusterEnabled",
      "CacheClusterSize", "MinimumCompressionSize")
    properties.note("is not emulated: every request gets the deployment of the stage", "CanarySetting")
    properties.noteDomain()
  }

  /// The name of the stage that the deployment of SAM makes, beside that of the template.
  static let deploymentStage = "Stage"

  /// Returns the API, and the same API in the stage `Stage`, which SAM makes unless `OpenApiVersion` is set.
  func read(_ events: inout FunctionEvents) -> [GatewayAPI] {
    guard var properties = PropertyReader(resource.properties, at: resource.path, report) else { return [] }
    let hasOneStage = properties.text("OpenApiVersion")?.isEmpty == false
    readOthers(&properties)
    let isPrivate = readEndpoint(&properties)
    let throttles = ThrottleReader(report).methodSettings(&properties)
    let stage = properties.requiredText("StageName", cure: "write StageName: prod") ?? "prod"
    let variables = properties.dictionary("Variables")
    let merges = properties.boolean("MergeDefinitions") ?? false
    let identifier = TemplateNames.apiIdentifier(resource.name)
    let authorizers = AuthorizerReader(reader, api: identifier, report)
    var auth = authorizers.auth(&properties, isREST: true)
    var responses = GatewayResponsesReader(report).read(&properties)
    let cors = RESTCrossOrigin(&properties, report)
    let hasDocument = properties.has("DefinitionBody") || properties.has("DefinitionUri")
    let document = OpenAPIReader(reader, api: identifier, isREST: true, report).document(
      &properties, body: "DefinitionBody", location: "DefinitionUri")
    auth.add(document)
    responses.changes.merge(document?.responses.changes ?? [:]) { own, _ in own }
    let media = (properties.texts("BinaryMediaTypes") ?? []).map { $0.replacing("~1", with: "/") }
    let fromEvents = events.take(for: identifier, report)
    var access = access(&properties, auth, document, fromEvents)
    access.isPrivate = isPrivate
    properties.finish()
    var all = (document?.operations ?? []).map { SAMRoute($0) }
    all.add(fromEvents, to: auth, hasDocument: hasDocument, merges: merges, report)
    var register = RouteRegister(report, isREST: true)
    for route in all { register.enter(route.match, line: route.line, path: route.path) }
    var routes = all.map { authorizers.route($0, of: auth) }
    if let cors {
      let preflightAccess = authorizers.access(
        .inherited, of: auth, method: "OPTIONS", line: resource.line, path: resource.path)
      routes += cors.routes(
        beside: routes, preflightAccess, needsAPIKey: auth.needsAPIKey(nil, method: "OPTIONS"))
    }
    if routes.isEmpty {
      report.refuse(
        resource.line, resource.path, "has no routes", cure: "write DefinitionBody, or Events of functions")
    }
    let ownPolicy = ResourcePolicyReader(reader, report).document(
      ofSAM: auth.policy, of: identifier, at: resource.path + ".Auth.ResourcePolicy", routes: routes,
      stage: stage)
    let twin =
      stage == Self.deploymentStage || hasOneStage
      ? nil : GatewayAPI.Stage(name: Self.deploymentStage, variables: [:])
    let own = GatewayAPI.Stage(name: stage, variables: variables, throttles: throttles)
    return [own, twin].compactMap { $0 }.map { stage in
      var access = access
      access.resourcePolicy = access.resourcePolicy ?? ownPolicy
      // The usage plan is of the template's stage.
      if stage != twin { auth.plan?.add(to: &access, of: resource.name) }
      return GatewayAPI(
        name: resource.name, identifier: identifier, kind: .rest(responses), stage: stage, routes: routes,
        access: access, binaryMediaTypes: media + (document?.binaryMediaTypes ?? []))
    }
  }

  /// Reads what decides about every request.
  private func access(
    _ properties: inout PropertyReader, _ auth: AuthorizerReader.Auth, _ document: OpenAPIDocument?,
    _ events: [FunctionEvent]
  ) -> APIAccess {
    var access = APIAccess()
    access.isPrivate = document?.isPrivate == true
    access.keySource =
      properties.word("ApiKeySourceType", APIKeySource.self) ?? document?.keySource ?? .header
    access.hasDefaultEndpoint =
      properties.boolean("DisableExecuteApiEndpoint").map { !$0 } ?? document?.hasDefaultEndpoint ?? true
    let policy = properties.take("Policy")
    for event in events {
      guard let value = event.auth.policy else { continue }
      report.refuse(
        value, event.path + ".Properties.Auth.ResourcePolicy", "is not emulated",
        cure: "write it under Auth of the API")
    }
    if [policy, document?.policy, auth.policy].count(where: { $0 != nil }) > 1 {
      report.refuse(
        resource.line, properties.path(of: "Policy"), "is there beside another resource policy",
        cure: "write one of them")
    }
    access.resourcePolicy = ResourcePolicyReader(reader, report).document(
      policy ?? document?.policy, of: identifier, at: resource.path)
    return access
  }

  private var identifier: String { TemplateNames.apiIdentifier(resource.name) }
}

/// `Cors` of a REST API, from which SAM creates an `OPTIONS` method for each path.
private struct RESTCrossOrigin {
  private let headers: [(name: String, value: ParameterValue)]
  private static let methods = "Access-Control-Allow-Methods"

  /// Returns `nil` if the API has none.
  init?(_ properties: inout PropertyReader, _ report: TemplateReport) {
    guard let value = properties.take("Cors") else { return nil }
    let path = properties.path(of: "Cors")
    if let origin = value.text {
      headers =
        Self.value(origin, value.line, path, report).map { [("Access-Control-Allow-Origin", $0)] } ?? []
      return
    }
    guard var cors = PropertyReader(value, at: path, report) else { return nil }
    var headers: [(String, ParameterValue)] = []
    for (member, name) in [
      ("AllowHeaders", "Access-Control-Allow-Headers"), ("AllowMethods", Self.methods),
      ("AllowOrigin", "Access-Control-Allow-Origin"), ("MaxAge", "Access-Control-Max-Age"),
    ] {
      let text = cors.text(member) ?? (member == "AllowOrigin" ? "'*'" : "")
      guard !text.isEmpty, let value = Self.value(text, value.line, cors.path(of: member), report) else {
        continue
      }
      headers.append((name, value))
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

  /// Reads a mapping expression. API Gateway refuses a text without apostrophes.
  private static func value(
    _ text: String, _ line: Int, _ path: String, _ report: TemplateReport
  ) -> ParameterValue? {
    if let value = ParameterValue(text) { return value }
    report.refuse(line, path, "must be in apostrophes", cure: #"write "'\#(text)'""#)
    return nil
  }

  /// Returns the headers with the methods of a path, which SAM adds if the template has none.
  private func headers(of path: PathPattern, in routes: [GatewayRoute]) -> [GatewayResponseChange.Parameter] {
    var headers = headers
    if !headers.contains(where: { $0.name == Self.methods }) {
      var methods: Set<String> = ["OPTIONS"]
      for case .path(let method, path) in routes.map(\.match) {
        methods.formUnion(method.map { [$0] } ?? ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"])
      }
      headers.append((Self.methods, .literal(methods.sorted().joined(separator: ","))))
    }
    return headers.map { .init(name: $0.name, value: $0.value) }
  }

  /// Returns an `OPTIONS` route for each path that has none.
  func routes(
    beside routes: [GatewayRoute], _ access: RouteAccess, needsAPIKey: Bool
  ) -> [GatewayRoute] {
    var patterns: [PathPattern] = []
    for case .path(_, let pattern) in routes.map(\.match) where !patterns.contains(pattern) {
      patterns.append(pattern)
    }
    return patterns.filter { pattern in
      !routes.contains { $0.match == .path(method: "OPTIONS", pattern) }
    }.map { pattern in
      GatewayRoute(
        match: .path(method: "OPTIONS", pattern), access: access, needsAPIKey: needsAPIKey,
        integration: .mapped(MappedIntegration.mock(headers: headers(of: pattern, in: routes))))
    }
  }
}
