import TestTokens
import Testing

@testable import Authorizer
@testable import FunctionHost
@testable import IssuerKeys

/// Two issuers: `partner` shares a secret for HS256, `https://id.example.com` publishes keys.
@Suite("Tokens of issuers with shared secrets")
struct SharedSecretDecisionTests {
  static let secret = "a secret of more than thirty-two bytes"
  static let otherSecret = "b secret of more than thirty-two bytes"

  static func source(secret: String, encoding: String = "text") throws -> InMemorySource {
    var source = try TestIssuers.source()
    source.variables["SECRET"] = secret
    source.variables["AUTHORIZER_CONFIG"] = """
      {"issuers":[
      {"issuer":"https://partner.example.com","audiences":["api"],"algorithms":["HS256"],
      "keys":{"secret":{"environment":"SECRET","encoding":"\(encoding)"}}},
      {"issuer":"https://id.example.com","audiences":["api"],"algorithms":["RS256"],
      "keys":{"seed":"keys.json","pinned":true}}]}
      """
    return source
  }

  static let fromPartner = #""preset":"oidc:https://partner.example.com""#
  static let fromKeySet = #""preset":"oidc:https://id.example.com""#
  static let api = #""claims":{"aud":"api"}"#

  static let tokens: [(recipe: String, reason: ReasonCode?)] = [
    (#"\#(fromPartner),\#(api),"secret":"\#(secret)""#, nil),
    (#"\#(fromPartner),\#(api),"secret":"\#(secret)","header":{"kid":"any"}"#, nil),
    (#"\#(fromPartner),\#(api),"secret":"\#(otherSecret)""#, .signatureMismatch),
    (#"\#(fromPartner),\#(api),"secret":"""#, .signatureMismatch),
    (#"\#(fromPartner),\#(api),"secret":"\#(secret)\n""#, .signatureMismatch),
    (#"\#(fromPartner),\#(api),"secret":"\#(secret)","damage":"payload""#, .signatureMismatch),
    (#"\#(fromPartner),"claims":{"aud":"web"},"secret":"\#(secret)""#, .wrongAudience),
    (#"\#(fromPartner),"claims":{"aud":"api","exp":"-1h"},"secret":"\#(secret)""#, .expired),
    // The right secret with an algorithm that is not configured, and public-key algorithms for an issuer with a
    // secret.
    (#"\#(fromPartner),\#(api),"secret":"\#(secret)","algorithm":"HS512""#, .algorithmNotAllowed),
    (#"\#(fromPartner),\#(api),"algorithm":"RS256""#, .algorithmNotAllowed),
    (#"\#(fromPartner),\#(api),"header":{"alg":"none"},"damage":"dropSignature""#, .algorithmNotAllowed),
    // The issuer with a key set: its own tokens, and attempts to sign them with a secret.
    (#"\#(fromKeySet),\#(api)"#, nil),
    (#"\#(fromKeySet),\#(api),"secret":"\#(secret)""#, .algorithmNotAllowed),
    (#"\#(fromKeySet),\#(api),"secret":{"publicKey":"rs256"},"algorithm":"HS256""#, .algorithmNotAllowed),
    (
      #"\#(fromKeySet),\#(api),"secret":{"publicKey":"rs256"},"header":{"alg":"RS256"}"#, .signatureMismatch
    ),
  ]

  @Test("a token is verified only with its own issuer's secret or keys", arguments: tokens)
  func token(recipe: String, reason: ReasonCode?) throws {
    let token = try TestIssuers.token(recipe)
    let transport = ScriptedTransport()
    var authorizer = Authorizer(
      settings: try Settings(reading: Self.source(secret: Self.secret)), transport: transport,
      at: TestIssuers.now)
    for kind in EventKind.allCases {
      let decision = authorizer.decide(on: TestEvent.bytes(kind, token: token), at: TestIssuers.now)
      #expect(decision.reason == reason)
      #expect(decision.outcome == (reason == nil ? .allowed : .unauthorized))
    }
    authorizer.refreshKeys(at: InvocationTime(unixSeconds: TestIssuers.now))
    #expect(transport.fetches == 0, "neither secrets nor pinned keys are fetched")
  }

  @Test("the secret is the decoded bytes, not the base64 text")
  func base64() throws {
    // base64 of the secret above.
    let text = "YSBzZWNyZXQgb2YgbW9yZSB0aGFuIHRoaXJ0eS10d28gYnl0ZXM="
    var authorizer = Authorizer(
      settings: try Settings(reading: Self.source(secret: text, encoding: "base64")),
      transport: ScriptedTransport(), at: TestIssuers.now)
    for (secret, reason) in [(Self.secret, nil), (text, ReasonCode.signatureMismatch)] {
      let token = try TestIssuers.token(#"\#(Self.fromPartner),\#(Self.api),"secret":"\#(secret)""#)
      let event = TestEvent.bytes(.restToken, token: token)
      #expect(authorizer.decide(on: event, at: TestIssuers.now).reason == reason)
    }
  }

  @Test("a public key as a secret is refused at start")
  func confusion() throws {
    let pem = try #require(try SigningKey.generate(.rs256, id: "public").publicKeyPEM())
    #expect(throws: ConfigurationError.self) { try Settings(reading: Self.source(secret: pem)) }
  }
}
