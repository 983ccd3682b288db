internal import Yams

/// An API that SAM adds for events that name none ("ServerlessRestApi" and "ServerlessHttpApi").
enum ImplicitAPI: String, CaseIterable {
  /// Of `Api` events, with the stage `Prod`.
  case rest = "ServerlessRestApi"
  /// Of `HttpApi` events, with the stage `$default`.
  case http = "ServerlessHttpApi"

  var type: String { self == .rest ? "AWS::Serverless::Api" : "AWS::Serverless::HttpApi" }
  var eventType: String { self == .rest ? "Api" : "HttpApi" }
  /// The property of an event that names an API.
  var property: String { self == .rest ? "RestApiId" : "ApiId" }

  /// Returns the resources and the APIs that SAM adds to them.
  static func added(to resources: [TemplateDocument.Resource]) -> [TemplateDocument.Resource] {
    resources
      + allCases.compactMap { api in
        resources.contains { $0.name == api.rawValue } ? nil : api.firstUse(in: resources).map(api.resource)
      }
  }

  /// The name of the first event that makes SAM add the API; `nil` without one.
  func firstUse(in resources: [TemplateDocument.Resource]) -> Node? {
    for resource in resources where Self.sources.contains(resource.type) {
      for (key, event) in resource.properties?["Events"]?.mapping ?? [:]
      where event["Type"]?.string == eventType && names(event["Properties"]) {
        return key
      }
    }
    return nil
  }

  /// The resources whose events can be routes.
  static let sources: Set<String> = ["AWS::Serverless::Function", "AWS::Serverless::StateMachine"]

  /// Whether the properties of an event mean this API.
  private func names(_ properties: Node?) -> Bool {
    guard let identifier = properties?[property] else { return true }
    return (FunctionCall(identifier)?.argument ?? identifier).scalar?.string == rawValue
  }

  private func resource(_ event: Node) -> TemplateDocument.Resource {
    let stage: [(Node, Node)] = [(Node("StageName"), Node("Prod"))]
    return TemplateDocument.Resource(
      name: rawValue, type: type, line: event.line, condition: nil,
      properties: .mapping(Node.Mapping(self == .rest ? stage : [], .implicit, .any, event.mark)),
      unknown: [], buildMethod: nil, deletionPolicy: nil, ignoredGlobals: nil)
  }
}
