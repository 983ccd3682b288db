import Bytes
import JOSE

/// The paths of rules that name tools, resources or prompts of MCP: what a rule grants on them depends on the headers of
/// each request, so no policy for another request contains them.
package struct ToolRoutes: Sendable {
  /// Each once, in the order of the rules.
  package let paths: [[UInt8]]

  /// Returns `nil` if no rule names anything.
  init?(of rules: [AccessRules.Rule]) {
    var paths: [[UInt8]] = []
    for rule in rules where rule.namesAny {
      for route in rule.routes {
        if let path = route.literalPath, !paths.contains(path) { paths.append(path) }
      }
    }
    guard !paths.isEmpty else { return nil }
    self.paths = paths
  }

  /// Whether a route of a rule is on one of the paths.
  func include(_ route: Route) -> Bool { route.literalPath.map { paths.contains($0) } ?? false }

  /// Returns the verb and the path of a requested route on one of the paths, whatever the verb; `nil` for others.
  func requested(_ route: [UInt8]) -> (verb: ArraySlice<UInt8>, path: ArraySlice<UInt8>)? {
    guard let slash = route.firstIndex(of: .slash) else { return nil }
    let path = route[slash...]
    return paths.contains { $0.elementsEqual(path) } ? (route[..<slash], path) : nil
  }
}

/// The decision of the rules on a request for a tool route.
struct ToolRuling {
  /// Why it is refused: the reason, the rule and the requirement; `nil` if it is granted.
  fileprivate(set) var refusal: (reason: ReasonCode, rule: Int?, unmet: Requirement?)?
  /// Which header is wrong, for the log.
  fileprivate(set) var detail: String?
  /// The patterns of the tools that the token may call on this route, in the order of the rules, none twice.
  fileprivate(set) var callableTools: [[UInt8]] = []
}

extension AccessRules.Rule {
  /// Whether it names tools, resources or prompts, and so grants nothing else.
  package var namesAny: Bool { !tools.isEmpty || !resources.isEmpty || !prompts.isEmpty }

  /// The patterns of this kind of names.
  package func names(of kind: MCPKind) -> [[UInt8]] {
    switch kind {
    case .tools: tools
    case .resources: resources
    case .prompts: prompts
    }
  }

  /// Whether a pattern of this rule matches a name.
  ///
  /// - Parameter byWildcard: whether only patterns with a wildcard count.
  fileprivate func names(_ kind: MCPKind, _ name: [UInt8], byWildcard: Bool = false) -> Bool {
    names(of: kind).contains { pattern in
      RoutePattern.matches(pattern, name) && (!byWildcard || pattern.contains(RoutePattern.wildcard))
    }
  }
}

/// How requests for tool routes are decided.
extension AccessRules {
  /// Returns the indexes of the rules that grant what a request asks for to tokens that meet their requirements. This is
  /// all that rules grant on tool routes.
  ///
  /// - Parameter route: the verb and the path, which is a tool route.
  package func rules(
    granting request: MCPRequest, on route: (verb: ArraySlice<UInt8>, path: ArraySlice<UInt8>)
  ) -> [Int] {
    let naming = rules(naming: route)
    guard let kind = request.kind, isGuarded(kind, on: route.path) else {
      return naming.filter { !rules[$0].namesAny }
    }
    // A URI that may mean another one has no place behind a wildcard, whichever rule it is in.
    let isEvasive =
      kind == .resources && naming.contains { rules[$0].names(kind, request.name, byWildcard: true) }
      && request.mayEscape
    return isEvasive ? [] : naming.filter { rules[$0].names(kind, request.name) }
  }

  /// Whether this kind is granted only by rules that name it: tools always, the others if any rule of the path names
  /// some.
  func isGuarded(_ kind: MCPKind, on path: some Collection<UInt8>) -> Bool {
    kind == .tools
      || rules.contains { rule in
        !rule.names(of: kind).isEmpty && rule.routes.contains { $0.literalPath?.elementsEqual(path) ?? false }
      }
  }

  /// Returns the decision on a request for a tool route, which no token and no answer to another request decides; `nil`
  /// for other routes.
  func toolRuling(
    on request: AuthorizationRequest, _ token: VerifiedToken, _ scopes: ScopeSet, at time: DecisionTime
  ) -> ToolRuling? {
    guard let route = toolRoutes?.requested(request.arn.route) else { return nil }
    let unmet = { (rule: Int) in rules[rule].requirement.unmet(by: token, scopes, at: time) }
    var ruling = ToolRuling()
    for rule in rules(naming: route) where !rules[rule].tools.isEmpty && unmet(rule) == nil {
      for pattern in rules[rule].tools where !ruling.callableTools.contains(pattern) {
        ruling.callableTools.append(pattern)
      }
    }
    let asked: MCPRequest
    do throws(MCPHeaderFlaw) {
      asked = try MCPRequest(request)
    } catch {
      ruling.refusal = (.mcpHeaders, nil, nil)
      ruling.detail = error.detail
      return ruling
    }
    let granting = rules(granting: asked, on: route)
    if granting.contains(where: { unmet($0) == nil }) { return ruling }
    if let first = granting.first, let reason = unmet(first) {
      ruling.refusal = (reason, first, rules[first].requirement)
    } else {
      let needsName = asked.kind.map { isGuarded($0, on: route.path) } ?? false
      ruling.refusal = (needsName ? .toolNotAllowed : .noRule, nil, nil)
    }
    return ruling
  }

  /// The indexes of the rules that name a tool route. None names a preflight: it has no token, and an API answers it.
  private func rules(naming route: (verb: ArraySlice<UInt8>, path: ArraySlice<UInt8>)) -> [Int] {
    guard !route.verb.elementsEqual("OPTIONS".utf8) else { return [] }
    return rules.indices.filter { rule in
      rules[rule].routes.contains { one in
        one.literalPath?.elementsEqual(route.path) ?? false
          && one.verbs.contains { $0.utf8.elementsEqual(route.verb) }
      }
    }
  }
}
