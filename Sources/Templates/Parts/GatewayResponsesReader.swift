internal import GatewayModel
internal import Text

/// A reader for gateway responses. They decide about no access, so one that cannot be read is left out with a warning.
struct GatewayResponsesReader {
  let report: Diagnostics

  /// Reads `GatewayResponses` of SAM.
  func read(_ properties: inout PropertyReader) -> GatewayResponses {
    guard let list = properties.take("GatewayResponses") else { return GatewayResponses() }
    return responses(list, at: properties.path(of: "GatewayResponses")) { reader, value, path in
      PropertyReader(value, at: path, reader.report).map { properties in
        var properties = properties
        return reader.change(&properties)
      }
    }
  }

  /// Reads `x-amazon-apigateway-gateway-responses`.
  func openAPI(_ value: TemplateValue, at path: String) -> GatewayResponses {
    responses(value, at: path) { reader, value, path in
      let plain = value.renamed([
        "statusCode": "StatusCode", "responseParameters": "ResponseParameters",
        "responseTemplates": "ResponseTemplates",
      ])
      return reader.plainChange(plain, at: path)
    }
  }

  /// Adds an `AWS::ApiGateway::GatewayResponse`.
  func plain(_ properties: PropertyReader, _ line: Int, into responses: inout GatewayResponses) {
    let part = report.part()
    var properties = properties.reporting(to: part)
    let name = properties.requiredText("ResponseType", cure: "write ResponseType: UNAUTHORIZED")
    let rest = TemplateValue(line: line, content: .map(properties.takeAll()))
    read(name, line: line, path: properties.path, part, into: &responses) {
      $0.plainChange(rest, at: properties.path)
    }
  }

  private func responses(
    _ value: TemplateValue, at path: String,
    _ change: (GatewayResponsesReader, TemplateValue, String) -> GatewayResponseChange?
  ) -> GatewayResponses {
    var responses = GatewayResponses()
    guard var list = PropertyReader(value, at: path, report) else { return responses }
    for member in list.takeAll() {
      let place = list.path(of: member.name)
      read(member.name, line: member.value.line, path: place, report.part(), into: &responses) {
        change($0, member.value, place)
      }
    }
    return responses
  }

  /// Reads one response. API Gateway sends its own in place of one that is left out.
  ///
  /// - Parameter part: the report about the response.
  private func read(
    _ name: String?, line: Int, path: String, _ part: Diagnostics, into responses: inout GatewayResponses,
    _ change: (GatewayResponsesReader) -> GatewayResponseChange?
  ) {
    let kind = name.flatMap(GatewayResponseKind.init(rawValue:))
    if let name, kind == nil {
      let known = GatewayResponseKind.allCases.map(\.rawValue)
      part.refuse(
        line, path, "is not a gateway response type",
        cure: NearestName.of(name, among: known).map { "did you mean \($0)?" }
          ?? "use one of \(known.joined(separator: ", "))")
    }
    let change = change(GatewayResponsesReader(report: part))
    if part.findings.isEmpty, let kind, let change { responses.changes[kind] = change }
    for finding in part.findings {
      report.warn(
        finding.line, finding.path, finding.problem + ": serve leaves this response out", cure: finding.cure)
    }
  }

  /// Reads a response whose parameters are `gatewayresponse.header.NAME`.
  private func plainChange(_ value: TemplateValue, at path: String) -> GatewayResponseChange? {
    guard var reader = PropertyReader(value, at: path, report) else { return nil }
    var headers: [GatewayResponseChange.Parameter] = []
    for (name, text, line) in reader.textMap("ResponseParameters") {
      guard let header = name.rest(after: "gatewayresponse.header."),
        let value = ParameterValue(text, allowsErrors: true)
      else {
        report.refuse(
          line, reader.path(of: "ResponseParameters"), "is not known: \(name): \(text)",
          cure: "write gatewayresponse.header.NAME: \"'TEXT'\" or context.NAME")
        continue
      }
      headers.append(.init(name: String(header), value: value))
    }
    var change = change(&reader)
    change.headers += headers
    return change
  }

  private func change(_ reader: inout PropertyReader) -> GatewayResponseChange {
    var change = GatewayResponseChange()
    change.status = reader.integer("StatusCode", in: 200...599)
    if var parameters = reader.reader("ResponseParameters") {
      parameters.refuse("Paths", "QueryStrings", cure: "remove it: a response has headers only")
      for (name, text, line) in parameters.textMap("Headers") {
        guard let value = ParameterValue(text, allowsErrors: true) else {
          report.refuse(
            line, parameters.path(of: "Headers.\(name)"), "is not a valid value: \(text)",
            cure:
              "write 'TEXT' in apostrophes, method.request.header.NAME, context.NAME or stageVariables.NAME")
          continue
        }
        change.headers.append(.init(name: name, value: value))
      }
      parameters.finish()
    }
    for (type, text, line) in reader.textMap("ResponseTemplates") {
      do throws(VariableTemplate.Unknown) {
        let template = try VariableTemplate(text)
        for name in template.unknownVariables {
          report.warn(
            line, reader.path(of: "ResponseTemplates"),
            "\(name) is not known: serve writes nothing in its place",
            cure: "check the spelling, and what AWS writes")
        }
        change.templates.append((type, template))
      } catch {
        report.refuse(
          line, reader.path(of: "ResponseTemplates"), "\(error.name) is not supported",
          cure: "use $context.NAME or $stageVariables.NAME; gateway responses do not evaluate VTL")
      }
    }
    reader.finish()
    return change
  }
}
