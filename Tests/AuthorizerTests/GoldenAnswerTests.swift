import Foundation
import JSON
import TestTokens
import Testing

@testable import Authorizer

/// Every form of answer, byte for byte, in `Golden/`. `UPDATE_GOLDEN=1 swift test --filter GoldenAnswerTests`
/// rewrites the files; review the differences.
@Suite("Answers, byte for byte")
struct GoldenAnswerTests {
  struct Case: CustomTestStringConvertible {
    let name: String
    let kind: EventKind
    var members = ""
    var apple = ""
    var partner = ""
    var arn: String?
    let recipe: String
    let outcome: Outcome
    var testDescription: String { name }
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
    Case(name: "policy-rest-token", kind: .restToken, recipe: apple, outcome: .allowed),
    Case(name: "policy-rest-request", kind: .restRequest, recipe: apple, outcome: .allowed),
    Case(name: "policy-http1", kind: .http1, recipe: apple, outcome: .allowed),
    Case(name: "policy-http2", kind: .http2, recipe: apple, outcome: .allowed),
    Case(name: "policy-websocket", kind: .webSocket, recipe: apple, outcome: .allowed),
    Case(name: "policy-apple-booleans-as-text", kind: .restToken, recipe: appleTexts, outcome: .allowed),
    Case(
      name: "policy-china-default-stage", kind: .http2,
      arn: "arn:aws-cn:execute-api:cn-north-1:123456789012:abc/$default/GET/pets", recipe: partner(),
      outcome: .allowed),
    Case(
      name: "policy-hostile-principal", kind: .restToken,
      recipe: partner(#""sub":"\"\\*?${aws:userid}/\u202e""#).replacingOccurrences(
        of: #""sub":"u1","#, with: ""),
      outcome: .allowed),
    Case(
      name: "context-flat", kind: .restRequest, partner: contextual, recipe: partner(rich), outcome: .allowed),
    Case(name: "context-typed", kind: .http2, partner: contextual, recipe: partner(rich), outcome: .allowed),
    Case(name: "context-http1", kind: .http1, partner: contextual, recipe: partner(rich), outcome: .allowed),
    Case(
      name: "context-scopes", kind: .restToken,
      recipe: partner(#""scp":["read"],"permissions":["write:a","two words"],"cognito:groups":["admins"]"#),
      outcome: .allowed),
    Case(
      name: "usage-key", kind: .restToken, partner: #","usageIdentifierKey":"api_key""#,
      recipe: partner(#""api_key":"0123456789abcdefghij""#), outcome: .allowed),
    Case(
      name: "usage-key-not-on-http", kind: .http2, partner: #","usageIdentifierKey":"api_key""#,
      recipe: partner(#""api_key":"0123456789abcdefghij""#), outcome: .allowed),
    Case(
      name: "usage-key-malformed", kind: .restToken, partner: #","usageIdentifierKey":"api_key""#,
      recipe: partner(#""api_key":"short""#), outcome: .allowed),
    Case(
      name: "expiry-condition", kind: .restToken, members: #""expiryCondition":true"#, recipe: partner(),
      outcome: .allowed),
    Case(
      name: "expiry-condition-of-age", kind: .restToken, members: #""expiryCondition":true"#,
      partner: #","maximumAgeSeconds":120"#, recipe: partner(#""iat":"-30s""#), outcome: .allowed),
    Case(
      name: "grants", kind: .restToken, members: grants, arn: TestEvent.stage + "GET/me", recipe: partner(),
      outcome: .allowed),
    Case(
      name: "grants-forbidden", kind: .restToken, members: grants, arn: TestEvent.stage + "GET/admin",
      recipe: partner(), outcome: .forbidden),
    Case(
      name: "grants-admin", kind: .restToken, members: grants, arn: TestEvent.stage + "PUT/admin/x",
      recipe: partner(#""scope":"admin""#), outcome: .allowed),
    Case(
      name: "grants-unroutable-subject", kind: .restToken, members: grants,
      arn: TestEvent.stage + "GET/users/u1",
      recipe: partner(#""sub":"auth0|1""#).replacingOccurrences(of: #""sub":"u1","#, with: ""),
      outcome: .forbidden),
    Case(
      name: "grants-nothing", kind: .restToken,
      members: #""default":"deny","rules":[{"routes":["GET /a"],"allow":true,"require":{"scopes":["x"]}}]"#,
      recipe: partner(), outcome: .forbidden),
    Case(
      name: "grants-connect", kind: .webSocket,
      members: #""default":"deny","rules":[{"routes":["$connect"],"allow":true}]"#, recipe: partner(),
      outcome: .allowed),
    Case(
      name: "restrictions", kind: .restToken, members: restrictions, recipe: partner(#""scope":"write""#),
      outcome: .allowed),
    Case(
      name: "restrictions-met", kind: .restToken, members: restrictions,
      recipe: partner(#""scope":"write admin""#),
      outcome: .allowed),
    Case(
      name: "required-scope-missing", kind: .restToken, partner: #","requiredScopes":["read"]"#,
      recipe: partner(),
      outcome: .forbidden),
    Case(
      name: "required-claim-unmet-with-expiry", kind: .http2, members: #""expiryCondition":true"#,
      partner: #","requiredClaims":{"tenant":["a","b"]}"#, recipe: partner(#""tenant":"c""#),
      outcome: .forbidden),
    Case(
      name: "simple-allowed", kind: .http2, members: #""httpApiAnswer":"simple""#, recipe: partner(),
      outcome: .allowed),
    Case(
      name: "simple-forbidden", kind: .http2,
      members: #""httpApiAnswer":"simple","gatewayCache":"off",\#(restrictions)"#,
      arn: TestEvent.stage + "GET/admin/x", recipe: partner(), outcome: .forbidden),
    Case(
      name: "simple-not-on-http1", kind: .http1, members: #""httpApiAnswer":"simple""#, recipe: partner(),
      outcome: .allowed),
    Case(
      name: "unauthorized-message", kind: .http2, members: #""unauthorized":"message""#,
      recipe: partner(#""nbf":"+1h""#), outcome: .unauthorized),
    Case(
      name: "unauthorized-deny", kind: .restToken, members: #""unauthorized":"deny""#,
      recipe: #""raw":"garbage""#,
      outcome: .unauthorized),
    Case(
      name: "unauthorized-deny-simple", kind: .http2,
      members: #""unauthorized":{"http2":"deny"},"httpApiAnswer":"simple""#,
      recipe: #""raw":"garbage""#, outcome: .unauthorized),
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
