internal import Text
internal import GatewayModel
internal import IAMPolicy
internal import Mapping

/// A reader for one event of `AWS::Serverless::Function` or `AWS::Serverless::StateMachine`.
///
/// A finding about the requests that it takes closes the API, because another route would get them; a finding about
/// anything else closes the route.
struct EventReader: ResourceReader {
  let resource: TemplateReader.ResolvedResource
  let reader: TemplateReader
  let report: Diagnostics

  /// Event sources without an API.
  private static let otherSources: Set<String> = [
    "Schedule", "ScheduleV2", "SQS", "SNS", "S3", "DynamoDB", "Kinesis", "EventBridgeRule", "CloudWatchEvent",
    "CloudWatchLogs", "IoTRule", "Cognito", "MSK", "MQ", "AlexaSkill", "SelfManagedKafka", "DocumentDB",
  ]

  func read(_ value: TemplateValue, at path: String, _ events: inout FunctionEvents) {
    let address = report.part()
    guard var event = PropertyReader(value, at: path, address) else {
      return events.close(nil, address.findings)
    }
    let type = event.requiredText("Type", cure: "write Type: Api or Type: HttpApi") ?? ""
    if Self.otherSources.contains(type) { return }
    let isFunction = resource.type == "AWS::Serverless::Function"
    guard let kind = ImplicitAPI.allCases.first(where: { $0.eventType == type }), isFunction || kind == .rest
    else {
      if !type.isEmpty {
        address.refuse(value.line, path, "\(type) is not emulated", cure: "use Api or HttpApi")
      }
      return events.close(nil, address.findings)
    }
    let properties = event.take("Properties") ?? TemplateValue(line: value.line, content: .map([]))
    event.finish()
    guard var properties = PropertyReader(properties, at: event.path(of: "Properties"), address) else {
      return events.close(nil, address.findings)
    }
    let namesAPI = properties.has(kind.property)
    guard let api = api(&properties, kind) else { return events.close(nil, address.findings) }
    let writtenPath = properties.peek("Path") ?? Self.defaultPath
    guard let match = match(&properties, kind, value.line) else {
      return events.close(namesAPI ? api : nil, address.findings)
    }
    var rest = properties.reporting(to: report)
    rest.pass(over: "Stage")
    let settings = kind == .http ? rest.take("RouteSettings") : nil
    let throttle = settings.flatMap {
      ThrottleReader(report: report).limit(in: $0, rest.path(of: "RouteSettings"))
    }
    let auth = auth(&rest)
    let hasFormat = rest.has("PayloadFormatVersion")
    let integration = integration(&rest, kind, value.line)
    rest.note(IntegrationReader.fixedTimeout, "TimeoutInMillis")
    let validation = kind == .rest ? validation(&rest) : RequestValidation()
    let unknown = report.part()
    var others = rest.reporting(to: unknown)
    others.finish()
    // A misspelled name of the API would move the route from an API to the implicit one.
    if !namesAPI { events.close(nil, unknown.findings) }
    report.refuse(unknown.findings)
    let route = SAMRoute(
      match: match, writtenPath: writtenPath, auth: auth, integration: integration, validation: validation,
      findings: report.findings, line: value.line, path: path)
    events.add(FunctionEvent(route: route, hasFormat: hasFormat, throttle: throttle), to: api)
  }

  // MARK: Requests

  /// Returns the ID of the event's API; `nil` with a finding if it cannot be known.
  private func api(_ properties: inout PropertyReader, _ kind: ImplicitAPI) -> String? {
    guard properties.has(kind.property) else { return TemplateNames.apiIdentifier(kind.rawValue) }
    let empty = TemplateValue(line: properties.line, content: .null)
    let value = properties.take(kind.property) ?? empty
    guard let text = value.text else {
      properties.report.refuse(
        value, properties.path(of: kind.property), "must be a string, found \(value.kindName)",
        cure: "write \(kind.property): !Ref API")
      return nil
    }
    // SAM accepts the name of the resource too, and refuses what is not a resource of the template.
    for resource in reader.document.resources {
      let identifier = reader.names.physicalID(of: resource.name)
      if text == resource.name || text == identifier { return identifier }
    }
    properties.report.refuse(
      value, properties.path(of: kind.property), "refers to no API of this template",
      cure: "write \(kind.property): !Ref API")
    return nil
  }

  private func match(
    _ properties: inout PropertyReader, _ kind: ImplicitAPI, _ line: Int
  ) -> GatewayRoute.Match? {
    let (address, path) = (properties.report, properties.path)
    let method = properties.text("Method")?.uppercased()
    let text = properties.text("Path")
    guard address.findings.isEmpty else { return nil }
    if kind == .http, text == nil, method == nil { return .default }
    guard let text, let method else {
      address.refuse(
        line, path, "has no \(text == nil ? "Path" : "Method")",
        cure: "write \(text == nil ? "Path: /…" : "Method: get, or any")")
      return nil
    }
    let isAny = ["ANY", "*", "X-AMAZON-APIGATEWAY-ANY-METHOD"].contains(method)
    if kind == .http, text == Self.defaultPath || text == "/" + Self.defaultPath {
      if isAny { return .default }
      address.refuse(
        line, path, "is the default route with the method \(method)", cure: "write Method: any, or a path")
      return nil
    }
    guard isAny || GatewayRoute.methods.contains(method) else {
      address.refuse(line, path, "is not an HTTP method: \(method)", cure: "write get, post, … or any")
      return nil
    }
    guard let pattern = PathPattern(text) else {
      address.refuse(line, path, "is not a path: \(text)", cure: "write /pets/{id} or /{proxy+}")
      return nil
    }
    return .path(method: isAny ? nil : method, pattern)
  }

  /// The path of the default route, as SAM writes it. Exports of API Gateway have a slash before it.
  private static let defaultPath = "$default"

  // MARK: Integration

  private func integration(
    _ properties: inout PropertyReader, _ kind: ImplicitAPI, _ line: Int
  ) -> GatewayIntegration {
    guard resource.type == "AWS::Serverless::Function" else {
      properties.pass(over: "UnescapeMappingTemplate")
      return .unavailable(
        Diagnostic(
          line: line, path: properties.path, problem: "starts a state machine, which is not emulated",
          cure: "test the route on AWS"))
    }
    switch kind {
    case .http:
      let version = properties.word("PayloadFormatVersion", FunctionReader.PayloadVersion.self)
      return .function(resource.name, version == .one ? .http1 : .http2)
    case .rest:
      let (line, path) = (properties.line(of: Self.mode), properties.path(of: Self.mode))
      switch properties.text(Self.mode) {
      case "RESPONSE_STREAM"?:
        report.note(line, path, IntegrationReader.streamNote)
        return .restFunction(
          RESTFunction(
            resource.name, tenant: nil, isStreamed: true,
            timeoutMilliseconds: properties.integer("TimeoutInMillis", in: GatewayQuota.streamMilliseconds)))
      case nil, "BUFFERED"?: break
      // The translator of SAM compares with RESPONSE_STREAM only.
      case let other?:
        report.warn(line, path, "is \(other), for which SAM buffers", cure: "write RESPONSE_STREAM")
      }
      return .function(resource.name, .rest)
    }
  }

  private static let mode = "ResponseTransferMode"

  /// Reads `RequestModel` and `RequestParameters`. SAM makes a validator only for the two settings of the model; without
  /// them both are documentation.
  private func validation(_ properties: inout PropertyReader) -> RequestValidation {
    var validation = RequestValidation()
    let parameters = properties.take("RequestParameters")
    guard var model = properties.reader("RequestModel") else { return validation }
    let line = model.line(of: "ValidateBody")
    if model.boolean("ValidateBody") == true {
      properties.report.note(line, model.path(of: "ValidateBody"), RequestValidators.bodyNote)
    }
    let validates = model.boolean("ValidateParameters") == true
    model.pass(over: "Model", "Required")
    model.finish()
    guard validates else { return validation }
    for item in parameters?.list ?? [] {
      for parameter in item.members ?? [] where parameter.value["Required"]?.text?.lowercased() == "true" {
        let parts = parameter.name.splitBytes(at: ".", maxSplits: 3).map(String.init)
        if parts.count == 4 { validation.require(parts[3], in: parts[2]) }
      }
    }
    return validation
  }

  // MARK: Auth

  private func auth(_ properties: inout PropertyReader) -> SAMRoute.Auth {
    var result = SAMRoute.Auth()
    guard var auth = properties.reader("Auth") else { return result }
    // The role for the call of the integration.
    auth.pass(over: "InvokeRole")
    if let name = auth.text("Authorizer") { result.choice = name == "NONE" ? .none : .named(name) }
    result.scopes = auth.texts("AuthorizationScopes", orOne: false)
    result.needsAPIKey = auth.boolean("ApiKeyRequired")
    result.isKeyOfEvent = result.needsAPIKey == true
    result.overrides = auth.boolean("OverrideApiAuth") ?? false
    result.policy = auth.take("ResourcePolicy")
    auth.finish()
    result.isWritten =
      result.choice != .inherited || result.scopes != nil || result.needsAPIKey != nil || result.policy != nil
    return result
  }
}
