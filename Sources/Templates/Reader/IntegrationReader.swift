internal import Text
internal import GatewayModel
internal import Mapping

/// The reader for integrations of every kind of template.
///
/// The names of members are those of `x-amazon-apigateway-integration` in OpenAPI; those of CloudFormation are
/// translated.
struct IntegrationReader {
  let reader: TemplateReader
  let isREST: Bool
  /// The report about the integration.
  let report: Diagnostics

  /// The note about a timeout of a function.
  static let fixedTimeout = "is not emulated: serve waits for a function as long as the kind of API allows"

  /// The note about a streamed response.
  static let streamNote =
    "is buffered, up to 200 MB: the first byte comes with the last one, a stream that fails or is late is a 500 or 504 (AWS"
    + " cuts it), and no idle timeout or bandwidth is emulated"

  /// The member of an OpenAPI operation.
  static let member = "x-amazon-apigateway-integration"

  func openAPI(_ operation: inout PropertyReader) -> GatewayIntegration? {
    let name = Self.member
    guard let integration = operation.reader(name) else {
      report.refuse(
        operation.line, operation.path, "has no integration",
        cure: "write \(name) with type mock, http_proxy or aws_proxy")
      return nil
    }
    return read(integration)
  }

  /// Reads `Integration` of an `AWS::ApiGateway::Method`.
  func plain(_ value: TemplateValue, at path: String) -> GatewayIntegration? {
    PropertyReader(value.withOpenAPINames, at: path, report).flatMap { read($0) }
  }

  /// Reads the properties of an `AWS::ApiGatewayV2::Integration` of an HTTP API.
  func version2(_ properties: PropertyReader) -> GatewayIntegration? {
    var properties = properties
    let value = TemplateValue(line: properties.line, content: .map(properties.takeAll()))
    return PropertyReader(value.withVersion2Names, at: properties.path, report).flatMap { read($0) }
  }

  /// Reads the members of an integration.
  private func read(_ properties: PropertyReader) -> GatewayIntegration? {
    var integration = properties
    integration.pass(
      over: "credentials", "description", "cacheNamespace", "cacheKeyParameters",
      "tlsConfig", "connectionId", "templateSelectionExpression")
    let (modeLine, modePath) = (integration.line(of: Self.mode), integration.path(of: Self.mode))
    let isStreamed = integration.word(Self.mode, among: ["BUFFERED", "STREAM"]) == "STREAM"
    let timeoutLine = integration.line(of: "timeoutInMillis")
    let timeout = integration.integer(
      "timeoutInMillis",
      in: isStreamed ? GatewayQuota.streamMilliseconds : GatewayQuota.integrationMilliseconds)
    let isPrivate = integration.parsed("connectionType", cure: "write INTERNET or VPC_LINK") {
      ["INTERNET": false, "VPC_LINK": true][$0]
    }
    let typeLine = integration.line(of: "type")
    let known = isREST ? "mock, http, http_proxy, aws or aws_proxy" : "http_proxy or aws_proxy"
    let type = integration.requiredText("type", cure: "write type: \(known)")
    if isStreamed {
      // "Stream the integration response for your proxy integrations in API Gateway", considerations.
      if isREST, ["http_proxy", "aws_proxy"].contains(type?.lowercased()) {
        report.note(modeLine, modePath, Self.streamNote)
      } else {
        report.refuse(
          modeLine, modePath, "streams are for HTTP_PROXY and AWS_PROXY integrations of REST APIs only",
          cure: "remove it")
      }
    }
    var result: GatewayIntegration?
    switch type?.lowercased() {
    case "mock" where isREST, "http" where isREST, "aws" where isREST:
      result = mapped(&integration, type?.lowercased() ?? "")
    case "http_proxy": result = http(&integration, isStreamed: isStreamed)
    case "aws_proxy":
      let isService = !isREST && integration.has("integrationSubtype")
      result = isService ? service(&integration) : function(&integration, isStreamed: isStreamed)
    case nil: _ = integration.takeAll()
    case let other?:
      report.refuse(typeLine, integration.path(of: "type"), "is not emulated: \(other)", cure: "use \(known)")
      // The other members belong to that type.
      _ = integration.takeAll()
    }
    integration.finish()
    switch result {
    case .function?, .restFunction?, .service?:
      if timeout != nil, !isStreamed {
        report.note(timeoutLine, integration.path(of: "timeoutInMillis"), Self.fixedTimeout)
      }
    default: break
    }
    return result?.with(timeoutMilliseconds: timeout, isPrivate: isPrivate == true)
  }

  private static let mode = "responseTransferMode"

  // MARK: Functions

  private func function(_ integration: inout PropertyReader, isStreamed: Bool) -> GatewayIntegration? {
    // A proxy integration ignores what the mapping of requests and responses would say.
    integration.pass(over: "responses", "passthroughBehavior", "contentHandling", "requestTemplates")
    let tenant = tenant(&integration)
    let name = functionName(&integration, isStreamed: isStreamed)
    var format = GatewayIntegration.PayloadFormat.rest
    if !isREST {
      format =
        integration.word("payloadFormatVersion", FunctionReader.PayloadVersion.self) == .two ? .http2 : .http1
    }
    return name.map { name in
      guard tenant != nil || isStreamed else { return .function(name, format) }
      return .restFunction(RESTFunction(name, tenant: tenant, isStreamed: isStreamed))
    }
  }

  /// Reads the function that an integration calls.
  func functionName(_ integration: inout PropertyReader, isStreamed: Bool = false) -> String? {
    let (line, uriLine) = (integration.line, integration.line(of: "uri"))
    let address = integration.requiredText(
      "uri",
      cure:
        "write uri: !Sub arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${FUNCTION.Arn}/invocations"
    )
    _ = integration.parsed("httpMethod", "must be POST for a function", cure: "write httpMethod: POST") {
      $0.uppercased() == "POST" ? $0 : nil
    }
    guard var address else { return nil }
    let path = integration.path(of: "uri")
    let (stream, plain) = (Self.streamCall, Self.plainCall)
    let signs = [address.containsBytes(of: stream.start), address.hasByteSuffix(stream.end)]
    guard signs == [isStreamed, isStreamed] else {
      // AWS refuses both: "Invalid ResponseTransferMode".
      let problem =
        isStreamed
        ? "does not use InvokeWithResponseStream, as STREAM requires"
        : "uses InvokeWithResponseStream, which BUFFERED does not allow"
      report.refuse(
        uriLine, path, "\(problem): \(address)",
        cure: isStreamed
          ? "write …\(stream.start)${FUNCTION.Arn}\(stream.end)"
          : "write \(Self.mode): STREAM, or …\(plain.end)")
      return nil
    }
    if isStreamed {
      address = String(address.dropLast(bytes: stream.end.utf8.count)) + plain.end
      address = address.replacingBytes(of: stream.start, with: plain.start)
    }
    if let name = Self.stageFunction(address) { return name }
    return reader.backendFunction(address, line: line, path: path, report)
  }

  /// What is before and after a function's ARN in the URI of an integration: of Lambda's `InvokeWithResponseStream`.
  private static let streamCall = (
    start: ":lambda:path/2021-11-15/functions/", end: "/response-streaming-invocations"
  )
  /// The same for `Invoke`.
  private static let plainCall = (start: ":lambda:path/2015-03-31/functions/", end: "/invocations")

  /// Returns the name of a function that a stage variable selects, as the address has it.
  private static func stageFunction(_ address: String) -> String? {
    guard let start = address.firstByteRange(of: ":function:"), address.containsBytes(of: "${stageVariables.")
    else { return nil }
    var name = address[start.upperBound...]
    if name.hasByteSuffix("/invocations") { name = name.dropLast(bytes: "/invocations".utf8.count) }
    // An alias or a version may follow.
    return String(name.head(before: ":"))
  }

  // MARK: HTTP proxies

  private func http(_ integration: inout PropertyReader, isStreamed: Bool) -> GatewayIntegration? {
    let line = integration.line
    let address = integration.requiredText("uri", cure: "write uri: https://…")
    let method = integration.text("httpMethod").flatMap { $0.uppercased() == "ANY" ? nil : $0.uppercased() }
    if !isREST, let version = integration.text("payloadFormatVersion"), version != "1.0" {
      report.refuse(
        line, integration.path(of: "payloadFormatVersion"), "must be 1.0 for an HTTP proxy",
        cure: "write \"1.0\"")
    }
    integration.pass(over: "passthroughBehavior", "contentHandling", "requestTemplates")
    if isREST { integration.pass(over: "responses") }
    let changes = requestChanges(&integration)
    let responseChanges = isREST ? [:] : self.responseChanges(&integration)
    guard let address else { return nil }
    let result = httpIntegration(address, method, changes, line: line, path: integration.path(of: "uri"))
    guard case .http(var proxy)? = result else { return result }
    proxy.responseChanges = responseChanges
    proxy.isStreamed = isStreamed
    return .http(proxy)
  }

  func httpIntegration(
    _ address: String, _ method: String?, _ changes: [HTTPIntegration.Change], line: Int, path: String
  ) -> GatewayIntegration? {
    guard isHTTP(address, line: line, path: path) else { return nil }
    return .http(HTTPIntegration(method: method, address: address, changes: changes))
  }

  /// Whether a text is an HTTP address, which may begin with a stage variable.
  func isHTTP(_ address: String, line: Int, path: String) -> Bool {
    let prefixes = ["https://", "http://", "${stageVariables."]
    if prefixes.contains(where: { address.hasBytePrefix($0) }) { return true }
    if address.hasBytePrefix("arn:") {
      // A private integration of an HTTP API names the listener of a load balancer, or a service.
      report.refuse(
        line, path, "is an address that only AWS can reach: \(address)",
        cure: "test it on AWS, or write https://… in a local copy of the template")
    } else {
      report.refuse(line, path, "is not an HTTP URL: \(address)", cure: "write https://…")
    }
    return false
  }

  // MARK: Services of HTTP APIs

  private func service(_ integration: inout PropertyReader) -> GatewayIntegration? {
    integration.pass(over: "payloadFormatVersion", "httpMethod", "passthroughBehavior")
    integration.refuse(
      "responseParameters", cure: "remove it in a local copy of the template, and test it on AWS")
    let line = integration.line
    let subtype = integration.text("integrationSubtype") ?? ""
    guard let known = Self.services[subtype] else {
      report.refuse(
        line, integration.path(of: "integrationSubtype"), "is not known: \(subtype)",
        cure: "use one of \(Self.services.keys.sorted().joined(separator: ", "))")
      _ = integration.takeAll()
      return nil
    }
    let path = integration.path(of: "requestParameters")
    var parameters: [GatewayResponseChange.Parameter] = []
    for (name, text, line) in integration.textMap("requestParameters") {
      guard known.required.contains(name) || known.optional.contains(name) || name == "Region" else {
        report.refuse(line, path, "is no parameter of \(subtype): \(name)", cure: "remove it")
        continue
      }
      guard let value = value(text, line: line, path: path) else { continue }
      parameters.append(.init(name: name, value: value))
    }
    for name in known.required where !parameters.contains(where: { $0.name == name }) {
      report.refuse(line, path, "\(subtype) needs \(name)", cure: "write \(name): $request.body.…")
    }
    return .service(ServiceIntegration(subtype: subtype, parameters: parameters))
  }

  /// The parameters of each subtype ("Integration subtype reference"); `Region` is one of all.
  private static let services: [String: (required: Set<String>, optional: Set<String>)] = [
    "EventBridge-PutEvents": (
      ["Detail", "DetailType", "Source"], ["Time", "EventBusName", "Resources", "TraceHeader"]
    ),
    "SQS-SendMessage": (
      ["QueueUrl", "MessageBody"],
      [
        "DelaySeconds", "MessageAttributes", "MessageDeduplicationId", "MessageGroupId",
        "MessageSystemAttributes",
      ]
    ),
    "SQS-ReceiveMessage": (
      ["QueueUrl"],
      [
        "AttributeNames", "AttributeName", "MaxNumberOfMessages", "MessageAttributeNames",
        "ReceiveRequestAttemptId", "VisibilityTimeout", "WaitTimeSeconds",
      ]
    ),
    "SQS-DeleteMessage": (["ReceiptHandle", "QueueUrl"], []), "SQS-PurgeQueue": (["QueueUrl"], []),
    "AppConfig-GetConfiguration": (
      ["Application", "Environment", "Configuration", "ClientId"], ["ClientConfigurationVersion"]
    ),
    "Kinesis-PutRecord": (
      ["StreamName", "Data", "PartitionKey"], ["SequenceNumberForOrdering", "ExplicitHashKey"]
    ),
    "StepFunctions-StartExecution": (["StateMachineArn"], ["Name", "Input"]),
    "StepFunctions-StartSyncExecution": (["StateMachineArn"], ["Name", "Input", "TraceHeader"]),
    "StepFunctions-StopExecution": (["ExecutionArn"], ["Cause", "Error"]),
  ]
}

extension GatewayIntegration {
  fileprivate func with(timeoutMilliseconds: Int?, isPrivate: Bool) -> GatewayIntegration {
    switch self {
    case .mapped(var mapped):
      mapped.timeoutMilliseconds = timeoutMilliseconds
      mapped.isPrivate = isPrivate
      return .mapped(mapped)
    case .http(var http):
      http.timeoutMilliseconds = timeoutMilliseconds
      http.isPrivate = isPrivate
      return .http(http)
    case .restFunction(var function):
      // serve waits for other functions as long as the kind of API allows.
      if function.isStreamed { function.timeoutMilliseconds = timeoutMilliseconds }
      return .restFunction(function)
    case .webSocketMock, .function, .service, .unavailable: return self
    }
  }
}
