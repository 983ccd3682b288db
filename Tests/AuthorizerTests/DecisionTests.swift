import JSON
import Testing

@testable import Authorizer

/// A token recipe and the expected result.
struct TokenCase: CustomTestStringConvertible {
  let recipe: String
  let reason: ReasonCode
  /// The issuer that the log line names.
  let issuer: String?
  /// The number of signature checks.
  let checks: Int
  var testDescription: String { recipe }

  init(_ recipe: String, _ reason: ReasonCode, issuer: String? = nil, checks: Int = 0) {
    (self.recipe, self.reason, self.issuer, self.checks) = (recipe, reason, issuer, checks)
  }
}

@Suite("Decisions")
struct DecisionTests {
  static let apple = #""preset":"apple""#
  static let partner = #""preset":"oidc""#

  /// Every code that a token can be rejected with, most of them several times.
  static let refusals = [
    TokenCase(#""raw":"abc""#, .malformedToken),
    TokenCase(#""raw":"a.b.c""#, .malformedToken),
    TokenCase(#""raw":"a,b""#, .malformedToken),
    TokenCase(#"\#(apple),"damage":"twoSegments""#, .malformedToken),
    TokenCase(#"\#(apple),"damage":"extraSegment""#, .malformedToken),
    TokenCase(#"\#(apple),"damage":"dropSignature""#, .malformedToken),
    TokenCase(#"\#(apple),"damage":"padding""#, .malformedToken),
    TokenCase(#"\#(apple),"damage":"badBase64""#, .malformedToken),
    TokenCase(#"\#(apple),"damage":"trailingBits""#, .malformedToken),
    TokenCase(#"\#(apple),"damage":"whitespace""#, .malformedToken),
    TokenCase(#"\#(apple),"header":{"crit":["exp"]}"#, .malformedToken),
    TokenCase(#"\#(apple),"header":{"kid":5}"#, .malformedToken),
    TokenCase(#""rawPayload":"{\"iss\":\"https://appleid.apple.com\",\"iss\":\"x\"}""#, .malformedToken),
    TokenCase(#"\#(apple),"damage":["extraSegment","extraSegment"]"#, .encryptedToken),
    TokenCase(#"\#(apple),"header":{"enc":"A128GCM"}"#, .encryptedToken),
    TokenCase(#"\#(apple),"header":{"alg":"none"}"#, .algorithmNotAllowed),
    TokenCase(#"\#(apple),"header":{"alg":"rs256"}"#, .algorithmNotAllowed),
    TokenCase(#"\#(apple),"algorithm":"ES256""#, .algorithmNotAllowed, issuer: "apple"),
    TokenCase(#"\#(apple),"secret":{"publicKey":"rs256"}"#, .algorithmNotAllowed, issuer: "apple"),
    TokenCase(#"\#(apple),"claims":{"iss":"https://appleid.apple.com/"}"#, .wrongIssuer),
    TokenCase(#"\#(apple),"claims":{"iss":"HTTPS://appleid.apple.com"}"#, .wrongIssuer),
    TokenCase(#"\#(apple),"claims":{"iss":""}"#, .wrongIssuer),
    TokenCase(#"\#(apple),"claims":{"aud":"com.example.other"}"#, .wrongAudience, issuer: "apple", checks: 1),
    TokenCase(
      #"\#(apple),"claims":{"aud":["x","com.example.appx"]}"#, .wrongAudience, issuer: "apple", checks: 1),
    TokenCase(#"\#(apple),"claims":{"exp":"-60s"}"#, .expired, issuer: "apple"),
    TokenCase(#"\#(apple),"claims":{"exp":0}"#, .expired, issuer: "apple"),
    TokenCase(#"\#(partner),"claims":{"exp":"-1h","iat":"-2h"}"#, .expired, issuer: "partner"),
    TokenCase(#"\#(apple),"claims":{"exp":"+86461s"}"#, .lifetimeTooLong, issuer: "apple"),
    TokenCase(#"\#(partner),"claims":{"iat":"-661s"}"#, .tooOld, issuer: "partner"),
    TokenCase(#"\#(apple),"omit":"iss""#, .missingClaim),
    TokenCase(#"\#(apple),"omit":"exp""#, .missingClaim, issuer: "apple"),
    TokenCase(#"\#(apple),"omit":"iat""#, .missingClaim, issuer: "apple"),
    TokenCase(#"\#(apple),"omit":"aud""#, .missingClaim, issuer: "apple", checks: 1),
    TokenCase(#"\#(apple),"omit":"sub""#, .missingClaim, issuer: "apple", checks: 1),
    TokenCase(#"\#(apple),"claims":{"iss":["https://appleid.apple.com"]}"#, .malformedClaim),
    TokenCase(#"\#(apple),"claims":{"exp":"tomorrow"}"#, .malformedClaim, issuer: "apple"),
    TokenCase(#"\#(apple),"claims":{"nbf":null}"#, .malformedClaim, issuer: "apple"),
    TokenCase(#"\#(apple),"claims":{"sub":""}"#, .malformedClaim, issuer: "apple", checks: 1),
    TokenCase(#"\#(apple),"claims":{"sub":"a\u0000b"}"#, .malformedClaim, issuer: "apple", checks: 1),
    TokenCase(
      #"\#(apple),"claims":{"aud":["com.example.app",5]}"#, .malformedClaim, issuer: "apple", checks: 1),
    TokenCase(#"\#(apple),"header":{"typ":"secevent+jwt"}"#, .wrongType, issuer: "apple"),
    TokenCase(#"\#(apple),"claims":{"events":{}}"#, .wrongType, issuer: "apple", checks: 1),
    TokenCase(#"\#(apple),"key":"other""#, .unknownKey, issuer: "apple"),
    TokenCase(#"\#(apple),"header":{"kid":"development-es256"}"#, .unknownKey, issuer: "apple"),
    TokenCase(#"\#(apple),"key":"forged""#, .signatureMismatch, issuer: "apple", checks: 1),
    TokenCase(#"\#(apple),"damage":"signature""#, .signatureMismatch, issuer: "apple", checks: 1),
    TokenCase(#"\#(apple),"damage":"payload""#, .signatureMismatch, issuer: "apple", checks: 1),
    TokenCase(
      #"\#(partner),"algorithm":"ES256","damage":"zeroSignature""#, .signatureMismatch, issuer: "partner"),
    TokenCase(#"\#(apple),"claims":{"nbf":"+61s"}"#, .notYetValid, issuer: "apple"),
    TokenCase(#"\#(apple),"claims":{"iat":"+61s"}"#, .issuedInFuture, issuer: "apple"),
    TokenCase(#"\#(apple),"claims":{\#(BoundTokenTests.bound)}"#, .boundToken, issuer: "apple", checks: 1),
    TokenCase(
      #"\#(apple),"claims":{\#(BoundTokenTests.malformed)}"#, .malformedClaim, issuer: "apple", checks: 1),
  ]

  @Test("a rejected token is unauthorized, with its reason and the exact message", arguments: refusals)
  func refused(_ row: TokenCase) throws {
    var authorizer = try TestIssuers.authorizer()
    let token = try TestIssuers.token(row.recipe)
    for kind in EventKind.allCases {
      let decision = authorizer.decide(on: TestEvent.bytes(kind, token: token), at: TestIssuers.now)
      #expect(decision.outcome == .unauthorized)
      #expect(decision.reason == row.reason)
      #expect(decision.answer == .unauthorized)
      #expect(decision.eventKind == kind)
      #expect(decision.issuerName == row.issuer)
    }
    #expect(authorizer.signatureChecks == row.checks * EventKind.allCases.count)
  }

  @Test("the table has every code that a token can be rejected with")
  func everyCode() {
    let reached = Set(Self.refusals.map(\.reason))
    let credential: Set<ReasonCode> = [.missingToken, .ambiguousToken]
    // These need a store or a proof, see RevocationTests, StolenTokenTests and ReplayTests.
    let others: Set<ReasonCode> = [
      .revoked, .missingProof, .invalidProof, .replayedProof, .certificateMismatch,
    ]
    let unauthorized = Set(ReasonCode.allCases.filter { $0.outcome == .unauthorized })
    #expect(reached.union(credential) == unauthorized.subtracting(others))
  }

  static let acceptances: [(recipe: String, issuer: String, principal: String)] = [
    (apple, "apple", "001234.0123456789abcdef0123456789abcdef.0123"),
    (
      #"\#(apple),"claims":{"aud":"com.example.web"}"#, "apple",
      "001234.0123456789abcdef0123456789abcdef.0123"
    ),
    (#"\#(apple),"claims":{"aud":["x","com.example.web"],"sub":"u"}"#, "apple", "u"),
    (#"\#(apple),"claims":{"exp":"-59s","sub":"u"}"#, "apple", "u"),
    (#"\#(apple),"claims":{"exp":"+86460s","sub":"u"}"#, "apple", "u"),
    (#"\#(apple),"claims":{"nbf":"+60s","iat":"+60s","sub":"u"}"#, "apple", "u"),
    (#"\#(apple),"claims":{"sub":"\"\\/\u00e9\u2028 |*?${x}"}"#, "apple", "\"\\/\u{E9}\u{2028} |*?${x}"),
    (#"\#(partner),"claims":{"sub":"u","iat":"-660s"}"#, "partner", "u"),
    (#"\#(partner),"algorithm":"ES256","claims":{"sub":"u"}"#, "partner", "u"),
    (#"\#(partner),"header":{"typ":"application/AT+JWT"},"claims":{"sub":"u"}"#, "partner", "u"),
  ]

  @Test("an accepted token may reach its stage under its principal", arguments: acceptances)
  func accepted(recipe: String, issuer: String, principal: String) throws {
    var authorizer = try TestIssuers.authorizer()
    let token = try TestIssuers.token(recipe)
    for kind in EventKind.allCases {
      let decision = authorizer.decide(on: TestEvent.bytes(kind, token: token), at: TestIssuers.now)
      #expect(decision.outcome == .allowed)
      #expect(decision.reason == nil)
      #expect(decision.eventKind == kind)
      #expect(decision.issuerName == issuer)
      guard case .response(let bytes) = decision.answer else {
        Issue.record("no policy for \(kind)")
        continue
      }
      let policy = try PolicyReading(bytes)
      #expect(policy.principalID.utf8.elementsEqual(principal.utf8))
      #expect(try policy.resources == ["arn:aws:execute-api:eu-west-1:123456789012:abc/dev/*"])
    }
    #expect(authorizer.signatureChecks == EventKind.allCases.count)
  }

  @Test("without exactly one credential no token is verified", arguments: EventKind.allCases)
  func credentials(kind: EventKind) throws {
    var authorizer = try TestIssuers.authorizer()
    let token = try TestIssuers.token(Self.apple)
    let rows: [(JSONTree, ReasonCode)] = [
      (.null, .missingToken), (.string(""), .missingToken), (.string(token), .malformedToken),
      (.string("Bearer \(token), Bearer \(token)"), .ambiguousToken),
      (.string("Basic \(token)"), .malformedToken),
    ]
    for (value, reason) in rows {
      let event = TestEvent.bytes(kind, authorization: value)
      let decision = authorizer.decide(on: event, at: TestIssuers.now)
      #expect(decision.answer == .unauthorized)
      #expect(decision.reason == reason)
      #expect(decision.eventKind == kind)
      #expect(decision.tokenHash == nil)
      #expect(decision.issuerName == nil)
    }
    #expect(authorizer.signatureChecks == 0)
  }

  @Test("the token is checked at the time of the call")
  func time() throws {
    var authorizer = try TestIssuers.authorizer()
    let event = TestEvent.bytes(.restToken, token: try TestIssuers.token(Self.apple))
    let day: Int64 = 86_400
    let rows: [(Int64, ReasonCode?)] = [
      (0, nil), (day + 59, nil), (day + 60, .expired), (0, nil), (-60, nil), (-61, .issuedInFuture),
      (Int64.max - TestIssuers.now, .expired), (-TestIssuers.now, .issuedInFuture),
    ]
    for (seconds, reason) in rows {
      #expect(authorizer.decide(on: event, at: TestIssuers.now + seconds).reason == reason, "\(seconds)")
    }
  }

  @Test("hashes of token and key have eight digits; two tokens with one kid share the key hash")
  func hashes() throws {
    var authorizer = try TestIssuers.authorizer()
    let recipes = [Self.apple, #"\#(Self.apple),"claims":{"sub":"other"}"#]
    let decisions = try recipes.map { recipe in
      authorizer.decide(
        on: TestEvent.bytes(.restToken, token: try TestIssuers.token(recipe)), at: TestIssuers.now)
    }
    let hashes = decisions.compactMap(\.tokenHash) + decisions.compactMap(\.keyIDHash)
    #expect(hashes.count == 4)
    #expect(hashes.allSatisfy { $0.count == 8 })
    #expect(decisions[0].tokenHash != decisions[1].tokenHash)
    #expect(decisions[0].keyIDHash == decisions[1].keyIDHash)
    // printf %s development-rs256 | sha256sum
    #expect(decisions[0].keyIDHash.map { String(decoding: $0, as: UTF8.self) } == "417d4077")
  }
}
