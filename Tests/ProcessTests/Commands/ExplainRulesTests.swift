import Foundation
import JSON
import TestSupport
import Testing

/// `explain` shows the result of the rules for a valid token, and its exit code is their decision on an event's
/// route.
@Suite(.hangLimit)
struct ExplainRulesTests {
  static let rules = #"""
    "default":"deny","rules":[{"allow":true,"routes":["GET /pets"],"require":{"scopes":["pets"]}},
    {"allow":true,"routes":["* /admin/*"],"require":{"scopes":["admin"],"claims":{"role":["owner","chief"]}}},
    {"allow":true,"routes":["GET /users/${sub}"]},{"allow":true,"routes":["GET /users/${sub}/pets"]},
    {"allow":true,"routes":["GET /users/*/pets"],"require":{"scopes":["pets"]}}]
    """#

  static func workshop(_ more: String = rules, claims: String = #""sub":"u1","scope":"pets","role":"guest""#)
    throws
    -> Workshop
  {
    let workshop = try Workshop()
    try workshop.write(
      #"{"issuers":[{"preset":"cognito-id:eu-central-1_Example01","audiences":["1example23456789"],"keys":{"seed":"k","pinned":true}}],\#(more)}"#,
      to: "authorizer.json")
    try workshop.write(#"{"good":{"preset":"cognito-id","claims":{\#(claims)}}}"#, to: "tokens.json")
    return workshop
  }

  static func event(_ route: String) -> String {
    #"{"type":"TOKEN","methodArn":"arn:aws:execute-api:eu-west-1:123456789012:api/prod/\#(route)","authorizationToken":"Bearer {{token good}}"}"#
  }

  @Test(
    arguments: [
      ("GET/pets", 0, "accepted: ", "rules[0] allows GET /pets: scope pets", "allowed"),
      (
        "GET/users/u1", 0, "accepted: ",
        "rules[2] allows GET /users/u1: the caller's own path (sub is u1)", "allowed"
      ),
      // The rule that gives the path to its own user does not give it to this one.
      ("GET/users/u2/pets", 0, "accepted: ", "rules[4] allows GET /users/u2/pets: scope pets", "allowed"),
      (
        "POST/admin/x", 1, "claimNotAllowed: ",
        #"POST /admin/x needs claim role: "owner" or "chief" and the scope admin (rules[1]). "#
          + #"The token has claim role: "guest" and scope pets."#,
        "forbidden"
      ),
      (
        "GET/users/u2", 1, "noRule: ",
        "GET /users/u2 belongs to another user: rules[2] allows GET /users/${sub}",
        "forbidden"
      ),
      (
        "DELETE/pets", 1, "noRule: ", #"No rule matches DELETE /pets, and "default" is "deny""#,
        "forbidden"
      ),
    ] as [(String, Int32, String, String, String)])
  func exitCodeIsTheDecisionOnTheRoute(
    _ route: String, _ exit: Int32, _ code: String, _ words: String, _ outcome: String
  ) async throws {
    let workshop = try Self.workshop()
    let answer = try await workshop.run(["explain", "-"], input: Self.event(route))
    #expect(answer.exit == exit, "\(answer.output)\(answer.errors)")
    #expect(answer.output.hasPrefix(code))
    #expect(answer.output.contains(words), "\(answer.output)")
    let json = try await workshop.run(["explain", "-", "--json"], input: Self.event(route))
    let root = try JSONDocument(parsing: Array(json.output.utf8), limits: .event).root
    #expect(root["outcome"]?.text == outcome)
    #expect(root["accepted"]?.boolean == (exit == 0))
    #expect(root["checks"]?.elements.contains { $0["check"]?.text == "rules" } == true)
  }

  /// Paths that wildcards and restrictions deny, under both defaults.
  @Test(
    arguments: [
      ("deny", "GET/a/../b", "GET /a/../b has .., %2e, %25 or %00, which"),
      ("deny", "GET/b/%252e", #"No rule matches GET /b/%252e, and "default" is "deny""#),
      ("allow", "GET/a/%00", "GET /a/%00 has .., %2e, %25 or %00, which"),
      ("allow", "GET/b/%2E", "GET /b/%2E has .., %2e, %25 or %00, which"),
    ] as [(String, String, String)])
  func explainsDeniedSpellings(_ whenNoRule: String, _ route: String, _ hint: String) async throws {
    let rule =
      whenNoRule == "deny"
      ? #"{"allow":true,"routes":["GET /a/*"]},{"allow":true,"routes":["GET /c"]}"#
      : #"{"routes":["GET /c/*"],"require":{"scopes":["absent"]}}"#
    let workshop = try Self.workshop(#""default":"\#(whenNoRule)","rules":[\#(rule)]"#)
    let answer = try await workshop.run(["explain", "-"], input: Self.event(route))
    #expect(answer.exit == 1 && answer.output.hasPrefix("noRule: "), "\(answer.output)\(answer.errors)")
    #expect(answer.output.contains(hint), "\(answer.output)")
  }

  /// A requirement, claims of the token, and the first line of the explanation.
  static let parts: [(requirement: String, claims: String, words: String)] = [
    (
      #"{"any":[{"scopes":["admin"]},{"claims":{"role":"owner"}}]}"#, #""scope":"pets","role":"guest""#,
      #"insufficientScope: GET /a needs one of (the scope admin) or (claim role: "owner") (rules[0]). "#
        + #"The token has claim role: "guest" and scope pets."#
    ),
    (
      #"{"any":[{"scopes":["admin"]},{"claims":{"role":"owner"}}]}"#, #""scope":"pets""#,
      #"(rules[0]). The token has scope pets, but no claim role."#
    ),
    (
      #"{"scopes":["admin"],"claims":{"role":"owner"}}"#, #""scope":"a b c""#,
      #"claim role: "owner" and the scope admin (rules[0]). The token has scopes a, b, c, but no claim role."#
    ),
    (
      #"{"scopes":["admin"],"claims":{"role":"owner"}}"#, #""email":"a@example.com""#,
      "The token has no claim role and no scope."
    ),
    (
      #"{"any":[{"scopes":["admin"]},{"claims":{"role":"owner"}}]}"#, #""role":"owner""#,
      #"rules[0] allows GET /a: one of (scope admin) or (role is "owner")"#
    ),
    (
      #"{"not":{"claims":{"tier":"trial"}}}"#, #""tier":"trial""#,
      #"claimNotAllowed: GET /a needs claim tier: not "trial" (rules[0]). The token has claim tier: "trial"."#
    ),
    (
      #"{"not":{"claims":{"tier":"trial"}}}"#, #""scope":"pets""#,
      #"claimNotAllowed: GET /a needs claim tier: not "trial" (rules[0]). The token has no claim tier."#
    ),
    (
      #"{"not":{"scopes":["pets"]}}"#, #""scope":"pets""#,
      "claimNotAllowed: GET /a needs scopes: without pets (rules[0]). The token has scopes: pets."
    ),
    (
      #"{"not":{"any":[{"claims":{"tier":"trial"}},{"scopes":["pets"]}]}}"#, #""tier":"trial""#,
      #"GET /a needs (tier is "trial"): false (rules[0]). The token has (tier is "trial"): true."#
    ),
    (
      #"{"not":{"claims":{"tier":"trial"}}}"#, #""tier":"gold""#,
      #"rules[0] allows GET /a: not (tier is "trial")"#
    ),
    (
      #"{"claims":{"mail":{"suffix":"@example.com"}}}"#, #""mail":"a@example.org""#,
      #"needs claim mail: text that ends with "@example.com" (rules[0]). The token has claim mail: "a@example.org"."#
    ),
    (
      #"{"claims":[{"path":["https://a.example/","plan"],"is":{"prefix":"pro"}}]}"#,
      #""https://a.example/":{"plan":"free"}"#,
      #"needs claim https://a.example/ > plan: text that begins with "pro" (rules[0]). The token has claim "#
    ),
    (
      #"{"authenticatedWithinSeconds":60}"#, #""auth_time":"-1h""#,
      "authenticationTooOld: GET /a needs claim auth_time: at most 60 s before "
    ),
  ]

  @Test(arguments: parts)
  func saysWhichPartIsNotMet(_ row: (requirement: String, claims: String, words: String)) async throws {
    let rule = #"{"allow":true,"routes":["GET /a"],"require":\#(row.requirement)}"#
    let workshop = try Self.workshop(
      #""gatewayCache":"off","default":"deny","rules":[\#(rule)]"#, claims: row.claims)
    let answer = try await workshop.run(["explain", "-"], input: Self.event("GET/a"))
    #expect(answer.output.split(separator: "\n").first?.contains(row.words) == true, "\(answer.output)")
    #expect(answer.exit == (row.words.contains("allows") ? 0 : 1))
  }

  @Test func listsEachAlternativeOfAny() async throws {
    let rule =
      #"{"allow":true,"routes":["GET /a"],"require":{"any":[{"scopes":["x"]},{"claims":{"role":"owner"}}]}}"#
    let workshop = try Self.workshop(#""default":"deny","rules":[\#(rule)]"#)
    let token = try await workshop.run(["token", "good"]).output.trimmingCharacters(in: .newlines)
    let text = try await workshop.run(["explain", token]).output
    #expect(
      text.contains(#"one of (scope x (found pets)) or (claim role: "owner" (found "guest"))"#), "\(text)")
    let json = try await workshop.run(["explain", token, "--json"])
    let root = try JSONDocument(parsing: Array(json.output.utf8), limits: .event).root
    let rules = try #require(root["rules"]?["rules"]).elements.map { $0 }
    let missing = try #require(rules[0]["missing"]).elements.map { $0 }
    #expect(missing.count == 1)
    let alternatives = try #require(missing[0]["alternatives"]).elements.map { $0 }
    #expect(alternatives.map { $0.elements.map { $0["subject"]?.text } } == [["scope x"], ["claim role"]])
  }

  @Test func listsWhatTheTokenLacksForEachRule() async throws {
    let workshop = try Self.workshop()
    let token = try await workshop.run(["token", "good"]).output.trimmingCharacters(in: .newlines)
    // Neither a token nor a header has a route, so no route can be refused.
    for subject in [token, "Bearer \(token)"] {
      let answer = try await workshop.run(["explain", subject])
      #expect(answer.exit == 0, "\(answer.output)\(answer.errors)")
      #expect(answer.output.contains("\nGET /pets"))
      #expect(
        answer.output.contains(#"claim role: "owner" or "chief" (found "guest"), scope admin (found pets)"#))
      #expect(answer.output.contains("\nall others"))
    }
    let json = try await workshop.run(["explain", token, "--json"])
    let root = try JSONDocument(parsing: Array(json.output.utf8), limits: .event).root
    let rules = try #require(root["rules"]?["rules"]).elements.map { $0 }
    #expect(rules.map { $0["reached"]?.boolean } == [true, false, true, true, true])
    #expect(rules[1]["missing"]?.elements.map { $0["subject"]?.text } == ["claim role", "scope admin"])
    #expect(root["rules"]?["default"]?.text == "deny")
    #expect(root["outcome"] == nil)
  }

  @Test func reportsAClaimThatCannotBePartOfAPath() async throws {
    let workshop = try Self.workshop(claims: #""sub":"u/1","scope":"pets""#)
    let answer = try await workshop.run(["explain", "-"], input: Self.event("GET/users/u"))
    #expect(answer.exit == 1)
    #expect(answer.output.hasPrefix("claimNotRoutable: "), "\(answer.output)")
    #expect(
      answer.output.contains(
        "The claim in GET /users/${sub} (rules[2]) is missing or cannot be part of a path"))
  }

  @Test func allowsEveryRouteWithoutRules() async throws {
    let workshop = try Self.workshop(#""gatewayCache":"token""#)
    let answer = try await workshop.run(["explain", "-"], input: Self.event("GET/x"))
    #expect(answer.exit == 0)
    #expect(answer.output.contains("\nroutes  all of the stage"), "\(answer.output)")
  }

  @Test func failsWhenTheAuthorizerCannotDecide() async throws {
    let workshop = try Self.workshop()
    let event = #"""
      {"version":"2.0","type":"REQUEST","routeKey":"GET /pets/{id}","rawPath":"/prod/pets/7",
      "routeArn":"arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets/{id}",
      "headers":{"authorization":"Bearer {{token good}}"}}
      """#
    let answer = try await workshop.run(["explain", "-"], input: event)
    #expect(answer.exit == 1)
    #expect(answer.output.hasPrefix("invalidConfiguration: "), "\(answer.output)")
  }
}
