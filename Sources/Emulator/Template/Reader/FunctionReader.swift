/// A route in a function's `Events`.
struct FunctionEvent {
  let function: String
  let method: String?
  /// `nil` for an HTTP API's `$default`.
  let pattern: PathPattern?
  let authorizer: AuthorizerChoice
  let format: GatewayIntegration.PayloadFormat
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

  mutating func add(_ event: FunctionEvent, to api: String) { byAPI[api, default: []].append(event) }

  /// Removes and returns the routes of one API.
  mutating func take(for api: String) -> [FunctionEvent] { byAPI.removeValue(forKey: api) ?? [] }

  func refuseUnclaimed(_ report: TemplateReport) {
    for event in byAPI.values.joined() {
      report.refuse(event.line, event.path, "refers to no API of this template", cure: "write !Ref API")
    }
  }
}

/// A reader for `AWS::Serverless::Function`.
struct FunctionReader {
  private let resource: TemplateReader.ResolvedResource
  private let reader: TemplateReader
  private var report: TemplateReport { reader.report }

  init(_ resource: TemplateReader.ResolvedResource, _ reader: TemplateReader) {
    self.resource = resource
    self.reader = reader
  }

  func read(_ events: inout FunctionEvents) -> TemplateFunction? {
    guard var properties = PropertyReader(resource.properties, at: resource.path, report) else { return nil }
    properties.pass(
      over: "MemorySize", "LoggingConfig", "Description",
      "Tags",
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
      for (name, text, _) in environment.textMap("Variables") { variables[name] = text }
      environment.finish()
    }
    if var list = properties.reader("Events") {
      for member in list.takeAll() {
        event(member.value, at: list.path(of: member.name), &events)
      }
    }
    properties.finish()
    return TemplateFunction(
      name: resource.name, timeoutMilliseconds: timeout * 1000, variables: variables,
      architecture: architectures.first ?? "x86_64", runtime: runtime, code: code,
      buildMethod: resource.buildMethod, handler: handler)
  }

  /// Event sources without an API.
  private static let otherSources: Set<String> = [
    "Schedule", "ScheduleV2", "SQS", "SNS", "S3", "DynamoDB", "Kinesis", "EventBridgeRule", "CloudWatchEvent",
    "CloudWatchLogs", "IoTRule", "Cognito", "MSK", "MQ", "AlexaSkill",
  ]

  private func event(_ value: TemplateValue, at path: String, _ events: inout FunctionEvents) {
    guard var event = PropertyReader(value, at: path, report) else { return }
    let type = event.requiredText("Type", cure: "write Type: Api or Type: HttpApi") ?? ""
    if Self.otherSources.contains(type) {
      event.pass(over: "Properties")
      return event.finish()
    }
    guard type == "Api" || type == "HttpApi" else {
      if !type.isEmpty {
        report.refuse(value.line, path, "\(type) is not emulated", cure: "use Api or HttpApi")
      }
      return
    }
    let properties = event.take("Properties") ?? TemplateValue(line: value.line, content: .map([]))
    event.finish()
    guard var properties = PropertyReader(properties, at: event.path(of: "Properties"), report) else {
      return
    }
    let isHTTP = type == "HttpApi"
    guard
      let api = properties.requiredText(
        isHTTP ? "ApiId" : "RestApiId",
        cure: "write \(isHTTP ? "ApiId" : "RestApiId"): !Ref API; implicit APIs are not emulated")
    else { return }
    var format = GatewayIntegration.PayloadFormat.rest
    if isHTTP {
      format = properties.word("PayloadFormatVersion", PayloadVersion.self) == .one ? .http1 : .http2
      properties.pass(over: "TimeoutInMillis", "RouteSettings")
    } else {
      properties.refuse(
        "RequestModel", "RequestParameters", cure: "remove it: requests are validated on AWS only")
    }
    let method = properties.text("Method").map { $0.uppercased() }
    let pathText = properties.text("Path")
    let authorizer = choice(&properties)
    properties.finish()
    var pattern: PathPattern?
    if let pathText {
      pattern = PathPattern(pathText)
      if pattern == nil {
        report.refuse(value.line, path, "is not a path: \(pathText)", cure: "write /pets/{id} or /{proxy+}")
        return
      }
    } else if !isHTTP {
      report.refuse(value.line, path, "has no Path", cure: "write Path: /…")
      return
    }
    events.add(
      FunctionEvent(
        function: resource.name, method: Self.verb(method), pattern: pattern, authorizer: authorizer,
        format: format,
        line: value.line, path: path), to: api)
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
