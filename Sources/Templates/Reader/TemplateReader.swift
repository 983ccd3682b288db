internal import Text
internal import GatewayModel
internal import Yams

/// Reads all resources of a template.
struct TemplateReader {
  let document: TemplateDocument
  let names: TemplateNames
  let functions: IntrinsicFunctions
  let report: Diagnostics
  /// The functions of authorizers outside of the template.
  let externals = ExternalFunctions()
  /// The resources that exist, with their properties resolved.
  private(set) var resources: [ResolvedResource] = []
  /// The contents of the template's layers, by the names of their resources.
  private(set) var layers: [String: String] = [:]
  /// What may change APIs and is not read.
  private var changes: [OutsideChange] = []
  /// The nested templates that may exist.
  private(set) var nestedTemplates: [NestedTemplate] = []
  /// The number of resources that no request reaches, by type.
  private(set) var skipped: [String: Int] = [:]

  struct ResolvedResource {
    let name: String
    let type: String
    let line: Int
    let properties: TemplateValue
    var buildMethod: String?
    var path: String { "Resources.\(name).Properties" }
  }

  init(_ document: TemplateDocument, place: AWSLocation, _ report: Diagnostics) {
    self.document = document
    names = TemplateNames(place, resources: document.resources)
    functions = IntrinsicFunctions(document, names)
    self.report = report
    let literals = LiteralProperties(Set(document.parameters.keys))
    for resource in document.resources where !document.readStacks.contains(resource.name) {
      if let change = OutsideChange(custom: resource, functions) { changes.append(change) }
      let isOfDomain = DomainReader.types.contains(resource.type)
      if let nested = NestedTemplate(resource, functions) {
        nestedTemplates.append(nested)
        changes.append(
          OutsideChange(
            nested.finding, resource.properties?["Parameters"], isMistake: nested.isMistake, functions))
        continue
      }
      guard isOfDomain || ResourceKind(resource.type) == .read else {
        if ResourceKind(resource.type) == .unknown {
          report.refuse(
            resource.line, "Resources.\(resource.name)", "\(resource.type) is not emulated",
            cure: ResourceKind.meant(by: resource.type).map { "did you mean \($0)?" }
              ?? "remove it in a local copy of the template, and test it on AWS")
        }
        skipped[resource.type, default: 0] += 1
        continue
      }
      if let condition = resource.condition {
        switch functions.decision(about: condition, line: resource.line) {
        case .holds(true): break
        case .holds(false): continue
        // A domain that may not exist is not served.
        case .unknown where isOfDomain: continue
        case .unknown(let finding): report.refuse(finding)
        }
      }
      resources.append(resolved(resource, literals))
    }
    for layer in document.resources where layer.type.hasByteSuffix("::LayerVersion") {
      layers[layer.name] = contents(of: layer)
    }
  }

  /// Returns the path of what is in a layer. Only a plain text and what a tool has built is read, because a layer decides
  /// nothing about a request.
  private func contents(of layer: TemplateDocument.Resource) -> String? {
    guard let location = layer.properties?["ContentUri"] ?? layer.properties?["Content"] else { return nil }
    if let text = location.scalar { return text.string }
    guard let value = functions.value(of: location, at: "Resources.\(layer.name)"),
      case .local(let path)? = document.built.code(of: layer, value)
    else { return nil }
    return path
  }

  private func resolved(
    _ resource: TemplateDocument.Resource, _ literals: LiteralProperties
  ) -> ResolvedResource {
    let empty = TemplateValue(line: resource.line, content: .map([]))
    var properties = resource.properties.map {
      literals.checked(
        functions.value(of: $0, at: "Resources.\(resource.name).Properties") ?? empty, $0, of: resource)
    }
    for finding in resource.unknown {
      // Without properties, one of the others may be meant to be them.
      if resource.type.hasBytePrefix("AWS::Serverless::"), properties != nil {
        report.note(finding.line, finding.path, "is dropped by SAM: properties belong under Properties")
      } else {
        properties = TemplateValue(line: finding.line, content: .unknown(finding))
      }
    }
    return ResolvedResource(
      name: resource.name, type: resource.type, line: resource.line, properties: properties ?? empty,
      buildMethod: resource.buildMethod)
  }

  /// The permissions to call functions.
  var permissions: FunctionPermissions {
    FunctionPermissions(resources.filter { $0.type == FunctionPermissions.type }.map(\.properties), names)
  }

  /// What a template has for requests.
  struct Reading {
    var apis: [GatewayAPI] = []
    var closedAPIs: [ClosedAPI] = []
    var functions: [String: TemplateFunction] = [:]
    var domains: [GatewayDomain] = []
  }

  func read(acceptsNoAPI: Bool) -> Reading {
    var reading = Reading()
    var events = FunctionEvents()
    for resource in resources where names.isFunction(resource.name) {
      let function = FunctionReader(resource: resource, reader: self, report: report.part()).read(&events)
      reading.functions[resource.name] = function
    }
    for resource in resources where resource.type == "AWS::Serverless::StateMachine" {
      readRoutes(of: resource, &events)
    }
    for api in ImplicitAPI.allCases { closeReplaced(api, &events) }
    APIGatewayV1Reader.reportUnclaimed(self, &events)
    report.refuse(events.unplaced)
    for resource in resources {
      // The API of events that do not exist here.
      if ImplicitAPI(rawValue: resource.name)?.type == resource.type, isImplicit(resource),
        events.isEmpty(TemplateNames.apiIdentifier(resource.name))
      {
        continue
      }
      let part = report.part()
      if resource.type.hasBytePrefix("AWS::ApiGateway") {
        events.takeClosing(for: TemplateNames.apiIdentifier(resource.name), part)
      }
      let apis: [GatewayAPI]
      switch resource.type {
      case "AWS::Serverless::Api":
        apis = RESTAPIReader(resource: resource, reader: self, report: part).read(&events)
      case "AWS::Serverless::HttpApi":
        apis = [HTTPAPIReader(resource: resource, reader: self, report: part).read(&events)].compactMap { $0 }
      case "AWS::ApiGateway::RestApi":
        apis = APIGatewayV1Reader(resource: resource, reader: self, report: part).apis()
      case "AWS::Serverless::WebSocketApi":
        apis = [WebSocketAPIReader(resource: resource, reader: self, report: part).read()].compactMap { $0 }
      case "AWS::ApiGatewayV2::Api":
        apis = APIGatewayV2Reader(resource: resource, reader: self, report: part).apis()
      default: continue
      }
      for api in apis { noteProtected(api) }
      closeChanged(resource, part)
      if part.findings.isEmpty {
        reading.apis += apis.map { api in
          var api = api.closed(by: reading.functions)
          UsagePlanReader(reader: self).add(to: &api)
          return api
        }
      } else {
        reading.closedAPIs.append(ClosedAPI(name: resource.name, findings: part.findings))
      }
    }
    SAMUsagePlan.share(&reading.apis)
    // The stages that SAM adds come last.
    let all = reading.apis
    let isAdded = { (api: GatewayAPI) in
      api.stage.name == RESTAPIReader.deploymentStage
        && all.contains { $0.name == api.name && $0.stage != api.stage }
    }
    reading.apis = all.filter { !isAdded($0) } + all.filter(isAdded)
    var domains = DomainReader(self, apis: reading.apis, closedAPIs: reading.closedAPIs)
    reading.domains = domains.domains()
    for name in externals.names {
      reading.functions[name] = TemplateFunction(
        external: name, isPermitted: !externals.withoutPermission.contains(name))
    }
    events.noteUnclaimed(report)
    APIGatewayV2Reader.reportUnclaimed(self)
    refuseUnserved(reading, acceptsNoAPI: acceptsNoAPI)
    return reading
  }

  /// Closes an API that something else in the template may change.
  private func closeChanged(_ resource: ResolvedResource, _ part: Diagnostics) {
    APIGatewayV2Reader.closeChanged(resource, self, part)
    let identifier = TemplateNames.apiIdentifier(resource.name)
    part.refuse(changes.compactMap { $0.closing(identifier, named: resource.name) })
  }

  /// Whether SAM adds this API.
  private func isImplicit(_ resource: ResolvedResource) -> Bool {
    resource.properties["DefinitionBody"] == nil && resource.properties["DefinitionUri"] == nil
  }

  /// Closes an API of the template that SAM replaces by the implicit one.
  private func closeReplaced(_ api: ImplicitAPI, _ events: inout FunctionEvents) {
    guard let own = document.written.first(where: { $0.name == api.rawValue }),
      api.firstUse(in: document.resources) != nil
    else { return }
    let finding = Diagnostic(
      line: own.line, path: "Resources.\(own.name)", problem: "is replaced by the implicit API of SAM",
      cure: "give it another name")
    events.close(TemplateNames.apiIdentifier(own.name), [finding])
  }

  /// Reads the routes of a state machine, whose other events start it without an API.
  private func readRoutes(of resource: ResolvedResource, _ events: inout FunctionEvents) {
    let part = report.part()
    defer { events.close(nil, part.findings) }
    guard var properties = PropertyReader(resource.properties, at: resource.path, part) else { return }
    EventReader(resource: resource, reader: self, report: report).readEvents(&properties, &events)
  }

  /// Notes that a web ACL of AWS WAF protects an API. It can refuse more requests, and lets in no others.
  private func noteProtected(_ api: GatewayAPI) {
    for resource in resources where resource.type.hasByteSuffix("::WebACLAssociation") {
      let value = resource.properties["ResourceArn"]
      guard value?.text?.containsBytes(of: "/\(api.identifier)/") ?? true else { continue }
      report.note(
        resource.line, resource.path,
        "is not emulated: on AWS, the web ACL may refuse requests that serve lets in")
    }
  }

  /// Refuses a template of which nothing can be served.
  private func refuseUnserved(_ reading: Reading, acceptsNoAPI: Bool) {
    for name in document.external.unused {
      report.refuse(
        1, "Parameters.\(name)", "is set, but nothing in the template uses it", cure: "check the spelling")
    }
    if report.findings.isEmpty, reading.apis.contains(where: { !$0.isClosed }) { return }
    let closures = reading.closedAPIs.flatMap(\.findings) + reading.apis.flatMap(\.closures)
    if !closures.isEmpty { return report.refuse(closures) }
    let isAuthorizerAlone = acceptsNoAPI && reading.functions.values.contains(where: \.isNamedAuthorizer)
    guard !isAuthorizerAlone, report.findings.isEmpty else { return }
    report.refuse(nestedTemplates.map(\.finding))
    if nestedTemplates.isEmpty {
      report.refuse(1, "Resources", "there is no API", cure: "add an API for serve to emulate")
    }
  }

  /// Returns the function that a text refers to; reports a finding if it is not in this template.
  func function(_ text: String, line: Int, path: String, _ report: Diagnostics) -> String? {
    if let name = names.function(text) { return name }
    if let variable = FunctionCall.missingSubstitution(in: text) {
      report.refuse(
        line, path, "has \(variable), which only Fn::Sub replaces", cure: "write !Sub before the text")
      return nil
    }
    report.refuse(
      line, path, "refers to no function of this template: \(text)",
      cure: "write !GetAtt FUNCTION.Arn, or the ARN of a function outside of the template")
    return nil
  }
}
