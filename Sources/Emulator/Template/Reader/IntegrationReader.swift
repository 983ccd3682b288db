/// Reads integrations: `x-amazon-apigateway-integration` of an OpenAPI operation.
struct IntegrationReader {
  private let reader: TemplateReader
  private let isREST: Bool
  private let report: TemplateReport

  /// - Parameter report: the report about the integration.
  init(_ reader: TemplateReader, isREST: Bool, _ report: TemplateReport) {
    self.reader = reader
    self.isREST = isREST
    self.report = report
  }

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

  private func read(_ all: PropertyReader) -> GatewayIntegration? {
    var integration = all
    integration.pass(
      over: "timeoutInMillis", "credentials", "passthroughBehavior", "description", "responseTransferMode")
    integration.refuse(
      "contentHandling", "cacheNamespace", "cacheKeyParameters", "tlsConfig", "connectionId",
      "integrationSubtype",
      cure: "remove it in a local copy of the template, and test it on AWS")
    if let connection = integration.text("connectionType"), connection != "INTERNET" {
      report.refuse(
        integration.line, integration.path(of: "connectionType"), "is not emulated: \(connection)",
        cure: "use INTERNET")
    }
    let typeLine = integration.line(of: "type")
    let type = integration.requiredText("type", cure: "write type: mock, http_proxy or aws_proxy")
    let result: GatewayIntegration?
    switch type?.lowercased() {
    case "mock" where isREST: result = mock(&integration)
    case "http_proxy": result = http(&integration)
    case "aws_proxy": result = function(&integration)
    case nil: result = nil
    case let other?:
      report.refuse(
        typeLine, integration.path(of: "type"), "is not emulated: \(other)",
        cure: isREST ? "use mock, http_proxy or aws_proxy" : "use http_proxy or aws_proxy")
      // The other members belong to that type.
      _ = integration.takeAll()
      result = nil
    }
    integration.finish()
    return result
  }

  // MARK: Functions

  private func function(_ integration: inout PropertyReader) -> GatewayIntegration? {
    let line = integration.line
    let address = integration.requiredText(
      "uri",
      cure:
        "write uri: !Sub arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${FUNCTION.Arn}/invocations"
    )
    if let method = integration.text("httpMethod"), method.uppercased() != "POST" {
      report.refuse(
        line, integration.path(of: "httpMethod"), "must be POST for a function: \(method)",
        cure: "write httpMethod: POST")
    }
    var format = GatewayIntegration.PayloadFormat.rest
    if !isREST {
      format =
        integration.word("payloadFormatVersion", FunctionReader.PayloadVersion.self) == .two ? .http2 : .http1
    }
    guard let address,
      let name = reader.function(address, line: line, path: integration.path(of: "uri"), report)
    else { return nil }
    return .function(name, format)
  }

  // MARK: HTTP

  private func http(_ integration: inout PropertyReader) -> GatewayIntegration? {
    let line = integration.line
    let address = integration.requiredText("uri", cure: "write uri: https://…")
    let method = integration.text("httpMethod").flatMap { $0.uppercased() == "ANY" ? nil : $0.uppercased() }
    if !isREST, let version = integration.text("payloadFormatVersion"), version != "1.0" {
      report.refuse(
        line, integration.path(of: "payloadFormatVersion"), "must be 1.0 for an HTTP proxy",
        cure: "write \"1.0\"")
    }
    if isREST { _ = integration.take("responses") }
    let changes = integration.textMap("requestParameters").compactMap { name, text, line in
      change(name, text, line: line, path: integration.path(of: "requestParameters"))
    }
    integration.refuse(
      "requestTemplates", "responseParameters",
      cure: "remove it: a proxy integration does not change requests and responses")
    guard let address else { return nil }
    return httpIntegration(address, method, changes, line: line, path: integration.path(of: "uri"))
  }

  func httpIntegration(
    _ address: String, _ method: String?, _ changes: [HTTPIntegration.Change], line: Int, path: String
  ) -> GatewayIntegration? {
    guard address.hasPrefix("https://") || address.hasPrefix("http://") else {
      report.refuse(line, path, "is not an HTTP URL: \(address)", cure: "write https://…")
      return nil
    }
    return .http(HTTPIntegration(method: method, address: address, changes: changes))
  }

  /// Reads a parameter mapping: `integration.request.header.X: context.authorizer.y` of REST APIs,
  /// `overwrite:header.X: $context.authorizer.y` of HTTP APIs.
  func change(_ name: String, _ text: String, line: Int, path: String) -> HTTPIntegration.Change? {
    let actions: [(String, HTTPIntegration.Change.Action)] =
      isREST
      ? [("integration.request.", .overwrite)]
      : [("append:", .append), ("overwrite:", .overwrite), ("remove:", .remove)]
    guard let (prefix, action) = actions.first(where: { name.hasPrefix($0.0) }) else {
      report.refuse(line, path, "is not a parameter mapping: \(name)", cure: Self.mappingCure(isREST))
      return nil
    }
    let target = String(name.dropFirst(prefix.count))
    let place: HTTPIntegration.Change.Place
    if target.hasPrefix("header.") {
      place = .header(String(target.dropFirst("header.".count)))
    } else if target.hasPrefix("querystring.") {
      place = .query(String(target.dropFirst("querystring.".count)))
    } else if target.hasPrefix("path."), isREST {
      place = .path(String(target.dropFirst("path.".count)))
    } else if target == "path", !isREST, action == .overwrite {
      place = .wholePath
    } else {
      report.refuse(line, path, "is not a part of a request: \(target)", cure: Self.mappingCure(isREST))
      return nil
    }
    if action == .remove { return HTTPIntegration.Change(place: place, action: .remove, value: nil) }
    // Static values of HTTP APIs have no apostrophes.
    let value = ParameterValue(text) ?? (isREST || text.contains("$") ? nil : .literal(text))
    guard let value else {
      report.refuse(
        line, path, "is not a valid value: \(text)",
        cure: isREST
          ? "write 'TEXT', context.authorizer.NAME, method.request.header.NAME"
          : "write $context.authorizer.NAME or a static value")
      return nil
    }
    return HTTPIntegration.Change(place: place, action: action, value: value)
  }

  private static func mappingCure(_ isREST: Bool) -> String {
    isREST
      ? "write integration.request.header.NAME, .querystring.NAME or .path.NAME"
      : "write append:, overwrite: or remove: with header.NAME or querystring.NAME, or overwrite:path"
  }

  // MARK: Mock

  private func mock(_ integration: inout PropertyReader) -> GatewayIntegration? {
    let line = integration.line
    let requests = integration.textMap("requestTemplates")
    guard let request = requests.first(where: { $0.name == "application/json" }) else {
      report.refuse(
        line, integration.path(of: "requestTemplates"), "has no template for application/json",
        cure: #"write application/json: '{"statusCode":200}'"#)
      return nil
    }
    let path = integration.path(of: "requestTemplates")
    var responses: [MockIntegration.Response] = []
    if var list = integration.reader("responses") {
      for member in list.takeAll() {
        if let response = response(member, at: list.path(of: member.name)) { responses.append(response) }
      }
    }
    if responses.isEmpty {
      report.refuse(
        line, integration.path(of: "responses"), "is empty", cure: "write default: {statusCode: \"200\"}")
    }
    guard let template = template(request.text, line: request.line, path: path) else { return nil }
    return .mock(MockIntegration(request: template, responses: responses))
  }

  private func response(_ member: TemplateValue.Member, at path: String) -> MockIntegration.Response? {
    guard var reader = PropertyReader(member.value, at: path, report) else { return nil }
    reader.refuse("contentHandling", cure: "remove it: serve does not convert bodies")
    let status = reader.integer("statusCode", in: 200...599)
    if status == nil {
      report.refuse(
        reader.line, reader.path(of: "statusCode"), "is missing", cure: "write statusCode: \"200\"")
    }
    var headers: [GatewayResponseChange.Parameter] = []
    for (name, text, line) in reader.textMap("responseParameters") {
      let prefix = "method.response.header."
      guard name.hasPrefix(prefix), let value = ParameterValue(text) else {
        report.refuse(
          line, reader.path(of: "responseParameters"), "is not known: \(name): \(text)",
          cure: "write method.response.header.NAME: \"'TEXT'\" or context.NAME")
        continue
      }
      headers.append(.init(name: String(name.dropFirst(prefix.count)), value: value))
    }
    let templates = reader.textMap("responseTemplates")
    let chosen = templates.first { $0.name == "application/json" } ?? templates.first
    reader.finish()
    var body: MappingTemplate?
    if let chosen {
      body = template(chosen.text, line: chosen.line, path: reader.path(of: "responseTemplates"))
    }
    let pattern = member.name == "default" ? nil : ValidationExpression(member.name)
    guard let status, member.name == "default" || pattern != nil else { return nil }
    return MockIntegration.Response(
      pattern: pattern, status: status, headers: headers, contentType: chosen?.name ?? "application/json",
      template: body)
  }

  private func template(_ text: String, line: Int, path: String) -> MappingTemplate? {
    do throws(MappingTemplate.Unknown) {
      return try MappingTemplate(text)
    } catch {
      report.refuse(
        line + error.lineOffset, path, error.problem,
        cure:
          "supported are $context, $stageVariables, #set, ##, escapeJavaScript and replaceAll"
      )
      return nil
    }
  }
}
