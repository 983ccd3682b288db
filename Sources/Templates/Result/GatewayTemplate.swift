package import GatewayModel

/// The parts of a SAM or CloudFormation template that affect requests.
///
/// What decides who gets in and is not supported closes its route or API. A template of which nothing can be served is
/// refused.
package struct GatewayTemplate: Sendable {
  /// The served APIs, in the order of the template, once for each stage.
  package let apis: [GatewayAPI]
  /// The APIs that are not served.
  package let closedAPIs: [ClosedAPI]
  /// The custom domain names.
  package let domains: [GatewayDomain]
  /// The functions, by the name of their resource.
  package private(set) var functions: [String: TemplateFunction]
  /// The names of the parameters.
  package let parameters: Set<String>
  /// The number of resources that no request reaches and that are not read, by type.
  package let skippedResources: [String: Int]
  /// The nested stacks and applications, in the order of the template.
  package let nestedTemplates: [NestedTemplate]
  /// The API keys to which the template gives no value.
  package var keysWithoutValue: Set<String> {
    Set(apis.flatMap(\.access.keys).filter { $0.value == nil }.map(\.name))
  }
  /// Features of AWS that `serve` does not emulate.
  package let notes: [Diagnostic]
  /// The authorizers whose function API Gateway may not call. A permission may also be outside of the template, so
  /// `serve` calls the function.
  package let uncallable: [Diagnostic]
  /// What the template says and AWS ignores, such as a guard that guards nothing.
  package let warnings: [Diagnostic]
  package let place: AWSLocation

  /// - Parameter report: the report about the document.
  init(
    _ document: TemplateDocument, _ place: AWSLocation, acceptsNoAPI: Bool, _ report: Diagnostics
  ) throws(TemplateError) {
    let reader = TemplateReader(document, place: place, report)
    let reading = reader.read(acceptsNoAPI: acceptsNoAPI)
    let sources = document.sources
    nestedTemplates = reader.nestedTemplates.map { nested in
      var nested = nested
      nested.finding = sources.located(nested.finding)
      return nested
    }
    if var error = report.error(sources) {
      error.nestedTemplates = nestedTemplates
      throw error
    }
    apis = reading.apis.map { $0.located(in: sources) }
    closedAPIs = reading.closedAPIs.map {
      ClosedAPI(name: $0.name, findings: $0.findings.map(sources.located))
    }
    domains = reading.domains.map { $0.located(in: sources) }
    functions = reading.functions
    self.place = place
    skippedResources = reader.skipped
    parameters = Set(document.parameters.keys)
    notes = report.notes.map(sources.located)
    uncallable = report.uncallable.map(sources.located)
    warnings = report.warnings.map(sources.located)
  }

  /// What a gateway needs of the template.
  package var served: ServedAPIs {
    ServedAPIs(
      apis: apis, closedAPIs: closedAPIs, domains: domains, location: place,
      tenancy: functions.filter { !$0.value.isExternal && !$0.value.isAdopted }.mapValues(\.isTenantIsolated))
  }

  /// The APIs, without the stages that have the routes of another stage of the same API.
  package var distinctAPIs: [GatewayAPI] {
    var found: [GatewayAPI] = []
    for api in apis where !found.contains(where: { $0.name == api.name && $0.routes == api.routes }) {
      found.append(api)
    }
    return found
  }

  /// Why APIs, routes and integrations are closed, in the order of the lines.
  package var closures: [Diagnostic] {
    var seen: Set<Diagnostic> = []
    return (closedAPIs.flatMap(\.findings) + apis.flatMap(\.closures)).filter { seen.insert($0).inserted }
      .sorted { $0.line < $1.line }
  }

  /// The functions that routes call, sorted: those of authorizers, or those of integrations.
  package func calledFunctions(byAuthorizers: Bool) -> [String] {
    let routes = apis.flatMap(\.routes)
    let names = routes.compactMap { byAuthorizers ? $0.authorizer?.function : $0.integration.function }
    return Set(names).filter { functions[$0] != nil }.sorted()
  }

  /// The JWT and Cognito authorizers of the routes, in the order of the template.
  package var tokenAuthorizers: [TokenAuthorizer] {
    apis.flatMap(\.routes).compactMap {
      if case .token(let authorizer, _) = $0.access { authorizer } else { nil }
    }
  }

  /// The names of the template's functions that are authorizers, in the order of the template.
  package var authorizerFunctions: [String] {
    var names: [String] = []
    for route in apis.flatMap(\.routes) {
      if let name = route.authorizer?.function, functions[name]?.isExternal == false, !names.contains(name) {
        names.append(name)
      }
    }
    return names
  }

  /// The authorizers whose function is outside of the template, sorted.
  package var externalAuthorizers: [String] {
    calledFunctions(byAuthorizers: true).filter { functions[$0]?.isExternal == true }
  }

  /// The only Lambda authorizer, if its function is outside of the template.
  package var onlyExternalAuthorizer: String? {
    authorizerFunctions.isEmpty && externalAuthorizers.count == 1 ? externalAuthorizers.first : nil
  }

  /// Puts this project's authorizer in the place of the only Lambda authorizer, if that one is outside of the template.
  package mutating func adoptAuthorizer() {
    guard let name = onlyExternalAuthorizer else { return }
    functions[name] = functions[name]?.adopted
  }

  /// The names of the authorizers of a template without an API, sorted: their APIs are elsewhere.
  package var standaloneAuthorizers: [String] {
    apis.isEmpty ? functions.values.filter(\.isNamedAuthorizer).map(\.name).sorted() : []
  }
}
