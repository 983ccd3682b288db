@testable import EmulatorTestSupport
@testable import DeploymentChecks
@testable import GatewayModel
@testable import Templates
import Testing

/// Findings about the tenant that an integration maps.
@Suite struct TemplateTenantTests {
  /// A method whose integration maps the tenant, as in AWS's pattern `apigw-lambda-tenant-isolation`.
  private static func template(_ mapping: String, type: String = "AWS_PROXY", jwt: Bool = false) -> String {
    let authorizer =
      jwt
      ? "Auth: { Type: AWS::ApiGateway::Authorizer, Properties: { RestApiId: !Ref Api, Name: Jwt, Type: JWT, IdentitySource: method.request.header.Authorization, JwtConfiguration: { DefaultAlgorithms: [RS256], Issuers: [{ Issuer: 'https://id.example', Audiences: [a] }] } } }"
      : ""
    let access =
      jwt
      ? "AuthorizationType: JWT, AuthorizerId: !Ref Auth, AuthorizationScopes: [read]"
      : "AuthorizationType: NONE"
    return """
      Resources:
        Tenants: { Type: AWS::Lambda::Function, Properties: { Runtime: nodejs24.x, Handler: a.b, Role: r, Code: { ZipFile: x }, TenancyConfig: { TenantIsolationMode: PER_TENANT } } }
        Api: { Type: AWS::ApiGateway::RestApi, Properties: { Name: a } }
        \(authorizer)
        Get: { Type: AWS::ApiGateway::Method, Properties: { RestApiId: !Ref Api, ResourceId: !GetAtt Api.RootResourceId, HttpMethod: GET, \(access), Integration: { Type: \(type), IntegrationHttpMethod: POST, Uri: !Sub 'arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Tenants.Arn}/invocations', RequestParameters: { \(mapping) } } } }
        Deployment: { Type: AWS::ApiGateway::Deployment, Properties: { RestApiId: !Ref Api, StageName: prod } }
      """
  }

  private static func codes(_ text: String) throws -> [DeploymentFinding.Code] {
    TemplateInspection(try GatewayTemplate(parsing: text), [:]).findings.map(\.code).filter {
      [.tenantFromCaller, .tenantQuoted].contains($0)
    }
  }

  private static let mappings: [(String, [DeploymentFinding.Code])] = [
    ("method.request.header.x-tenant-id", [.tenantFromCaller]),
    ("method.request.querystring.t", [.tenantFromCaller]),
    ("method.request.path.t", [.tenantFromCaller]), ("method.request.body.t", [.tenantFromCaller]),
    ("context.identity.sourceIp", [.tenantFromCaller]), ("context.authorizer.tenant", []), ("\"'one'\"", []),
    ("stageVariables.tenant", []),
  ]

  @Test(arguments: mappings) func theTenantComesFromTheAuthorizer(
    _ value: String, _ codes: [DeploymentFinding.Code]
  ) throws {
    for type in ["AWS_PROXY", "AWS"] {
      for name in ["X-Amz-Tenant-Id", "x-amz-tenant-id"] {
        let text = Self.template("integration.request.header.\(name): \(value)", type: type)
        #expect(try Self.codes(text) == codes, "\(type) \(name)")
      }
    }
  }

  /// Other mappings of a proxied function have no effect.
  @Test func anotherHeaderIsNoTenant() throws {
    #expect(
      try Self.codes(Self.template("integration.request.header.X-Tenant: method.request.header.a")).isEmpty)
  }

  @Test func aClaimOfAJWTAuthorizerHasQuotes() throws {
    let mapping = "integration.request.header.X-Amz-Tenant-Id: context.authorizer.claims.tenant"
    #expect(try Self.codes(Self.template(mapping, jwt: true)) == [.tenantQuoted])
  }
}
