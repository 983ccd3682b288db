import FunctionHost
import JOSE

/// Reads the names of MCP in rules, and checks that no other rule opens what they guard.
extension ObjectReader {
  /// Returns the patterns of one kind of names; empty if the rule names none.
  func patterns(_ texts: [String]?, of kind: MCPKind) -> [[UInt8]] {
    let member = kind.rawValue
    let patterns = (texts ?? []).map { Array($0.utf8) }
    if patterns.count > ToolRoutes.maximumPatterns {
      add(member, "\(patterns.count) patterns; \(ToolRoutes.maximumPatterns) at most")
    }
    for (index, pattern) in patterns.enumerated() {
      if ControlCharacters.occur(in: pattern) {
        add("\(member)[\(index)]", "no name has control characters")
      } else if pattern.count > ToolRoutes.maximumPatternBytes {
        add("\(member)[\(index)]", "longer than \(ToolRoutes.maximumPatternBytes) bytes")
      } else if patterns[..<index].contains(pattern) {
        add("\(member)[\(index)]", "duplicate")
      }
    }
    return patterns
  }

  /// Checks what a rule with names needs.
  ///
  /// - Parameter whenNoRule: `nil` if it is unknown.
  func checkNames(of rule: AccessRules.Rule, _ whenNoRule: AccessRules.Default?, mayCache: Bool) {
    guard let kind = MCPKind.allCases.first(where: { !rule.names(of: $0).isEmpty }) else { return }
    if mayCache {
      add(
        kind.rawValue,
        "needs \"gatewayCache\": \"off\" and TTL 0: API Gateway would use the answer for one name for others too"
      )
    }
    if whenNoRule == .allow {
      add(kind.rawValue, "needs default deny: only rules that name a tool grant it")
    }
    for (index, route) in rule.routes.enumerated() where route.literalPath == nil {
      add(
        "routes[\(index)]",
        "a rule with tools, resources or prompts needs a single path: no *, {…}, ${…} or $connect")
    }
  }

  /// Checks that no rule without names reaches a tool route, or a path above or below it, by a wildcard, and none has
  /// another spelling of it.
  func checkToolRoutes(of rules: [AccessRules.Rule]) {
    guard let toolRoutes = ToolRoutes(of: rules) else { return }
    for (index, rule) in rules.enumerated() where !rule.namesAny {
      for (routeIndex, route) in rule.routes.enumerated() {
        guard let path = toolRoutes.paths.first(where: { route.spans($0) }) else { continue }
        add("rules[\(index)].routes[\(routeIndex)]", ToolRoutes.problem(with: route, on: path))
      }
    }
  }
}

extension ToolRoutes {
  /// Patterns of one kind in a rule (our own limit, as the one below).
  static let maximumPatterns = 100
  /// Bytes of a pattern.
  static let maximumPatternBytes = 1024

  /// The problem with a route that reaches a tool route, or a path above or below it, whatever is called there.
  static func problem(with route: Route, on path: [UInt8]) -> String {
    let path = String(decoding: path, as: UTF8.self)
    guard route.literalPath == nil else {
      return "toolRouteUnderWildcard: many servers read \(route.text) as \(path), which rules grant by"
        + " the name of a tool, resource or prompt; remove it"
    }
    return "toolRouteUnderWildcard: \(route.text) reaches \(path), which rules grant by the name of a"
      + " tool, resource or prompt, or a path above or below it; list single paths instead"
  }
}
