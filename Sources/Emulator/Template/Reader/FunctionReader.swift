/// A route in a function's `Events`.
struct FunctionEvent {
  let function: String
  let method: String?
  /// `nil` for an HTTP API's `$default`.
  let pattern: PathPattern?
  let authorizer: AuthorizerChoice
  let format: GatewayIntegration.PayloadFormat
  /// What closes the route.
  let findings: [TemplateFinding]
  let line: Int
  let path: String
}

/// The authorizer of a route.
enum AuthorizerChoice: Equatable {
  /// The API's default.
  case inherited
  case none
  case named(String)
}

/// The routes in the `Events` of all functions, by API.
struct FunctionEvents {
  private var byAPI: [String: [FunctionEvent]] = [:]
  private var closing: [String: [TemplateFinding]] = [:]
  /// Findings about events of which not even the API is known: they concern every API.
  private(set) var unplaced: [TemplateFinding] = []

  mutating func add(_ event: FunctionEvent, to api: String) { byAPI[api, default: []].append(event) }

  /// Closes an API, or every API, because the requests of one of its routes are not known.
  mutating func close(_ api: String?, _ findings: [TemplateFinding]) {
    if let api { closing[api, default: []] += findings } else { unplaced += findings }
  }

  /// Removes and returns the routes of one API; reports what closes it.
  ///
  /// - Parameter isManaged: whether SAM makes the API's routes of its events. If the API has an OpenAPI document, an event
  ///   is only a permission.
  mutating func take(for api: String, _ report: TemplateReport, isManaged: Bool) -> [FunctionEvent] {
    report.refuse(closing.removeValue(forKey: api) ?? [])
    let events = byAPI.removeValue(forKey: api) ?? []
    if isManaged { return events }
    for event in events {
      report.note(
        event.line, event.path, "is a permission only: the API defines its routes in its OpenAPI document")
    }
    return []
  }

  /// Notes the routes of APIs elsewhere, which are not served.
  func noteUnclaimed(_ report: TemplateReport) {
    for event in byAPI.values.joined().sorted(by: { $0.line < $1.line }) {
      report.note(
        event.line, event.path, "refers to no API of this template: the route is not served",
        cure: "write !Ref API")
    }
  }
}

/// A reader for `AWS::Serverless::Function`.
struct FunctionReader {
  private let resource: TemplateReader.ResolvedResource
  private let reader: TemplateReader
  private let report: TemplateReport

  /// - Parameter report: the report about the function.
  init(_ resource: TemplateReader.ResolvedResource, _ reader: TemplateReader, _ report: TemplateReport) {
    self.resource = resource
    self.reader = reader
    self.report = report
  }

  func read(_ events: inout FunctionEvents) -> TemplateFunction {
    guard let function = function(&events) else {
      return TemplateFunction(
        name: resource.name, timeoutMilliseconds: 3000, variables: [:], architecture: "x86_64", runtime: nil,
        code: nil, buildMethod: nil, handler: nil, findings: report.findings)
    }
    return function
  }

  private func function(_ events: inout FunctionEvents) -> TemplateFunction? {
    // What hides the events of a function concerns every API: another route would get the requests.
    let hidden = report.part()
    defer { events.close(nil, hidden.findings) }
    guard let all = PropertyReader(resource.properties, at: resource.path, hidden) else {
      report.refuse(hidden.findings)
      return nil
    }
    var properties = all.reporting(to: report)
    properties.pass(
      over: "MemorySize", "LoggingConfig", "Description",
      "Tags",
      "Code", "TracingConfig", "DeadLetterConfig", "CodeSigningConfigArn", "RecursiveLoop",
      "FunctionName", "Role", "Policies", "Tracing", "Layers", "InlineCode", "ImageUri", "PackageType",
      "ImageConfig", "EphemeralStorage", "PermissionsBoundary", "AutoPublishAlias", "DeploymentPreference",
      "RuntimeManagementConfig", "SnapStart", "KmsKeyArn")
    properties.note(
      "is not emulated", "ReservedConcurrentExecutions", "ProvisionedConcurrencyConfig", "VpcConfig",
      "DeadLetterQueue", "FileSystemConfigs", "EventInvokeConfig", "FunctionUrlConfig")
    let timeout = properties.integer("Timeout", in: 1...900) ?? 3
    let architectures = properties.texts("Architectures") ?? []
    let runtime = properties.text("Runtime")
    let code = properties.take("CodeUri")?.text
    let handler = properties.take("Handler")?.text
    var variables: [String: String] = [:]
    if var environment = properties.reader("Environment") {
      if var list = environment.reader("Variables") {
        for member in list.takeAll() {
          if let finding = member.value.finding {
            if finding.isGivable {
              report.note(
                member.value.line, list.path(of: member.name),
                "the function does not get this variable: \(finding.path) \(finding.problem)",
                cure: finding.cure)
            } else {
              report.refuse(finding)
            }
          } else if let text = member.value.text {
            variables[member.name] = text
          } else {
            report.refuse(
              member.value.line, list.path(of: member.name),
              "must be a string, found \(member.value.kindName)",
              cure: "write one value")
          }
        }
      }
      environment.finish()
    }
    var rest = properties.reporting(to: hidden)
    if var list = rest.reader("Events") {
      for member in list.takeAll() {
        FunctionReader(resource, reader, report.part()).event(
          member.value, at: list.path(of: member.name), &events)
      }
    }
    rest.finish()
    return TemplateFunction(
      name: resource.name, timeoutMilliseconds: timeout * 1000, variables: variables,
      architecture: architectures.first ?? "x86_64", runtime: runtime, code: code,
      buildMethod: resource.buildMethod, handler: handler, findings: report.findings)
  }

  /// Event sources without an API.
  private static let otherSources: Set<String> = [
    "Schedule", "ScheduleV2", "SQS", "SNS", "S3", "DynamoDB", "Kinesis", "EventBridgeRule", "CloudWatchEvent",
    "CloudWatchLogs", "IoTRule", "Cognito", "MSK", "MQ", "AlexaSkill",
  ]

  /// Reads one event. A finding about the requests that it takes closes the API, because another route would get them;
  /// a finding about anything else closes the route.
  private func event(_ value: TemplateValue, at path: String, _ events: inout FunctionEvents) {
    let address = report.part()
    guard var event = PropertyReader(value, at: path, address) else {
      return events.close(nil, address.findings)
    }
    let type = event.requiredText("Type", cure: "write Type: Api or Type: HttpApi") ?? ""
    if Self.otherSources.contains(type) { return }
    guard type == "Api" || type == "HttpApi" else {
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
    let isHTTP = type == "HttpApi"
    guard
      let api = properties.requiredText(
        isHTTP ? "ApiId" : "RestApiId",
        cure: "write \(isHTTP ? "ApiId" : "RestApiId"): !Ref API; implicit APIs are not emulated")
    else { return events.close(nil, address.findings) }
    let method = properties.text("Method").map { $0.uppercased() }
    let pathText = properties.text("Path")
    let pattern = pathText.flatMap { PathPattern($0) }
    if let pathText, pattern == nil {
      address.refuse(value.line, path, "is not a path: \(pathText)", cure: "write /pets/{id} or /{proxy+}")
    } else if pathText == nil, !isHTTP, address.findings.isEmpty {
      address.refuse(value.line, path, "has no Path", cure: "write Path: /…")
    }
    guard address.findings.isEmpty else { return events.close(api, address.findings) }
    var rest = properties.reporting(to: report)
    var format = GatewayIntegration.PayloadFormat.rest
    if isHTTP {
      format = rest.word("PayloadFormatVersion", PayloadVersion.self) == .one ? .http1 : .http2
      rest.pass(over: "TimeoutInMillis", "RouteSettings")
    } else {
      rest.refuse("RequestModel", "RequestParameters", cure: "remove it: requests are validated on AWS only")
    }
    let authorizer = choice(&rest)
    rest.finish()
    events.add(
      FunctionEvent(
        function: resource.name, method: Self.verb(method), pattern: pattern, authorizer: authorizer,
        format: format, findings: report.findings, line: value.line, path: path), to: api)
  }

  enum PayloadVersion: String, CaseIterable { case one = "1.0", two = "2.0" }

  private static func verb(_ method: String?) -> String? {
    method == "ANY" || method == "*" || method == "X-AMAZON-APIGATEWAY-ANY-METHOD" ? nil : method
  }

  private func choice(_ properties: inout PropertyReader) -> AuthorizerChoice {
    guard var auth = properties.reader("Auth") else { return .inherited }
    let name = auth.text("Authorizer")
    auth.refuse(
      "ApiKeyRequired", "AuthorizationScopes", "ResourcePolicy", "InvokeRole", "OverrideApiAuth",
      cure: "remove it: serve supports Lambda authorizers only")
    auth.finish()
    guard let name else { return .inherited }
    return name == "NONE" ? .none : .named(name)
  }
}
