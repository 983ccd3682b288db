import TestSupport
import Testing

@testable import Authorizer
@testable import FunctionHost

@Suite("Refused requirements")
struct RequirementRefusalTests {
  private static let empty =
    "at least one of scopes, claims, issuers, authenticatedWithinSeconds, any and not is expected"
  private static let one =
    "exactly one condition is expected: one scope, one claim, issuers or any; if none of several may be met, write"
    + #" {"not": {"any": […]}}"#
  private static let condition =
    #"a value, a list of values, {"exists": true}, {"contains": value}, {"prefix": text} or {"suffix": text} is"#
    + " expected; values are strings, whole numbers, true and false"
  private static let affix = "a prefix or suffix has at least 2 bytes"
  private static let list =
    #"an object with at least one claim is expected, or a list of {"path": […], "is": …}"#
  private static let members = "a list of 1 to 20 requirements is expected"
  private static let names = "a non-empty list of non-empty strings is expected"

  /// A scope within so many levels of `any`.
  private static func nested(_ levels: Int) -> String {
    String(repeating: #"{"any":["#, count: levels) + #"{"scopes":["a"]}"#
      + String(repeating: "]}", count: levels)
  }

  private static func alternatives(_ count: Int, scopes: Int = 1) -> String {
    let scopes = (0..<scopes).map { "\"s\($0)\"" }.joined(separator: ",")
    return #"{"any":[\#(Array(repeating: "{\"scopes\":[\(scopes)]}", count: count).joined(separator: ","))]}"#
  }

  static let refusals = Fact.table(
    #"""
    {}
      rules[0].require: \#(empty)
    7
      rules[0].require: an object is expected
    {"any":[]}
      rules[0].require.any: \#(members)
    {"any":{"scopes":["a"]}}
      rules[0].require.any: \#(members)
    \#(alternatives(21))
      rules[0].require.any: \#(members)
    \#(alternatives(20))
      -
    {"any":[{}]}
      rules[0].require.any[0]: \#(empty)
    {"any":[{"scopes":["a"]},7]}
      rules[0].require.any[1]: an object is expected
    {"any":[{"scope":["a"]}]}
      rules[0].require.any[0].scope: unknown member, did you mean "scopes"?
    {"any":[{"any":[{"not":{}}]}]}
      rules[0].require.any[0].any[0].not: \#(empty)
    {"any":[{"issuers":["partners"]}]}
      rules[0].require.any[0].issuers[0]: no issuer of this configuration has this name; one of apple, partner is expected
    {"any":[{"claims":{"c":null}}]}
      rules[0].require.any[0].claims.c: \#(condition)
    {"not":{}}
      rules[0].require.not: \#(empty)
    {"not":[{"scopes":["a"]}]}
      rules[0].require.not: an object is expected
    {"not":{"scopes":["a","b"]}}
      rules[0].require.not: \#(one)
    {"not":{"claims":{"a":1,"b":2}}}
      rules[0].require.not: \#(one)
    {"not":{"claims":[{"path":["a"],"is":1},{"path":["b"],"is":2}]}}
      rules[0].require.not: \#(one)
    {"not":{"scopes":["a"],"claims":{"a":1}}}
      rules[0].require.not: \#(one)
    {"not":{"issuers":["apple"],"any":[{"scopes":["a"]}]}}
      rules[0].require.not: \#(one)
    {"not":{"not":{"scopes":["a"]}}}
      rules[0].require.not: \#(one)
    {"any":[{"not":{"scopes":["a","b"]}}]}
      rules[0].require.any[0].not: \#(one)
    {"not":{"scopes":["a"]}}
    {"not":{"claims":{"a":1}}}
    {"not":{"issuers":["apple","partner"]}}
    {"not":{"any":[{"scopes":["a","b"]}]}}
      -
    \#(nested(4))
      -
    \#(nested(5))
      rules[0].require.any[0].any[0].any[0].any[0].any[0]: at most 4 levels of any and not are possible
    {"any":[{"any":[{"any":[{"any":[{"not":{"scopes":["a"]}}]}]}]}]}
      rules[0].require.any[0].any[0].any[0].any[0].not: at most 4 levels of any and not are possible
    \#(alternatives(20, scopes: 5))
      -
    {"issuers":["apple"],\#(alternatives(20, scopes: 5).dropFirst())
      rules[0].require: 101 conditions; 100 at most
    {"authenticatedWithinSeconds":900,\#(alternatives(20, scopes: 5).dropFirst())
      rules[0].require: 101 conditions; 100 at most
    {"claims":{"c":[1,2,3]},\#(alternatives(20, scopes: 5).dropFirst())
      rules[0].require: 101 conditions; 100 at most
    {"claims":{"c":{"exists":true,"contains":"a"}}}
      rules[0].require.claims.c: \#(condition)
    {"claims":{"c":{"prefix":"ab","suffix":"cd"}}}
      rules[0].require.claims.c: \#(condition)
    {"claims":{"c":{}}}
      rules[0].require.claims.c: \#(condition)
    {"claims":{"c":{"prefix":"a"}}}
      rules[0].require.claims.c: \#(affix)
    {"claims":{"c":{"suffix":""}}}
      rules[0].require.claims.c: \#(affix)
    {"claims":{"c":{"prefix":["ab"]}}}
      rules[0].require.claims.c: \#(condition)
    {"claims":{"c":{"prefix":12}}}
      rules[0].require.claims.c: \#(condition)
    {"claims":{"c":{"prefix":"é"},"d":{"suffix":"ab"}}}
      -
    {"claims":[]}
      rules[0].require.claims: \#(list)
    {"claims":7}
      rules[0].require.claims: \#(list)
    {"claims":[7]}
      rules[0].require.claims[0]: an object is expected
    {"claims":[{"path":["a"],"is":1},{"path":[],"is":1}]}
      rules[0].require.claims[1].path: \#(names)
    {"claims":[{"path":["a",""],"is":1}]}
      rules[0].require.claims[0].path: \#(names)
    {"claims":[{"path":"a","is":1}]}
      rules[0].require.claims[0].path: \#(names)
    {"claims":[{"is":1}]}
      rules[0].require.claims[0].path: missing: the claim's name, and the names of members below it
    {"claims":[{"path":["a"]}]}
      rules[0].require.claims[0].is: missing: what the claim must be
    {"claims":[{"path":["a"],"is":null}]}
      rules[0].require.claims[0].is: \#(condition)
    {"claims":[{"path":["a"],"is":1,"or":2}]}
      rules[0].require.claims[0].or: unknown member, did you mean "is"?
    {"authenticatedWithinSeconds":0}
    {"authenticatedWithinSeconds":31536001}
    {"authenticatedWithinSeconds":"900"}
      rules[0].require.authenticatedWithinSeconds: a whole number from 1 to 31536000 is expected
    {"authenticatedWithinSeconds":1}
    {"authenticatedWithinSeconds":31536000}
      -
    {"not":{"authenticatedWithinSeconds":900}}
      rules[0].require.not.authenticatedWithinSeconds: has no place within "not": an old authentication is never required
    {"not":{"any":[{"scopes":["a"],"authenticatedWithinSeconds":900}]}}
      rules[0].require.not.any[0].authenticatedWithinSeconds: has no place within "not": an old authentication is never required
    """#)

  @Test("each mistake in a requirement is reported with its path and a fix", arguments: refusals)
  func refused(_ fact: Fact) throws {
    let rule = #"{"routes":["GET /a"],"allow":true,"require":\#(fact.subject)}"#
    let text = TestRules.configuration(#""gatewayCache":"off","default":"deny","rules":[\#(rule)]"#)
    #expect(try SettingsRefusalTests.problems(inline: text) == fact.expected)
  }

  @Test(
    "a condition on time needs that nothing is cached",
    arguments: ["", #""gatewayCache":"token","#, #""gatewayCache":"tokenAndRoute","#])
  func cached(_ cache: String) throws {
    for (requirement, path) in [
      (#"{"authenticatedWithinSeconds":900}"#, "require"),
      (#"{"any":[{"authenticatedWithinSeconds":900}]}"#, "require.any[0]"),
    ] {
      let rule = #"{"routes":["GET /a"],"allow":true,"require":\#(requirement)}"#
      let text = TestRules.configuration(cache + #""default":"deny","rules":[\#(rule)]"#)
      #expect(
        try SettingsRefusalTests.problems(inline: text) == [
          "rules[0].\(path).authenticatedWithinSeconds: API Gateway would cache the answer beyond that time;"
            + #" set "gatewayCache": "off" and TTL 0"#
        ])
    }
  }

  @Test("an issuer gains prefix, suffix and the list, and nothing else")
  func issuers() throws {
    let claims =
      #","requiredClaims":[{"path":["a","b"],"is":{"prefix":"ab"}},{"path":["c"],"is":{"suffix":"cd"}}]"#
    #expect(
      try SettingsRefusalTests.problems(inline: TestRules.configuration("", partner: claims)) == [])
    for (name, value) in [("any", "[]"), ("not", "{}"), ("authenticatedWithinSeconds", "9")] {
      let text = TestRules.configuration("", partner: #","\#(name)":\#(value)"#)
      let problems = try SettingsRefusalTests.problems(inline: text)
      #expect(problems.count == 1 && problems[0].hasPrefix("issuers[1].\(name): unknown member"))
    }
  }

  /// A requirement of all issuers' tokens, and the warnings without their advice.
  static let warnings = Fact.table(
    #"""
    {"claims":{"email":{"suffix":"@example.com"},"email_verified":true}}
    {"scopes":["a"]}
    {"claims":{"email_verified":true},"any":[{"claims":{"email":"a@example.com"}}]}
    {"claims":{"mail":{"suffix":"example.com"}}}
      -
    {"claims":{"email":{"suffix":"example.com"},"email_verified":true}}
      rules[0].require.claims.email emailSuffixWithoutAt
    {"claims":{"email":{"suffix":"@example.com"}}}
    {"claims":{"email":"ada@example.com","email_verified":false}}
    {"claims":{"email":{"prefix":"ada@"},"email_verified":["yes",true]}}
      rules[0].require.claims.email emailNotVerified
    {"any":[{"claims":{"email_verified":true}},{"claims":[{"path":["email"],"is":{"suffix":"example.com"}}]}]}
      rules[0].require.any[1].claims.email emailSuffixWithoutAt
      rules[0].require.any[1].claims.email emailNotVerified
    {"not":{"claims":{"email":{"suffix":"@example.com"}}}}
      rules[0].require.not.claims.email emailNotVerified
    """#)

  private static func found(_ warnings: [ConfigurationProblem]) -> [String] {
    warnings.map { "\($0.path) \($0.warning.map { "\($0)" } ?? "")" }
  }

  @Test("conditions on e-mail addresses that let in others cause a warning", arguments: warnings)
  func emails(_ fact: Fact) throws {
    let rule = #"{"routes":["GET /a"],"allow":true,"require":\#(fact.subject)}"#
    let settings = try TestRules.settings(#""default":"deny","rules":[\#(rule)]"#)
    #expect(Self.found(settings.warnings) == fact.expected)
  }

  @Test("a verified address that each issuer requires is enough")
  func verifiedByIssuers() throws {
    let verified = #","requiredClaims":{"email_verified":true}"#
    let rule = #"{"routes":["GET /a"],"allow":true,"require":{"claims":{"email":"a@example.com"}}}"#
    let rules = #""default":"deny","rules":[\#(rule)]"#
    let both = try TestRules.settings(rules, apple: verified, partner: verified)
    #expect(both.warnings.isEmpty)
    #expect(try TestRules.settings(rules, apple: verified).warnings.map(\.warning) == [.emailNotVerified])
    let own = try TestRules.settings("", partner: #","requiredClaims":{"email":{"suffix":"example.com"}}"#)
    #expect(
      Self.found(own.warnings) == [
        "issuers[1].requiredClaims.email emailSuffixWithoutAt",
        "issuers[1].requiredClaims.email emailNotVerified",
      ])
  }

  /// An entry of `issuers`, a requirement, and the warnings.
  static let presets: [(entry: String, requirement: String, warnings: [String])] = [
    (
      #""preset":"entra:11111111-2222-4333-8444-555555555555""#,
      #"{"claims":{"email":{"suffix":"@example.com"},"email_verified":true}}"#,
      ["rules[0].require.claims.email emailNotVerified"]
    ),
    (#""preset":"github:octo-org@65""#, #"{"claims":{"repository":"octo-org/example"}}"#, []),
    (#""preset":"github:octo-org@65""#, #"{"claims":{"sub":{"prefix":"repo:octo-org/example:"}}}"#, []),
    (#""preset":"github:octo-org@65""#, #"{"any":[{"claims":{"repository":"octo-org/example"}}]}"#, []),
    (
      #""preset":"github:octo-org@65""#, #"{"claims":{"repository_owner":"octo-org"}}"#,
      ["issuers[0] repositoryNotNamed"]
    ),
    (
      #""preset":"github:octo-org@65""#, #"{"claims":{"sub":{"exists":true}}}"#,
      ["issuers[0] repositoryNotNamed"]
    ),
    (
      #""preset":"github:octo-org@65""#, #"{"not":{"claims":{"repository":"octo-org/example"}}}"#,
      ["issuers[0] repositoryNotNamed"]
    ),
  ]

  @Test func aShortFormOfGitHubHasNoRulesThatNameARepository() throws {
    var source = try TestIssuers.source()
    source.variables["AUTHORIZER_CONFIG"] = nil
    source.variables["AUTHORIZER_ISSUER"] = "github:octo-org@65"
    source.variables["AUTHORIZER_AUDIENCE"] = "api"
    #expect(Self.found(try Settings(reading: source).warnings) == ["issuers[0] repositoryNotNamed"])
  }

  /// A general preset would accept the workflows of every owner. The issuer of an enterprise has those of its own alone,
  /// and no preset.
  @Test(
    "workflows of GitHub need their preset, those of an enterprise's issuer a rule",
    arguments: [#""preset":"oidc","#, #""preset":"rfc9068","#, ""])
  func workflowIssuers(_ preset: String) throws {
    func problems(_ issuer: String, _ claims: String = "") throws -> (problems: [String], warnings: [String])
    {
      var source = try TestIssuers.source()
      source.variables["AUTHORIZER_CONFIG"] =
        #"{"issuers":[{\#(preset)"issuer":"\#(issuer)","audiences":["api"],"algorithms":["RS256"],\#(claims)"#
        + #""keys":{"url":"https://token.actions.githubusercontent.com/.well-known/jwks"}}]}"#
      let problems = SettingsRefusalTests.problems(source)
      return (problems, problems.isEmpty ? Self.found(try Settings(reading: source).warnings) : [])
    }
    let github = "https://token.actions.githubusercontent.com"
    for issuer in [github, github + "/"] {
      let found = try problems(issuer).problems
      #expect(found.contains { $0.contains("this issuer has a preset; use github") }, "\(issuer): \(found)")
    }
    #expect(try problems(github + "/octo-enterprise") == ([], ["issuers[0] repositoryNotNamed"]))
    let rule = #""requiredClaims":{"repository":"octo-org/example"},"#
    #expect(try problems(github + "/octo-enterprise", rule) == ([], []))
    #expect(try problems(github + ".example.com") == ([], []))
  }

  @Test("issuers whose tokens say less than they seem to cause a warning", arguments: presets)
  func presetWarnings(_ row: (entry: String, requirement: String, warnings: [String])) throws {
    var source = try TestIssuers.source()
    source.variables["AUTHORIZER_CONFIG"] =
      #"{"issuers":[{\#(row.entry),"audiences":["api"]}],"default":"deny","#
      + #""rules":[{"routes":["GET /a"],"allow":true,"require":\#(row.requirement)}]}"#
    #expect(Self.found(try Settings(reading: source).warnings) == row.warnings)
  }

  @Test("the audience that GitHub writes by itself is refused")
  func defaultAudience() throws {
    let text =
      #"{"issuers":[{"preset":"github:octo-org@65","audiences":["api","https://github.com/octo-org"]}]}"#
    #expect(
      try SettingsRefusalTests.problems(inline: text) == [
        "issuers[0].audiences: this is the issuer's default audience; name one for this API, which callers then"
          + " request"
      ])
  }

  @Test(
    "a workflow of another owner reaches nothing",
    arguments: [
      (#""65""#, nil), (#""66""#, .claimNotAllowed), ("65", .claimNotAllowed), (#""065""#, .claimNotAllowed),
      (#"["65"]"#, .claimNotAllowed), ("null", .claimNotAllowed),
    ] as [(String, ReasonCode?)])
  func owners(_ id: String, _ reason: ReasonCode?) throws {
    var source = try TestIssuers.source()
    source.variables["AUTHORIZER_CONFIG"] =
      #"{"issuers":[{"preset":"github:octo-org@65","audiences":["api"],"keys":{"seed":"keys.json","pinned":true}}]}"#
    var authorizer = Authorizer(
      settings: try Settings(reading: source), transport: ScriptedTransport(), at: TestIssuers.now)
    let token = try TestIssuers.token(
      #""preset":"github:octo-org@65","claims":{"aud":"api","repository_owner_id":\#(id)}"#)
    let decision = authorizer.decide(on: TestEvent.bytes(.restToken, token: token), at: TestIssuers.now)
    #expect(decision.reason == reason)
  }
}
