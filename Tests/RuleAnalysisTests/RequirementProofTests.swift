import RuleAnalysis
import Testing

@testable import Authorizer

/// Whether one token meets the requirement of a rule and that of the callers of a property, and passes verification.
@Suite("Proofs about requirements")
struct RequirementProofTests {
  private static let apple =
    #"{"preset":"apple","audiences":["com.example.app"],"keys":{"seed":"k","pinned":true}}"#

  private static let onlyScope =
    #""scp":{"exists":false},"permissions":{"exists":false},"cognito:groups":{"exists":false}"#
  private static let long = String(repeating: "p", count: 240)

  /// The rule's requirement, that of the callers, and whether a token of `partner` meets both.
  static let requirements: [(String, String, Bool)] = [
    // Texts.
    (#"{"claims":{"c":"x"}}"#, #"{"claims":{"c":1}}"#, false),
    (#"{"claims":{"c":"xyz"}}"#, #"{"not":{"claims":{"c":{"prefix":"xy"}}}}"#, false),
    (#"{"claims":{"c":{"prefix":"ab"}}}"#, #"{"claims":{"c":{"prefix":"ba"}}}"#, false),
    (#"{"claims":{"c":{"prefix":"ab"}}}"#, #"{"claims":{"c":{"suffix":"ba"}}}"#, true),
    (#"{"not":{"claims":{"c":"x"}}}"#, #"{"claims":{"c":"y"}}"#, true),
    (#"{"not":{"claims":{"c":{"prefix":"xy"}}}}"#, #"{"claims":{"c":1}}"#, false),
    // Numbers and booleans.
    (#"{"not":{"claims":{"c":1}}}"#, #"{"not":{"claims":{"c":2}}}"#, true),
    (#"{"not":{"claims":{"c":1}}}"#, #"{"claims":{"c":2}}"#, true),
    (#"{"not":{"claims":{"c":true}}}"#, #"{"claims":{"c":false}}"#, true),
    // Lists.
    (#"{"claims":{"c":{"contains":"x"}}}"#, #"{"claims":{"c":"y"}}"#, false),
    (#"{"not":{"claims":{"c":{"contains":"x"}}}}"#, #"{"claims":{"c":{"contains":"y"}}}"#, true),
    (#"{"not":{"claims":{"c":{"contains":"x"}}}}"#, #"{"claims":{"c":{"contains":1}}}"#, false),
    (#"{"not":{"claims":{"c":{"contains":"x"}}}}"#, #"{"claims":{"c":{"exists":false}}}"#, false),
    // Claims that are absent, `null`, or below another one.
    (#"{"not":{"claims":{"c":"x"}}}"#, #"{"claims":{"c":{"exists":false}}}"#, false),
    (#"{"claims":[{"path":["o","d"],"is":"x"}]}"#, #"{"claims":{"o.d":{"exists":false}}}"#, true),
    (
      #"{"claims":{"o.d":"x"}}"#,
      #"{"claims":[{"path":["o.d"],"is":{"exists":false}},{"path":["o","d"],"is":"x"}]}"#, true
    ),
    (
      #"{"claims":{"o.d":"x"}}"#, #"{"claims":[{"path":["o.d"],"is":"y"},{"path":["o","d"],"is":"x"}]}"#,
      false
    ),
    (#"{"claims":[{"path":["o","d"],"is":"x"}]}"#, #"{"claims":{"o":"t"}}"#, false),
    // Several conditions.
    (#"{"not":{"any":[{"claims":{"c":"x","d":"x"}}]}}"#, #"{"claims":{"c":"x","d":"y"}}"#, true),
    (
      #"{"not":{"any":[{"claims":{"c":"x"}},{"claims":{"d":"x"}}]}}"#, #"{"claims":{"c":"x","d":"y"}}"#, false
    ),
    // Scopes.
    (#"{"scopes":["s"]}"#, #"{"claims":{"scope":"x",\#(onlyScope)}}"#, false),
    (#"{"scopes":["s"]}"#, #"{"claims":{"scope":{"contains":"s"},\#(onlyScope)}}"#, true),
    (#"{"scopes":["s"]}"#, #"{"claims":{"scope":{"contains":1},\#(onlyScope)}}"#, false),
    (#"{"not":{"scopes":["s"]}}"#, #"{"claims":{"scope":{"prefix":"x s"}}}"#, true),
    (#"{"not":{"scopes":["s"]}}"#, #"{"claims":{"scope":{"prefix":"s x"}}}"#, false),
    (#"{"not":{"scopes":["s"]}}"#, #"{"claims":{"scope":{"suffix":"s x"}}}"#, true),
    (#"{"not":{"scopes":["s"]}}"#, #"{"claims":{"scope":{"suffix":"x s"}}}"#, false),
    (#"{"not":{"scopes":["s"]}}"#, #"{"claims":{"scope":1}}"#, false),
    // What verification requires.
    (#"{"not":{"claims":{"aud":{"contains":"api"}}}}"#, #"{"claims":{"aud":{"contains":"other"}}}"#, false),
    (#"{"authenticatedWithinSeconds":900}"#, #"{"claims":{"auth_time":1795255230}}"#, true),
    (#"{"authenticatedWithinSeconds":900}"#, #"{"claims":{"auth_time":1795260200}}"#, false),
  ]

  @Test(arguments: requirements)
  func areMetTogether(_ rule: String, _ who: String, _ areMet: Bool) throws {
    try expect(areMet, "GET /a", rule, who, "partner")
  }

  /// Apple writes booleans as text too.
  @Test(
    arguments: [
      (
        #"{"issuers":["apple"],"claims":{"email_verified":true}}"#, #"{"claims":{"email_verified":"true"}}"#,
        true
      ),
      (
        #"{"issuers":["apple"],"claims":{"email_verified":true}}"#, #"{"claims":{"email_verified":"false"}}"#,
        false
      ),
      (
        #"{"issuers":["apple"],"not":{"claims":{"email_verified":true}}}"#,
        #"{"claims":{"email_verified":"false"}}"#, true
      ),
      (
        #"{"issuers":["apple"],"not":{"claims":{"email_verified":true}}}"#,
        #"{"claims":{"email_verified":"x"}}"#, false
      ),
    ])
  func areMetTogetherByApple(_ rule: String, _ who: String, _ areMet: Bool) throws {
    try expect(areMet, "GET /a", rule, who, "apple")
  }

  /// A path has room for a text whose beginning and end overlap, and not for both.
  @Test func textsOverlap() throws {
    let affixes = #"{"claims":{"c":{"prefix":"a\#(Self.long)"}}}"#
    try expect(true, "GET /${c}", affixes, #"{"claims":{"c":{"suffix":"\#(Self.long)b"}}}"#, "partner")
  }

  @Test func theIssuersOwnRequirementCounts() throws {
    let who = #"{"not":{"scopes":["s"]}}"#
    try expect(false, "GET /a", #"{"issuers":["partner"]}"#, who, "partner", own: #""requiredScopes":["s"],"#)
  }

  private func expect(
    _ areMet: Bool, _ route: String, _ rule: String, _ who: String, _ issuer: String, own: String = ""
  ) throws {
    let partner = ComparisonTests.partner.replacing(#""keys""#, with: own + #""keys""#)
    let rules = try ConfirmedRules(
      "{" + partner.replacing("[{", with: "[\(Self.apple),{")
        + #","default":"deny","rules":[{"routes":["\#(route)"],"allow":true,"require":\#(rule)}]}"#)
    let text =
      #"{"properties":[{"name":"p","never":{"routes":["GET /*"],"who":{"require":\#(who),"issuer":"\#(issuer)"}}}]}"#
    let property = try RuleProperty.properties(parsing: Array(text.utf8), for: rules.settings)[0]
    switch try RuleProof(of: property, in: rules.settings, at: ConfirmedRules.now) {
    case .proven: #expect(!areMet)
    case .noCallers: Issue.record("no token meets \(who)")
    case .refuted(let example):
      #expect(areMet)
      #expect(try rules.outcome(example) == .allowed)
    }
  }
}
