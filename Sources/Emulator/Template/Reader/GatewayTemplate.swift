/// The parts of a SAM or CloudFormation template that affect requests. A template that is not completely supported is
/// refused.
public struct GatewayTemplate: Sendable {
  /// The APIs, in the order of the template; at least one.
  public let apis: [GatewayAPI]
  /// The functions, by the name of their resource.
  public let functions: [String: TemplateFunction]
  /// The names of the parameters.
  public let parameters: Set<String>
  /// Features of AWS that `serve` does not emulate, as lines `LINE: path: problem`.
  public var notes: [String] { remarks + uncallable.map { "\($0.line): \($0.path): \($0.problem)" } }
  /// The notes without those about functions that API Gateway may not call.
  let remarks: [String]
  /// The authorizers whose function API Gateway may not call.
  let uncallable: [TemplateFinding]
  let place: TemplateNames.Place

  /// Reads a template.
  ///
  /// - Parameters:
  ///   - text: YAML or JSON.
  ///   - parameters: values of the template's parameters; the others use their defaults.
  ///   - region: `AWS::Region`.
  ///   - account: `AWS::AccountId`.
  ///   - acceptsNoAPI: whether the template may have only an authorizer, whose APIs are elsewhere.
  /// - Throws: `TemplateError` with every finding.
  public init(
    parsing text: String, parameters: [String: String] = [:], region: String = "us-east-1",
    account: String = "123456789012", acceptsNoAPI: Bool = false
  ) throws(TemplateError) {
    var place = TemplateNames.Place()
    place.region = region
    place.account = account
    if region.hasPrefix("cn-") { place.partition = "aws-cn" }
    if region.hasPrefix("us-gov-") { place.partition = "aws-us-gov" }
    let report = TemplateReport()
    let reader = TemplateReader(text, parameters: parameters, place: place, report)
    let (apis, functions) = reader.read(acceptsNoAPI: acceptsNoAPI)
    if let error = report.error { throw error }
    self.apis = apis
    self.functions = functions
    self.place = place
    self.parameters = Set(reader.document.parameters.keys)
    remarks = report.notes.map { "\($0.line): \($0.path): \($0.problem)" }
    uncallable = report.uncallable
  }

  /// The names of the authorizers' functions, in the order of the template.
  public var authorizerFunctions: [String] {
    var names: [String] = []
    for route in apis.flatMap(\.routes) {
      if let name = route.authorizer?.function, !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// The names of the authorizers of a template without an API, sorted: their APIs are elsewhere.
  public var standaloneAuthorizers: [String] {
    apis.isEmpty ? functions.values.filter(\.isNamedAuthorizer).map(\.name).sorted() : []
  }
}
