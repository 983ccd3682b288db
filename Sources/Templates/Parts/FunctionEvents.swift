package import GatewayModel

/// A route in the `Events` of a function or a state machine.
struct FunctionEvent {
  let route: SAMRoute
  /// Whether it says which format the function gets.
  let hasFormat: Bool
  /// The limit of requests per time (`RouteSettings`, HTTP APIs).
  let throttle: UsagePlan.Throttle?
}

/// The authorizer of a route.
enum AuthorizerChoice: Equatable {
  /// The API's default.
  case inherited
  case none
  case named(String)
}

/// The routes in the `Events` of all functions, by API.
struct FunctionEvents {
  private var byAPI: [String: [FunctionEvent]] = [:]
  private var closing: [String: [Diagnostic]] = [:]
  /// Findings about events of which not even the API is known: they concern every API.
  private(set) var unplaced: [Diagnostic] = []

  mutating func add(_ event: FunctionEvent, to api: String) { byAPI[api, default: []].append(event) }

  /// Closes an API, or every API, because the requests of one of its routes are not known.
  mutating func close(_ api: String?, _ findings: [Diagnostic]) {
    if let api { closing[api, default: []] += findings } else { unplaced += findings }
  }

  /// Removes and returns the routes of one API; reports what closes it.
  mutating func take(for api: String, _ report: Diagnostics) -> [FunctionEvent] {
    report.refuse(closing.removeValue(forKey: api) ?? [])
    return byAPI.removeValue(forKey: api) ?? []
  }

  /// Reports what closes an API that is not of SAM. SAM adds no route to it.
  mutating func takeClosing(for api: String, _ report: Diagnostics) {
    if closing[api] != nil { _ = take(for: api, report) }
  }

  /// Whether an API has no route and nothing that closes it.
  func isEmpty(_ api: String) -> Bool { byAPI[api] == nil && closing[api] == nil }

  /// Notes the routes of APIs elsewhere, which are not served.
  func noteUnclaimed(_ report: Diagnostics) {
    for api in ImplicitAPI.allCases {
      for event in byAPI[TemplateNames.apiIdentifier(api.rawValue)] ?? [] {
        report.refuse(
          event.route.line, event.route.path, "names no API in a way that SAM knows",
          cure: "write \(api.property): !Ref API")
      }
    }
    for event in byAPI.values.joined().sorted(by: { $0.route.line < $1.route.line }) {
      report.note(
        event.route.line, event.route.path, "refers to no API of this template: the route is not served",
        cure: "write !Ref API")
    }
  }
}

extension GatewayRoute.Match {
  /// Whether two matches are the same key, whatever the names of parameters.
  package func hasSameRequests(as other: GatewayRoute.Match) -> Bool {
    guard case .path(let method, let pattern) = self, case .path(let otherMethod, let otherPattern) = other
    else { return self == other }
    return method == otherMethod && pattern.text == otherPattern.text
  }
}
