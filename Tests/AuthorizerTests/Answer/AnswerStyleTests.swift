import JSON
import Testing

@testable import Authorizer

@Suite("Format of answers")
struct AnswerStyleTests {
  /// A token for each reason of rejection, and the reason. `isFinal` of the reason says whether its Deny may be
  /// cached.
  static let refusals: [(recipe: String, reason: ReasonCode)] = [
    (#""raw":"garbage""#, .malformedToken),
    (#""preset":"apple","header":{"enc":"A128GCM"}"#, .encryptedToken),
    (#""preset":"apple","header":{"alg":"none"}"#, .algorithmNotAllowed),
    (#""preset":"apple","claims":{"iss":"https://x.example.com"}"#, .wrongIssuer),
    (#""preset":"apple","claims":{"aud":"x"}"#, .wrongAudience),
    (#""preset":"apple","claims":{"aud":"com.example.app","exp":"-1h"}"#, .expired),
    (#""preset":"apple","claims":{"aud":"com.example.app","exp":"+3d"}"#, .lifetimeTooLong),
    (#""preset":"apple","omit":"exp""#, .missingClaim),
    (#""preset":"apple","claims":{"aud":"com.example.app","nbf":null}"#, .malformedClaim),
    (#""preset":"apple","header":{"typ":"logout+jwt"}"#, .wrongType),
    (#""preset":"apple","claims":{"aud":"com.example.app"},"key":"other""#, .unknownKey),
    (#""preset":"apple","claims":{"aud":"com.example.app"},"key":"forged""#, .signatureMismatch),
    (#""preset":"apple","claims":{"aud":"com.example.app","nbf":"+1h"}"#, .notYetValid),
    (#""preset":"apple","claims":{"aud":"com.example.app","iat":"+1h"}"#, .issuedInFuture),
    (#""preset":"apple","claims":{"aud":"com.example.app",\#(BoundTokenTests.bound)}"#, .boundToken),
  ]

  /// A Deny is cached for up to an hour, so a key rotation or a clock must not lock a valid user out.
  @Test(
    "the deny style applies only to reasons that neither time nor new keys can change", arguments: refusals,
    EventKind.allCases
  )
  func deny(refusal: (recipe: String, reason: ReasonCode), kind: EventKind) throws {
    var authorizer = try TestRules.authorizer(#""unauthorized":"deny""#)
    let event = TestEvent.bytes(kind, token: try TestIssuers.token(refusal.recipe))
    let decision = authorizer.decide(on: event, at: TestIssuers.now)
    #expect(decision.outcome == .unauthorized)
    #expect(decision.reason == refusal.reason)
    guard refusal.reason.isFinal else {
      #expect(decision.answer == .unauthorized)
      return
    }
    guard case .response(let bytes) = decision.answer else {
      Issue.record("no policy")
      return
    }
    let policy = try PolicyReading(bytes)
    #expect(policy.principalID == "unauthorized")
    #expect(policy.statements == [.init(effect: "Deny", resources: [TestEvent.stage + "*"])])
    #expect(policy.context.bytes() == Array(#"{"denyCode":"token_invalid"}"#.utf8))
  }

  @Test("each kind of API has its own style", arguments: EventKind.allCases)
  func perKind(kind: EventKind) throws {
    let styles = #""unauthorized":{"rest":"deny","http1":"message","webSocket":"message"}"#
    var authorizer = try TestRules.authorizer(styles)
    let decision = authorizer.decide(
      on: TestEvent.bytes(kind, authorization: .string("Bearer x.y")), at: TestIssuers.now)
    #expect(decision.outcome == .unauthorized)
    switch kind {
    case .restToken, .restRequest:
      guard case .response(let bytes) = decision.answer else { throw PolicyReading.Unreadable() }
      #expect(try PolicyReading(bytes).statements.map(\.effect) == ["Deny"])
    case .http1, .webSocket:
      #expect(decision.answer == .response(Array(#"{"errorMessage":"Unauthorized"}"#.utf8)))
    case .http2: #expect(decision.answer == .unauthorized)
    }
  }

  @Test("a missing token is a 401 as an error or a message, never a Deny", arguments: EventKind.allCases)
  func missing(kind: EventKind) throws {
    var authorizer = try TestRules.authorizer(#""unauthorized":"deny""#)
    let decision = authorizer.decide(on: TestEvent.bytes(kind, []), at: TestIssuers.now)
    #expect(decision.answer == .unauthorized)
    #expect(decision.reason == .missingToken)
  }

  /// On the template of a route, a restriction by path never matches, an owner's route never matches either, and a
  /// grant with a wildcard matches without the `..` that the policy denies.
  static let pathRules = [
    #""default":"deny","rules":[{"routes":["* /users/${sub}","$connect"],"allow":true}]"#,
    #""default":"allow","rules":[{"routes":["* /admin/*"],"require":{"scopes":["admin"]}}]"#,
    #""default":"deny","rules":[{"routes":["GET /users/*","$connect"],"allow":true}]"#,
    #""default":"deny","rules":[{"routes":["GET /users/{proxy+}","$connect"],"allow":true}]"#,
  ]

  @Test(
    "grants of one path work on route templates, since anything else is denied",
    arguments: [EventKind.http1, .http2])
  func template(kind: EventKind) throws {
    var authorizer = try TestRules.authorizer(
      #""default":"deny","rules":[{"routes":["GET /public/x"],"allow":true}]"#)
    for (route, outcome) in [
      ("GET/public/x", Outcome.allowed), ("GET/{proxy+}", .forbidden), ("$default", .forbidden),
    ] {
      let event = TestEvent.bytes(kind, arn: TestEvent.stage + route, token: try TestRules.partnerToken())
      #expect(authorizer.decide(on: event, at: TestIssuers.now).outcome == outcome, "\(route)")
    }
  }

  @Test(
    "ownership routes, wildcards and restrictions need no setting on any API",
    arguments: EventKind.allCases, pathRules)
  func path(kind: EventKind, rules: String) throws {
    for member in ["", #","routeArnIsConcrete":false"#, #","routeArnIsConcrete":true"#] {
      var authorizer = try TestRules.authorizer(rules + member)
      let route = kind == .webSocket ? "$connect" : "GET/users/u1"
      let event = TestEvent.bytes(
        kind, arn: TestEvent.stage + route, token: try TestRules.partnerToken(#""sub":"u1""#))
      #expect(authorizer.decide(on: event, at: TestIssuers.now).outcome == .allowed, "\(member)")
    }
  }

  static let reasons: [(route: String, claims: String, reason: ReasonCode?)] = [
    ("GET/me", "", nil), ("GET/you", "", .noRule), ("POST/me", "", .noRule),
    ("GET/admin", #""tenant":"a""#, .insufficientScope), ("GET/admin", #""scope":"admin""#, .claimNotAllowed),
    ("GET/admin", #""scope":"admin","tenant":"a""#, nil), ("GET/apple", "", .claimNotAllowed),
    ("GET/users/u1", #""sub":"u1""#, nil), ("GET/users/u2", #""sub":"u1""#, .noRule),
    ("GET/users/a", #""sub":"a|b""#, .claimNotRoutable), ("GET/me", #""sub":"a|b""#, nil),
    ("GET/users/u1/../u2", #""sub":"u1""#, .noRule),
    // All of the scopes, in any of the claims.
    ("GET/both", #""scope":"read""#, .insufficientScope),
    ("GET/both", #""scp":["write"]"#, .insufficientScope),
    ("GET/both", #""scope":"read","scp":["write"]"#, nil),
  ]

  @Test("a refused route has its reason", arguments: reasons)
  func reason(route: String, claims: String, reason: ReasonCode?) throws {
    let rules = """
      "default":"deny","rules":[{"routes":["GET /me"],"allow":true},
      {"routes":["GET /admin"],"allow":true,"require":{"scopes":["admin"],"claims":{"tenant":"a"}}},
      {"routes":["GET /apple"],"allow":true,"require":{"issuers":["apple"]}},
      {"routes":["GET /both"],"allow":true,"require":{"scopes":["read","write"]}},
      {"routes":["GET /users/${sub}","GET /users/${sub}/*"],"allow":true}]
      """
    var authorizer = try TestRules.authorizer(rules)
    let token = try TestRules.partnerToken(claims)
    let decision = authorizer.decide(
      on: TestEvent.bytes(.restToken, arn: TestEvent.stage + route, token: token), at: TestIssuers.now)
    #expect(decision.reason == reason)
    #expect(decision.leftOut == (claims.contains("a|b") ? .claimNotRoutable : nil))
  }

  /// The limits: 512 characters of a Resource, 8 KB of an answer to a WebSocket API, and our own 8 KiB of context.
  @Test("answers beyond the limits of API Gateway are never sent")
  func sizes() throws {
    let longPath = "/" + String(repeating: "p", count: 450)
    let longStage = "arn:aws:execute-api:eu-west-1:123456789012:abc/\(String(repeating: "s", count: 60))/"
    let rows: [(String, String, EventKind, String, bytes: Int, ReasonCode?, ReasonCode?)] = [
      (
        #""default":"deny","rules":[{"routes":["GET \#(longPath)","GET /me"],"allow":true}]"#, "", .restToken,
        "GET/me", 1, nil, .answerTooLarge
      ),
      (
        #""default":"deny","rules":[{"routes":["GET \#(longPath)"],"allow":true}]"#, "", .restToken,
        "GET\(longPath)", 1, .noRule, .answerTooLarge
      ),
      (
        #""default":"allow","rules":[{"routes":["GET \#(longPath)"],"require":{"scopes":["a"]}}]"#, "",
        .restToken, "GET/me", 1, .answerTooLarge, nil
      ),
      ("", #","context":{"big":"big"}"#, .restToken, "GET/me", 9000, .answerTooLarge, nil),
      ("", #","context":{"big":"big"}"#, .restToken, "GET/me", 7950, nil, nil),
      ("", #","context":{"big":"big"}"#, .webSocket, "$connect", 7950, .answerTooLarge, nil),
    ]
    for (members, partner, kind, route, bytes, reason, leftOut) in rows {
      let token = try TestRules.partnerToken(#""big":"\#(String(repeating: "x", count: bytes))""#)
      var authorizer = try TestRules.authorizer(members, partner: partner)
      let decision = authorizer.decide(
        on: TestEvent.bytes(kind, arn: longStage + route, token: token), at: TestIssuers.now)
      #expect(decision.reason == reason, "\(kind) \(members.prefix(60)) \(partner)")
      #expect(decision.leftOut == leftOut)
    }
  }
}
