internal import Text
internal import GatewayModel
internal import Yams

/// All readable resources of a template, of any type; unreadable values are left out.
///
/// For inspections that do not need a completely supported template.
package struct LenientTemplate: Sendable {
  package let names: TemplateNames
  package let resources: [Resource]
  /// The template and the files that it includes.
  private let texts: [String]

  package struct Resource: Sendable {
    package let name: String
    package let type: String
    package let properties: TemplateValue
    /// `DeletionPolicy`; the default is `Delete`.
    package let deletionPolicy: String
    private let written: Set<String>

    fileprivate init(_ resource: TemplateDocument.Resource, _ functions: IntrinsicFunctions) {
      name = resource.name
      type = resource.type
      written = Set(resource.properties?.mapping?.keys.compactMap(\.string) ?? [])
      deletionPolicy = resource.deletionPolicy ?? "Delete"
      let empty = TemplateValue(line: resource.line, content: .map([]))
      properties = resource.properties.flatMap { functions.value(of: $0, at: resource.name) } ?? empty
    }

    /// Returns a property, or `nil` if it is absent or unreadable.
    package subscript(_ property: String) -> TemplateValue? { properties[property] }

    /// Whether the property is present, readable or not.
    package func says(_ property: String) -> Bool { written.contains(property) }
  }

  init(_ document: TemplateDocument, _ place: AWSLocation) {
    texts = document.sources.texts
    names = TemplateNames(place, resources: document.resources)
    let functions = IntrinsicFunctions(document, names)
    resources = document.resources.filter { resource in
      guard let condition = resource.condition else { return true }
      if case .holds(let holds) = functions.decision(about: condition, line: resource.line) { return holds }
      return false
    }.map { Resource($0, functions) }
  }

  package func resource(_ name: String) -> Resource? { resources.first { $0.name == name } }

  /// Whether the template or a file that it includes contains this text.
  package func contains(_ text: String) -> Bool { texts.contains { $0.containsBytes(of: text) } }

  /// The functions of the template's authorizers for any kind of API, in the order of the template.
  package var authorizerFunctions: [String] {
    var found: [String] = []
    for resource in resources {
      var texts: [String?] = []
      switch resource.type {
      case "AWS::ApiGateway::Authorizer", "AWS::ApiGatewayV2::Authorizer":
        texts = [resource["AuthorizerUri"]?.text]
      case "AWS::Serverless::Api", "AWS::Serverless::HttpApi":
        let authorizers = resource["Auth"]?["Authorizers"]?.members ?? []
        texts = authorizers.map { $0.value["FunctionArn"]?.text }
      case "AWS::Serverless::WebSocketApi": texts = [resource["Auth"]?["AuthArn"]?.text]
      default: continue
      }
      for name in texts.compactMap({ $0.flatMap(names.function) }) where !found.contains(name) {
        found.append(name)
      }
    }
    return found.isEmpty ? standaloneAuthorizers : found
  }

  /// The authorizers of a template without an API; `GatewayTemplate` has the same list.
  private var standaloneAuthorizers: [String] {
    let apis: Set = ["AWS::Serverless::Api", "AWS::Serverless::HttpApi", "AWS::Serverless::WebSocketApi"]
    let hasAPI = resources.contains { resource in
      apis.contains(resource.type) || resource.type.hasBytePrefix("AWS::ApiGateway")
    }
    guard !hasAPI else { return [] }
    return functions(.authorizer)
  }

  /// The functions of the template that sign users in, in the order of the template.
  package var identityFunctions: [String] {
    let authorizers = authorizerFunctions
    return functions(.identity).filter { !authorizers.contains($0) }
  }

  private func functions(_ function: ShippedFunction) -> [String] {
    resources.filter { resource in
      let variables = resource["Environment"]?["Variables"]
      return names.isFunction(resource.name)
        && ShippedFunction(resource: resource.name) { variables?[$0] != nil } == function
    }.map(\.name)
  }

  package var permissions: FunctionPermissions {
    FunctionPermissions(resources.filter { $0.type == FunctionPermissions.type }.map(\.properties), names)
  }
}

extension TemplateValue {
  /// Returns a member of a map.
  package subscript(_ name: String) -> TemplateValue? { members?.first { $0.name == name }?.value }

  /// The elements of a list; a single value is treated as a list of one.
  package var elements: [TemplateValue] { list ?? [self] }
}
