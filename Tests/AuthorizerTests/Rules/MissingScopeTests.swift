import Testing

@testable import Authorizer

@Suite("Missing scope of a caller")
struct MissingScopeTests {
  static let rows: [(route: String, claims: String, reason: ReasonCode?, scope: String?)] = [
    ("GET/admin", #""tenant":"a""#, .insufficientScope, "admin"),
    ("GET/admin", #""tenant":"a","scope":"admin""#, nil, nil),
    ("GET/admin", #""scope":"read""#, .claimNotAllowed, nil),
    ("GET/both", #""scope":"read""#, .insufficientScope, "write"),
    ("GET/both", #""scope":"write admin""#, .insufficientScope, "read"), ("GET/none", "", .noRule, nil),
    ("GET/me", "", nil, nil),
  ]

  private static let rules = """
    "default":"deny","rules":[{"routes":["GET /me"],"allow":true},
    {"routes":["GET /admin"],"allow":true,"require":{"scopes":["admin"],"claims":{"tenant":"a"}}},
    {"routes":["GET /both"],"allow":true,"require":{"scopes":["read","write"]}}]
    """

  @Test("the missing scope is named as configured if it is the reason", arguments: rows)
  func ofARoute(_ row: (route: String, claims: String, reason: ReasonCode?, scope: String?)) throws {
    var authorizer = try TestRules.authorizer(Self.rules)
    let decision = authorizer.decide(
      on: TestEvent.bytes(
        .restToken, arn: TestEvent.stage + row.route, token: try TestRules.partnerToken(row.claims)),
      at: TestIssuers.now)
    #expect(decision.reason == row.reason)
    #expect(decision.requiredScope == row.scope.map { Array($0.utf8) })
  }

  @Test(
    "the rule that refuses is named by its index, and none where no rule does",
    arguments: [("GET/admin", 1), ("GET/both", 2), ("GET/me", nil), ("GET/other", nil)] as [(String, Int?)])
  func refusingRule(_ route: String, _ rule: Int?) throws {
    var authorizer = try TestRules.authorizer(Self.rules)
    let event = TestEvent.bytes(
      .restToken, arn: TestEvent.stage + route, token: try TestRules.partnerToken(""))
    #expect(authorizer.decide(on: event, at: TestIssuers.now).rule == rule)
  }

  @Test("of several rules whose claim cannot be part of a path, the first is named")
  func firstUnroutableRule() throws {
    let rules =
      #""default":"deny","rules":[{"routes":["GET /a"],"allow":true},"#
      + #"{"routes":["GET /u/${sub}"],"allow":true},{"routes":["* /u/${sub}"],"allow":true}]"#
    var authorizer = try TestRules.authorizer(rules)
    let token = try TestRules.partnerToken(#""sub":"u/1""#)
    let decision = authorizer.decide(
      on: TestEvent.bytes(.restToken, arn: TestEvent.stage + "GET/u/x", token: token), at: TestIssuers.now)
    #expect(decision.reason == .claimNotRoutable && decision.rule == 1)
  }

  @Test("a scope required by the issuer's entry is named too")
  func ofAnIssuer() throws {
    var authorizer = try TestRules.authorizer("", partner: #","requiredScopes":["a","b"]"#)
    let decision = authorizer.decide(
      on: TestEvent.bytes(
        .restToken, token: try TestRules.partnerToken(#""scope":"a secret-of-the-caller""#)),
      at: TestIssuers.now)
    #expect(decision.reason == .insufficientScope)
    #expect(decision.requiredScope == Array("b".utf8))
  }
}
