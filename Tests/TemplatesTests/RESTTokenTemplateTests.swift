@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import Testing

/// JWT authorizers of REST APIs in templates.
@Suite struct RESTTokenTemplateTests {
  private static let method =
    PlainTemplateTests.get + ", AuthorizationType: JWT, AuthorizerId: !Ref Auth, AuthorizationScopes: [read]"
  private static let source = "IdentitySource: method.request.header.Authorization"
  private static let issuer = "{ Issuer: 'https://id.example/', Audiences: [a, b] }"

  private static func configuration(_ issuers: String, algorithms: String = "[RS256, ES256]") -> String {
    "Type: JWT, \(source), JwtConfiguration: { DefaultAlgorithms: \(algorithms), Issuers: \(issuers) }"
  }

  private static func access(_ authorizer: String, method: String = method) throws -> RouteAccess? {
    let text = PlainTemplateTests.rest(method, authorizer: authorizer)
    return try GatewayTemplate(parsing: text).apis.first?.routes.first?.access
  }

  private static let trust = JWTTrust(
    algorithms: [.rs256, .es256],
    issuers: [
      .init(
        "https://id.example/", audiences: ["a", "b"],
        claims: [.init("org", value: "one", isRequired: true), .init("sub", value: nil, isRequired: false)])
    ])

  @Test func everyMemberIsRead() throws {
    let access = try Self.access(
      Self.configuration(
        "[{ Issuer: 'https://id.example/', Audiences: [a, b], AdditionalClaims: [{ ClaimName: org, Format: SINGLE_STRING, ExpectedValues: [one], Required: true }, { ClaimName: sub, Format: SINGLE_STRING }] }]"
      ))
    #expect(
      access
        == .token(
          TokenAuthorizer(name: "Auth", kind: .restJWT(Self.trust), source: .header("Authorization")),
          scopes: ["read"]))
  }

  private static func document(_ scheme: String, _ source: String = "Authorization") -> String {
    let claims =
      "{ claimName: org, format: SINGLE_STRING, expectedValues: [one], required: true }, { claimName: sub, format: SINGLE_STRING }"
    return SAMTemplate.text(
      resources: SAMTemplate.rest(
        "DefinitionBody: { openapi: 3.0.1, paths: { /a: { get: { security: [{ Jwt: [read] }], x-amazon-apigateway-integration: { type: mock } } } }, components: { securitySchemes: { Jwt: { \(scheme), x-amazon-apigateway-authtype: jwt, x-amazon-apigateway-authorizer: { type: jwt, identitySource: method.request.header.\(source), jwtConfiguration: { defaultAlgorithms: [RS256, ES256], issuers: [{ issuer: 'https://id.example/', audiences: [a, b], additionalClaims: [\(claims)] }] } } } } } }"
      ))
  }

  @Test func aDocumentHasTheSameMembers() throws {
    let text = Self.document("type: apiKey, in: header, name: Authorization")
    #expect(
      try GatewayTemplate(parsing: text).apis.first?.routes.first?.access
        == .token(
          TokenAuthorizer(name: "Jwt", kind: .restJWT(Self.trust), source: .header("Authorization")),
          scopes: ["read"]))
    let other = Self.problems(Self.document("type: apiKey, in: header, name: Token"))
    #expect(other == ["is another header than the name of the scheme: Token"])
    #expect(
      try GatewayTemplate(parsing: Self.document("type: oauth2", "X-Token")).apis.first?.routes.first?.access
        .isGuarded == true)
  }

  /// A configuration without additional claims, which the mistakes below change.
  private static let good =
    "Type: JWT, IdentitySource: method.request.header.Authorization, JwtConfiguration: { DefaultAlgorithms: [RS256], Issuers: [{ Issuer: 'https://id.example', Audiences: [a] }] }"

  private static let mistakes: [(String, String, String)] = [
    (
      ", JwtConfiguration: { DefaultAlgorithms: [RS256], Issuers: [{ Issuer: 'https://id.example', Audiences: [a] }] }",
      "", "is missing"
    ),
    (", IdentitySource: method.request.header.Authorization", "", "is missing"),
    ("Type: JWT", "Type: JWT, AuthorizerResultTtlInSeconds: 0", "is not supported for JWT authorizers"),
    ("Type: JWT", "Type: JWT, ProviderARNs: []", "is not supported for JWT authorizers"),
    ("Type: JWT", "Type: JWT, AuthorizerUri: a", "is not supported for JWT authorizers"),
    ("Type: JWT", "Type: JWT, IdentityValidationExpression: a", "is not supported for JWT authorizers"),
    ("Type: JWT", "Type: JWT, AuthorizerCredentials: ", "is not supported for JWT authorizers"),
    ("Type: JWT", "Type: JWT, Leeway: 5", "is not known"),
    ("header.Authorization", "querystring.token", "must be one header of the request"),
    (
      "method.request.header.Authorization", "'method.request.header.A,method.request.header.B'",
      "must be one header of the request"
    ),
    ("[RS256]", "[]", "is missing"), ("[RS256]", "RS256", "must be a list of strings"),
    ("[RS256]", "[PS256]", "is not an algorithm of JWT authorizers: PS256"),
    ("[RS256]", "[RS256, HS256]", "is not an algorithm of JWT authorizers: HS256"),
    ("[RS256]", "[none]", "is not an algorithm of JWT authorizers: none"),
    ("[RS256]", "[rs256]", "is not an algorithm of JWT authorizers: rs256"),
    ("[RS256]", "[!Ref Nothing]", "Nothing is neither a parameter nor a resource"),
    ("DefaultAlgorithms: [RS256], ", "", "is missing"),
    ("DefaultAlgorithms", "defaultAlgorithms", "is missing"),
    ("DefaultAlgorithms: [RS256]", "DefaultAlgorithms: [RS256], Leeway: 5", "is not known"),
    ("[{ Issuer: 'https://id.example', Audiences: [a] }]", "[]", "is empty"),
    (
      "[{ Issuer: 'https://id.example', Audiences: [a] }]",
      "{ Issuer: 'https://id.example', Audiences: [a] }", "must be a list, found a map"
    ),
    (
      "Audiences: [a] }", "Audiences: [a] }, { Issuer: 'https://id.example', Audiences: [b] }",
      "is there twice: https://id.example"
    ),
    (", Audiences: [a]", "", "is missing"), ("[a]", "[]", "is missing"),
    ("[a]", "a", "must be a list of strings"), ("[a]", "['']", "has an empty value"),
    ("[a]", "[!Ref Nothing]", "Nothing is neither a parameter nor a resource"),
    ("Issuer: 'https://id.example', ", "", "is missing"),
    ("'https://id.example'", "!Ref Nothing", "Nothing is neither a parameter nor a resource"),
    ("[a]", "[a], Leeway: 5", "is not known"), ("Audiences", "Audience", "is missing"),
  ]

  /// What API Gateway would refuse, or what would change who gets in.
  @Test(arguments: mistakes) func aMistakeClosesItsRoutes(
    _ part: String, _ mistake: String, _ problem: String
  ) {
    #expect(Self.good.contains(part))
    Self.expectClosed(Self.good.replacing(part, with: mistake), problem)
  }

  @Test(arguments: [
    "http://id.example", "HTTPS://id.example", "https://", "https:///a", "https://user@id.example",
    "https://id.example?a", "https://id.example/#a", "https://id example", "id.example",
    "https://${stageVariables.host}/", "https://ïd.example", "https://id.example\\a",
  ]) func anIssuerIsAnHTTPSURL(_ issuer: String) {
    Self.expectClosed(
      Self.configuration("[{ Issuer: '\(issuer)', Audiences: [a] }]"),
      "is no https URL with a host and without user, query and fragment: \(issuer)")
  }

  @Test(arguments: [
    ("[]", "is empty"), ("", "is missing"), ("[{ ClaimName: a }]", "is missing"),
    ("[{ Format: SINGLE_STRING }]", "is missing"),
    ("[{ ClaimName: a, Format: STRING_ARRAY }]", "is not known"),
    ("[{ ClaimName: a, Format: SINGLE_STRING, ExpectedValues: [] }]", "is missing"),
    ("[{ ClaimName: a, Format: SINGLE_STRING, ExpectedValues:  }]", "is missing"),
    ("[{ ClaimName: a, Format: SINGLE_STRING, ExpectedValues: [''] }]", "has an empty value"),
    ("[{ ClaimName: a, Format: SINGLE_STRING, ExpectedValues: [b, c] }]", "has more than one value"),
    (
      "[{ ClaimName: a, Format: SINGLE_STRING, ExpectedValues: [!Ref Nothing] }]",
      "Nothing is neither a parameter nor a resource"
    ),
    ("[{ ClaimName: a, Format: SINGLE_STRING, Required: maybe }]", "must be true or false"),
    ("[{ ClaimName: a, Format: SINGLE_STRING, Required:  }]", "is empty"),
    ("[{ ClaimName: a, Format: SINGLE_STRING, Values: [b] }]", "is not known"),
    (
      "[{ ClaimName: a, Format: SINGLE_STRING }, { ClaimName: a, Format: SINGLE_STRING }]",
      "is empty, there twice, or a claim that is checked anyway: a"
    ),
    (
      "[{ ClaimName: scp, Format: SINGLE_STRING }]",
      "is empty, there twice, or a claim that is checked anyway: scp"
    ),
    (
      "[{ ClaimName: '', Format: SINGLE_STRING }]",
      "is empty, there twice, or a claim that is checked anyway: "
    ),
  ]) func anUnknownClaimClosesItsRoutes(_ claims: String, _ problem: String) {
    Self.expectClosed(
      Self.configuration("[{ Issuer: 'https://id.example', Audiences: [a], AdditionalClaims: \(claims) }]"),
      problem)
  }

  /// A method names the type of its authorizer.
  @Test(arguments: ["CUSTOM", "COGNITO_USER_POOLS"]) func theTypeOfTheMethodIsJWT(_ type: String) {
    Self.expectClosed(
      Self.configuration("[\(Self.issuer)]"), "refers to no authorizer of this API and type",
      method: PlainTemplateTests.get + ", AuthorizationType: \(type), AuthorizerId: !Ref Auth")
  }

  private static func expectClosed(_ authorizer: String, _ problem: String, method: String = method) {
    let text = PlainTemplateTests.rest(method, authorizer: authorizer)
    let problems = Self.problems(text)
    #expect(problems.contains { $0.hasPrefix(problem) }, "\(problems)")
  }

  /// The findings of a template of which nothing can be served.
  private static func problems(_ text: String) -> [String] {
    do {
      let template = try GatewayTemplate(parsing: text)
      Issue.record("\(template.apis.flatMap(\.routes).map(\.access))")
      return []
    } catch {
      return error.findings.map(\.problem)
    }
  }
}
