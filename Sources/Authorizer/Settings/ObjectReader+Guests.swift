import FunctionHost

extension ObjectReader {
  /// Reads `anonymous`; returns `nil` if there are no guests or problems were reported.
  ///
  /// - Parameter rules: the rules, which restrict guests too; `nil` if there are none or they have problems.
  mutating func guestRoutes(_ cache: GatewayCache, _ rules: AccessRules?) -> GuestRoutes? {
    guard var anonymous = reader("anonymous") else { return nil }
    if cache != .off, !problems.concerns("gatewayCache") {
      add(
        "gatewayCache",
        "must be \"off\": \"anonymous\" allows requests without a token, so the API's authorizer has no identity"
          + " sources that an answer could be cached under; set its TTL to 0 too")
    }
    let texts = anonymous.texts("routes")
    if texts == nil, !problems.concerns("anonymous.routes") {
      anonymous.add("routes", "missing: the routes that callers without a token may reach")
    }
    anonymous.finish()
    var routes: [Route] = []
    for (index, text) in (texts ?? []).enumerated() {
      do throws(RouteFlaw) {
        let route = try Route(parsing: text)
        if route.isOwnership {
          anonymous.add("routes[\(index)]", "a guest has no claims; write a route without ${claim}")
        } else if routes.contains(route) {
          anonymous.add("routes[\(index)]", "duplicate")
        } else if let path = rules?.toolRoutes?.paths.first(where: {
          route.spans($0) || route.literalPath == $0
        }) {
          anonymous.add("routes[\(index)]", ToolRoutes.problem(with: route, on: path))
        } else {
          routes.append(route)
        }
      } catch {
        anonymous.add("routes[\(index)]", error.description)
      }
    }
    if routes.count > GuestRoutes.maximumRoutes {
      anonymous.add("routes", "\(routes.count) routes; \(GuestRoutes.maximumRoutes) at most")
    }
    guard !routes.isEmpty, problems.problems.isEmpty else { return nil }
    return GuestRoutes(routes, restrictedBy: rules)
  }
}

extension GuestRoutes {
  /// Returns the warnings on guest routes that are valid but may surprise their author.
  ///
  /// - Parameter rules: the rules for callers with a token; `nil` if a valid token reaches the whole stage.
  func warnings(_ rules: AccessRules?) -> [ConfigurationProblem] {
    var warnings: [ConfigurationProblem] = []
    for (index, route) in routes.enumerated() {
      let path = "anonymous.routes[\(index)]"
      if let example = route.surprisingPath {
        warnings.append(
          ConfigurationProblem(
            path: path, message: "\(route.text) crosses segments, so guests also reach \(example)",
            warning: .routeCrossesSegments))
      }
      if let warning = route.colonWarning(at: path) { warnings.append(warning) }
      if let rules { warnings += Self.warnings(on: route, at: path, rules) }
    }
    return warnings
  }

  private static func warnings(
    on route: Route, at path: String, _ rules: AccessRules
  ) -> [ConfigurationProblem] {
    let covering = rules.rules.firstIndex { rule in rule.routes.contains { $0.covers(route) } }
    switch rules.whenNoRule {
    case .allow:
      guard let covering else { return [] }
      return [
        ConfigurationProblem(
          path: path,
          message: "no effect: rules[\(covering)] restricts \(route.text), and a guest meets no requirement",
          warning: .guestRouteWithoutEffect)
      ]
    case .deny:
      // Without the advice to grant the route, which would open it to tokens that do not meet the requirement.
      if let over = rules.requirement(under: route) {
        return [
          ConfigurationProblem(
            path: path, message: "guests reach \(over)", warning: .guestRouteOverRule)
        ]
      }
      let isGranted = rules.rules.contains { rule in
        rule.requirement.isEmpty && rule.routes.contains { $0.covers(route) }
      }
      if isGranted { return [] }
      return [
        ConfigurationProblem(
          path: path,
          message:
            "no rule grants \(route.text) to every valid token: callers with a token may get 403 where guests are"
            + " allowed; add { \"routes\": [\"\(route.text)\"], \"allow\": true } to \"rules\"",
          warning: .guestRouteNotGranted)
      ]
    }
  }
}

extension AccessRules {
  /// Returns words for the first routes that callers with a token reach only if they meet a requirement or own them,
  /// and that this guest route, or wildcard of a rule without a requirement, opens; `nil` if there are none.
  ///
  /// A rule that grants to every token exactly what the guest route opens, inside the routes of the requirement, shows
  /// that its author wants the exception: `GET /articles/*` for all beside `* /articles/*` for editors.
  ///
  /// - Parameter own: the rule with the wildcard. What it makes useless has a warning, and a path of one user an exception.
  func requirement(under opening: Route, of own: Rule? = nil) -> String? {
    let open = rules.filter { $0.requirement.isEmpty }.flatMap { $0.routes }
      .filter { !$0.isOwnership && $0.covers(opening) }
    for (index, rule) in rules.enumerated() where own.map({ !Self.isUseless(rule, beside: $0) }) ?? true {
      for route in rule.routes where route.meets(opening) && (own == nil || !route.isOwnership) {
        if route.isOwnership, rule.requirement.isEmpty {
          return "\(route.text) of rules[\(index)] for every user, since a guest has no claims"
        }
        if !rule.requirement.isEmpty, !open.contains(where: { route.covers($0) }) {
          return "routes of rules[\(index)] without its \"require\""
        }
      }
    }
    return nil
  }
}
