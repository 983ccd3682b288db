@testable import DeploymentChecks
import Testing

/// Findings about APIs whose rules name tools of MCP.
@Suite struct TemplateToolTests {
  typealias Code = DeploymentFinding.Code

  static func codes(_ template: String, routes: [String]) throws -> [Code] {
    let tools = routes.map { WrittenRoute(place: "rules[0].routes[0]", text: $0) }
    let configuration = DeployedConfiguration(cache: .off, toolRoutes: tools)
    let own: Set<Code> = [
      .toolRulesCached, .toolRulesWithoutHeaders, .toolHeaderIsIdentitySource, .cacheExpectedOff,
      .sourceUnread,
    ]
    return try TemplateInspectionTests.codes(template, configuration).filter { own.contains($0) }
  }

  static let token = TemplateInspectionTests.identity("Header: Authorization, ReauthorizeEvery: 0")

  static func named(_ header: String, seconds: Int = 0) -> String {
    TemplateInspectionTests.identity("Headers: [Authorization, \(header)], ReauthorizeEvery: \(seconds)")
  }

  @Test(
    arguments: [
      (TemplateInspectionTests.rest(TemplateInspectionTests.uncached), "POST /pets", []),
      (TemplateInspectionTests.http(TemplateInspectionTests.uncached), "POST /pets", []),
      (TemplateInspectionTests.rest(TemplateInspectionTests.cached), "POST /pets", [.toolRulesCached]),
      (TemplateInspectionTests.http(TemplateInspectionTests.cached), "POST /pets", [.toolRulesCached]),
      (TemplateInspectionTests.rest(token, type: "TOKEN"), "* /pets", [.toolRulesWithoutHeaders]),
      // The tools are behind another API.
      (TemplateInspectionTests.rest(token, type: "TOKEN"), "POST /mcp", []),
      (TemplateInspectionTests.rest(named("Mcp-Name")), "POST /pets", [.toolHeaderIsIdentitySource]),
      (TemplateInspectionTests.rest(named("mcp-method")), "POST /pets", [.toolHeaderIsIdentitySource]),
      (
        TemplateInspectionTests.http(named("MCP-Protocol-Version")), "POST /pets",
        [.toolHeaderIsIdentitySource]
      ),
      (
        TemplateInspectionTests.rest(named("Mcp-Name", seconds: 60)), "POST /pets",
        [.toolRulesCached, .toolHeaderIsIdentitySource]
      ),
      (TemplateInspectionTests.rest(named("Mcp-Param-Region")), "POST /pets", [.sourceUnread]),
      // Without rules for tools none of this matters.
      (TemplateInspectionTests.rest(TemplateInspectionTests.cached), nil, [.cacheExpectedOff]),
      (TemplateInspectionTests.rest(named("Mcp-Name")), nil, [.sourceUnread]),
      (TemplateInspectionTests.rest(token, type: "TOKEN"), nil, []),
    ] as [(String, String?, [Code])])
  func theAuthorizerMustSeeEachMessage(_ template: String, _ route: String?, _ codes: [Code]) throws {
    #expect(Set(try Self.codes(template, routes: route.map { [$0] } ?? [])) == Set(codes))
  }
}
