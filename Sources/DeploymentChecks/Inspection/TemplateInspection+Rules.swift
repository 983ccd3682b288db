internal import GatewayModel
internal import Templates
internal import Text

/// Compares rules with the routes that their function guards. A warning is certain: with any doubt there is none.
extension TemplateInspection {
  /// Reports routes of rules that match no route of an API, and routes that no rule matches.
  mutating func inspectRules(_ configurations: [String: DeployedConfiguration]) {
    var seen: [[WrittenRoute]] = []
    for name in template.authorizerFunctions {
      guard let own = configurations[name], !own.routes.isEmpty, !seen.contains(own.routes) else { continue }
      seen.append(own.routes)
      // Functions may be configured alike, each for an API of its own.
      let functions = configurations.filter { $0.value.routes == own.routes }
      compare(own, Set(functions.keys))
    }
  }

  private mutating func compare(_ configuration: DeployedConfiguration, _ functions: Set<String>) {
    var guarded: [(api: GatewayAPI, route: GatewayRoute)] = []
    // An authorizer outside of the template may guard APIs of other templates.
    var isWhole =
      template.closedAPIs.isEmpty && template.nestedTemplates.isEmpty
      && functions.allSatisfy { template.functions[$0]?.isAdopted == false }
    for api in template.distinctAPIs {
      for route in api.routes {
        if case .closed = route.access { isWhole = false }
        if let authorizer = route.authorizer, functions.contains(authorizer.function) {
          guarded.append((api, route))
        }
      }
    }
    let routes = configuration.routes
    if isWhole {
      for route in routes where !guarded.contains(where: { route.meets($0.route, isREST: $0.api.isREST) }) {
        report(route, besides: guarded.map { $0.route.key })
      }
    }
    guard configuration.hasRules, !configuration.allowsByDefault else { return }
    var reported: Set<String> = []
    for (api, route) in guarded where !routes.contains(where: { $0.meets(route, isREST: api.isREST) }) {
      // Whatever the rules say, `preflightGuarded` reports a guarded OPTIONS.
      if case .path("OPTIONS"?, _) = route.match { continue }
      guard reported.insert("\(api.name) \(route.key)").inserted else { continue }
      let written = route.match == .default ? "GET /path" : route.key
      add(
        .routeWithoutRule, "\(api.name) \(route.key)",
        "every token gets 403, because no rule names this route",
        cure:
          "add it to a rule: { \"routes\": [\"\(written)\"], \"allow\": true }, with \"require\" if not all may call it"
      )
    }
  }

  private mutating func report(_ route: WrittenRoute, besides keys: [String]) {
    var known: [String] = []
    for key in keys where !known.contains(key) { known.append(key) }
    // With another verb, the texts differ too much.
    let nearest =
      NearestName.of(route.text, among: known)
      ?? known.first { Self.path($0).hasSameBytes(as: Self.path(route.text)) }
    let rest = known.count - Self.namedRoutes
    add(
      .ruleMatchesNoRoute, route.place,
      "\(route.text) matches no route" + (nearest.map { "; did you mean \($0)?" } ?? ""),
      cure:
        "correct or remove it; this function guards \(known.prefix(Self.namedRoutes).joined(separator: ", "))"
        + (rest > 0 ? " and \(rest) more" : "")
        + "; pass --accept ruleMatchesNoRoute if another template has the route")
  }

  private static let namedRoutes = 5

  private static func path(_ key: String) -> Substring { key.splitBytes(at: " ").last ?? "" }
}
