@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import IssuerEmulator
@testable import Templates
import JSON
import TestTokens
import TestSupport
import Testing

/// What the development issuer makes for authorizers of API Gateway itself.
@Suite struct NativeIssuerTests {
  private static let authorizers = [
    TokenSamples.jwt, TokenSamples.pools(),
    TokenAuthorizer(
      name: "PoolOfHttp",
      kind: .jwt(
        issuer: "https://cognito-idp.us-east-1.amazonaws.com/us-east-1_Pool00001", audiences: ["client"]),
      source: .header("Authorization")),
  ]

  /// A token that the issuer makes for an authorizer is accepted by that authorizer.
  @Test(
    arguments: [
      ("Jwt", nil, ["api"]), ("Jwt", "read", []), ("Pool", nil, []), ("Pool", "shop/read", []),
      ("PoolOfHttp", nil, []), ("PoolOfHttp", "shop/read", []),
    ] as [(String, String?, [String])]) func tokensForAuthorizers(
      _ name: String, _ scope: String?, _ audience: [String]
    ) throws
  {
    let issuer = DevelopmentIssuer(
      keys: try TokenSamples.keys, defaults: .init(preset: "apple", algorithm: "ES256"))
    var order = JSONTree.members(["authorizer": .string(name), "user": .string("u")])
    order["scope"] = scope.map { .string($0) }
    let answer = try issuer.token(
      order, base: "http://127.0.0.1:8080", authorizers: Self.authorizers,
      now: TokenSamples.milliseconds / 1000)
    let token = try #require(answer["access_token"]?.plain)
    let authorizer = try #require(Self.authorizers.first { $0.name == name })
    let verdict = try authorizer.verdict(token, scopes: scope.map { [$0] } ?? [])
    #expect(verdict.code == nil)
    #expect(verdict.claims["claims.sub"] == "u")
    for other in Self.authorizers where other.name == "Jwt" && name != "Jwt" {
      #expect(try other.verdict(token).code == "wrongIssuer")
    }
  }

  /// `claims` may say what the authorizer refuses; `audience` comes before it.
  @Test(
    arguments: [
      (#""claims":{"aud":"wrong"}"#, "wrongAudience"), (#""claims":{"aud":["x","other-api"]}"#, nil),
      (#""claims":{"aud":"wrong"},"audience":"api""#, nil), (#""audience":"wrong""#, "wrongAudience"),
      (#""claims":{"iss":"https://evil.example"}"#, "wrongIssuer"),
    ] as [(String, String?)]) func claimsOfTheOrderStay(_ members: String, _ code: String?) throws
  {
    let issuer = DevelopmentIssuer(keys: try TokenSamples.keys)
    let order = try JSONTree(parsing: Array(#"{"authorizer":"Jwt",\#(members)}"#.utf8))
    let answer = try issuer.token(
      order, base: "http://127.0.0.1", authorizers: Self.authorizers, now: TokenSamples.milliseconds / 1000)
    let token = try #require(answer["access_token"]?.plain)
    #expect(try TokenSamples.jwt.verdict(token).code == code)
  }

  @Test(arguments: [
    (
      #"{"authorizer":"Missing"}"#,
      "there is no JWT or Cognito authorizer Missing; known are Jwt, Pool, PoolOfHttp"
    ),
    (#"{"authorizer":"Jwt","preset":"google"}"#, "give either authorizer or preset"),
    (#"{"authorizer":7}"#, "authorizer has the wrong JSON type"),
    (#"{"scope":[]}"#, "scope has the wrong JSON type"),
  ]) func refusals(_ order: String, _ problem: String) throws {
    let issuer = DevelopmentIssuer(keys: try TokenSamples.keys)
    let order = try JSONTree(parsing: Array(order.utf8))
    let error = #expect(throws: DevelopmentIssuer.TokenRequestError.self) {
      try issuer.token(order, base: "http://127.0.0.1", authorizers: Self.authorizers, now: 0)
    }
    #expect(error?.problem == problem)
  }

  @Test func credentialsAreServedIfARouteNeedsThem() throws {
    let keys = try TokenSamples.keys
    let template = try GatewayTemplate(parsing: StatusTemplates.rest)
    let service = GatewayService(
      gateway: Gateway(template.served, settings: Assumptions()), functions: [:])
    let request = GatewayRequest(
      method: "GET", path: "/dev/credentials", headers: [.init("Host", "127.0.0.1:8080")])
    let without = DevelopmentEndpoint(
      service: service, issuer: DevelopmentIssuer(keys: keys),
      secret: try SampleSecrets.secret.get())
    #expect(without.answer(request)?.status == 404)
    let credentials = try DevelopmentCredentials.generate()
    let endpoint = DevelopmentEndpoint(
      service: service, issuer: DevelopmentIssuer(keys: keys, credentials: credentials),
      secret: try SampleSecrets.secret.get())
    let answer = try #require(endpoint.answer(request))
    #expect(answer.status == 200)
    #expect(answer.header("Cache-Control") == "no-store")
    #expect(answer.header("Access-Control-Allow-Origin") == nil)
    #expect(try JSONTree(parsing: answer.body) == credentials.document)
    let page = GatewayRequest(
      method: "GET", path: "/dev/credentials",
      headers: request.headers + [.init("Origin", "https://evil.example")])
    #expect(endpoint.answer(page)?.status == 403)
  }

  /// A pool of the template has the same ID at each start, in its ARN and in the issuer of its tokens.
  @Test func poolsOfTheTemplateHaveAnID() throws {
    let resource = TemplateDocument.Resource(
      name: "Pool", type: "AWS::Cognito::UserPool", line: 1, condition: nil, properties: nil, unknown: [],
      buildMethod: nil, deletionPolicy: nil, ignoredGlobals: nil)
    let names = TemplateNames(.init(), resources: [resource])
    let pool = try #require(names.physicalID(of: "Pool"))
    #expect(pool.wholeMatch(of: /us-east-1_[a-z0-9]{9}/) != nil)
    let arn = try #require(names.attribute("Pool.Arn"))
    #expect(UserPool(arn: arn)?.identifier == pool)
    #expect(UserPool(arn: arn)?.issuer == names.attribute("Pool.ProviderURL"))
    #expect(TokenPreset("cognito-id:" + pool)?.issuer == UserPool(arn: arn)?.issuer)
  }
}
