internal import Text
internal import GatewayModel

/// The request validators of an OpenAPI document or of a REST API, by name.
struct RequestValidators {
  /// Whether each validates parameters.
  private var parameters: [String: Bool] = [:]
  /// The validator of operations that name none.
  private var standard: String?

  /// A validator of bodies needs the whole of JSON Schema; it decides about the form of a request, not about its sender.
  static let bodyNote = "bodies are validated on AWS only: serve passes what a model would refuse"

  init() {}

  /// Reads `x-amazon-apigateway-request-validators` and the validator of the whole document.
  init(_ body: inout PropertyReader, _ report: Diagnostics) {
    if var list = body.reader("x-amazon-apigateway-request-validators") {
      for member in list.takeAll() {
        guard var validator = PropertyReader(member.value, at: list.path(of: member.name), report) else {
          continue
        }
        add(member.name, &validator, parameters: "validateRequestParameters", body: "validateRequestBody")
      }
    }
    standard = body.text("x-amazon-apigateway-request-validator")
  }

  /// Adds a validator from its two flags.
  mutating func add(_ name: String, _ validator: inout PropertyReader, parameters: String, body: String) {
    self.parameters[name] = validator.boolean(parameters) ?? false
    let line = validator.line(of: body)
    if validator.boolean(body) == true {
      validator.report.note(line, validator.path(of: body), Self.bodyNote)
    }
    validator.pass(over: "Name", "name")
    validator.finish()
  }

  /// Whether a validator checks parameters. One that is not known does: it refuses more, never less.
  func checksParameters(_ name: String?) -> Bool {
    guard let name = name ?? standard else { return false }
    return parameters[name] ?? true
  }

  /// Reads the required parameters of an operation, `[{in: header, name: X, required: true}]`.
  func openAPI(_ value: TemplateValue?, shared: TemplateValue?, validator: String?) -> RequestValidation {
    var validation = RequestValidation()
    guard checksParameters(validator) else { return validation }
    for parameter in (shared?.list ?? []) + (value?.list ?? []) {
      guard parameter["required"]?.text == "true", let name = parameter["name"]?.text,
        let place = parameter["in"]?.text
      else { continue }
      validation.require(name, in: place)
    }
    return validation
  }

  /// Reads `RequestParameters` of an `AWS::ApiGateway::Method`, `method.request.header.X: true`.
  func plain(_ value: TemplateValue?, validator: String?) -> RequestValidation {
    var validation = RequestValidation()
    guard checksParameters(validator) else { return validation }
    for member in value?.members ?? [] where member.value.text == "true" {
      let parts = member.name.splitBytes(at: ".", maxSplits: 3).map(String.init)
      if parts.count == 4 { validation.require(parts[3], in: parts[2]) }
    }
    return validation
  }
}
