import JSON
import Testing

@testable import Authorizer

/// AWS does not document whether `routeArn` of an HTTP API contains the path or the template of the route. The policies
/// are safe in both cases.
@Suite("Templates of routes in ARNs")
struct RouteTemplateTests {
  static let own = #""default":"deny","rules":[{"routes":["GET /users/${sub}"],"allow":true}]"#
  static let wildcard = #""default":"deny","rules":[{"routes":["GET /public/*","GET /me"],"allow":true}]"#
  static let variable = #""default":"deny","rules":[{"routes":["GET /items/{id}"],"allow":true}]"#
  static let literal = #""default":"deny","rules":[{"routes":["GET /me","GET /public/a"],"allow":true}]"#
  static let restriction =
    #""default":"allow","rules":[{"routes":["* /admin/*"],"require":{"scopes":["admin"]}}]"#
  static let literalRestriction =
    #""default":"allow","rules":[{"routes":["GET /admin"],"require":{"scopes":["admin"]}}]"#

  /// The members of a configuration, the claims of the token, and whether the policy refuses templates.
  static let policies: [(members: String, claims: String, refuses: Bool)] = [
    (own, "", true), (wildcard, "", true), (variable, "", true), (literal, "", false),
    (restriction, "", true), (literalRestriction, "", true),
    // A token that meets every restriction.
    (restriction, #""scope":"admin""#, true), (literalRestriction, #""scope":"admin""#, true),
    ("", "", false),
  ]

  private static func policy(
    _ kind: EventKind, _ members: String, _ claims: String, stage: String = "dev"
  ) throws -> (policy: PolicyReading, bytes: [UInt8], prefix: String) {
    var authorizer = try TestRules.authorizer(members)
    let prefix = "arn:aws:execute-api:eu-west-1:123456789012:abc/\(stage)/"
    let claims = #""sub":"u1""# + (claims.isEmpty ? "" : "," + claims)
    let event = TestEvent.bytes(
      kind, arn: prefix + (kind == .webSocket ? "$connect" : "GET/me"),
      token: try TestRules.partnerToken(claims))
    guard case .response(let bytes) = authorizer.decide(on: event, at: TestIssuers.now).answer else {
      throw PolicyReading.Unreadable()
    }
    return (try PolicyReading(bytes), bytes, prefix)
  }

  private static func refused(_ policy: PolicyReading) -> [String] {
    policy.statements.filter { $0.effect == "Deny" }.flatMap(\.resources)
  }

  @Test(
    "a policy whose rules need the path refuses templates on HTTP APIs, below the stage", arguments: policies,
    ["dev", "$default"])
  func refusals(_ row: (members: String, claims: String, refuses: Bool), stage: String) throws {
    for kind in [EventKind.http1, .http2] {
      for setting in ["", #""routeArnIsConcrete":false"#] {
        let members = [row.members, setting].filter { !$0.isEmpty }.joined(separator: ",")
        let (policy, _, prefix) = try Self.policy(kind, members, row.claims, stage: stage)
        let refused = Self.refused(policy).filter {
          $0.contains("{") || $0.hasSuffix("$default*") || $0.contains("/ANY/")
        }
        #expect(
          refused.sorted() == (row.refuses ? [prefix + "*$default*", prefix + "*{*", prefix + "ANY/*"] : []))
        // Where the stage is named like the route, its other routes stay open.
        if !row.claims.isEmpty { #expect(try policy.allows(prefix + "GET/me")) }
        if row.refuses {
          for route in ["GET/public/{proxy+}", "$default", "ANY/{proxy+}", "GET/users/{id}", "ANY/admin"] {
            #expect(try !policy.allows(prefix + route), "\(route)")
          }
        }
      }
    }
  }

  @Test("an operator who knows that ARNs contain paths gets the policy of a REST API", arguments: policies)
  func concrete(_ row: (members: String, claims: String, refuses: Bool)) throws {
    let setting = #""routeArnIsConcrete":true"#
    let members = [row.members, setting].filter { !$0.isEmpty }.joined(separator: ",")
    let rest = try Self.policy(.restRequest, row.members, row.claims)
    #expect(try Self.policy(.restRequest, members, row.claims).bytes == rest.bytes)
    #expect(try Self.policy(.http1, members, row.claims).bytes == rest.bytes)
    #expect(Self.refused(rest.policy).allSatisfy { !$0.contains("{") && !$0.contains("$") })
  }

  /// The ARN of the event, `rawPath`, and the outcome of a simple answer.
  static let simple: [(route: String, template: String, path: String, outcome: Outcome)] = [
    ("GET/public/a", "GET /public/{proxy+}", "/dev/public/a", .allowed),
    ("GET/me", "GET /me", "/dev/me", .allowed),
    ("GET/public/{proxy+}", "GET /public/{proxy+}", "/dev/public/a", .failure),
    ("GET/public/{proxy+}", "GET /public/{proxy+}", "/dev/public/{proxy+}", .forbidden),
    ("GET/public/{a}", "GET /public/{proxy+}", "/dev/public/{a}", .forbidden),
    ("$default", "$default", "/dev/public/a", .failure),
    ("GET/public/$default", "GET /public/{proxy+}", "/dev/public/$default", .forbidden),
    // The event does not say its method, which a caller may have sent.
    ("ANY/me", "ANY /me", "/dev/me", .forbidden),
  ]

  @Test("a simple answer refuses what may be a template", arguments: simple)
  func simpleAnswer(route: String, template: String, path: String, outcome: Outcome) throws {
    var authorizer = try TestRules.authorizer(
      #""httpApiAnswer":"simple","gatewayCache":"off","# + Self.wildcard)
    let event = TestEvent.bytes(
      .http2, arn: TestEvent.stage + route,
      [
        TestEvent.object(
          "headers", [TestEvent.text("authorization", "Bearer " + (try TestRules.partnerToken()))]),
        TestEvent.text("routeKey", template), TestEvent.text("rawPath", path),
      ])
    #expect(authorizer.decide(on: event, at: TestIssuers.now).outcome == outcome)
  }

  /// The ARN, the method of the request, and the reason under the default deny and the default allow.
  static let anyMethods: [(arn: String, method: String, denied: ReasonCode?, allowed: ReasonCode?)] = [
    ("ANY/me", "GET", .invalidConfiguration, .invalidConfiguration),
    // A caller who sends this method causes no failure, and reaches nothing.
    ("ANY/me", "ANY", .noRule, .noRule),
    ("GET/me", "GET", nil, nil),
  ]

  @Test("an ARN with the method of a route for all methods shows the template", arguments: anyMethods)
  func anyMethod(_ row: (arn: String, method: String, denied: ReasonCode?, allowed: ReasonCode?)) throws {
    for (rules, reason) in [(Self.wildcard, row.denied), (Self.restriction, row.allowed)] {
      var authorizer = try TestRules.authorizer(rules)
      let http = TestEvent.object("http", [TestEvent.text("method", row.method)])
      let event = TestEvent.bytes(
        .http2, arn: TestEvent.stage + row.arn,
        [
          TestEvent.object(
            "headers", [TestEvent.text("authorization", "Bearer " + (try TestRules.partnerToken()))]),
          TestEvent.text("routeKey", "ANY /me"), TestEvent.text("rawPath", "/dev/me"),
          TestEvent.object("requestContext", [http]),
        ])
      #expect(authorizer.decide(on: event, at: TestIssuers.now).reason == reason, "\(rules)")
    }
  }

  @Test("templates that are refused are no refusal of the token: denyCode is left out")
  func denyCode() throws {
    let met = try Self.policy(.http2, Self.restriction, #""scope":"admin""#).policy
    #expect(met.context["denyCode"] == nil)
    let unmet = try Self.policy(.http2, Self.restriction, "").policy
    #expect(unmet.context["denyCode"] == .string("access_denied"))
  }
}
