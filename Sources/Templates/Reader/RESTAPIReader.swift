internal import Text
internal import GatewayModel
internal import IAMPolicy

/// A reader for `AWS::Serverless::Api`.
struct RESTAPIReader: ResourceReader {
  let resource: TemplateReader.ResolvedResource
  let reader: TemplateReader
  let report: Diagnostics

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
      "Models", "SecurityPolicy", "EndpointAccessMode")
    properties.note(
      "is not emulated", "TracingEnabled", "AccessLogSetting", "CacheClusterEnabled",
      "CacheClusterSize", "MinimumCompressionSize")
    properties.refuse("CanarySetting", cure: "remove it: a canary may have other routes and variables")
    // `DomainReader` reads it.
    properties.pass(over: "Domain")
  }

  /// The name of the stage that the deployment of SAM makes, beside that of the template.
  static let deploymentStage = "Stage"

  /// Returns the API, and the same API in the stage `Stage`, which SAM makes unless `OpenApiVersion` is set.
  func read(_ events: inout FunctionEvents) -> [GatewayAPI] {
    guard var properties = properties else { return [] }
    let version = properties.text("OpenApiVersion") ?? ""
    let hasOneStage = !version.isEmpty
    readOthers(&properties)
    let isPrivate = readEndpoint(&properties)
    let throttles = ThrottleReader(report: report).methodSettings(&properties)
    let stage = properties.requiredText("StageName", cure: "write StageName: prod") ?? "prod"
    let variables = properties.dictionary("Variables")
    let merges = properties.boolean("MergeDefinitions") ?? false
    var auth = APIAuth(&properties, of: self, isREST: true)
    var responses = GatewayResponsesReader(report: report).read(&properties)
    let cors = RESTCrossOrigin(
      &properties, allowsCredentials: source?.isTrue("Cors", "AllowCredentials") == true, report)
    let hasDocument = properties.has("DefinitionBody") || properties.has("DefinitionUri")
    let document = OpenAPIReader(api: self, isREST: true).document(
      &properties, body: "DefinitionBody", location: "DefinitionUri")
    let fromEvents = events.take(for: identifier, report)
    auth.add(document, fromEvents, merges: merges)
    checkDocument(document, auth, fromEvents, version: version)
    responses.changes.merge(document?.responses.changes ?? [:]) { own, _ in own }
    let media = mediaTypes(&properties, document)
    var access = access(&properties, document, beside: "another resource policy")
    if isPrivate { access.isPrivate = true }
    properties.finish()
    var all = (document?.operations ?? []).map { $0.resolved(by: auth.schemes) }
    all.add(fromEvents, to: auth, hasDocument: hasDocument, merges: merges, report)
    var register = RouteRegister(report, isREST: true)
    for route in all { register.enter(route.match, line: route.line, path: route.path) }
    var routes = all.map(auth.route)
    close(&routes, beside: fromEvents)
    let written = routes
    if let cors {
      let preflightAccess = auth.access(
        .inherited, method: "OPTIONS", line: resource.line, path: resource.path)
      routes += cors.routes(
        beside: routes, preflightAccess, needsAPIKey: auth.needsAPIKey(nil, method: "OPTIONS"), report)
    }
    if routes.isEmpty { refuse("has no routes", cure: "write DefinitionBody, or Events of functions") }
    let ofAPI = auth.policy.map {
      ResourcePolicyReader.Part(
        value: $0, path: resource.path + ".Auth.ResourcePolicy", routes: routes, stage: stage)
    }
    let parts =
      [ofAPI].compactMap { $0 }
      + policies(of: fromEvents, written, stage: stage, isDocumentFixed: hasDocument && !merges)
    if !parts.isEmpty, access.resourcePolicy != nil {
      report.refuse(
        resource.line, resource.path + ".Policy", "is there beside another resource policy",
        cure: "write one of them")
    }
    let ownPolicy = ResourcePolicyReader(reader: reader, report: report).document(
      ofSAM: parts, of: identifier)
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
        access: access, binaryMediaTypes: media)
    }
  }

  /// Reports a document whose security is not what SAM means it to be.
  private func checkDocument(
    _ document: OpenAPIDocument?, _ auth: APIAuth, _ events: [FunctionEvent], version: String
  ) {
    guard let document else { return }
    if document.movesDefinitions, version.utf8.first == UInt8(ascii: "2"),
      auth.schemes.areReplaced || !document.losesSchemes
    {
      // SAM leaves its schemes where OpenAPI 3 has none.
      report.refuse(
        resource.line, resource.path + ".OpenApiVersion", "is \(version), but the document is OpenAPI 3",
        cure: "write OpenApiVersion: 3.0.1")
    }
    let usesKey = auth.needsAPIKey || events.contains { $0.route.auth.needsAPIKey == true }
    if usesKey, auth.schemes.hasAuthorizer(SAMSecurity.apiKey) {
      refuse(
        "has an authorizer with SAM's name of the API key, \(SAMSecurity.apiKey)",
        cure: "rename the security scheme")
    }
  }

  /// Closes the routes at the path of a closed event, whose resource policy is for the whole path.
  private func close(_ routes: inout [GatewayRoute], beside events: [FunctionEvent]) {
    for event in events.map(\.route) where !event.findings.isEmpty {
      for index in routes.indices where routes[index].match.hasSamePath(as: event.match) {
        if case .closed = routes[index].access { continue }
        routes[index].access = .closed(event.findings)
      }
    }
  }

  /// Returns the resource policies of events, each about the path of its event.
  ///
  /// SAM writes the statements for the methods that the path has when it reads the event, and the order of the events is
  /// its own. So a policy at a path with several events cannot be told.
  ///
  /// - Parameters:
  ///   - routes: the routes of the document and the events.
  ///   - isDocumentFixed: whether events add nothing to the document of the API.
  private func policies(
    of events: [FunctionEvent], _ routes: [GatewayRoute], stage: String, isDocumentFixed: Bool
  ) -> [ResourcePolicyReader.Part] {
    // SAM takes a stage name that is not written out for `Stage`.
    let isWrittenOut = source?.hasCall("StageName") != true
    let events = events.map(\.route)
    return events.compactMap { event in
      guard let value = event.auth.policy, !isDocumentFixed || event.auth.overrides else { return nil }
      let path = event.path + ".Properties.Auth.ResourcePolicy"
      if !isDocumentFixed, events.count(where: { $0.match.hasSamePath(as: event.match) }) > 1 {
        report.refuse(
          value, path, "is at a path with several events, whose order decides about which methods it is",
          cure: "write it under Auth of the API, or use CustomStatements there")
        return nil
      }
      return ResourcePolicyReader.Part(
        value: value, path: path, routes: routes.filter { $0.match.hasSamePath(as: event.match) },
        stage: isWrittenOut ? stage : Self.deploymentStage)
    }
  }
}

extension GatewayRoute.Match {
  /// Whether two routes have the same path, whatever their methods.
  fileprivate func hasSamePath(as other: GatewayRoute.Match) -> Bool {
    guard case .path(_, let own) = self, case .path(_, let pattern) = other else { return false }
    return own.text == pattern.text
  }
}
