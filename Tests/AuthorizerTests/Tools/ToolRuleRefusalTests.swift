import TestSupport
import Testing

@testable import Authorizer
@testable import FunctionHost

@Suite("Refused rules for tools")
struct ToolRuleRefusalTests {
  private static let grant = #"{"routes":["POST /mcp"],"tools":["a"],"allow":true}"#
  private static let cached =
    #"needs "gatewayCache": "off" and TTL 0: API Gateway would use the answer for one name for others too"#
  private static let single =
    "a rule with tools, resources or prompts needs a single path: no *, {…}, ${…} or $connect"

  private static func under(_ route: String, _ path: String = "/mcp") -> String {
    "toolRouteUnderWildcard: \(route) reaches \(path), which rules grant by the name of a tool, resource or prompt,"
      + " or a path above or below it; list single paths instead"
  }

  private static func spelling(_ route: String, _ path: String = "/mcp") -> String {
    "toolRouteUnderWildcard: many servers read \(route) as \(path), which rules grant by the name of a tool, resource or"
      + " prompt; remove it"
  }

  private static func list(_ count: Int) -> String { (0..<count).map { "\"t\($0)\"" }.joined(separator: ",") }

  static let refusals = Fact.table(
    #"""
    // What a list is.
    "gatewayCache":"off","default":"deny","rules":[{"routes":["POST /mcp"],"tools":[],"allow":true}]
    "gatewayCache":"off","default":"deny","rules":[{"routes":["POST /mcp"],"tools":"a","allow":true}]
    "gatewayCache":"off","default":"deny","rules":[{"routes":["POST /mcp"],"tools":["a",7],"allow":true}]
    "gatewayCache":"off","default":"deny","rules":[{"routes":["POST /mcp"],"tools":[""],"allow":true}]
      rules[0].tools: a non-empty list of non-empty strings is expected
    "gatewayCache":"off","default":"deny","rules":[{"routes":["POST /mcp"],"resources":null,"prompts":{},"allow":true}]
      rules[0].resources: a non-empty list of non-empty strings is expected
      rules[0].prompts: a non-empty list of non-empty strings is expected
    "gatewayCache":"off","default":"deny","rules":[{"routes":["POST /mcp"],"tools":[\#(list(101))],"allow":true}]
      rules[0].tools: 101 patterns; 100 at most
    "gatewayCache":"off","default":"deny","rules":[{"routes":["POST /mcp"],"tools":[\#(list(100))],"allow":true}]
      -
    "gatewayCache":"off","default":"deny","rules":[{"routes":["POST /mcp"],"tools":["a","b","a"],"prompts":["a","b\u0007"],"allow":true}]
      rules[0].tools[2]: duplicate
      rules[0].prompts[1]: no name has control characters
    "gatewayCache":"off","default":"deny","rules":[{"routes":["POST /mcp"],"resources":["\#(String(repeating: "r", count: 1025))"],"allow":true}]
      rules[0].resources[0]: longer than 1024 bytes
    "gatewayCache":"off","default":"deny","rules":[{"routes":["POST /mcp"],"tool":["a"],"allow":true}]
      rules[0].tool: unknown member, did you mean "tools"?
    // What such a rule needs.
    "default":"deny","rules":[\#(grant)]
    "gatewayCache":"token","default":"deny","rules":[\#(grant)]
    "gatewayCache":"tokenAndRoute","default":"deny","rules":[\#(grant)]
      rules[0].tools: \#(cached)
    "gatewayCache":"of","default":"deny","rules":[\#(grant)]
      gatewayCache: one of token, tokenAndRoute, off is expected
    "gatewayCache":"off","default":"allow","rules":[{"routes":["POST /mcp"],"prompts":["a"],"require":{"scopes":["s"]}}]
      rules[0].prompts: needs default deny: only rules that name a tool grant it
    "gatewayCache":"off","default":"deny","rules":[{"routes":["POST /mcp"],"tools":["a"]}]
      rules[0].allow: missing: with default deny a rule grants and needs "allow": true
    "gatewayCache":"off","default":"deny","rules":[{"routes":["POST /a/*","POST /{id}","POST /b","* /${sub}","$connect"],"tools":["a"],"allow":true}]
      rules[0].routes[0]: \#(single)
      rules[0].routes[1]: \#(single)
      rules[0].routes[3]: \#(single)
      rules[0].routes[4]: \#(single)
    "gatewayCache":"off","default":"deny","rules":[{"routes":["* /mcp","POST /"],"resources":["a"],"allow":true}]
      -
    // Rules without names beside, above and below a tool route.
    "gatewayCache":"off","default":"deny","rules":[\#(grant),{"routes":["* /*","GET /m*","DELETE /{proxy+}","PUT /*cp","GET /${sub}"],"allow":true}]
      rules[1].routes[0]: \#(under("* /*"))
      rules[1].routes[1]: \#(under("GET /m*"))
      rules[1].routes[2]: \#(under("DELETE /{proxy+}"))
      rules[1].routes[3]: \#(under("PUT /*cp"))
      rules[1].routes[4]: \#(under("GET /${sub}"))
    "gatewayCache":"off","default":"deny","rules":[{"routes":["GET /mcp/*","OPTIONS /mcp/{id}","GET /mcp/x*","GET /mcp/u/${sub}"],"allow":true},\#(grant)]
      rules[0].routes[0]: \#(under("GET /mcp/*"))
      rules[0].routes[1]: \#(under("OPTIONS /mcp/{id}"))
      rules[0].routes[2]: \#(under("GET /mcp/x*"))
      rules[0].routes[3]: \#(under("GET /mcp/u/${sub}"))
    "gatewayCache":"off","default":"deny","rules":[{"routes":["POST /a/b/mcp"],"tools":["t"],"allow":true},{"routes":["GET /a*","GET /a/b*","GET /*a","GET /a/*b","GET /a/${sub}"],"allow":true}]
      rules[1].routes[0]: \#(under("GET /a*", "/a/b/mcp"))
      rules[1].routes[1]: \#(under("GET /a/b*", "/a/b/mcp"))
      rules[1].routes[2]: \#(under("GET /*a", "/a/b/mcp"))
      rules[1].routes[3]: \#(under("GET /a/*b", "/a/b/mcp"))
      rules[1].routes[4]: \#(under("GET /a/${sub}", "/a/b/mcp"))
    "gatewayCache":"off","default":"deny","rules":[{"routes":["POST /mcp/"],"tools":["t"],"allow":true},{"routes":["GET /mc*","GET /mcp/x/{id}"],"allow":true}]
      rules[1].routes[0]: \#(under("GET /mc*", "/mcp/"))
      rules[1].routes[1]: \#(under("GET /mcp/x/{id}", "/mcp/"))
    "gatewayCache":"off","default":"deny","rules":[{"routes":["POST /"],"tools":["t"],"allow":true},{"routes":["GET /a/*"],"allow":true}]
      rules[1].routes[0]: \#(under("GET /a/*", "/"))
    // Other spellings of a tool route: letter case, slashes, a second encoding.
    "gatewayCache":"off","default":"deny","rules":[\#(grant),{"routes":["* /mcp/","GET /MCP","POST /%6Dcp","GET /Mc*","GET /MCP/{id}"],"allow":true}]
      rules[1].routes[0]: \#(spelling("* /mcp/"))
      rules[1].routes[1]: \#(spelling("GET /MCP"))
      rules[1].routes[2]: \#(spelling("POST /%6Dcp"))
      rules[1].routes[3]: \#(under("GET /Mc*"))
      rules[1].routes[4]: \#(under("GET /MCP/{id}"))
    "gatewayCache":"off","default":"deny","rules":[\#(grant),{"routes":["POST /MCP"],"tools":["a"],"allow":true}]
      -
    // No wildcard, or another path.
    "gatewayCache":"off","default":"deny","rules":[\#(grant),{"routes":["* /mcp","GET /","GET /mcp/health","GET /mcpx/*","GET /m/*","$connect","* /users/${sub}","GET /mcp2/{id}"],"allow":true}]
      -
    "gatewayCache":"off","default":"deny","rules":[{"routes":["POST /a/b/mcp"],"tools":["t"],"allow":true},{"routes":["GET /a","GET /a/b","GET /a/b/c/*","GET /a/c/*","GET /a/b/m/*"],"allow":true}]
      -
    // Guests.
    "gatewayCache":"off","anonymous":{"routes":["GET /mcp","* /*","GET /mcp/*","POST /mcp/x","GET /m/*","GET /mcp/"]},"default":"deny","rules":[\#(grant)]
      anonymous.routes[0]: \#(spelling("GET /mcp"))
      anonymous.routes[1]: \#(under("* /*"))
      anonymous.routes[2]: \#(under("GET /mcp/*"))
      anonymous.routes[5]: \#(spelling("GET /mcp/"))
    """#)

  @Test("each mistake is reported with its path and a fix", arguments: refusals)
  func refused(_ fact: Fact) throws {
    let text = TestRules.configuration(fact.subject)
    #expect(try SettingsRefusalTests.problems(inline: text) == fact.expected)
  }

  private static let reserved = "reserved by API Gateway or by this authorizer; choose another name"

  @Test(
    "a claim cannot become a member that the server trusts, in any letter case, with tool rules or without",
    arguments: ["mcpTools", "mcpToolRules", "MCPTools", "mcptoolrules", "revocationSub", "RevocationX"])
  func context(name: String) throws {
    for member in [#""sub""#, #"{"claim":"a","as":"json"}"#, "false"] {
      let text = TestRules.configuration("", partner: #","context":{"\#(name)":\#(member)}"#)
      #expect(
        try SettingsRefusalTests.problems(inline: text) == ["issuers[1].context.\(name): \(Self.reserved)"])
    }
  }

  private static let tool = #"{"routes":["POST /mcp"],"tools":["*"],"allow":true,"require":{"scopes":["a"]}}"#
  private static let all = #"{"routes":["* /mcp"],"allow":true}"#

  static let warnings = Fact.table(
    #"""
    \#(all),\#(tool)
      rules[0]: resources/read and prompts/get stay open on /mcp: no rule of it names resources or prompts
    \#(tool),{"routes":["POST /mcp"],"resources":["r"],"allow":true},\#(all)
      rules[2]: prompts/get stay open on /mcp: no rule of it names prompts
    {"routes":["POST /mcp"],"prompts":["p"],"allow":true},\#(all)
      rules[1]: resources/read stay open on /mcp: no rule of it names resources
    \#(tool),\#(all),{"routes":["GET /mcp"],"resources":["r"],"prompts":["p"],"allow":true}
      -
    \#(tool),{"routes":["POST /a","GET /a"],"resources":["*"],"allow":true},{"routes":["GET /a"],"allow":true}
      rules[2]: prompts/get stay open on /a: no rule of it names prompts
    // Nothing is open where no rule grants the other methods.
    \#(tool)
      -
    // Less is required for the same names, or a part of them.
    \#(tool),{"routes":["POST /mcp"],"tools":["a*","b"],"allow":true,"require":{"scopes":["a","b"]}}
      rules[1]: rules[0] allows all routes of rules[1] with only a part of its "require", so rules[1] has no effect: a route needs only one rule that is met (docs/rules.md)
    {"routes":["POST /mcp"],"tools":["a*"],"allow":true},{"routes":["POST /mcp"],"tools":["a*","b"],"allow":true,"require":{"scopes":["b"]}}
    {"routes":["POST /mcp"],"tools":["a*"],"allow":true},{"routes":["POST /mcp"],"resources":["a"],"allow":true,"require":{"scopes":["b"]}}
      -
    """#)

  @Test("what stays open, and what has no effect, causes a warning", arguments: warnings)
  func warned(_ fact: Fact) throws {
    #expect(
      try TestRules.settings(TestMCP.members(fact.subject)).warnings.map(\.description) == fact.expected)
  }

  @Test("other parts of the harness read the names of rules as they were written")
  func names() throws {
    let settings = try TestRules.settings(
      TestMCP.members(
        #"{"routes":["GET /a"],"allow":true},{"routes":["POST /mcp"],"prompts":["p"],"tools":["a*","\u00e9"],"allow":true}"#
      ))
    #expect(settings.rules?.toolRoutes?.paths.map { String(decoding: $0, as: UTF8.self) } == ["/mcp"])
    #expect(
      settings.ruleNames.map { $0.map { "\($0.kind) \($0.patterns)" } } == [
        [], [#"tools ["a*", "é"]"#, #"prompts ["p"]"#],
      ])
    #expect(try TestRules.settings("").rules?.toolRoutes == nil)
  }
}
