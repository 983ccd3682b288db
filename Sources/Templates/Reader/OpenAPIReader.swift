internal import Text
internal import GatewayModel

/// A reader for OpenAPI 3 and Swagger 2.0 documents with API Gateway's extensions.
struct OpenAPIReader: ResourceReader {
  let resource: TemplateReader.ResolvedResource
  let reader: TemplateReader
  var report: Diagnostics
  let isREST: Bool
  var validators = RequestValidators()

  init(api: some ResourceReader, isREST: Bool) {
    (resource, reader, report, self.isREST) = (api.resource, api.reader, api.report, isREST)
  }

  /// Reads the document in one of these properties; `nil` without one.
  ///
  /// - Parameter location: the property with the name of a local file.
  func document(_ properties: inout PropertyReader, body: String, location: String) -> OpenAPIDocument? {
    if let value = properties.take(body) {
      if properties.take(location) != nil {
        report.refuse(
          value.line, properties.path(of: location), "is there beside \(body)", cure: "write one of them")
      }
      return document(value, at: properties.path(of: body), isOfSAM: body == "DefinitionBody")
    }
    guard var value = properties.take(location) else { return nil }
    let path = properties.path(of: location)
    if let source {
      switch reader.document.built.asset(of: source, in: [location], at: value["Key"]) {
      case .here(let written, _): value = TemplateValue(line: value.line, content: .text(written))
      case .refused(let reason):
        report.refuse(value.line, path, reason, cure: "build it again with cdk synth")
        return nil
      case nil: break
      }
    }
    guard value.members == nil else {
      report.refuse(
        value, path, "is in S3 and cannot be read here",
        cure: "write the path of a local copy in this template")
      return nil
    }
    guard let contents = reader.functions.file(value, line: value.line, path) else { return nil }
    return document(contents, at: path, isOfSAM: false)
  }

  /// - Parameter isOfSAM: whether SAM completes the document.
  private func document(_ value: TemplateValue, at path: String, isOfSAM: Bool) -> OpenAPIDocument? {
    let value = value.replacingVariables(reader.names.importVariables)
    guard var body = PropertyReader(value, at: path, report) else { return nil }
    var document = OpenAPIDocument()
    body.pass(
      over: "info", "tags", "externalDocs", "servers", "host", "basePath", "schemes", "consumes", "produces",
      "definitions", "parameters", "responses", "x-amazon-apigateway-importexport-version",
      "x-amazon-apigateway-documentation", "x-amazon-apigateway-tags",
      "x-amazon-apigateway-minimum-compression-size")
    let version = body.text("openapi") ?? body.text("swagger")
    if let version, !version.hasBytePrefix("3."), version != "2.0" {
      report.refuse(
        value.line, path, "is not OpenAPI 3 or Swagger 2.0: \(version)", cure: "write openapi: 3.0.1")
    }
    var operationReader = self
    operationReader.validators = RequestValidators(&body, report)
    readSettings(&body, &document)
    let definitions = body.reader("securityDefinitions")
    var schemes: PropertyReader?
    if var components = body.reader("components") {
      components.pass(
        over: "schemas", "responses", "parameters", "examples", "requestBodies", "headers", "links",
        "callbacks", "x-amazon-apigateway-integrations")
      schemes = components.reader("securitySchemes")
      components.finish()
    }
    let isVersion3 = version?.hasBytePrefix("3.") == true
    let moves = isOfSAM && isREST && isVersion3
    document.movesDefinitions = moves
    document.losesSchemes = moves && definitions == nil
    read(definitions, isOfVersion: !isVersion3 || moves, &document)
    read(schemes, isOfVersion: isVersion3 && (!moves || definitions == nil), &document)
    readRootSecurity(&body)
    if var paths = body.reader("paths") {
      for member in paths.takeAll() where !member.name.hasBytePrefix("x-") {
        document.operations += operationReader.operations(of: member, at: paths.path(of: member.name))
      }
    }
    for member in body.takeAll() where !isHarmlessExtension(member.name) {
      body.refuse(
        member, "is not known", cure: "remove it in a local copy of the template, and test it on AWS")
    }
    return document
  }

  /// Whether a member is another vendor's extension, which API Gateway ignores.
  func isHarmlessExtension(_ name: String) -> Bool {
    name.hasBytePrefix("x-") && !name.hasBytePrefix("x-amazon-apigateway")
  }

  private func readSettings(_ body: inout PropertyReader, _ document: inout OpenAPIDocument) {
    document.binaryMediaTypes = body.texts("x-amazon-apigateway-binary-media-types") ?? []
    document.keySource = body.word("x-amazon-apigateway-api-key-source", APIKeySource.self) ?? .header
    document.policy = body.take("x-amazon-apigateway-policy")
    if let value = body.take("x-amazon-apigateway-gateway-responses") {
      document.responses = GatewayResponsesReader(report: report).openAPI(
        value, at: body.path(of: "x-amazon-apigateway-gateway-responses"))
    }
    if let value = body.take("x-amazon-apigateway-cors") {
      document.crossOrigin = CrossOriginReader(report: report).openAPI(
        value, at: body.path(of: "x-amazon-apigateway-cors"))
    }
    if var endpoint = body.reader("x-amazon-apigateway-endpoint-configuration") {
      document.hasDefaultEndpoint = endpoint.boolean("disableExecuteApiEndpoint") != true
      document.isPrivate = endpoint.isPrivate("types")
      endpoint.pass(over: "ipAddressType")
      endpoint.finish(cure: "remove it: private APIs are not emulated")
    }
  }

  /// A REST API ignores the security of the whole document ("OpenAPI: security at the root level is ignored").
  private func readRootSecurity(_ body: inout PropertyReader) {
    guard let value = body.take("security") else { return }
    if isREST {
      if value.list?.isEmpty == true { return }
      report.warn(
        value.line, body.path(of: "security"),
        "is ignored by API Gateway: security at the root of a document guards no operation",
        cure: "write security at each operation")
    } else {
      report.refuse(
        value.line, body.path(of: "security"), "is not documented for HTTP APIs",
        cure: "write security at each operation")
    }
  }
}
