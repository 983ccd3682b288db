internal import GatewayModel
internal import Mapping
internal import Text

/// Mapped integrations of REST APIs: mocks, and custom integrations.
extension IntegrationReader {
  package func mapped(_ integration: inout PropertyReader, _ type: String) -> GatewayIntegration? {
    let target = target(&integration, type)
    let templates = templates(&integration, "requestTemplates")
    let passthrough = word(&integration, "passthroughBehavior", MappedIntegration.Passthrough.self)
    let handling = word(&integration, "contentHandling", MappedIntegration.ContentHandling.self)
    let parameters = requestChanges(&integration)
    var responses: [MappedIntegration.Response] = []
    if var list = integration.reader("responses") {
      for member in list.takeAll() {
        if let response = response(member, at: list.path(of: member.name)) { responses.append(response) }
      }
    }
    guard let target else { return nil }
    var mapped = MappedIntegration(target)
    mapped.requestTemplates = templates
    mapped.passthrough = passthrough ?? .whenNoMatch
    mapped.contentHandling = handling
    mapped.parameters = parameters
    mapped.responses = responses
    return .mapped(mapped)
  }

  // MARK: Targets

  private func target(_ integration: inout PropertyReader, _ type: String) -> MappedIntegration.Target? {
    if type == "mock" {
      // API Gateway does not keep them for a mock.
      integration.pass(over: "uri", "httpMethod")
      return .mock
    }
    let line = integration.line
    if type == "aws", integration.peek("uri")?.containsBytes(of: ":lambda:path/") != false {
      return functionName(&integration).map { .function($0) }
    }
    let address = integration.requiredText(
      "uri", cure: type == "http" ? "write uri: https://…" : "write uri: arn:aws:apigateway:…")
    let method = integration.text("httpMethod").flatMap { $0.uppercased() == "ANY" ? nil : $0.uppercased() }
    guard let address else { return nil }
    if type == "http" {
      guard isHTTP(address, line: line, path: integration.path(of: "uri")) else { return nil }
      return .http(method: method, address: address)
    }
    let parts = address.splitBytes(at: ":", maxSplits: 5, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 6, parts[0] == "arn", parts[2] == "apigateway",
      parts[5].hasBytePrefix("action/") || parts[5].hasBytePrefix("path/")
    else {
      report.refuse(
        line, integration.path(of: "uri"), "is not the address of an AWS service: \(address)",
        cure: "write arn:aws:apigateway:REGION:SERVICE:action/ACTION or :path/PATH")
      return nil
    }
    return .service(parts[4], action: parts[5], method: method)
  }

  // MARK: Templates

  private func templates(_ properties: inout PropertyReader, _ name: String) -> MappingTemplates {
    let path = properties.path(of: name)
    return MappingTemplates(
      properties.textMap(name).compactMap { type, text, line in
        do throws(MappingTemplate.Unknown) {
          return MappingTemplates.Entry(type: type, template: try MappingTemplate(text))
        } catch {
          report.refuse(
            line + error.lineOffset, "\(path).\(type)", error.problem,
            cure: "write it in another way in a local copy of the template, or test it on AWS")
          return nil
        }
      })
  }

  // MARK: Responses

  private func response(_ member: TemplateValue.Member, at path: String) -> MappedIntegration.Response? {
    guard var reader = PropertyReader(member.value, at: path, report) else { return nil }
    let status = reader.integer("statusCode", in: 100...599)
    if status == nil { reader.refuse(member: "statusCode", "is missing", cure: "write statusCode: \"200\"") }
    var headers: [GatewayResponseChange.Parameter] = []
    for (name, text, line) in reader.textMap("responseParameters") {
      guard let header = name.rest(after: "method.response.header."), let value = ParameterValue(text) else {
        report.refuse(
          line, reader.path(of: "responseParameters"), "is not known: \(name): \(text)",
          cure:
            "write method.response.header.NAME: \"'TEXT'\", integration.response.header.NAME or context.NAME")
        continue
      }
      headers.append(.init(name: String(header), value: value))
    }
    var response = MappedIntegration.Response(status: status ?? 0, headers: headers)
    response.templates = templates(&reader, "responseTemplates")
    response.contentHandling = word(&reader, "contentHandling", MappedIntegration.ContentHandling.self)
    reader.finish()
    guard status != nil else { return nil }
    if member.name == "default" || member.name.isEmpty { return response }
    do throws(RegularExpression.Unknown) {
      response.pattern = try RegularExpression(member.name)
    } catch {
      report.refuse(member.value.line, path, error.problem, cure: "write another expression")
      return nil
    }
    return response
  }

  /// Reads a word in any case.
  private func word<Word: RawRepresentable & CaseIterable>(
    _ properties: inout PropertyReader, _ name: String, _: Word.Type
  ) -> Word? where Word.RawValue == String {
    properties.parsed(name, cure: "use one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))") {
      Word(rawValue: $0.uppercased())
    }
  }
}
