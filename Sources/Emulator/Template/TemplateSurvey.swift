internal import Yams

/// All resources of a template, whatever their type, as far as they can be read: what cannot is left out.
///
/// For questions beside the single request, which need no template that is completely understood.
struct TemplateSurvey {
  let names: TemplateNames
  let resources: [Resource]

  struct Resource {
    let name: String
    let type: String
    let properties: TemplateValue
    /// `DeletionPolicy`; `Delete` where nothing is said.
    let deletionPolicy: String
    private let source: Node?

    fileprivate init(_ resource: TemplateDocument.Resource, _ functions: IntrinsicFunctions) {
      name = resource.name
      type = resource.type
      source = resource.properties
      deletionPolicy = resource.deletionPolicy ?? "Delete"
      let empty = TemplateValue(line: resource.line, content: .map([]))
      properties = resource.properties.flatMap { functions.value(of: $0, at: resource.name) } ?? empty
    }

    /// A property, where it can be read.
    subscript(_ property: String) -> TemplateValue? { properties[property] }

    /// Whether something is written there, readable or not.
    func says(_ property: String) -> Bool { source?[property] != nil }
  }

  init(parsing text: String, parameters: [String: String]) {
    // What is wrong is told by the one who has to understand all of it.
    let report = TemplateReport()
    let document = TemplateDocument(text, parameters: parameters, report)
    names = TemplateNames(TemplateNames.Place(), resources: document.resources)
    let functions = IntrinsicFunctions(document, names, report)
    resources = document.resources.filter { resource in
      resource.condition.map { functions.holds($0, line: resource.line) } ?? true
    }.map { Resource($0, functions) }
  }

  func resource(_ name: String) -> Resource? { resources.first { $0.name == name } }

  /// Functions of this template that authorizers of any kind of API ask, in the order of the template.
  var authorizerFunctions: [String] {
    var found: [String] = []
    for resource in resources {
      var texts: [String?] = []
      switch resource.type {
      case "AWS::ApiGateway::Authorizer", "AWS::ApiGatewayV2::Authorizer":
        texts = [resource["AuthorizerUri"]?.text]
      case "AWS::Serverless::Api", "AWS::Serverless::HttpApi":
        let authorizers = resource["Auth"]?["Authorizers"]?.members ?? []
        texts = authorizers.map { $0.value["FunctionArn"]?.text }
      default: continue
      }
      for name in texts.compactMap({ $0.flatMap(names.function) }) where !found.contains(name) {
        found.append(name)
      }
    }
    return found
  }

  /// Functions of this template that sign users in, in its order.
  var identityFunctions: [String] {
    let authorizers = authorizerFunctions
    return resources.filter { resource in
      names.isFunction(resource.name) && !authorizers.contains(resource.name)
        && (resource.name == TemplateFunction.identityName
          || resource["Environment"]?["Variables"]?[ShippedFunction.identity.variable] != nil)
    }.map(\.name)
  }

  var permissions: FunctionPermissions {
    FunctionPermissions(
      resources.filter { $0.type == FunctionPermissions.type }.map(\.properties), names)
  }
}

extension TemplateValue {
  /// A member of a map.
  subscript(_ name: String) -> TemplateValue? { members?.first { $0.name == name }?.value }

  /// The elements of a list; one value that is none counts as a list of one.
  var elements: [TemplateValue] { list ?? [self] }
}
