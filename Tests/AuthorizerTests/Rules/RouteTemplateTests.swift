import FunctionHost
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
        let refused = Self.refused(policy).filter { $0.contains("{") || $0.hasSuffix("$default*") }
        #expect(refused.sorted() == (row.refuses ? [prefix + "*$default*", prefix + "*{*"] : []))
        // Where the stage is named like the route, its other routes stay open.
        if !row.claims.isEmpty { #expect(try policy.allows(prefix + "GET/me")) }
        if row.refuses {
          for route in ["GET/public/{proxy+}", "$default", "ANY/{proxy+}", "GET/users/{id}"] {
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
}
