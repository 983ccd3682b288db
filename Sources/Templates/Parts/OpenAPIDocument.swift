internal import GatewayModel

/// What an OpenAPI document says about an API: `DefinitionBody` of SAM, `Body` of CloudFormation, or a file.
struct OpenAPIDocument {
  /// The routes.
  var operations: [SAMRoute] = []
  /// Who may call a route, by the name of the security scheme.
  var authorizers: [String: RouteAccess] = [:]
  /// The security schemes that ask for an API key.
  var keySchemes: Set<String> = []
  /// Whether SAM moves `securityDefinitions` to where OpenAPI 3 has them: in `DefinitionBody` of a REST API.
  var movesDefinitions = false
  /// Whether the document has none, so that those of SAM replace the schemes of OpenAPI 3.
  var losesSchemes = false
  /// `x-amazon-apigateway-gateway-responses`.
  var responses = GatewayResponses()
  /// `x-amazon-apigateway-policy`.
  var policy: TemplateValue?
  /// `x-amazon-apigateway-cors` of an HTTP API.
  var crossOrigin: CrossOriginPolicy?
  /// `x-amazon-apigateway-binary-media-types`.
  var binaryMediaTypes: [String] = []
  /// `x-amazon-apigateway-api-key-source`.
  var keySource = APIKeySource.header
  /// `disableExecuteApiEndpoint` of `x-amazon-apigateway-endpoint-configuration`.
  var hasDefaultEndpoint = true

  /// Whether only VPC endpoints reach the API: `types` of `x-amazon-apigateway-endpoint-configuration`.
  var isPrivate = false

  /// One name in `security`.
  struct Requirement {
    let name: String
    /// `nil` for scopes that are not strings.
    let scopes: [String]?
    let line: Int
  }
}
