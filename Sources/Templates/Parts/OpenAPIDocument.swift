internal import GatewayModel
package
  /// What an OpenAPI document says about an API: `DefinitionBody` of SAM, `Body` of CloudFormation, or a file.
  struct OpenAPIDocument
{
  /// The routes.
  var operations: [Operation] = []
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

  struct Operation {
    let method: String?
    /// The path; `/` for `$default`, with `isDefault`.
    let pattern: PathPattern
    let isDefault: Bool
    let writtenPath: String
    let security: Security
    let integration: GatewayIntegration
    /// Whether it has no integration. SAM adds that of an event to such an operation of an HTTP API.
    var lacksIntegration = false
    var validation = RequestValidation()
    /// What closes the route.
    let findings: [TemplateFinding]
    let line: Int
    let path: String

    var match: GatewayRoute.Match { isDefault ? .default : .path(method: method, pattern) }
  }

  /// What an operation says about its callers.
  struct Security {
    /// The entries of `security`, each with the names that it asks for.
    var entries: [[Requirement]] = []
    /// `x-amazon-apigateway-auth: AWS_IAM`.
    var isSigned = false
  }

  /// One name in `security`.
  struct Requirement {
    let name: String
    /// `nil` for scopes that are not strings.
    let scopes: [String]?
    let line: Int
  }
}
