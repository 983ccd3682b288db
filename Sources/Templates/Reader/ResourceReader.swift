internal import Text
internal import GatewayModel

/// A reader for one resource of a template.
protocol ResourceReader {
  var resource: TemplateReader.ResolvedResource { get }
  var reader: TemplateReader { get }
  /// The report about what the resource is: an API, a route or a function.
  var report: Diagnostics { get }
}

extension ResourceReader {
  /// The ID of the API.
  var identifier: String { TemplateNames.apiIdentifier(resource.name) }

  /// Its properties; `nil` with a finding if they are no map.
  var properties: PropertyReader? { PropertyReader(resource.properties, at: resource.path, report) }

  /// The resource as in the file, with `Globals`.
  var source: TemplateDocument.Resource? { reader.document.resources.first { $0.name == resource.name } }

  /// Reports the resource, in its line.
  func refuse(_ problem: String, cure: String) {
    report.refuse(resource.line, resource.path, problem, cure: cure)
  }

  /// Returns the resources of a type that belong to this API.
  ///
  /// - Parameter property: the property that names the API.
  func owned(_ type: String, by property: String) -> [(TemplateReader.ResolvedResource, PropertyReader)] {
    reader.resources.filter { $0.type == type }.compactMap { resource in
      guard resource.properties[property]?.text == identifier,
        var properties = PropertyReader(resource.properties, at: resource.path, report)
      else { return nil }
      properties.pass(over: property)
      return (resource, properties)
    }
  }

  /// Reads `Events` of a function or a state machine.
  func readEvents(_ properties: inout PropertyReader, _ events: inout FunctionEvents) {
    guard var list = properties.reader("Events") else { return }
    for member in list.takeAll() {
      EventReader(resource: resource, reader: reader, report: report.part()).read(
        member.value, at: list.path(of: member.name), &events)
    }
  }

  /// The reader for an authorizer of this API, whose findings close only the routes that it guards.
  func authorizer(_ name: String, line: Int, path: String) -> AuthorizerReader {
    AuthorizerReader(
      reader: reader, api: identifier, name: name, location: SourceLocation(line: line, path: path),
      report: report.part())
  }

  /// Returns who may call a route with each of these authorizers, by the name of the resource.
  func authorizers(
    _ resources: [(TemplateReader.ResolvedResource, PropertyReader)],
    _ access: (inout PropertyReader, AuthorizerReader) -> RouteAccess
  ) -> [String: RouteAccess] {
    var result: [String: RouteAccess] = [:]
    for (resource, properties) in resources {
      let part = report.part()
      var properties = properties.reporting(to: part)
      let name = properties.requiredText("Name", cure: "write Name: Bearer") ?? resource.name
      let authorizer = AuthorizerReader(
        reader: reader, api: identifier, name: name,
        location: SourceLocation(line: resource.line, path: resource.path), report: part)
      result[resource.name] = access(&properties, authorizer).closed(by: part.findings)
    }
    return result
  }

  /// Reads what decides about every request to a REST API.
  func access(_ properties: inout PropertyReader, _ document: OpenAPIDocument?, beside name: String)
    -> APIAccess
  {
    var access = APIAccess()
    access.isPrivate = document?.isPrivate == true
    access.keySource =
      properties.word("ApiKeySourceType", APIKeySource.self) ?? document?.keySource ?? .header
    access.hasDefaultEndpoint = hasDefaultEndpoint(&properties, document)
    // The Serverless Framework writes an empty text to remove an earlier policy of the API.
    let policy = properties.take("Policy").flatMap { $0.text == "" ? nil : $0 }
    if let policy, document?.policy != nil {
      report.refuse(
        policy.line, properties.path(of: "Policy"), "is there beside \(name)", cure: "write one of them")
    }
    access.resourcePolicy = ResourcePolicyReader(reader: reader, report: report).document(
      policy ?? document?.policy, of: identifier, at: resource.path)
    return access
  }

  func hasDefaultEndpoint(_ properties: inout PropertyReader, _ document: OpenAPIDocument?) -> Bool {
    properties.boolean("DisableExecuteApiEndpoint").map { !$0 } ?? document?.hasDefaultEndpoint ?? true
  }

  func mediaTypes(_ properties: inout PropertyReader, _ document: OpenAPIDocument?) -> [String] {
    (properties.texts("BinaryMediaTypes") ?? []).map { $0.replacingBytes(of: "~1", with: "/") }
      + (document?.binaryMediaTypes ?? [])
  }
}
