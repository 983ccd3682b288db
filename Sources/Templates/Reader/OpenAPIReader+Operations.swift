internal import Text
internal import GatewayModel

/// The operations of an OpenAPI document.
extension OpenAPIReader {
  private static let verbs: Set<String> = ["get", "put", "post", "delete", "options", "head", "patch"]

  package func operations(of member: TemplateValue.Member, at path: String) -> [SAMRoute] {
    let isDefault = !isREST && (member.name == "/$default" || member.name == "$default")
    guard let pattern = isDefault ? PathPattern("/") : PathPattern(member.name) else {
      report.refuse(member.value.line, path, "is not a path", cure: "write /pets/{id} or /{proxy+}")
      return []
    }
    guard var item = PropertyReader(member.value, at: path, report) else { return [] }
    item.pass(over: "summary", "description", "servers")
    let shared = item.take("parameters")
    let written = member.name
    return item.takeAll().compactMap { member -> SAMRoute? in
      let place = item.path(of: member.name)
      let method: String?
      switch member.name {
      case "x-amazon-apigateway-any-method": method = nil
      case let verb where Self.verbs.contains(verb): method = verb.uppercased()
      case let name where name.hasBytePrefix("x-") && !name.hasBytePrefix("x-amazon"): return nil
      default:
        report.refuse(
          member.value.line, place, "is not an HTTP method", cure: "write get, post, … in lower case")
        return nil
      }
      var child = self
      child.report = report.part()
      // SAM takes an empty operation for one without members.
      var value = member.value
      if case .null = value.content { value = TemplateValue(line: value.line, content: .map([])) }
      return child.operation(
        value, at: place, (isDefault ? .default : .path(method: method, pattern), written), shared: shared)
    }
  }

  /// Reads one operation; its findings close the route.
  private func operation(
    _ value: TemplateValue, at path: String, _ key: (match: GatewayRoute.Match, writtenPath: String),
    shared: TemplateValue?
  ) -> SAMRoute {
    let (match, writtenPath) = key
    let unread = Diagnostic(
      line: value.line, path: path, problem: "cannot be read", cure: "check its members")
    guard var operation = PropertyReader(value, at: path, report) else {
      return SAMRoute(
        match: match, writtenPath: writtenPath, integration: .unavailable(unread), findings: report.findings,
        line: value.line, path: path)
    }
    operation.pass(
      over: "responses", "requestBody", "summary", "description", "operationId", "tags",
      "deprecated", "produces", "consumes", "schemes", "externalDocs", "servers", "callbacks")
    // Exports of HTTP APIs have it at `$default`, whose path says the same.
    if match == .default { operation.pass(over: "isDefaultRoute") }
    let validation = validators.openAPI(
      operation.take("parameters"), shared: shared,
      validator: operation.text("x-amazon-apigateway-request-validator"))
    let auth = auth(&operation)
    let integrations = report.part()
    let lacksIntegration = operation.lacks(IntegrationReader.member)
    var mapped = operation.reporting(to: integrations)
    let integration = IntegrationReader(reader: reader, isREST: isREST, report: integrations).openAPI(&mapped)
    operation.pass(over: IntegrationReader.member)
    for member in operation.takeAll()
    where !member.name.hasBytePrefix("x-") || member.name.hasBytePrefix("x-amazon-apigateway") {
      operation.refuse(
        member, "is not known", cure: "remove it in a local copy of the template, and test it on AWS")
    }
    return SAMRoute(
      match: match, writtenPath: writtenPath, auth: auth,
      integration: integrations.findings.first.map { .unavailable($0) } ?? integration
        ?? .unavailable(unread),
      lacksIntegration: lacksIntegration, validation: validation, findings: report.findings, line: value.line,
      path: path)
  }

  /// Reads `security`: `- NONE: []` of SAM for no authorizer, `- NAME: [SCOPE]` for one, with an API key or without.
  /// SAM treats `[]` as absent and applies the default.
  private func auth(_ operation: inout PropertyReader) -> SAMRoute.Auth {
    var result = SAMRoute.Auth()
    if var auth = operation.reader("x-amazon-apigateway-auth") {
      switch auth.text("type")?.uppercased() {
      case "AWS_IAM"?: result.isSigned = true
      // SAM adds its default authorizer in spite of it.
      case "NONE"?: break
      case let other:
        auth.refuse(member: "type", "is not known: \(other ?? "nothing")", cure: "write AWS_IAM or NONE")
      }
      auth.finish()
    }
    guard let value = operation.take("security") else { return result }
    let path = operation.path(of: "security")
    guard let list = value.list else {
      report.refuse(value, path, "must be a list", cure: "write [{NAME: []}]")
      return result
    }
    for requirement in list {
      guard let members = requirement.members else {
        report.refuse(requirement, path, "must be a list of maps", cure: "write [{NAME: []}]")
        continue
      }
      result.requirements.append(
        members.map { member in
          let scopes = member.value.list?.map(\.text) ?? [nil]
          return OpenAPIDocument.Requirement(
            name: member.name, scopes: scopes.contains(nil) ? nil : scopes.compactMap { $0 },
            line: member.value.line)
        })
    }
    return result
  }
}
