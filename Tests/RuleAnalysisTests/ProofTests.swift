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
    let rules = try ConfirmedRules("{" + ComparisonTests.partner + "," + Self.rules + "}")
    let text = #"{"properties":[{"name":"p",\#(property)}]}"#
    let properties = try RuleProperty.properties(parsing: Array(text.utf8), for: rules.settings)
    let proof = try RuleProof(of: properties[0], in: rules.settings, at: ConfirmedRules.now)
    switch proof {
    case .proven: #expect(expected == "proven")
    case .noCallers: #expect(expected == "noCallers")
    case .refuted(let example):
      #expect((example.method ?? "") + " " + example.path == expected)
      #expect((try rules.outcome(example) == .allowed) != properties[0].isAlways)
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
