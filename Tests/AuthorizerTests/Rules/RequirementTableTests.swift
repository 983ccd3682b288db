import JSON
import TestSupport
import Testing

@testable import Authorizer

/// The value of a requirement for a token.
enum ExpectedTruth: String, Sendable { case met, isFalse = "false", unknown }

/// Shows the value of a requirement through the decisions of the authorizer: what is met grants a route, and what is false
/// grants one that requires its negation.
enum RequirementProbe {
  /// - Parameter claims: an object as JSON; its members are added to the token.
  static func truth(of requirement: String, _ claims: String, isApple: Bool) throws -> ExpectedTruth? {
    let rules =
      #""gatewayCache":"off","default":"deny","rules":[{"routes":["GET /met"],"allow":true,"require":\#(requirement)},"#
      + #"{"routes":["GET /false"],"allow":true,"require":{"not":{"any":[\#(requirement)]}}}]"#
    var authorizer = try TestRules.authorizer(rules)
    let token = try token(claims, isApple: isApple)
    let outcomes = ["GET/met", "GET/false"].map { route in
      authorizer.decide(
        on: TestEvent.bytes(.restToken, arn: TestEvent.stage + route, token: token), at: TestIssuers.now
      ).outcome
    }
    switch outcomes {
    case [.allowed, .forbidden]: return .met
    case [.forbidden, .allowed]: return .isFalse
    case [.forbidden, .forbidden]: return .unknown
    default: return nil
    }
  }

  /// Returns a token whose claims are written exactly so.
  static func token(_ claims: String, isApple: Bool) throws -> String {
    let (issuer, audience) =
      isApple ? ("https://appleid.apple.com", "com.example.app") : ("https://id.example.com", "api")
    let now = TestIssuers.now
    let own = String(claims.dropFirst().dropLast())
    let payload =
      #"{"iss":"\#(issuer)","aud":"\#(audience)","sub":"u","iat":\#(now),"exp":\#(now + 600)"#
      + (own.isEmpty ? "" : "," + own) + "}"
    let text = String(decoding: JSONTree.string(payload).bytes(), as: UTF8.self)
    return try TestIssuers.token(#""algorithm":"\#(isApple ? "RS256" : "ES256")","rawPayload":\#(text)"#)
  }
}

@Suite("The value of a requirement")
struct RequirementTableTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let requirement: String
    let truth: String
    let isApple: Bool
    let claims: String

    var testDescription: String { "\(requirement) \(isApple ? "apple " : "")\(claims): \(truth)" }

    /// - Parameter line: the value, `apple` or nothing, and the claims.
    init(_ requirement: String, _ line: String) {
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      self.requirement = requirement
      truth = words[0]
      isApple = words[1].hasPrefix("apple ")
      claims = String(words[1].dropFirst(isApple ? 6 : 0))
    }
  }

  static let rows = [
    RequirementTable.values, RequirementTable.lists, RequirementTable.paths, RequirementTable.scopes,
    RequirementTable.groups,
  ].flatMap { table in
    Fact.table(table).flatMap { fact in fact.expected.map { Row(fact.subject, $0) } }
  }

  @Test("a requirement is met, false or unknown", arguments: rows)
  func row(_ row: Row) throws {
    let truth = try RequirementProbe.truth(of: row.requirement, row.claims, isApple: row.isApple)
    #expect(truth?.rawValue == row.truth)
  }

  @Test("the table is as long as its rules need")
  func size() { #expect(Self.rows.count >= 150) }

  /// The seconds of the rule, `auth_time`, and whether it is met. The leeway of the issuer is 60 s.
  static let ages: [(seconds: Int, claims: String, isMet: Bool)] = [
    (900, #"{"auth_time":\#(TestIssuers.now)}"#, true),
    (900, #"{"auth_time":\#(TestIssuers.now - 900)}"#, true),
    (900, #"{"auth_time":\#(TestIssuers.now - 901)}"#, false),
    (900, #"{"auth_time":\#(TestIssuers.now - 900).0}"#, true),
    (900, #"{"auth_time":\#(TestIssuers.now - 900).5}"#, false),
    (900, #"{"auth_time":\#(TestIssuers.now + 60)}"#, true),
    (900, #"{"auth_time":\#(TestIssuers.now + 61)}"#, false),
    (900, #"{"auth_time":"\#(TestIssuers.now)"}"#, false), (900, #"{"auth_time":null}"#, false),
    (900, #"{"auth_time":[\#(TestIssuers.now)]}"#, false), (900, #"{"auth_time":true}"#, false),
    (900, #"{"auth_time":-9223372036854775808}"#, false), (900, #"{"auth_time":9223372036854775807}"#, false),
    (900, #"{"auth_time":99999999999999999999}"#, false), (900, "{}", false),
    (1, #"{"auth_time":\#(TestIssuers.now - 1)}"#, true),
    (1, #"{"auth_time":\#(TestIssuers.now - 2)}"#, false),
    (31_536_000, #"{"auth_time":0}"#, false),
    (31_536_000, #"{"auth_time":\#(TestIssuers.now - 31_536_000)}"#, true),
  ]

  @Test("an authentication is recent or not, and never unknown", arguments: ages)
  func age(_ row: (seconds: Int, claims: String, isMet: Bool)) throws {
    let age = #""require":{"authenticatedWithinSeconds":\#(row.seconds)}"#
    var authorizer = try TestRules.authorizer(
      #""gatewayCache":"off","default":"deny","rules":[{"routes":["GET /a"],"allow":true,\#(age)}]"#)
    let decision = authorizer.decide(
      on: TestEvent.bytes(
        .restToken, arn: TestEvent.stage + "GET/a",
        token: try RequirementProbe.token(row.claims, isApple: false)), at: TestIssuers.now)
    #expect(decision.outcome == (row.isMet ? .allowed : .forbidden))
    #expect(decision.reason == (row.isMet ? nil : .authenticationTooOld))
  }

  /// A requirement, claims, the reason of the refusal, and the scope that is named.
  static let reasons: [(requirement: String, claims: String, reason: ReasonCode?, scope: String?)] = [
    (#"{"issuers":["apple"],"scopes":["s"]}"#, "{}", .claimNotAllowed, nil),
    (#"{"scopes":["s"],"claims":{"c":"x"}}"#, "{}", .claimNotAllowed, nil),
    (#"{"scopes":["s"],"claims":{"c":"x"}}"#, #"{"c":"x"}"#, .insufficientScope, "s"),
    (#"{"scopes":["s"]}"#, #"{"scope":7}"#, .claimNotAllowed, nil),
    (#"{"scopes":["s"],"authenticatedWithinSeconds":60}"#, "{}", .insufficientScope, "s"),
    (#"{"scopes":["s"],"authenticatedWithinSeconds":60}"#, #"{"scope":"s"}"#, .authenticationTooOld, nil),
    (#"{"authenticatedWithinSeconds":60,"any":[{"scopes":["s"]}]}"#, "{}", .authenticationTooOld, nil),
    (#"{"any":[{"scopes":["s"]},{"claims":{"c":"x"}}]}"#, "{}", .insufficientScope, "s"),
    (#"{"any":[{"claims":{"c":"x"}},{"scopes":["s"]}]}"#, "{}", .claimNotAllowed, nil),
    (#"{"any":[{"any":[{"scopes":["t"]}]},{"scopes":["s"]}]}"#, "{}", .insufficientScope, "t"),
    (#"{"any":[{"authenticatedWithinSeconds":60},{"scopes":["s"]}]}"#, "{}", .authenticationTooOld, nil),
    (#"{"any":[{"scopes":["s"]}],"not":{"claims":{"c":"x"}}}"#, #"{"c":"x"}"#, .insufficientScope, "s"),
    (#"{"scopes":["s"],"any":[{"scopes":["t"]}]}"#, #"{"scope":"s"}"#, .insufficientScope, "t"),
    (#"{"not":{"claims":{"c":"x"}}}"#, #"{"c":"x"}"#, .claimNotAllowed, nil),
    (#"{"not":{"scopes":["s"]}}"#, #"{"scope":"s"}"#, .claimNotAllowed, nil),
    (#"{"not":{"any":[{"scopes":["s"]}]}}"#, #"{"scope":"s"}"#, .claimNotAllowed, nil),
    (#"{"not":{"claims":{"c":"x"}}}"#, "{}", .claimNotAllowed, nil),
    (#"{"not":{"claims":{"c":"x"}}}"#, #"{"c":"y"}"#, nil, nil),
  ]

  @Test("the reason is that of the first part that is not met", arguments: reasons)
  func reason(_ row: (requirement: String, claims: String, reason: ReasonCode?, scope: String?)) throws {
    // The same rule grants under deny and restricts under allow.
    for (whenNoRule, allow) in [("deny", #""allow":true,"#), ("allow", "")] {
      var authorizer = try TestRules.authorizer(
        #""gatewayCache":"off","default":"\#(whenNoRule)","rules":[{"routes":["GET /a"],\#(allow)"require":\#(row.requirement)}]"#
      )
      let decision = authorizer.decide(
        on: TestEvent.bytes(
          .restToken, arn: TestEvent.stage + "GET/a",
          token: try RequirementProbe.token(row.claims, isApple: false)), at: TestIssuers.now)
      #expect(decision.reason == row.reason, "\(whenNoRule)")
      #expect(decision.requiredScope == row.scope.map { Array($0.utf8) })
    }
  }

  @Test("guests meet no requirement, not even that something is absent")
  func guests() throws {
    let rules =
      #""gatewayCache":"off","default":"allow","anonymous":{"routes":["GET /a","GET /b"]},"#
      + #""rules":[{"routes":["GET /a"],"require":{"not":{"claims":{"c":"x"}}}}]"#
    var authorizer = try TestRules.authorizer(rules)
    let outcomes = ["GET/a", "GET/b"].map { route in
      authorizer.decide(
        on: TestEvent.bytes(.restRequest, arn: TestEvent.stage + route, []), at: TestIssuers.now
      ).outcome
    }
    #expect(outcomes == [.unauthorized, .allowed])
  }
}
