/// A reader for `GatewayResponses`.
struct GatewayResponsesReader {
  private let report: TemplateReport

  init(_ report: TemplateReport) { self.report = report }

  func read(_ properties: inout PropertyReader) -> GatewayResponses {
    var responses = GatewayResponses()
    guard var list = properties.reader("GatewayResponses") else { return responses }
    for member in list.takeAll() {
      let path = list.path(of: member.name)
      guard let kind = kind(member.name, member.value.line, path) else { continue }
      guard var reader = PropertyReader(member.value, at: path, report) else { continue }
      responses.changes[kind] = change(&reader)
    }
    return responses
  }

  /// Reads `x-amazon-apigateway-gateway-responses`.
  func openAPI(_ value: TemplateValue, at path: String) -> GatewayResponses {
    var responses = GatewayResponses()
    guard var list = PropertyReader(value, at: path, report) else { return responses }
    for member in list.takeAll() {
      let place = list.path(of: member.name)
      guard let kind = kind(member.name, member.value.line, place) else { continue }
      let plain = member.value.renamed([
        "statusCode": "StatusCode", "responseParameters": "ResponseParameters",
        "responseTemplates": "ResponseTemplates",
      ])
      responses.changes[kind] = plainChange(plain, at: place)
    }
    return responses
  }

  /// Reads the properties of `AWS::ApiGateway::GatewayResponse`, whose parameters are `gatewayresponse.header.NAME`.
  func plainChange(_ value: TemplateValue, at path: String) -> GatewayResponseChange? {
    guard var reader = PropertyReader(value, at: path, report) else { return nil }
    let prefix = "gatewayresponse.header."
    var headers: [GatewayResponseChange.Parameter] = []
    for (name, text, line) in reader.textMap("ResponseParameters") {
      guard name.hasPrefix(prefix), let value = ParameterValue(text, allowsErrors: true) else {
        report.refuse(
          line, reader.path(of: "ResponseParameters"), "is not known: \(name): \(text)",
          cure: "write gatewayresponse.header.NAME: \"'TEXT'\" or context.NAME")
        continue
      }
      headers.append(.init(name: String(name.dropFirst(prefix.count)), value: value))
    }
    var change = change(&reader)
    change.headers += headers
    return change
  }

  func kind(_ name: String, _ line: Int, _ path: String) -> GatewayResponseKind? {
    if let kind = GatewayResponseKind(rawValue: name) { return kind }
    let known = GatewayResponseKind.allCases.map(\.rawValue).joined(separator: ", ")
    report.refuse(line, path, "is not a gateway response type", cure: "use one of \(known)")
    return nil
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
        change.templates.append((type, try VariableTemplate(text)))
      } catch {
        report.refuse(
          line, reader.path(of: "ResponseTemplates"), "\(error.name) is not supported",
          cure: "use $context.NAME or $stageVariables.NAME; gateway responses do not evaluate VTL"
        )
      }
    }
    reader.finish()
    return change
  }
}
