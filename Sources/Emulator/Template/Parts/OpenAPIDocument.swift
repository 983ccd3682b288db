/// What an OpenAPI document says about an API: `DefinitionBody` of SAM, `Body` of CloudFormation, or a file.
struct OpenAPIDocument {
  /// The routes.
  var operations: [Operation] = []
  /// Who may call a route, by the name of the security scheme.
  var authorizers: [String: RouteAccess] = [:]
  /// The security schemes that ask for an API key.
  var keySchemes: Set<String> = []
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

  /// One operation.
  struct Operation {
    let method: String?
    /// The path; `/` for `$default`, with `isDefault`.
    let pattern: PathPattern
    let isDefault: Bool
    let security: Security
    let integration: GatewayIntegration
    var validation = RequestValidation()
    /// What closes the route.
    let findings: [TemplateFinding]
    let line: Int
    let path: String

    var match: GatewayRoute.Match { isDefault ? .default : .path(method: method, pattern) }
  }

  /// The names of its security schemes.
  var schemes: Schemes { Schemes(keys: keySchemes, authorizers: Set(authorizers.keys)) }

  /// The names of security schemes, to read the security of an operation.
  struct Schemes {
    let keys: Set<String>
    let authorizers: Set<String>

    enum Meaning { case apiKey, none, authorizer }

    /// What a name in `security` asks for. `api_key` and `NONE` are SAM's words for an API key and for no authorizer, in
    /// a document that does not use the name for a scheme of its own.
    func meaning(of name: String) -> Meaning {
      if authorizers.contains(name) { return .authorizer }
      if keys.contains(name) || name == "api_key" { return .apiKey }
      return name == "NONE" ? .none : .authorizer
    }
  }

  /// What an operation says about its callers.
  struct Security {
    var choice = AuthorizerChoice.inherited
    /// The scopes of the chosen authorizer; `nil` if it says nothing.
    var scopes: [String]?
    /// `nil` if it says nothing.
    var needsAPIKey: Bool?
    /// `x-amazon-apigateway-auth: AWS_IAM`.
    var isSigned = false
  }
}
