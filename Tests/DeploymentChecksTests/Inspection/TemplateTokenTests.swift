@testable import EmulatorTestSupport
@testable import DeploymentChecks
@testable import GatewayModel
@testable import Templates
import Testing

/// Findings about API Gateway's own JWT authorizers.
@Suite struct TemplateTokenTests {
  /// Returns the findings about a REST API with such an authorizer.
  private static func findings(
    _ issuer: String, more: String = "", scopes: String = "[read]", configured: [String] = []
  ) throws -> [DeploymentFinding] {
    let text = """
      Resources:
        Api: { Type: AWS::ApiGateway::RestApi, Properties: { Name: a } }
        Auth: { Type: AWS::ApiGateway::Authorizer, Properties: { RestApiId: !Ref Api, Name: Jwt, Type: JWT, IdentitySource: method.request.header.Authorization, JwtConfiguration: { DefaultAlgorithms: [RS256], Issuers: [{ Issuer: '\(issuer)', Audiences: [a]\(more) }] } } }
        Get: { Type: AWS::ApiGateway::Method, Properties: { RestApiId: !Ref Api, ResourceId: !GetAtt Api.RootResourceId, HttpMethod: GET, AuthorizationType: JWT, AuthorizerId: !Ref Auth, AuthorizationScopes: \(scopes), Integration: { Type: MOCK } } }
        Deployment: { Type: AWS::ApiGateway::Deployment, Properties: { RestApiId: !Ref Api, StageName: prod } }
      """
    let audiences = Dictionary(uniqueKeysWithValues: configured.map { ($0, Set(["a"])) })
    let own: Set<DeploymentFinding.Code> = [.issuerSlash, .claimNotRequired, .scopesMissing]
    return TemplateInspection(
      try GatewayTemplate(parsing: text), ["Other": DeployedConfiguration(audiences: audiences)]
    ).findings.filter { own.contains($0.code) }
  }

  @Test(arguments: [
    ("https://example.auth0.com", "https://example.auth0.com/"), ("https://example.auth0.com/", nil),
    (
      "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Pool00001/",
      "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Pool00001"
    ),
    ("https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Pool00001", nil),
    (
      "https://login.microsoftonline.com/11111111-2222-4333-8444-555555555555/v2.0/",
      "https://login.microsoftonline.com/11111111-2222-4333-8444-555555555555/v2.0"
    ),
    (
      "https://sts.windows.net/11111111-2222-4333-8444-555555555555",
      "https://sts.windows.net/11111111-2222-4333-8444-555555555555/"
    ),
    ("https://accounts.google.com/", "https://accounts.google.com"), ("https://appleid.apple.com", nil),
    ("https://id.example", nil), ("https://id.example/", nil),
  ]) func anIssuerHasTheSlashOfItsTokens(_ issuer: String, _ other: String?) throws {
    let findings = try Self.findings(issuer)
    #expect(findings.map(\.cure) == (other.map { ["write \($0)"] } ?? []))
    #expect(findings.allSatisfy { $0.code == .issuerSlash && $0.place == "Api.Jwt" })
  }

  /// The authorizer of this project has the same issuer in its configuration.
  @Test func anIssuerIsThatOfTheConfiguration() throws {
    #expect(
      try Self.findings("https://id.example/", configured: ["https://id.example"]).map(\.cure)
        == ["write https://id.example"])
    #expect(try Self.findings("https://id.example", configured: ["https://id.example"]).isEmpty)
    #expect(
      try Self.findings(
        "https://id.example", configured: ["https://id.example", "https://id.example/"]
      ).isEmpty)
  }

  @Test(
    arguments: [
      (", Required: true", []), (", Required: false", [.claimNotRequired]), ("", [.claimNotRequired]),
    ] as [(String, [DeploymentFinding.Code])])
  func anAdditionalClaimIsRequired(_ member: String, _ codes: [DeploymentFinding.Code]) throws {
    let more =
      ", AdditionalClaims: [{ ClaimName: org, Format: SINGLE_STRING, ExpectedValues: [one]\(member) }]"
    #expect(try Self.findings("https://id.example", more: more).map(\.code) == codes)
  }

  @Test func routesWithoutScopesAcceptIDTokens() throws {
    let findings = try Self.findings("https://id.example", scopes: "[]")
    #expect(findings.map(\.code) == [.scopesMissing])
    #expect(findings.first?.problem == "GET / without scopes also accept ID tokens of the audience")
  }
}
