/// Reads all resources of a template.
struct TemplateReader {
  let document: TemplateDocument
  let names: TemplateNames
  let functions: IntrinsicFunctions
  let report: TemplateReport
  /// The resources that exist, with their properties resolved.
  private(set) var resources: [ResolvedResource] = []

  struct ResolvedResource {
    let name: String
    let type: String
    let line: Int
    let properties: TemplateValue
    var buildMethod: String?
    var path: String { "Resources.\(name).Properties" }
  }

  init(_ text: String, parameters: [String: String], place: TemplateNames.Place, _ report: TemplateReport) {
    document = TemplateDocument(text, parameters: parameters, report)
    names = TemplateNames(place, resources: document.resources)
    functions = IntrinsicFunctions(document, names, report)
    self.report = report
    for resource in document.resources {
      if let condition = resource.condition, !functions.holds(condition, line: resource.line) { continue }
      guard let kind = ResourceKind(resource.type) else {
        report.refuse(
          resource.line, "Resources.\(resource.name)", "\(resource.type) is not emulated",
          cure: "use SAM's APIs and functions or AWS::ApiGatewayV2; move other resources to another template")
        continue
      }
      guard kind == .read else { continue }
      let empty = TemplateValue(line: resource.line, content: .map([]))
      let properties = resource.properties.map {
        functions.value(of: $0, at: "Resources.\(resource.name).Properties") ?? empty
      }
      resources.append(
        ResolvedResource(
          name: resource.name, type: resource.type, line: resource.line, properties: properties ?? empty,
          buildMethod: resource.buildMethod))
    }
  }

  /// The permissions to call functions.
  var permissions: FunctionPermissions {
    FunctionPermissions(
      resources.filter { $0.type == FunctionPermissions.type }.map(\.properties), names)
  }

  func read(acceptsNoAPI: Bool) -> ([GatewayAPI], [String: TemplateFunction]) {
    var functionList: [String: TemplateFunction] = [:]
    var events = FunctionEvents()
    for resource in resources where resource.type == "AWS::Serverless::Function" {
      functionList[resource.name] = FunctionReader(resource, self).read(&events)
    }
    var apis: [GatewayAPI] = []
    let linked = LinkedResources(self)
    for resource in resources {
      let api: GatewayAPI? =
        switch resource.type {
        case "AWS::Serverless::Api": RESTAPIReader(resource, self).read(&events)
        case "AWS::Serverless::HttpApi": HTTPAPIReader(resource, self).read(&events)
        case "AWS::ApiGatewayV2::Api": linked.api(resource)
        default: nil
        }
      if let api { apis.append(api) }
    }
    events.refuseUnclaimed(report)
    linked.refuseUnclaimed()
    let isAuthorizerAlone = acceptsNoAPI && functionList.values.contains(where: \.isNamedAuthorizer)
    if apis.isEmpty, !isAuthorizerAlone, report.error == nil {
      report.refuse(1, "Resources", "there is no API", cure: "add an API for serve to emulate")
    }
    return (apis, functionList)
  }

  /// Returns the function that a text refers to; reports a finding if it is not in this template.
  func function(_ text: String, line: Int, path: String) -> String? {
    if let name = names.function(text) { return name }
    report.refuse(
      line, path, "refers to no function of this template: \(text)",
      cure: "write !GetAtt FUNCTION.Arn; functions outside of the template cannot be called")
    return nil
  }
}

/// Whether a resource's properties affect requests.
private enum ResourceKind {
  case read
  case withoutInfluence

  init?(_ type: String) {
    switch type {
    case "AWS::Serverless::Api", "AWS::Serverless::HttpApi", "AWS::Serverless::Function",
      "AWS::ApiGatewayV2::Api", "AWS::ApiGatewayV2::Authorizer", "AWS::ApiGatewayV2::Integration",
      "AWS::ApiGatewayV2::Route", "AWS::ApiGatewayV2::Stage", "AWS::Lambda::Permission":
      self = .read
    case "AWS::ApiGatewayV2::Deployment", "AWS::Serverless::LayerVersion",
      "AWS::Serverless::SimpleTable":
      self = .withoutInfluence
    default:
      let services = [
        "AWS::Logs::", "AWS::IAM::", "AWS::CloudWatch::", "AWS::DynamoDB::", "AWS::S3::", "AWS::SNS::",
        "AWS::SQS::", "AWS::KMS::", "AWS::SSM::", "AWS::SecretsManager::", "AWS::Events::",
        "AWS::Scheduler::",
        "AWS::Route53::", "AWS::CertificateManager::", "AWS::XRay::",
      ]
      guard services.contains(where: { type.hasPrefix($0) }) else { return nil }
      self = .withoutInfluence
    }
  }
}
