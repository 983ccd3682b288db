import FunctionHost
import RuleAnalysis
import Testing

@testable import Authorizer

@Suite("Proofs of properties")
struct ProofTests {
  static let rules = """
    "anonymous":{"routes":["GET /public/*"]},"default":"deny","rules":[\
    {"routes":["GET /me","GET /public/*"],"allow":true},{"routes":["* /users/${sub}"],"allow":true},\
    {"routes":["* /admin/*"],"allow":true,"require":{"scopes":["admin"],"authenticatedWithinSeconds":900}}]
    """

  @Test(
    arguments: [
      (#""never":{"routes":["* /admin/*"],"who":"guest"}"#, "proven"),
      (#""never":{"routes":["* /public/*"],"who":"guest"}"#, "GET /public/x"),
      (#""never":{"routes":["* /public/*"],"who":"anyone"}"#, "GET /public/x"),
      (#""never":{"routes":["POST /public/*"],"who":"anyone"}"#, "proven"),
      (#""always":{"routes":["GET /public/*"],"who":"guest"}"#, "proven"),
      (#""always":{"routes":["GET /*"],"who":"guest"}"#, "GET /x"),
      (#""always":{"routes":["GET /me"],"who":"anyone"}"#, "proven"),
      (#""never":{"routes":["* /admin/*"],"who":{"require":{"not":{"scopes":["admin"]}}}}"#, "proven"),
      (#""never":{"routes":["* /*"],"who":{"require":{"not":{"scopes":["admin"]}}}}"#, "GET /me"),
      (#""always":{"routes":["* /admin/*"],"who":{"require":{"scopes":["admin"]}}}"#, "DELETE /admin/x"),
      (
        #""always":{"routes":["* /admin/*"],"who":{"require":{"scopes":["admin"],"authenticatedWithinSeconds":60}}}"#,
        "proven"
      ),
      (#""always":{"routes":["GET /users/${sub}"],"who":"anyone"}"#, "proven"),
      (#""never":{"routes":["GET /users/*"],"who":{"require":{"claims":{"sub":"a|b"}}}}"#, "proven"),
      (#""never":{"routes":["GET /users/*"],"who":{"require":{"claims":{"sub":"ab"}}}}"#, "GET /users/ab"),
      (#""never":{"routes":["* /*"],"who":{"require":{"claims":{"sub":1}}}}"#, "noCallers"),
      (#""never":{"routes":["$connect"],"who":"anyone"}"#, "proven"),
    ] as [(String, String)])
  func isDecided(_ property: String, _ expected: String) throws {
    try expect(expected, of: property, Self.rules)
  }

  static let own = #""default":"deny","rules":[{"routes":["ROUTE"],"allow":true}]"#
  static let guests =
    #""anonymous":{"routes":["GET /users/*"]},"default":"deny","rules":[{"routes":["GET /me"],"allow":true}]"#
  static let mcp =
    #""default":"deny","rules":[{"routes":["* /mcp"],"allow":true},{"routes":["* /mcp"],"allow":true,"tools":["*"],"resources":["*"]}]"#

  /// Claims at two places, guests on the paths of users, and tools.
  @Test(
    arguments: [
      (
        own("GET /${sub}/*"), #""always":{"routes":["GET /*/${sub}/${sub}"],"who":"anyone"}"#,
        "GET /x/xxxxxxxxx/xxxxxxxxx"
      ),
      (
        own("GET /${tid}/${tid}"),
        #""never":{"routes":["GET /${sub}/${sub}"],"who":{"require":{"claims":{"sub":{"suffix":"yz"},"tid":{"prefix":"ad"}}}}}"#,
        "GET /adxyz/adxyz"
      ),
      // One text at two places of two routes.
      (own("GET /${sub}/x/*"), #""never":{"routes":["GET /*/x/${sub}"],"who":"anyone"}"#, "GET /z/x/z/x/z"),
      (own("GET /${sub}/${sub}"), #""never":{"routes":["GET /a*/*b"],"who":"anyone"}"#, "GET /axb/axb"),
      (own("GET /${sub}/${sub}"), #""never":{"routes":["GET /a*/b*"],"who":"anyone"}"#, "proven"),
      (
        own("GET /a${tid}/${sub}"), #""never":{"routes":["GET /${sub}/${sub}"],"who":"anyone"}"#, "GET /ax/ax"
      ),
      (own("GET /${tid}/a${tid}"), #""never":{"routes":["GET /${sub}/${sub}"],"who":"anyone"}"#, "proven"),
      (
        own("GET /${sub}/${sub}"), #""never":{"routes":["* /*"],"who":{"require":{"claims":{"sub":"a b"}}}}"#,
        "proven"
      ),
      (
        own("GET /u/${sub}/*"),
        #""never":{"routes":["GET /u/${sub}/*"],"who":{"require":{"claims":{"sub":"a b"}}}}"#, "proven"
      ),
      // What conditions want of a text, and of what is in front of it in another route.
      (
        own("GET /a${tid}/b"),
        #""never":{"routes":["GET /${sub}/*"],"who":{"require":{"claims":{"sub":{"prefix":"ab"},"tid":{"suffix":"yz"}}}}}"#,
        "GET /abxyz/b"
      ),
      (
        own("GET /*/${tid}/*"),
        #""never":{"routes":["GET /*/${sub}/*"],"who":{"require":{"claims":{"sub":"a","tid":"b"}}}}"#,
        "GET /x/a/xx/b/xxx"
      ),
      (own("GET /*/${sub}"), #""always":{"routes":["GET /${sub}/*"],"who":"anyone"}"#, "GET /x/xx"),
      (own("GET /u/${sub}"), #""never":{"routes":["GET /u/a!b"],"who":"anyone"}"#, "proven"),
      (own("GET /u/*"), #""never":{"routes":["GET /u"],"who":"anyone"}"#, "GET /u"),
      (
        #""anonymous":{"routes":["GET /*"]},"default":"allow","rules":[{"routes":["GET /a/*"],"require":{"scopes":["s"]}}]"#,
        #""never":{"routes":["GET /a/*"],"who":"guest"}"#, "proven"
      ),
      // No claim has a slash.
      (own("GET /${sub}/b/*"), #""never":{"routes":["GET /*/y/b/z"],"who":"anyone"}"#, "GET /x/b/x/y/b/z"),
      (guests, #""never":{"routes":["GET /users/${sub}"],"who":"guest"}"#, "problem"),
      (guests, #""never":{"routes":["GET /users/${sub}"],"who":"anyone"}"#, "GET /users/x"),
      (guests, #""never":{"routes":["GET /me/${sub}"],"who":"anyone"}"#, "proven"),
      (guests, #""never":{"routes":["GET /${sub}/${sub}"],"who":"anyone"}"#, "GET /users/users"),
      (guests, #""never":{"routes":["GET /${sub}/x${sub}"],"who":"anyone"}"#, "GET /users/xusers"),
      (guests, #""never":{"routes":["GET /a${sub}/${sub}"],"who":"anyone"}"#, "proven"),
      (mcp, #""always":{"routes":["POST /mcp"],"who":"guest"}"#, "POST /mcp"),
      (mcp, #""always":{"routes":["POST /mcp"],"who":"anyone"}"#, "proven"),
      (mcp, #""always":{"routes":["OPTIONS /mcp"],"who":"anyone"}"#, "OPTIONS /mcp"),
      (
        #""default":"deny","rules":[{"routes":["GET /a"],"allow":true,"require":{"claims":{"nbf":1900000000}}}]"#,
        #""never":{"routes":["GET /a"],"who":"anyone"}"#, "undecided"
      ),
    ] as [(String, String, String)])
  func isDecided(_ rules: String, _ property: String, _ expected: String) throws {
    try expect(expected, of: property, rules)
  }

  private static func own(_ route: String) -> String { own.replacing("ROUTE", with: route) }

  private func expect(_ expected: String, of property: String, _ text: String) throws {
    let rules = try ConfirmedRules("{" + ComparisonTests.partner + "," + text + "}")
    let text = #"{"properties":[{"name":"p",\#(property)}]}"#
    let proof: RuleProof
    let isAlways: Bool
    do {
      let property = try RuleProperty.properties(parsing: Array(text.utf8), for: rules.settings)[0]
      proof = try RuleProof(of: property, in: rules.settings, at: ConfirmedRules.now)
      isAlways = property.isAlways
    } catch is AnalysisLimit {
      #expect(expected == "undecided")
      return
    } catch is ConfigurationError {
      #expect(expected == "problem")
      return
    }
    switch proof {
    case .proven: #expect(expected == "proven")
    case .noCallers: #expect(expected == "noCallers")
    case .refuted(let example):
      #expect((example.method ?? "") + " " + example.path == expected)
      #expect((try rules.outcome(example) == .allowed) != isAlways)
    }
  }

  @Test(
    arguments: [
      ("{}", "properties: a non-empty list is expected"),
      (#"{"properties":[{"never":{"routes":["GET /a"],"who":"guest"}}]}"#, "properties[0].name: missing"),
      (#"{"properties":[{"name":"p"}]}"#, "properties[0].never: exactly one of never and always"),
      (
        #"{"properties":[{"name":"p","never":{"routes":["GET /a"],"who":"all"}}]}"#,
        "properties[0].never.who: \"guest\", \"anyone\" or"
      ),
      (
        #"{"properties":[{"name":"p","never":{"routes":["GET a"],"who":"guest"}}]}"#,
        "properties[0].never.routes[0]: a verb, one blank"
      ),
      (
        #"{"properties":[{"name":"p","never":{"routes":["GET /a"],"who":{"require":{"scopes":["s"]},"issuer":"x"}}}]}"#,
        "properties[0].never.who.issuer: no issuer"
      ),
      (
        #"{"properties":[{"name":"p","always":{"routes":["GET /u/${sub}"],"who":"guest"}}]}"#,
        "properties[0].always.routes: a guest has no claims"
      ),
      (
        #"{"properties":[{"name":"p","always":{"routes":["GET /a"],"who":{"require":{}}}}]}"#,
        "properties[0].always.who.require: at least one of"
      ),
      (
        #"{"properties":[{"name":"p","never":{"routes":["GET /a"],"who":"guest"},"x":1}]}"#,
        "properties[0].x: unknown"
      ),
    ])
  func aPropertyThatCannotBeReadSaysWhy(_ text: String, _ problem: String) throws {
    let rules = try ConfirmedRules("{" + ComparisonTests.partner + "}")
    let error = #expect(throws: ConfigurationError.self) {
      try RuleProperty.properties(parsing: Array(text.utf8), for: rules.settings)
    }
    #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
  }
}
