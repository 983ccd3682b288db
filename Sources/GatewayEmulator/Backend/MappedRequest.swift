internal import GatewayModel
internal import Mapping
internal import Text
internal import JSON

/// The request of a mapped integration, as its target receives it.
struct MappedRequest: Sendable {
  let integration: MappedIntegration
  let target: Target
  let source: ParameterSource
  /// The tenant for a function; `nil` where nothing is mapped to it.
  let tenant: String?
  /// What the request template has set, for the response template.
  private let requestOverride: MappingOverride

  enum Target: Sendable {
    /// The answer is known already.
    case mock(GatewayResponse)
    /// A function, its event, and whether it is called without waiting for its answer.
    case function(String, [UInt8], isAsynchronous: Bool)
    case http(BackendRequest)
    /// An AWS service: its name, its action and the request.
    case service(String, action: String, BackendRequest)
  }

  enum Problem: Error, Equatable {
    case unsupportedMediaType
    /// The event of a function would not be JSON.
    case notJSON
    /// - Parameter why: the reason, for the log only.
    case failed(why: String)
  }

  init(
    _ integration: MappedIntegration, _ exchange: RequestContext, _ source: ParameterSource
  ) throws(Problem) {
    self.integration = integration
    self.source = source
    let template = integration.requestTemplates.forRequest(exchange.request)
    if template == nil {
      let refuses =
        integration.passthrough == .never
        || (integration.passthrough == .whenNoTemplates && !integration.requestTemplates.isEmpty)
      if refuses { throw .unsupportedMediaType }
    }
    var body = try Self.converted(exchange, integration.contentHandling, hasTemplate: template != nil)
    var override = MappingOverride()
    if let template {
      let output = try Self.output(
        of: template, MappingTemplate.Input(source, exchange, body: body), "request template")
      body = Array(output.text.utf8)
      override = output.requestOverride
    }
    requestOverride = override
    let parts = RequestParts(integration, exchange, source, overridden: override)
    if let name = parts.forbiddenHeader { throw .failed(why: "the header \(name) cannot be mapped") }
    tenant = parts.headers.last { $0.name.lowercased() == RESTFunction.tenantHeader }?.value
    target = try Self.target(of: integration, parts, body: body, exchange: exchange, source: source)
  }

  private static func output(
    of entry: MappingTemplates.Entry, _ input: MappingTemplate.Input, _ name: String
  ) throws(Problem) -> MappingTemplate.Output {
    do throws(MappingFailure) {
      return try entry.template.filled(from: input)
    } catch {
      throw .failed(why: "\(name): \(error.problem)")
    }
  }

  private static func target(
    of integration: MappedIntegration, _ parts: RequestParts, body: [UInt8], exchange: RequestContext,
    source: ParameterSource
  ) throws(Problem) -> Target {
    let given = source.variables.authorizerValues
    func request(_ method: String?, _ address: String) -> BackendRequest {
      BackendRequest(
        method: method ?? exchange.request.method, address: parts.address(source.filled(address)),
        headers: parts.allHeaders, body: body, authorizer: given.isEmpty ? nil : .texts(given))
    }
    switch integration.target {
    case .mock:
      guard let status = MockStatus.status(in: body) else {
        throw .failed(why: "the request template of the mock has no statusCode")
      }
      return .mock(GatewayResponse(status: status))
    case .function(let name):
      // Lambda takes an empty payload as an empty object.
      let event = body.isEmpty ? Array("{}".utf8) : body
      guard (try? JSONTree(parsing: event)) != nil else { throw .notJSON }
      let kind = parts.headers.last { $0.name.lowercased() == "x-amz-invocation-type" }?.value
      return .function(source.filled(name), event, isAsynchronous: kind == "Event")
    case .http(let method, let address): return .http(request(method, address))
    case .service(let name, let action, let method):
      let path = action.hasBytePrefix("path/") ? String(action.dropFirst(bytes: "path".utf8.count)) : "/"
      let host = "https://\(name).\(exchange.location.region).amazonaws.com"
      return .service(name, action: source.filled(action), request(method, host + path))
    }
  }

  /// Returns the body as the template or the target gets it ("Content type conversions in API Gateway").
  private static func converted(
    _ exchange: RequestContext, _ handling: MappedIntegration.ContentHandling?, hasTemplate: Bool
  ) throws(Problem) -> [UInt8] {
    let body = exchange.request.body
    let isBinary = MediaType.isBinary(
      exchange.request.values(ofHeader: "Content-Type").first, among: exchange.api.binaryMediaTypes)
    switch (isBinary, handling) {
    case (true, .toText?): return Array(Base64Text.encoded(body).utf8)
    case (true, _) where hasTemplate && !body.isEmpty:
      throw .failed(why: "a template cannot read a binary body; CONVERT_TO_TEXT makes it base64")
    case (false, .toBinary?):
      guard let decoded = Base64Text.decoded(String(decoding: body, as: UTF8.self)) else {
        throw .failed(why: "the body is not base64")
      }
      return decoded
    default: return body
    }
  }

  // MARK: The response

  /// Returns the response to the answer of the target.
  ///
  /// - Parameter errorMessage: that of a function, which selects the response instead of the status.
  func response(
    to reply: GatewayResponse, errorMessage: String?, of exchange: RequestContext
  ) throws(Problem) -> GatewayResponse {
    let selected = errorMessage ?? String(reply.status)
    guard let chosen = integration.response(for: selected) else {
      let what = errorMessage == nil ? selected : "the error message"
      throw .failed(why: "no integration response is for \(what), and there is no default")
    }
    var source = source
    source.reply = reply
    var body = try Self.converted(reply, exchange, chosen.contentHandling)
    var override = MappingOverride()
    let template = chosen.templates.forResponse(to: exchange.request)
    if let template, !template.template.text.isEmpty {
      var input = MappingTemplate.Input(source, exchange, body: body)
      input.requestOverride = requestOverride
      let output = try Self.output(of: template, input, "response template")
      body = Array(output.text.utf8)
      override = output.responseOverride
    }
    var response = GatewayResponse(status: Self.status(override.status) ?? chosen.status, body: body)
    var headers = [GatewayRequest.Header("Content-Type", template?.type ?? "application/json")]
    let mapped = chosen.headers.map { ($0.name, $0.value.values(from: source)) }
    for (name, values) in mapped + override.headers.map({ ($0.name, $0.values) }) where !values.isEmpty {
      guard name.lowercased() != "transfer-encoding" else { continue }
      let name = MappedHeaders.responseName(name)
      headers.removeAll { $0.name.lowercased() == name.lowercased() }
      headers += values.map { .init(name, $0) }
    }
    response.headers = headers
    return response
  }

  /// API Gateway ignores an override that is no status.
  private static func status(_ text: String?) -> Int? {
    text.flatMap { Int($0) }.flatMap { (200...599).contains($0) ? $0 : nil }
  }

  private static func converted(
    _ reply: GatewayResponse, _ exchange: RequestContext, _ handling: MappedIntegration.ContentHandling?
  ) throws(Problem) -> [UInt8] {
    let isBinary = MediaType.isBinary(
      reply.values(ofHeader: "Content-Type").first, among: exchange.api.binaryMediaTypes)
    let acceptsBinary = MediaType.isBinary(
      exchange.request.values(ofHeader: "Accept").first, among: exchange.api.binaryMediaTypes)
    let becomesText = handling == .toText || (handling == nil && !acceptsBinary)
    if isBinary { return becomesText ? Array(Base64Text.encoded(reply.body).utf8) : reply.body }
    if becomesText || reply.body.isEmpty { return reply.body }
    guard let decoded = Base64Text.decoded(String(decoding: reply.body, as: UTF8.self)) else {
      throw .failed(why: "the body of the response is not base64")
    }
    return decoded
  }
}

extension MappingTemplate.Input {
  init(_ source: ParameterSource, _ exchange: RequestContext, body: [UInt8]) {
    self.init(body)
    path = source.pathParameters.map { ($0.name, PercentText.decoded($0.value)) }
    query = source.request.queryItems
    headers = exchange.headerLines.map { ($0.name, $0.value) }
    context = source.variables
    stageVariables = source.stageVariables
  }
}
