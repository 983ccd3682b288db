import RuleAnalysis
import Testing

@testable import Authorizer

/// Differences that a person would look for, in the words of the report.
@Suite("Comparison of rules")
struct ComparisonTests {
  /// What one side allows more, as `who | routes | refusal`.
  struct Fact: Sendable, CustomTestStringConvertible {
    let name: String
    var old: String
    var new: String
    /// What the entry of the issuer has beside.
    var oldIssuer = ""
    var newIssuer = ""
    var newAllows: [String] = []
    var oldAllows: [String] = []

    var testDescription: String { name }
  }

  static let partner = """
    "issuers":[{"name":"partner","issuer":"https://id.example.com","audiences":["api"],"algorithms":["ES256"],\
    "keys":{"seed":"keys.json","pinned":true}}],"gatewayCache":"off"
    """

  static let facts: [Fact] = [
    Fact(
      name: "the same rules in another order allow the same",
      old:
        #""default":"deny","rules":[{"routes":["GET /a","GET /b"],"allow":true},{"routes":["* /c/*"],"allow":true,"require":{"scopes":["s"]}}]"#,
      new:
        #""default":"deny","rules":[{"routes":["* /c/*"],"allow":true,"require":{"scopes":["s"]}},{"routes":["GET /b","GET /a"],"allow":true}]"#
    ),
    Fact(
      name: "a requirement that is gone",
      old:
        #""default":"deny","rules":[{"routes":["DELETE /orders/*"],"allow":true,"require":{"scopes":["write","admin"]}}]"#,
      new:
        #""default":"deny","rules":[{"routes":["DELETE /orders/*"],"allow":true,"require":{"scopes":["write"]}}]"#,
      newAllows: ["anyone with `scope write` | DELETE /orders/* | also needs `scope admin`"]),
    Fact(
      name: "a wildcard that opens /admin",
      old:
        #""default":"deny","rules":[{"routes":["GET /me"],"allow":true},{"routes":["* /admin/*"],"allow":true,"require":{"scopes":["admin"]}}]"#,
      new:
        #""default":"deny","rules":[{"routes":["GET /*"],"allow":true},{"routes":["* /admin/*"],"allow":true,"require":{"scopes":["admin"]}}]"#,
      newAllows: [
        "anyone with a valid token | GET /* | has no rule for it",
        "anyone with a valid token | GET /admin/* | needs `scope admin`",
      ]),
    Fact(
      name: "each user's own path becomes everyone's",
      old: #""default":"deny","rules":[{"routes":["* /users/${sub}"],"allow":true}]"#,
      new: #""default":"deny","rules":[{"routes":["* /users/*"],"allow":true}]"#,
      newAllows: [
        "anyone with a valid token | * /users | has no rule for it",
        "anyone with a valid token | * /users/* | needs that it is the caller's own path",
      ]),
    Fact(
      name: "a stricter age takes access away",
      old:
        #""default":"deny","rules":[{"routes":["GET /a"],"allow":true,"require":{"authenticatedWithinSeconds":900}}]"#,
      new:
        #""default":"deny","rules":[{"routes":["GET /a"],"allow":true,"require":{"authenticatedWithinSeconds":300}}]"#,
      oldAllows: ["anyone with `authenticated within 900 s` | GET /a | needs `authenticated within 300 s`"]),
    Fact(
      name: "a restriction that is gone under the default allow",
      old: #""default":"allow","rules":[{"routes":["* /admin/*"],"require":{"claims":{"role":"admin"}}}]"#,
      new: "",
      newAllows: ["anyone with a valid token | * /admin/* | needs `role is \"admin\"`"]),
    Fact(
      name: "a guest route",
      old: #""default":"deny","rules":[{"routes":["GET /a"],"allow":true}]"#,
      new:
        #""anonymous":{"routes":["GET /a"]},"default":"deny","rules":[{"routes":["GET /a"],"allow":true}]"#,
      newAllows: ["callers without a token | GET /a | needs a token"]),
    Fact(
      name: "a guest route whose paths servers resolve to others",
      old: #""default":"deny","rules":[{"routes":["GET /a"],"allow":true}]"#,
      new:
        #""anonymous":{"routes":["GET /a/.%20"]},"default":"deny","rules":[{"routes":["GET /a"],"allow":true}]"#
    ),
    Fact(
      name: "a tool",
      old: tools(#"["get_*"]"#), new: tools(#"["get_*","delete_*"]"#),
      newAllows: ["anyone with `scope s` | POST /mcp with tools/call delete_* | has no rule for it"]),
    Fact(
      name: "a tool route becomes a plain one",
      old: tools(#"["get_*"]"#), new: #""default":"deny","rules":[{"routes":["POST /mcp"],"allow":true}]"#,
      newAllows: [
        "anyone with a valid token | POST /mcp with tools/call * POST /mcp with no MCP headers | has no rule for it",
        "anyone with a valid token | POST /mcp with tools/call get_* | needs `scope s`",
      ]),
    Fact(
      name: "rules where there were none",
      old: "",
      new:
        #""default":"deny","rules":[{"routes":["GET /a"],"allow":true,"require":{"issuers":["partner"]}}]"#,
      oldAllows: ["anyone with a valid token | * /* $connect | has no rule for it"]),
    Fact(
      name: "not of a claim that is absent grants nothing",
      old:
        #""default":"deny","rules":[{"routes":["GET /a"],"allow":true,"require":{"claims":{"c":{"exists":true}},"not":{"claims":{"c":"x"}}}}]"#,
      new:
        #""default":"deny","rules":[{"routes":["GET /a"],"allow":true,"require":{"not":{"claims":{"c":"x"}}}}]"#
    ),
    Fact(
      name: "a claim twice beside a wildcard",
      old: #""default":"deny","rules":[{"routes":["GET /${sub}/*"],"allow":true}]"#,
      new: #""default":"deny","rules":[{"routes":["GET /*/${sub}/${sub}"],"allow":true}]"#,
      newAllows: [
        "each caller on their own path with a valid token | GET /*/${sub}/${sub} | needs that it is the caller's own path"
      ],
      oldAllows: [
        "each caller on their own path with a valid token | GET /${sub}/* | has no rule for it",
        "each caller on their own path with a valid token | GET /*/${sub}/${sub} | needs that it is the caller's own path",
      ]),
    Fact(
      name: "two claims twice",
      old: #""default":"deny","rules":[{"routes":["GET /${tid}/${tid}/${sub}/${sub}"],"allow":true}]"#,
      new: #""default":"deny","rules":[{"routes":["GET /${sub}/${sub}/${tid}/${tid}"],"allow":true}]"#,
      newAllows: [
        "each caller on their own path with a valid token | GET /${sub}/${sub}/${tid}/${tid} | needs that it is the caller's own path"
      ],
      oldAllows: [
        "each caller on their own path with a valid token | GET /${tid}/${tid}/${sub}/${sub} | needs that it is the caller's own path"
      ]),
    Fact(
      name: "a claim twice, and a restriction that takes only some texts",
      old: #""default":"deny","rules":[{"routes":["GET /${sub}/${sub}"],"allow":true}]"#,
      new: #""default":"allow","rules":[{"routes":["GET /a*/*b"],"require":{"scopes":["s"]}}]"#,
      newAllows: [
        "anyone with a valid token | * /* $connect | has no rule for it",
        "anyone with `scope s` | GET /a*/*b | has no rule for it",
        "anyone with a valid token | GET /${sub}/${sub} | needs that it is the caller's own path",
        "anyone with `scope s` | GET /a*b/a*b | needs that it is the caller's own path",
      ],
      oldAllows: ["each caller on their own path with a valid token | GET /a*b/a*b | needs `scope s`"]),
    Fact(
      name: "a claim twice, and a restriction that takes no text",
      old: #""default":"deny","rules":[{"routes":["GET /${sub}/a${sub}"],"allow":true}]"#,
      new: #""default":"allow","rules":[{"routes":["GET /a*/b*"],"require":{"scopes":["s"]}}]"#,
      newAllows: [
        "anyone with a valid token | * /* $connect | has no rule for it",
        "anyone with `scope s` | GET /a*/b* | has no rule for it",
        "anyone with a valid token | GET /${sub}/a${sub} | needs that it is the caller's own path",
      ]),
    Fact(
      name: "what the issuer requires of every token, on one side",
      old: #""default":"deny","rules":[{"routes":["GET /a"],"allow":true}]"#,
      new: #""default":"deny","rules":[{"routes":["GET /a","GET /b"],"allow":true}]"#,
      oldIssuer: #""requiredScopes":["s"],"#, newIssuer: #""requiredClaims":{"c":"x"},"#,
      newAllows: [
        #"anyone with `c is "x"` | GET /a GET /b | needs `scope s` of every token of `partner`"#,
        #"anyone with `c is "x"` | GET /b | has no rule for it"#,
      ],
      oldAllows: [#"anyone with `scope s` | GET /a | needs `c is "x"` of every token of `partner`"#]),
    Fact(
      name: "URIs that a wildcard for resources refuses",
      old:
        #""default":"deny","rules":[{"routes":["POST /mcp"],"allow":true,"tools":["*"]},{"routes":["POST /mcp"],"allow":true},{"routes":["POST /mcp"],"allow":true,"resources":["*"]}]"#,
      new:
        #""default":"deny","rules":[{"routes":["POST /mcp"],"allow":true,"tools":["*"]},{"routes":["POST /mcp"],"allow":true}]"#,
      newAllows: [
        #"anyone with a valid token | POST /mcp with resources/read *\ | has no rule for it"#
      ]),
  ]

  private static func tools(_ names: String) -> String {
    #""default":"deny","rules":[{"routes":["POST /mcp"],"allow":true},"#
      + #"{"routes":["POST /mcp"],"tools":\#(names),"allow":true,"require":{"scopes":["s"]}}]"#
  }

  @Test(arguments: facts)
  func isTold(_ fact: Fact) throws {
    let sides = try [(fact.old, fact.oldIssuer), (fact.new, fact.newIssuer)].map { rules, issuer in
      let partner = Self.partner.replacing(#""keys""#, with: issuer + #""keys""#)
      return try ConfirmedRules("{" + partner + (rules.isEmpty ? "" : ",") + rules + "}")
    }
    let comparison = try RuleComparison(sides[0].settings, sides[1].settings, at: ConfirmedRules.now)
    #expect(Self.lines(comparison.newAllows) == fact.newAllows)
    #expect(Self.lines(comparison.oldAllows) == fact.oldAllows)
    for (differences, allowing) in [(comparison.newAllows, 1), (comparison.oldAllows, 0)] {
      for difference in differences {
        #expect(try sides[allowing].outcome(difference.example) == .allowed)
        #expect(try sides[1 - allowing].outcome(difference.example) != .allowed)
      }
    }
  }

  private static func lines(_ differences: [RuleDifference]) -> [String] {
    differences.map { "\($0.who) | \($0.routes.joined(separator: " ")) | \($0.refusal)" }
  }
}
