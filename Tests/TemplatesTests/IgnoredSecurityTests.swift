@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import Testing

/// Requirements without a security scheme. API Gateway ignores them: such a route is open, and its API key is not asked
/// for (serverless-application-model#211, #248). What SAM writes is that of its translator 1.110.0.
@Suite struct IgnoredSecurityTests {
  /// Who may call the route, and the names that the warnings say guard nothing.
  struct Result: Equatable {
    let access: String?
    let ignored: [String]
  }

  private static func result(_ text: String, _ route: String) -> Result {
    let prefix = "API Gateway ignores "
    let problems = ((try? GatewayTemplate(parsing: text).warnings) ?? []).map(\.problem)
    let names = problems.filter { $0.hasPrefix(prefix) }.map {
      String($0.dropFirst(prefix.count).prefix { $0 != ":" })
    }
    return Result(access: SAMTemplate.guards(text)[route], ignored: names)
  }

  // MARK: Plain CloudFormation

  @Test(arguments: [
    ("security: [{api_key: []}]", "open", ["api_key"]), ("security: [{Absent: []}]", "open", ["Absent"]),
    // The names of schemes are exact.
    ("security: [{token: []}]", "open", ["token"]), ("security: [{key: []}]", "open", ["key"]),
    ("security: [{'Token ': []}]", "open", ["Token "]), ("security: [{AWS_IAM: []}]", "open", ["AWS_IAM"]),
    // The others of a list count.
    ("security: [{Token: []}, {Absent: []}]", "Token", ["Absent"]),
    ("security: [{Absent: [], Token: []}]", "Token", ["Absent"]),
    ("security: [{Absent: []}, {Key: []}]", "open + key", ["Absent"]),
    ("security: [{Absent: []}, {Other: []}]", "open", ["Absent", "Other"]),
    ("security: [{api_key: []}, {Pool: [read]}]", "Pool read", ["api_key"]),
    ("security: [{NONE: []}]", "open", []), ("security: [{NONE: []}, {Absent: []}]", "open", ["Absent"]),
    ("security: [{}]", "open", []), ("security: []", "open", []),
    (
      "security: [{Absent: []}]\n              x-amazon-apigateway-auth: { type: AWS_IAM }", "iam", ["Absent"]
    ),
  ]) func aPlainDocument(_ security: String, _ access: String, _ ignored: [String]) {
    let text = PlainTemplateTests.body(security, schemes: PlainTemplateTests.schemes)
    #expect(Self.result(text, "Api GET /pets") == Result(access: access, ignored: ignored))
  }

  /// Two forms of one character are two names.
  @Test func namesAreComparedAsBytes() {
    let schemes = PlainTemplateTests.schemes.replacing("Token: {", with: "\u{E9}: {")
    for (name, access) in [("\u{E9}", "\u{E9}"), ("e\u{301}", "open")] {
      let text = PlainTemplateTests.body("security: [{\(name): []}]", schemes: schemes)
      #expect(SAMTemplate.guards(text) == ["Api GET /pets": access])
    }
  }

  /// One warning for each name, with its routes and with what to do.
  @Test func aWarningNamesTheRoutes() throws {
    let mock = "x-amazon-apigateway-integration: { type: mock }"
    let paths = (1...6).map { "/\($0): { get: { security: [{ Tokn: [] }], \(mock) } }" }.joined(
      separator: ", ")
    let text = SAMTemplate.text(
      resources: SAMTemplate.rest(
        "DefinitionBody: { swagger: '2.0', paths: { \(paths) }, securityDefinitions: { Token: \(Self.token) } }"
      ))
    let warnings = try GatewayTemplate(parsing: text).warnings
    #expect(
      warnings.map { "\($0.path): \($0.problem) (\($0.cure))" } == [
        "Resources.Api.Properties.DefinitionBody.paths./1.get.security: API Gateway ignores Tokn: no security scheme "
          + "has this name, so it does not guard GET /1, GET /2, GET /3 and 3 more (did you mean Token?)"
      ])
  }

  /// Security of the whole document guards nothing.
  @Test func securityAtTheRootIsIgnored() throws {
    let text = PlainTemplateTests.body("", schemes: PlainTemplateTests.schemes)
    let root = text.replacing("        paths:", with: "        security: [{ Token: [] }]\n        paths:")
    #expect(SAMTemplate.guards(root) == ["Api GET /pets": "open"])
    #expect(try GatewayTemplate(parsing: root).warnings.map(\.cure) == ["write security at each operation"])
    #expect(
      try GatewayTemplate(parsing: root.replacing("security: [{ Token: [] }]", with: "security: []")).warnings
        .isEmpty)
  }

  // MARK: SAM

  private static let token =
    "{ type: apiKey, name: T, in: header, x-amazon-apigateway-authtype: custom, "
    + "x-amazon-apigateway-authorizer: { type: token, authorizerUri: !GetAtt Guard.Arn } }"
  private static let key = "{ type: apiKey, name: x-api-key, in: header }"
  private static let backend =
    "x-amazon-apigateway-integration: { type: http_proxy, httpMethod: GET, uri: 'https://a.example/' }"
  private static let lambda = "Authorizers: { L: { FunctionArn: !GetAtt Guard.Arn } }"
  private static let byDefault = "DefaultAuthorizer: L, \(lambda)"
  private static let jwt =
    "Authorizers: { J: { IdentitySource: $request.header.Authorization, "
    + "JwtConfiguration: { issuer: 'https://i.example', audience: [a] } } }"

  struct Case: Sendable, CustomTestStringConvertible {
    var isREST = true
    /// OpenAPI 3 or Swagger 2.0.
    var version3 = false
    var auth = ""
    var schemes = ""
    var security = ""
    var event = ""
    var property = ""
    let access: String
    var ignored: [String] = []
    var testDescription: String {
      "\(isREST ? "REST" : "HTTP") \(auth) \(schemes.isEmpty ? "" : "own") \(security) \(event)"
    }
  }

  /// The document of an API of SAM, with SAM's own authorizers.
  @Test(arguments: [
    // SAM defines api_key itself.
    Case(auth: "ApiKeyRequired: true", security: "{api_key: []}", access: "open + key"),
    Case(auth: "ApiKeyRequired: true", access: "open + key"),
    Case(auth: "ApiKeyRequired: false", security: "{api_key: []}", access: "open", ignored: ["api_key"]),
    Case(auth: lambda, security: "{api_key: []}", access: "open", ignored: ["api_key"]),
    Case(auth: lambda, schemes: "api_key: \(key)", security: "{api_key: []}", access: "open + key"),
    // The default counts in spite of an unknown name.
    Case(auth: byDefault, security: "{X: []}", access: "L", ignored: ["X"]),
    Case(auth: byDefault, security: "{l: []}", access: "L", ignored: ["l"]),
    Case(auth: byDefault, security: "{X: []}, {NONE: []}", access: "open", ignored: ["X"]),
    // SAM defines AWS_IAM where it is the first requirement and a default is applied.
    Case(auth: lambda, security: "{AWS_IAM: []}", access: "open", ignored: ["AWS_IAM"]),
    Case(auth: byDefault, security: "{AWS_IAM: []}", access: "iam"),
    Case(auth: "DefaultAuthorizer: AWS_IAM", security: "{AWS_IAM: []}", access: "iam"),
    Case(
      auth: byDefault, schemes: "api_key: \(key)", security: "{AWS_IAM: []}, {api_key: []}",
      access: "open + key", ignored: ["AWS_IAM"]),
    // SAM's schemes replace those of an OpenAPI 3 document.
    Case(version3: true, schemes: "T: \(token)", security: "{T: []}", access: "T"),
    Case(
      version3: true, auth: lambda, schemes: "T: \(token)", security: "{T: []}", access: "open",
      ignored: ["T"]),
    Case(
      version3: true, auth: "ApiKeyRequired: true", schemes: "T: \(token)", security: "{T: []}",
      access: "open + key", ignored: ["T"]),
    Case(
      version3: true, auth: byDefault, schemes: "T: \(token)", security: "{T: []}", access: "L",
      ignored: ["T"]),
    Case(auth: lambda, schemes: "T: \(token)", security: "{T: []}", access: "T"),
    Case(auth: byDefault, schemes: "T: \(token)", security: "{T: []}", access: "closed"),
    // The key and AWS_IAM of an event: SAM defines them in another document than the merged one.
    Case(
      event: "Auth: { ApiKeyRequired: true }", property: "MergeDefinitions: true", access: "open",
      ignored: ["api_key"]),
    Case(
      schemes: "api_key: \(key)", event: "Auth: { ApiKeyRequired: true }", property: "MergeDefinitions: true",
      access: "open + key"),
    Case(
      auth: "ApiKeyRequired: true", event: "Auth: { ApiKeyRequired: true }",
      property: "MergeDefinitions: true", access: "open + key"),
    Case(
      event: "Auth: { Authorizer: AWS_IAM }", property: "MergeDefinitions: true", access: "open",
      ignored: ["AWS_IAM"]),
    Case(
      auth: byDefault, event: "Auth: { Authorizer: AWS_IAM }", property: "MergeDefinitions: true",
      access: "iam"),
    Case(
      auth: byDefault, schemes: "api_key: \(key)",
      event: "Auth: { Authorizer: AWS_IAM, ApiKeyRequired: true }", property: "MergeDefinitions: true",
      access: "open + key", ignored: ["AWS_IAM"]),
    Case(event: "Auth: { ApiKeyRequired: true, OverrideApiAuth: true }", access: "open + key"),
    Case(event: "Auth: { Authorizer: AWS_IAM, OverrideApiAuth: true }", access: "iam"),
    Case(
      schemes: "api_key: \(key)", security: "{api_key: []}",
      event: "Auth: { Authorizer: AWS_IAM, OverrideApiAuth: true }", access: "open + key",
      ignored: ["AWS_IAM"]),
    // An operation of an HTTP API with any list gets no default.
    Case(isREST: false, version3: true, auth: "DefaultAuthorizer: J, \(jwt)", access: "J"),
    Case(
      isREST: false, version3: true, auth: "DefaultAuthorizer: J, \(jwt)", security: "{X: []}",
      access: "open", ignored: ["X"]),
    Case(isREST: false, version3: true, auth: "DefaultAuthorizer: J, \(jwt)", security: "{}", access: "open"),
    Case(
      isREST: false, version3: true, auth: jwt, security: "{X: []}", event: "Auth: { Authorizer: J }",
      access: "J", ignored: ["X"]),
    Case(
      isREST: false, version3: true, auth: jwt, security: "{AWS_IAM: []}", access: "open",
      ignored: ["AWS_IAM"]),
    Case(
      isREST: false, version3: true, auth: "EnableIamAuthorizer: true, \(jwt)", security: "{AWS_IAM: []}",
      access: "iam"),
    // HTTP APIs have no API keys.
    Case(
      isREST: false, version3: true, schemes: "K: \(key)", security: "{K: []}", access: "open", ignored: ["K"]
    ),
  ]) func aDocumentOfSAM(_ row: Case) {
    let security = row.security.isEmpty ? "" : "security: [\(row.security)], "
    let place =
      row.version3
      ? "components: { securitySchemes: { \(row.schemes) } }" : "securityDefinitions: { \(row.schemes) }"
    let version = row.version3 ? "openapi: 3.0.1" : "swagger: '2.0'"
    let schemes = row.schemes.isEmpty ? "" : ", \(place)"
    let body =
      "DefinitionBody: { \(version), paths: { /a: { get: { \(security)\(Self.backend) } } }\(schemes) }"
    let properties = [body, row.property, row.auth.isEmpty ? "" : "Auth: { \(row.auth) }"].filter {
      !$0.isEmpty
    }
    .joined(separator: ", ")
    let event =
      row.isREST ? SAMTemplate.event("get", "/a", row.event) : SAMTemplate.httpEvent("get", "/a", row.event)
    let text = SAMTemplate.text(
      events: row.event.isEmpty ? "" : event,
      resources: row.isREST ? SAMTemplate.rest(properties) : SAMTemplate.http(properties))
    let found = Self.result(text, "Api GET /a")
    if row.access == "closed" {
      #expect(found.access ?? "closed" == "closed")
    } else {
      #expect(found == Result(access: row.access, ignored: row.ignored), "\(SAMTemplate.problems(text))")
    }
  }

  /// A scheme in the section of the other version is none for API Gateway, or it is one: its routes are closed.
  @Test(arguments: [
    ("openapi: 3.0.1", "securityDefinitions: { Key: \(key), T: \(token) }", "Key"),
    ("openapi: 3.0.1", "securityDefinitions: { Key: \(key), T: \(token) }", "T"),
    ("swagger: '2.0'", "components: { securitySchemes: { Key: \(key), T: \(token) } }", "Key"),
    ("swagger: '2.0'", "components: { securitySchemes: { Key: \(key), T: \(token) } }", "T"),
  ]) func aSchemeInTheSectionOfAnotherVersion(_ version: String, _ schemes: String, _ name: String) {
    let text = """
      Resources:
        Guard: { Type: AWS::Lambda::Function, Properties: { Runtime: nodejs24.x } }
        Api:
          Type: AWS::ApiGateway::RestApi
          Properties:
            Body: { \(version), paths: { /a: { get: { security: [{ \(name): [] }], \(Self.backend) } }, /b: { get: { \(Self.backend) } } }, \(schemes) }
        Live: { Type: AWS::ApiGateway::Stage, Properties: { RestApiId: !Ref Api, StageName: live } }
      """
    #expect(SAMTemplate.guards(text) == ["Api GET /a": "closed", "Api GET /b": "open"])
    let problem = "is in the section of another version of OpenAPI"
    #expect(SAMTemplate.problems(text).contains { $0.hasPrefix(problem) }, "\(SAMTemplate.problems(text))")
    // SAM moves them in a document of its own.
    let sam = SAMTemplate.text(
      resources: SAMTemplate.rest(
        "DefinitionBody: { \(version), paths: { /a: { get: { security: [{ \(name): [] }], \(Self.backend) } } }, \(schemes) }"
      ))
    let access = version.hasPrefix("openapi") ? (name == "T" ? "T" : "open + key") : "closed"
    #expect(SAMTemplate.guards(sam)["Api GET /a"] ?? "closed" == access)
  }
}
