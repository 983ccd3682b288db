/// A reader for the routes of a `DefinitionBody`.
struct OpenAPIReader {
  private let reader: TemplateReader
  private let isREST: Bool
  private let report: TemplateReport

  /// One operation.
  struct Operation {
    let method: String?
    /// The path; `/` for `$default`, with `isDefault`.
    let pattern: PathPattern
    let isDefault: Bool
    let authorizer: AuthorizerChoice
    let integration: GatewayIntegration
    /// What closes the route.
    let findings: [TemplateFinding]
    let line: Int
    let path: String
  }

  /// - Parameter report: the report about the API.
  init(_ reader: TemplateReader, isREST: Bool, _ report: TemplateReport) {
    self.reader = reader
    self.isREST = isREST
    self.report = report
  }

  mutating func operations(_ properties: inout PropertyReader) -> [Operation] {
    guard var body = properties.reader("DefinitionBody") else { return [] }
    body.pass(over: "openapi", "swagger", "info", "tags", "externalDocs", "servers")
    body.refuse(
      "x-amazon-apigateway-gateway-responses", "securityDefinitions", "security",
      "x-amazon-apigateway-policy",
      "x-amazon-apigateway-request-validator", "x-amazon-apigateway-request-validators",
      "x-amazon-apigateway-cors", "x-amazon-apigateway-binary-media-types",
      "x-amazon-apigateway-api-key-source",
      cure: "write it as a property of the API, next to DefinitionBody")
    if var components = body.reader("components") {
      components.pass(over: "schemas", "responses", "parameters", "examples", "requestBodies", "headers")
      components.refuse("securitySchemes", cure: "write the authorizer under Auth.Authorizers")
      components.finish()
    }
    var operations: [Operation] = []
    if var paths = body.reader("paths") {
      for member in paths.takeAll() {
        operations += self.operations(of: member, at: paths.path(of: member.name))
      }
    }
    body.finish()
    return operations
  }

  private static let verbs: Set<String> = ["get", "put", "post", "delete", "options", "head", "patch"]

  private func operations(of member: TemplateValue.Member, at path: String) -> [Operation] {
    let isDefault = member.name == "/$default" || member.name == "$default"
    guard let pattern = isDefault && !isREST ? PathPattern("/") : PathPattern(member.name) else {
      report.refuse(member.value.line, path, "is not a path", cure: "write /pets/{id} or /{proxy+}")
      return []
    }
    guard var item = PropertyReader(member.value, at: path, report) else { return [] }
    item.pass(over: "summary", "description", "parameters")
    return item.takeAll().compactMap { member -> Operation? in
      let place = item.path(of: member.name)
      let method: String?
      switch member.name {
      case "x-amazon-apigateway-any-method": method = nil
      case let verb where Self.verbs.contains(verb): method = verb.uppercased()
      default:
        report.refuse(
          member.value.line, place, "is not an HTTP method", cure: "write get, post, … in lower case")
        return nil
      }
      return OpenAPIReader(reader, isREST: isREST, report.part()).operation(
        member.value, at: place, method, pattern, isDefault && !isREST)
    }
  }

  /// Reads one operation; its findings close the route.
  private func operation(
    _ value: TemplateValue, at path: String, _ method: String?, _ pattern: PathPattern, _ isDefault: Bool
  ) -> Operation {
    let unread = TemplateFinding(
      line: value.line, path: path, problem: "cannot be read", cure: "check its members")
    guard var operation = PropertyReader(value, at: path, report) else {
      return Operation(
        method: method, pattern: pattern, isDefault: isDefault, authorizer: .none,
        integration: .unavailable(unread), findings: report.findings, line: value.line, path: path)
    }
    operation.pass(
      over: "responses", "parameters", "requestBody", "summary", "description", "operationId", "tags",
      "deprecated",
      "produces", "consumes", "externalDocs")
    operation.refuse(
      "x-amazon-apigateway-request-validator", "x-amazon-apigateway-auth", "servers", "callbacks",
      cure: "remove it in a local copy of the template, and test it on AWS")
    let authorizer = choice(&operation)
    let integrations = report.part()
    var mapped = operation.reporting(to: integrations)
    let integration = IntegrationReader(reader, isREST: isREST, integrations).openAPI(&mapped)
    operation.pass(over: IntegrationReader.member)
    operation.finish()
    let finding = integrations.findings.first ?? unread
    return Operation(
      method: method, pattern: pattern, isDefault: isDefault, authorizer: authorizer,
      integration: integrations.findings.isEmpty
        ? integration ?? .unavailable(finding) : .unavailable(finding),
      findings: report.findings, line: value.line, path: path)
  }

  /// Reads `security`: `- NONE: []` for no authorizer, `- NAME: []` for one. SAM treats `[]` as absent and applies
  /// the default.
  private func choice(_ operation: inout PropertyReader) -> AuthorizerChoice {
    guard let value = operation.take("security") else { return .inherited }
    let path = operation.path(of: "security")
    guard let list = value.list, list.count <= 1 else {
      report.refuse(
        value.line, path, "must be a list of at most one authorizer",
        cure: "write [{NONE: []}] or [{NAME: []}]")
      return .inherited
    }
    guard let members = list.first?.members else { return .inherited }
    guard members.count == 1, let only = members.first else {
      report.refuse(value.line, path, "has more than one authorizer", cure: "write one")
      return .inherited
    }
    if let scopes = only.value.list, !scopes.isEmpty {
      report.refuse(
        value.line, path, "scopes are not emulated", cure: "write []: a Lambda authorizer has no scopes")
    }
    return only.name == "NONE" ? .none : .named(only.name)
  }
}
