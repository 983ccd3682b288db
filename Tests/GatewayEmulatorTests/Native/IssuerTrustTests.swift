@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import Templates
import JSON
import TestTokens
import Testing

/// The keys of real issuers: each signs only its own tokens.
@Suite struct IssuerTrustTests {
  private static let token = #"{"preset":"oidc:https://id.example.com"}"#
  private static let other = "https://other.example.com"

  /// The trust in the development keys as the keys of these issuers.
  private static func trust(_ issuers: [String]) throws -> TrustedKeys {
    let keys = try TokenSamples.keys.publicKeySet.bytes()
    return TrustedKeys(
      keySets: Dictionary(uniqueKeysWithValues: issuers.map { ($0, keys) }), credentials: nil)
  }

  @Test func theIssuerChoosesTheKeys() throws {
    let token = try TokenSamples.token(Self.token)
    let both = try Self.trust([TokenSamples.issuer, Self.other])
    #expect(try TokenSamples.jwt.verdict(token, trust: both).code == nil)
    // Keys that sign the token, but belong to another issuer.
    #expect(try TokenSamples.jwt.verdict(token, trust: Self.trust([Self.other])).code == "unknownKey")
    let foreign = TokenAuthorizer(
      name: "Other", kind: .jwt(issuer: Self.other, audiences: ["api"]), source: .header("Authorization"))
    #expect(try foreign.verdict(token, trust: both).code == "wrongIssuer")
    #expect(try TokenSamples.jwt.verdict(token + "x", trust: both).code != nil)
  }

  /// A route whose keys are missing is closed, not guarded by no key.
  @Test(arguments: [
    (["https://id.example.com"], 401), ([], 501), ([other], 501),
  ]) func aMissingKeySetClosesTheRoute(_ issuers: [String], _ status: Int) throws {
    #expect(try Self.answer(Self.trust(issuers)) == status)
  }

  @Test(arguments: ["", "[]", #"{"keys":"#, #"{"keys":7}"#])
  func aKeySetThatCannotBeReadClosesTheRoute(_ text: String) throws {
    let trust = TrustedKeys(keySets: [TokenSamples.issuer: Array(text.utf8)], credentials: nil)
    #expect(try Self.answer(trust) == 501)
  }

  private static func answer(_ trust: TrustedKeys) throws -> Int {
    let api = GatewayStage.api(
      [try GatewayStage.route("GET /a", access: .token(TokenSamples.jwt, scopes: []))], isREST: false)
    let gateway = Gateway(apis: [api], location: .init(), settings: .init(), trust: trust)
    let state = Gateway.State()
    let ids = RequestIdentity(
      requestID: "r", extendedRequestID: "e", traceID: "t", unixMilliseconds: TokenSamples.milliseconds)
    let request = GatewayRequest(method: "GET", path: "/a", headers: [])
    guard case .answer(let answer) = gateway.begin(ReceivedRequest(request, to: api, ids), state: state)
    else { return 200 }
    return answer.response.status
  }

  /// The issuers of a template, with the pools of REST APIs.
  @Test func aTemplateNamesItsIssuers() throws {
    let text = SAMTemplate.text(
      events: SAMTemplate.httpEvent("get", "/a") + ", " + SAMTemplate.httpEvent("get", "/b"),
      resources: SAMTemplate.http(
        "Auth: { DefaultAuthorizer: J, Authorizers: { J: { IdentitySource: $request.header.Authorization, "
          + "JwtConfiguration: { issuer: 'https://i.example', audience: [a] } } } }"))
    #expect(try GatewayTemplate(parsing: text).served.nativeIssuers == ["https://i.example"])
    let pool = SAMTemplate.text(
      events: SAMTemplate.event("get", "/a"),
      resources: SAMTemplate.rest(
        "Auth: { DefaultAuthorizer: C, Authorizers: { C: { UserPoolArn: '\(TokenSamples.arn("us-east-1_Pool00001"))' } } }"
      ))
    #expect(
      try GatewayTemplate(parsing: pool).served.nativeIssuers
        == ["https://cognito-idp.us-east-1.amazonaws.com/us-east-1_Pool00001"])
    #expect(try GatewayTemplate(parsing: TemplateSamples.deployed()).served.nativeIssuers.isEmpty)
  }
}
