internal import GatewayEmulator
internal import GatewayModel
internal import IAMPolicy
internal import Text

/// The requests of a run, and the routes that it leaves out.
package struct SmokePlan: Sendable {
  package private(set) var requests: [SmokeRequest] = []
  package private(set) var skipped: [Skip] = []
  /// Seconds after which the requests are sent again whose prediction is then another one; 0 for never.
  package let wait: Int

  /// A route without a request.
  package struct Skip: Error, Equatable, Sendable {
    package let api: String
    package let route: String
    package let why: String
  }

  /// What the user chose.
  package struct Choices: Sendable {
    /// The methods that may be sent, in upper case.
    let methods: [String]
    let values: [String: String]
    /// Patterns of route keys, such as `* /admin/*`.
    let exceptions: [String]
    let roles: [String]
    /// After how many seconds API Gateway must have forgotten answers of authorizers; 0 for no such test.
    let wait: Int

    /// The methods that change nothing (RFC 9110 section 9.2.1).
    package static let safeMethods = ["GET", "HEAD", "OPTIONS"]

    /// - Parameter methods: `nil` for those that change nothing.
    package init(
      methods: [String]?, values: [String: String], exceptions: [String], roles: [String], wait: Int = 0
    ) throws(SmokeRefusal) {
      let upper = methods?.map { $0.uppercased() } ?? Self.safeMethods
      guard !upper.isEmpty, upper.allSatisfy(GatewayRoute.methods.contains) else { throw .method }
      for (name, value) in values where !DeployedAddress.isPlain("/" + value) { throw .valueForm(name: name) }
      (self.methods, self.values, self.exceptions, self.roles) = (upper, values, exceptions, roles)
      self.wait = wait
    }
  }

  package init(_ targets: [SmokeTarget], _ choices: Choices) throws(SmokeRefusal) {
    wait = choices.wait
    for target in targets { add(target, choices) }
    guard !requests.isEmpty else { throw .nothingToAsk }
    let longest = requests.compactMap(\.timeToLiveSeconds).max() ?? 0
    guard wait == 0 || wait > longest else { throw .wait(timeToLiveSeconds: longest) }
  }

  /// How many of the requests have a token of the user.
  package var withToken: Int {
    requests.count { if case .role = $0.credential { true } else { false } }
  }

  /// How many of the requests have a token whose answer API Gateway may keep.
  package var repeatable: Int { requests.count { $0.timeToLiveSeconds != nil } }

  /// How many of the answers an API that guards its routes refuses at least: they count for alarms on 4xx.
  package var refused: Int {
    requests.count { request in
      request.route.access.isGuarded && [.none, .garbage].contains(request.credential)
    }
  }

  private mutating func add(_ target: SmokeTarget, _ choices: Choices) {
    let api = target.api
    var asked: [String] = []
    for route in api.routes {
      let method =
        switch route.match {
        case .path(let method?, _): method
        case .connect: "GET"
        case .path, .default, .message: choices.methods[0]
        }
      do throws(Skip) {
        let path = try Self.path(of: route, method, in: api, choices)
        requests += Self.credentials(of: route, choices.roles).map {
          SmokeRequest(target: target, route: route, method: method, path: path, credential: $0)
        }
        if !asked.containsText(path), choices.methods.containsText("OPTIONS"),
          let preflight = Self.preflight(of: api, for: method)
        {
          asked.append(path)
          requests.append(
            SmokeRequest(target: target, route: route, method: "OPTIONS", path: path, credential: preflight))
        }
      } catch { skipped.append(error) }
    }
  }

  /// Tokens first, so that a cache that ignores them would then answer requests without one. A token goes only where an
  /// authorizer reads it.
  private static func credentials(of route: GatewayRoute, _ roles: [String]) -> [SmokeRequest.Credential] {
    switch route.access {
    case .lambda, .token: roles.map { .role($0) } + [.garbage, .none]
    case .signature: [.garbage, .none]
    case .open, .closed: [.none]
    }
  }

  /// - Throws: why the route gets no request.
  private static func path(
    of route: GatewayRoute, _ method: String, in api: GatewayAPI, _ choices: Choices
  ) throws(Skip) -> String {
    func no(_ why: String) -> Skip { Skip(api: api.name, route: route.key, why: why) }
    if choices.exceptions.contains(where: { WildcardPattern($0).matches(route.key) }) {
      throw no("--except")
    }
    if api.access.resourcePolicy != nil || api.access.isPrivate {
      throw no("the resource policy may decide by the address of the caller")
    }
    if case .closed = route.access { throw no("serve does not emulate it") }
    guard choices.methods.containsText(method) else { throw no("--methods does not have \(method)") }
    if route.match == .connect { return "" }
    if case .webSocket = api.kind { throw no("it takes messages, and only $connect is asked") }
    guard case .path(_, let pattern) = route.match else {
      // `$default` gets what no other route matches.
      let table = RouteTable(api)
      let path = ["/", "/authorizer-local-smoke"].first {
        table.route(method: method, path: $0)?.route.match == .default
      }
      guard let path else { throw no("no path reaches it") }
      return path
    }
    var path = ""
    for segment in pattern.segments {
      switch segment {
      case .literal(let text): path += "/" + text
      case .parameter(let name), .greedy(let name):
        guard let value = choices.values[name] else {
          throw no("--value \(ShellWord.assignment(name, "VALUE"))")
        }
        if case .parameter = segment, value.containsBytes(of: "/") {
          throw no("the --value of \(name) has a slash")
        }
        path += "/" + value
      }
    }
    return path.isEmpty ? "/" : path
  }

  /// A preflight request that the CORS configuration of an HTTP API answers.
  private static func preflight(of api: GatewayAPI, for method: String) -> SmokeRequest.Credential? {
    guard case .http(let policy?) = api.kind, let first = policy.origins.first else { return nil }
    let origin = first.hasByteSuffix("*") ? "https://example.com" : first
    return .preflight(origin: origin, method: method)
  }
}
