@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import IssuerEmulator
import JOSE
import JSON
import TestTokens
import TestSupport
import Testing

/// JWT authorizers of REST APIs.
@Suite struct RESTTokenVerdictTests {
  private static let other = "https://other.example/"

  static let authorizer = TokenAuthorizer(
    name: "Jwt",
    kind: .restJWT(
      JWTTrust(
        algorithms: [.rs256, .es384],
        issuers: [
          .init(
            TokenSamples.issuer, audiences: ["api", "other-api"],
            claims: [
              .init("org", value: "acme", isRequired: true), .init("team", value: nil, isRequired: true),
            ]
          ),
          .init(other, audiences: ["third"]),
        ])), source: .header("Authorization"))

  private static func token(_ claims: String, _ members: String = "") throws -> String {
    try TokenSamples.token(#"{"preset":"oidc","claims":{\#(claims)}\#(members)}"#)
  }

  private static let good =
    #""iss":"https://id.example.com","aud":"api","exp":"+1h","org":"acme","team":"core""#

  struct Case: Sendable, CustomTestStringConvertible {
    var claims = RESTTokenVerdictTests.good
    var members = ""
    var scopes: [String] = []
    let code: String?

    var testDescription: String { "\(claims) \(members) \(scopes): \(code ?? "allowed")" }
  }

  private static func changed(_ part: String, _ other: String, _ code: String?) -> Case {
    Case(claims: good.replacing(part, with: other), code: code)
  }

  @Test(arguments: [
    Case(code: nil), Case(members: #","algorithm":"ES384""#, code: nil),
    // An algorithm that the list does not name.
    Case(members: #","algorithm":"ES256""#, code: "algorithmNotAllowed"),
    Case(members: #","algorithm":"RS384""#, code: "algorithmNotAllowed"),
    Case(members: #","algorithm":"PS256""#, code: "algorithmNotAllowed"),
    Case(members: #","algorithm":"HS256""#, code: "algorithmNotAllowed"),
    Case(members: #","algorithm":"EdDSA""#, code: "algorithmNotAllowed"),
    Case(members: #","key":"forged""#, code: "signatureMismatch"),
    Case(members: #","key":"other""#, code: "unknownKey"),
    // The exact issuer.
    changed("id.example.com", "id.example.com/", "wrongIssuer"),
    changed("id.example.com", "ID.example.com", "wrongIssuer"),
    changed("https://id.example.com", other, "wrongAudience"),
    Case(claims: #""iss":"https://other.example/","aud":"third","exp":"+1h""#, code: nil),
    Case(claims: #""iss":"https://other.example","aud":"third","exp":"+1h""#, code: "wrongIssuer"),
    // The audiences of this issuer, in `aud` alone.
    changed(#""aud":"api""#, #""aud":["x","other-api"]"#, nil),
    changed(#""aud":"api""#, #""aud":"third""#, "wrongAudience"),
    changed(#""aud":"api""#, #""aud":[]"#, "wrongAudience"),
    changed(#""aud":"api""#, #""aud":["api",1]"#, "malformedClaim"),
    Case(
      claims: good.replacing(#""aud":"api""#, with: #""client_id":"api""#), members: #","omit":["aud"]"#,
      code: "missingClaim"),
    // Additional claims.
    changed("acme", "Acme", "claimNotAllowed"), changed("acme", "acme ", "claimNotAllowed"),
    changed(#""acme""#, #"["acme"]"#, "claimNotAllowed"), changed(#""acme""#, "null", "claimNotAllowed"),
    changed(#","org":"acme""#, "", "claimNotAllowed"), changed(#","team":"core""#, "", "claimNotAllowed"),
    changed(#""core""#, "7", "claimNotAllowed"), changed(#""core""#, #""""#, nil),
    // Times without leeway.
    changed(#""exp":"+1h""#, #""exp":"-1s""#, "expired"),
    Case(claims: good + #","nbf":"+1s""#, code: "notYetValid"),
    Case(claims: good + #","iat":"+1s""#, code: "issuedInFuture"),
    Case(
      claims: good.replacing(#","exp":"+1h""#, with: ""), members: #","omit":["exp"]"#, code: "missingClaim"),
    // Scopes.
    Case(scopes: ["read"], code: "insufficientScope"),
    Case(claims: good + #","scope":"write read""#, scopes: ["read"], code: nil),
    Case(claims: good + #","scp":["read"]"#, scopes: ["admin", "read"], code: nil),
    Case(claims: good + #","scope":"reader""#, scopes: ["read"], code: "insufficientScope"),
    Case(claims: good + #","scope":"read","scp":"write""#, scopes: ["read"], code: "insufficientScope"),
  ]) func tokens(_ test: Case) throws {
    let token = try Self.token(test.claims, test.members)
    #expect(try Self.authorizer.verdict(token, scopes: test.scopes).code == test.code)
    #expect(try Self.authorizer.verdict("Bearer " + token, scopes: test.scopes).code == test.code)
  }

  /// AWS says of a claim that is not required both that it "only has to be present" and that it need not be.
  @Test(arguments: Assumptions.AbsentClaim.allCases) func aClaimThatIsNotRequired(
    _ absent: Assumptions.AbsentClaim
  )
    throws
  {
    let authorizer = TokenAuthorizer(
      name: "Jwt",
      kind: .restJWT(
        JWTTrust(
          algorithms: [.rs256],
          issuers: [
            .init(
              TokenSamples.issuer, audiences: ["api"],
              claims: [.init("org", value: "acme", isRequired: false)])
          ])), source: .header("Authorization"))
    func code(_ claims: String) throws -> String? {
      guard let keys = try TokenSamples.trust.keys else { return "noKeys" }
      return authorizer.verdict(
        on: try Self.token(claims), scopes: [], stageVariables: [:], keys: keys,
        at: TokenSamples.milliseconds,
        absent: absent
      ).code
    }
    let without = Self.good.replacing(#","org":"acme""#, with: "")
    #expect(try code(without) == (absent == .accepted ? nil : "claimNotAllowed"))
    #expect(try code(Self.good) == nil)
    #expect(try code(Self.good.replacing("acme", with: "other")) == "claimNotAllowed")
  }

  /// "Pass JWT claims to your integration", whose example these claims are.
  @Test func claimsKeepTheirTypes() throws {
    let claims =
      Self.good
      + #","name":"Doe, \"Jane\"","version":"42","roles":["user", "editor"],"address":{"city": "Zürich 🎉"},"none":null"#
    let verdict = try Self.authorizer.verdict(try Self.token(claims))
    guard case .allowed(let grant) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    for (name, value) in [
      "name": #""Doe, \"Jane\"""#, "exp": "1718640123", "version": #""42""#, "roles": #"["user","editor"]"#,
      "address": #"{"city":"Z\u00FCrich \uD83C\uDF89"}"#, "none": "null", "org": #""acme""#,
    ] {
      #expect(grant.variables["claims." + name] == value, "\(name)")
    }
    let context = try #require(grant.textContext?["claims"])
    #expect(context["exp"] == .integer(1_718_640_123))
    #expect(context["version"] == .string("42"))
    #expect(context["roles"] == .array([.string("user"), .string("editor")]))
    #expect(context["address"] == .members(["city": .string("Zürich 🎉")]))
  }

  /// The development issuer makes a token that the authorizer accepts: with its algorithm, audience and claims.
  @Test func aTokenForTheAuthorizerIsAccepted() throws {
    let issuer = DevelopmentIssuer(keys: try TokenSamples.keys)
    let order = JSONTree.members([
      "authorizer": .string("Jwt"), "user": .string("kim"), "scope": .string("read"),
    ])
    let answer = try issuer.token(
      order, base: "http://127.0.0.1", authorizers: [Self.authorizer], now: TokenSamples.milliseconds / 1000)
    let token = try #require(answer["access_token"]?.plain, "\(answer)")
    let verdict = try Self.authorizer.verdict(token, scopes: ["read"])
    #expect(verdict.code == nil)
    #expect(verdict.claims["claims.org"] == #""acme""#)
    #expect(verdict.claims["claims.sub"] == #""kim""#)
  }

  /// "Attach a JWT authorizer to methods and require scopes": a 403 without a scope of the method.
  @Test(arguments: [
    (TokenRefusal.missing, 401, "Unauthorized"), (.rejected(.expired(at: 1, now: 2)), 401, "Unauthorized"),
    (.claimNotAllowed("org"), 401, "Unauthorized"),
    (.insufficientScope, 403, "User is not authorized to access this resource"),
  ]) func theAnswerOfARESTAPI(_ refusal: TokenRefusal, _ status: Int, _ message: String) {
    let answer = refusal.answer(of: Self.authorizer.kind)
    #expect(answer.kind == (status == 403 ? .accessDenied : .unauthorized))
    #expect(answer.message == message)
    #expect(refusal.isForbidden(by: Self.authorizer.kind) == (status == 403))
    #expect(refusal.answer(of: TokenSamples.pools().kind).kind == .unauthorized)
  }
}
