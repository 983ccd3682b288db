import Foundation
import Testing

@testable import Authorizer

/// Every form of answer, byte for byte, in `Golden/`. `UPDATE_GOLDEN=1 swift test --filter GoldenAnswerTests`
/// rewrites the files; review the differences.
@Suite("Answers, byte for byte")
struct GoldenAnswerTests {
  struct Case: CustomTestStringConvertible {
    let name: String
    let kind: EventKind
    let members: String
    let apple: String
    let partner: String
    let arn: String?
    let recipe: String
    let outcome: Outcome
    var testDescription: String { name }

    init(
      _ name: String, _ kind: EventKind, members: String = "", apple: String = "", partner: String = "",
      arn: String? = nil, recipe: String, outcome: Outcome = .allowed
    ) {
      (self.name, self.kind, self.members, self.apple) = (name, kind, members, apple)
      (self.partner, self.arn, self.recipe, self.outcome) = (partner, arn, recipe, outcome)
    }
  }

  static let apple =
    #""preset":"apple","claims":{"aud":"com.example.app","sub":"001482.5f2b.0917","email":"a@example.com"}"#
  static let appleTexts =
    #""preset":"apple","claims":{"aud":"com.example.app","sub":"001482.5f2b.0917","email":"a@example.com","email_verified":"true","is_private_email":"false"}"#
  static func partner(_ claims: String = "") -> String {
    #""preset":"oidc","algorithm":"ES256","claims":{"iss":"https://id.example.com","aud":"api","sub":"u1","exp":"+10m"\#(claims.isEmpty ? "" : "," + claims)}"#
  }

  static let rich =
    #""scope":"read write","groups":["a","b"],"roles":["a b","c"],"plan":{"tier":"pro","seats":3},"beta":true,"score":1.5e3,"name":"\"\\\u0000\n","mark":"\u202eabc","none":null"#
  static let contextual =
    #","context":{"tier":"plan.tier","plan":"plan","groups":"groups","joined":{"claim":"groups","as":"joined"},"unsafe":{"claim":"roles","as":"joined"},"text":{"claim":"plan","as":"json"},"beta":"beta","score":"score","name":"name","mark":"mark","none":"none","absent":"absent","exp":false}"#
  static let grants =
    #""default":"deny","rules":[{"routes":["GET /public/*","GET /me","GET /public/x"],"allow":true},{"routes":["* /users/${sub}","* /users/${sub}/*"],"allow":true},{"routes":["* /admin/*"],"allow":true,"require":{"scopes":["admin"],"issuers":["partner"]}}]"#
  static let restrictions =
    #""default":"allow","rules":[{"routes":["* /admin/*"],"require":{"scopes":["admin"]}},{"routes":["DELETE /pets/{id}"],"require":{"scopes":["write"]}}]"#

  static let cases: [Case] = [
    Case("policy-rest-token", .restToken, recipe: apple),
    Case("policy-rest-request", .restRequest, recipe: apple),
    Case("policy-http1", .http1, recipe: apple),
    Case("policy-http2", .http2, recipe: apple),
    Case("policy-websocket", .webSocket, recipe: apple),
    Case("policy-apple-booleans-as-text", .restToken, recipe: appleTexts),
    Case(
      "policy-china-default-stage", .http2,
      arn: "arn:aws-cn:execute-api:cn-north-1:123456789012:abc/$default/GET/pets", recipe: partner()),
    Case(
      "policy-hostile-principal", .restToken,
      recipe: partner(#""sub":"\"\\*?${aws:userid}/\u202e""#).replacingOccurrences(
        of: #""sub":"u1","#, with: "")),
    Case("context-flat", .restRequest, partner: contextual, recipe: partner(rich)),
    Case("context-typed", .http2, partner: contextual, recipe: partner(rich)),
    Case("context-http1", .http1, partner: contextual, recipe: partner(rich)),
    Case(
      "context-scopes", .restToken,
      recipe: partner(#""scp":["read"],"permissions":["write:a","two words"],"cognito:groups":["admins"]"#)),
    Case(
      "usage-key", .restToken, partner: #","usageIdentifierKey":"api_key""#,
      recipe: partner(#""api_key":"0123456789abcdefghij""#)),
    Case(
      "usage-key-not-on-http", .http2, partner: #","usageIdentifierKey":"api_key""#,
      recipe: partner(#""api_key":"0123456789abcdefghij""#)),
    Case(
      "usage-key-malformed", .restToken, partner: #","usageIdentifierKey":"api_key""#,
      recipe: partner(#""api_key":"short""#)),
    Case("expiry-condition", .restToken, members: #""expiryCondition":true"#, recipe: partner()),
    Case(
      "expiry-condition-of-age", .restToken, members: #""expiryCondition":true"#,
      partner: #","maximumAgeSeconds":120"#, recipe: partner(#""iat":"-30s""#)),
    Case("grants", .restToken, members: grants, arn: TestEvent.stage + "GET/me", recipe: partner()),
    Case(
      "grants-forbidden", .restToken, members: grants, arn: TestEvent.stage + "GET/admin", recipe: partner(),
      outcome: .forbidden),
    Case(
      "grants-admin", .restToken, members: grants, arn: TestEvent.stage + "PUT/admin/x",
      recipe: partner(#""scope":"admin""#)),
    Case(
      "grants-unroutable-subject", .restToken, members: grants, arn: TestEvent.stage + "GET/users/u1",
      recipe: partner(#""sub":"auth0|1""#).replacingOccurrences(of: #""sub":"u1","#, with: ""),
      outcome: .forbidden),
    Case(
      "grants-nothing", .restToken,
      members: #""default":"deny","rules":[{"routes":["GET /a"],"allow":true,"require":{"scopes":["x"]}}]"#,
      recipe: partner(), outcome: .forbidden),
    Case(
      "grants-connect", .webSocket,
      members: #""default":"deny","rules":[{"routes":["$connect"],"allow":true}]"#, recipe: partner()),
    Case("restrictions", .restToken, members: restrictions, recipe: partner(#""scope":"write""#)),
    Case("restrictions-met", .restToken, members: restrictions, recipe: partner(#""scope":"write admin""#)),
    Case(
      "required-scope-missing", .restToken, partner: #","requiredScopes":["read"]"#, recipe: partner(),
      outcome: .forbidden),
    Case(
      "required-claim-unmet-with-expiry", .http2, members: #""expiryCondition":true"#,
      partner: #","requiredClaims":{"tenant":["a","b"]}"#, recipe: partner(#""tenant":"c""#),
      outcome: .forbidden),
    Case("simple-allowed", .http2, members: #""httpApiAnswer":"simple""#, recipe: partner()),
    Case(
      "simple-forbidden", .http2, members: #""httpApiAnswer":"simple","gatewayCache":"off",\#(restrictions)"#,
      arn: TestEvent.stage + "GET/admin/x", recipe: partner(), outcome: .forbidden),
    Case("simple-not-on-http1", .http1, members: #""httpApiAnswer":"simple""#, recipe: partner()),
    Case(
      "unauthorized-message", .http2, members: #""unauthorized":"message""#, recipe: partner(#""nbf":"+1h""#),
      outcome: .unauthorized),
    Case(
      "unauthorized-deny", .restToken, members: #""unauthorized":"deny""#, recipe: #""raw":"garbage""#,
      outcome: .unauthorized),
    Case(
      "unauthorized-deny-simple", .http2,
      members: #""unauthorized":{"http2":"deny"},"httpApiAnswer":"simple""#, recipe: #""raw":"garbage""#,
      outcome: .unauthorized),
  ]

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
    "Golden")
  static let isUpdate = ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1"

  @Test("an answer equals its golden file byte for byte", arguments: cases)
  func bytes(_ golden: Case) throws {
    var authorizer = try TestRules.authorizer(golden.members, apple: golden.apple, partner: golden.partner)
    let event = TestEvent.bytes(golden.kind, arn: golden.arn, token: try TestIssuers.token(golden.recipe))
    let decision = authorizer.decide(on: event, at: TestIssuers.now)
    #expect(decision.outcome == golden.outcome, "\(String(describing: decision.reason))")
    guard case .response(let bytes) = decision.answer else {
      Issue.record("no response: \(decision.answer)")
      return
    }
    let file = Self.folder.appendingPathComponent(golden.name + ".json")
    if Self.isUpdate { try Data(bytes + [0x0A]).write(to: file) }
    #expect(String(decoding: bytes, as: UTF8.self) + "\n" == (try String(contentsOf: file, encoding: .utf8)))
  }

  @Test("every golden file belongs to an answer")
  func files() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(files) == Set(Self.cases.map { $0.name + ".json" }))
  }
}
