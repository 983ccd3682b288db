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
    // A REST API ignores slashes at the end, but few clients send one: a rule with one is only good beside one without.
    let isRuled = { (route: GatewayRoute) in routes.contains { $0.meets(route, isREST: false) } }
    if isWhole {
      for route in routes {
        let isMet = guarded.contains { api, item in
          route.meets(item, isREST: false)
            || api.isREST && route.meets(item, isREST: true) && isRuled(item)
        }
        if !isMet { report(route, besides: guarded) }
      }
    }
    guard configuration.hasRules, !configuration.allowsByDefault else { return }
    var reported: Set<String> = []
    for (api, _) in guarded where reported.insert(api.name).inserted {
      var keys: [String] = []
      for (other, route) in guarded where other.name == api.name && !keys.contains(route.key) {
        // Whatever the rules say, `preflightGuarded` reports a guarded OPTIONS.
        if case .path("OPTIONS"?, _) = route.match { continue }
        if !isRuled(route) { keys.append(route.key) }
      }
      guard let first = keys.first else { continue }
      findings.add(
        .routeWithoutRule, "\(api.name) \(keys.joined(separator: ", "))",
        "every token gets 403, because no rule names \(keys.count == 1 ? "this route" : "these routes")",
        cure: "add each to a rule: { \"routes\": [\"\(first == "$default" ? "GET /path" : first)\"],"
          + " \"allow\": true } with the \"require\" it needs")
    }
  }

  private mutating func report(
    _ route: WrittenRoute, besides guarded: [(api: GatewayAPI, route: GatewayRoute)]
  ) {
    let text = route.text
    let slashed = text.hasByteSuffix("/") ? String(text.dropLast(bytes: 1)) : text + "/"
    var corrections = text.hasByteSuffix(" /") ? [] : [(slashed, "slash at the end")]
    for (api, _) in guarded where api.stage.isInPath {
      guard let rest = Self.path(text).rest(after: "/\(api.stage.name)/") else { continue }
      let why = "\(api.stage.name) is the stage of \(api.name), and rules have no stage"
      corrections.append(("\(text.head(before: " ")) /\(rest)", why))
    }
    for (right, why) in corrections {
      let corrected = WrittenRoute(place: route.place, text: right)
      guard let met = guarded.first(where: { corrected.meets($0.route, isREST: false) }) else { continue }
      return findings.add(
        .ruleMatchesNoRoute, route.place, "\(text) does not match \(met.route.key): \(why)",
        cure: "write \(right)")
    }
    var known: [String] = []
    for (_, route) in guarded where !known.contains(route.key) { known.append(route.key) }
    // With another verb, the texts differ too much.
    let nearest =
      NearestName.of(text, among: text.hasByteSuffix("/*") ? known.map { $0 + "/*" } : known)
      ?? known.first { Self.path($0).hasSameBytes(as: Self.path(text)) }
    let rest = known.count - Self.namedRoutes
    findings.add(
      .ruleMatchesNoRoute, route.place,
      "\(text) matches no route" + (nearest.map { "; did you mean \($0)?" } ?? ""),
      cure:
        "correct or remove it; this function guards \(known.prefix(Self.namedRoutes).joined(separator: ", "))"
        + (rest > 0 ? " and \(rest) more" : "")
        + "; pass --accept ruleMatchesNoRoute if another template has the route")
  }

  private static let namedRoutes = 5

  private static func path(_ key: String) -> Substring { key.splitBytes(at: " ").last ?? "" }
}
