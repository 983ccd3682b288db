internal import GatewayModel
internal import Templates

/// Checks of APIs whose rules name tools of MCP: the authorizer must see the headers of each message.
extension TemplateInspection {
  mutating func inspectTools(of api: GatewayAPI, _ configurations: [String: DeployedConfiguration]) {
    for authorizer in Self.authorizers(of: api) {
      guard let tools = configurations[authorizer.function]?.toolRoutes, !tools.isEmpty else { continue }
      let place = "\(api.name).\(authorizer.name)"
      if authorizer.timeToLiveSeconds > 0 {
        findings.add(
          .toolRulesCached, place,
          "it caches answers for \(authorizer.timeToLiveSeconds) s: the answer for one tool would hold for each tool",
          cure: "set the TTL to 0")
      }
      let guarded = api.routes.filter { $0.authorizer == authorizer }
      if case .token = authorizer.form,
        guarded.contains(where: { route in tools.contains { $0.meets(route, isREST: api.isREST) } })
      {
        findings.add(
          .toolRulesWithoutHeaders, place,
          "rules name tools, but events of a TOKEN authorizer have no headers: each call is refused",
          cure: "write FunctionPayloadType: REQUEST (SAM) or Type: REQUEST")
      }
      for source in authorizer.identitySources where source.isToolHeader {
        findings.add(
          .toolHeaderIsIdentitySource, place,
          "it requires \(source.description), which not all messages have: API Gateway answers those 401 itself",
          cure: "remove it from the identity sources: the function reads it without")
      }
    }
  }
}

extension IdentitySource {
  /// Whether it is a header by which rules for tools decide.
  var isToolHeader: Bool {
    guard case .header(let name) = self else { return false }
    return ["mcp-method", "mcp-name", "mcp-protocol-version"].contains(name.lowercased())
  }
}
