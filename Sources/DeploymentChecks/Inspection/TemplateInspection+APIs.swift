internal import Templates
internal import Text
internal import GatewayModel

/// Checks of an API's paths, open routes, CORS and gateway responses.
extension TemplateInspection {
  /// Reports `default: allow` behind a greedy path.
  mutating func inspectPaths(of api: GatewayAPI, _ configurations: [String: DeployedConfiguration]) {
    for route in api.routes {
      guard let function = route.authorizer?.function, configurations[function]?.allowsByDefault == true
      else { continue }
      let isGreedy: Bool
      switch route.match {
      case .path(_, let pattern): isGreedy = pattern.text.hasByteSuffix("+}")
      case .default: isGreedy = true
      case .connect, .message: isGreedy = false
      }
      guard isGreedy else { continue }
      findings.add(
        .greedyPathUnderAllow, "\(api.name) \(route.key)",
        "\"default\": \"allow\" behind a greedy path: //admin, /%61dmin or /Admin may match no rule and be allowed",
        cure: "write \"default\": \"deny\" and grant the intended paths")
    }
  }

  /// Reports routes without an authorizer.
  mutating func inspectOpenRoutes(of api: GatewayAPI) {
    var open: [String] = []
    if case .webSocket = api.kind {
      // Only $connect can have an authorizer; without that route every caller is connected.
      let connect = api.routes.first { $0.match == .connect }
      if connect?.access.isOpen ?? true { open = ["$connect"] }
    } else {
      // Routes of the sign-in function are open by design, or `TemplateIdentityInspection` reports them.
      let signIn = template.identityFunctions
      open = api.routes.filter { route in
        if case .function(let name, _) = route.integration, signIn.contains(name) { return false }
        // Clients without a token read the document about the resource.
        if route.isResourceMetadata, route.integration.mock != nil { return false }
        return route.access.isOpen && !route.needsAPIKey && !route.isPreflight
      }.map(\.key)
    }
    for key in open {
      findings.add(
        .routeWithoutAuthorizer, "\(api.name) \(key)", "it has no authorizer: every caller is admitted",
        cure:
          "set DefaultAuthorizer at the API, or an authorizer at this route;"
          + " pass --accept routeWithoutAuthorizer if this is intended"
      )
    }
  }

  /// Reports open routes that answer the methods that guarded paths lack, one finding for each open route.
  ///
  /// A mock answers without a backend, and the sign-in function decides about its callers itself.
  mutating func inspectHoles(of api: GatewayAPI) {
    if case .webSocket = api.kind { return }
    let signIn = template.identityFunctions
    var requests: [(open: GatewayRoute, examples: [String])] = []
    for hole in RouteTable(api).holes(of: api) {
      switch hole.open.integration {
      case .function(let name, _) where signIn.contains(name): continue
      case .mapped where hole.open.integration.mock != nil: continue
      default: break
      }
      let path = hole.guarded.lazy.compactMap(\.pathText).first ?? ""
      let examples = hole.methods.map { "\($0) \(path)" }
      if let place = requests.firstIndex(where: { $0.open == hole.open }) {
        requests[place].examples += examples
      } else {
        requests.append((hole.open, examples))
      }
    }
    for (open, examples) in requests {
      let named = examples.prefix(Self.namedExamples).joined(separator: ", ")
      let rest = examples.count - Self.namedExamples
      findings.add(
        .guardedPathFallsThrough, "\(api.name) \(open.key)",
        "it is open and gets requests to guarded paths that lack the method: \(named)"
          + (rest > 0 ? " and \(rest) more" : ""),
        cure: "write ANY at these paths, or an authorizer at this route;"
          + " pass --accept guardedPathFallsThrough if this is intended")
    }
  }

  private static let namedExamples = 4

  // MARK: Browsers

  /// Reports authorizers on preflight requests, which carry no token (Fetch Standard, "CORS-preflight fetch"), and
  /// APIs that any origin may read.
  mutating func inspectPreflights(of api: GatewayAPI) {
    let preflights = api.routes.filter(\.isPreflight)
    if let guarded = preflights.first(where: { $0.access.isGuarded }) {
      let isREST = api.isREST
      findings.add(
        .preflightGuarded, "\(api.name) \(guarded.key)",
        "a preflight request carries no token: it is refused, and the browser does not send the actual request",
        cure: isREST
          ? "write AddDefaultAuthorizerToCorsPreflight: false under Auth; SAM's default is true"
          : "remove the authorizer from OPTIONS")
    }
    let isForAll: Bool
    switch api.kind {
    case .http(let policy?):
      let schemes = policy.origins.filter { $0.hasByteSuffix("://*") }
      if let scheme = schemes.first, policy.allowsCredentials {
        findings.add(
          .credentialsForAnyOrigin, api.name,
          "AllowCredentials with the origin \(scheme): every such page can use its visitor's cookies",
          cure: "list the origins, or remove AllowCredentials")
        isForAll = false
      } else {
        isForAll = policy.origins.containsText("*") || !schemes.isEmpty
      }
      // "Configure CORS for HTTP APIs with a $default route and an authorizer"
      if let route = api.routes.first(where: { $0.match == .default }), route.access.isGuarded,
        !preflights.contains(where: { $0.access.isOpen && $0.takesEveryPath })
      {
        findings.add(
          .preflightGuarded, "\(api.name) $default",
          "it also receives preflight requests, which carry no token",
          cure: "add a route OPTIONS /{proxy+} without an authorizer")
      }
    case .rest:
      isForAll = preflights.contains { route in
        if let mock = route.integration.mock {
          mock.responses.contains { $0.headers.contains { $0.isAnyOrigin } }
        } else {
          false
        }
      }
    case .http(nil), .webSocket: isForAll = false
    }
    if isForAll {
      findings.add(
        .anyOrigin, api.name, "pages of every origin can read its responses",
        cure: "list the origins, unless this is intended")
    }
  }

  /// Checks the gateway responses of a REST API.
  mutating func inspectResponses(of api: GatewayAPI) {
    guard case .rest(let responses) = api.kind, api.routes.contains(where: { $0.authorizer != nil }) else {
      return
    }
    let isForeign = Self.authorizers(of: api).allSatisfy { template.foreignAuthorizers.contains($0.function) }
    for kind in GatewayResponseKind.allCases where Self.refusals.contains(kind) {
      if let change = responses.changes[kind] { inspect(change, at: "\(api.name) \(kind.rawValue)") }
    }
    let hasPreflight = api.routes.contains(where: \.isPreflight)
    for kind in [GatewayResponseKind.unauthorized, .accessDenied] {
      let place = "\(api.name) \(kind.rawValue)"
      let change = responses.changes[kind] ?? responses.changes[.default4XX]
      guard let change else {
        // Only a browser needs it, unless the function is this project's, whose templates have it.
        if isForeign, !hasPreflight { continue }
        findings.add(
          .gatewayResponseMissing, place,
          "refusals have API Gateway's default body, and no CORS or RFC 6750 headers",
          cure: "write GatewayResponses as in template/template.yaml")
        continue
      }
      if hasPreflight, !change.has("Access-Control-Allow-Origin") {
        findings.add(
          .originMissing, place, "no Access-Control-Allow-Origin: a browser hides the refusal from the page",
          cure: "add the header to ResponseParameters")
      }
      if kind == .unauthorized, !isForeign, change.status ?? 401 == 401, !change.has("WWW-Authenticate") {
        findings.add(
          .challengeMissing, place,
          "a 401 must have WWW-Authenticate (RFC 9110 section 15.5.2)",
          cure: "add WWW-Authenticate: \"'Bearer'\" to ResponseParameters.Headers")
      }
    }
  }

  /// The responses that a caller can get when the authorizer refuses or fails.
  private static let refusals: Set<GatewayResponseKind> = [
    .unauthorized, .accessDenied, .default4XX, .authorizerFailure, .authorizerConfigurationError, .default5XX,
  ]

  private mutating func inspect(_ change: GatewayResponseChange, at place: String) {
    if let status = change.status, status < 400 {
      findings.add(
        .refusalSucceeds, place, "StatusCode \(status) reports success to a refused caller",
        cure: "write 401 for UNAUTHORIZED, 403 for ACCESS_DENIED, 500 for failures, or remove StatusCode")
    }
    let withCredentials = change.headers.contains {
      $0.name.lowercased() == "access-control-allow-credentials" && $0.value == .literal("true")
    }
    if withCredentials, change.headers.contains(where: \.isSentBack) {
      findings.add(
        .credentialsForAnyOrigin, place,
        "Access-Control-Allow-Credentials with the caller's own Origin: every page can read its visitor's responses",
        cure: "write a fixed origin, or remove Access-Control-Allow-Credentials")
    }
    if withCredentials, change.headers.contains(where: \.isAnyOrigin) {
      findings.add(
        .credentialsForAnyOrigin, place,
        "Access-Control-Allow-Credentials with the origin *, which browsers refuse (Fetch Standard, \"CORS check\")",
        cure: "write a fixed origin, or remove Access-Control-Allow-Credentials")
    }
  }
}

extension GatewayRoute {
  fileprivate var isPreflight: Bool {
    if case .path(let method, _) = match { method == "OPTIONS" } else { false }
  }

  fileprivate var pathText: String? {
    if case .path(_, let pattern) = match { pattern.text } else { nil }
  }

  /// Whether it is `/{proxy+}`.
  fileprivate var takesEveryPath: Bool {
    if case .path(_, let pattern) = match, case .greedy? = pattern.segments.first { true } else { false }
  }
}

extension GatewayResponseChange {
  fileprivate func has(_ header: String) -> Bool {
    headers.contains { $0.name.lowercased() == header.lowercased() }
  }
}

extension GatewayResponseChange.Parameter {
  fileprivate var isSentBack: Bool {
    guard name.lowercased() == "access-control-allow-origin", case .header(let header) = value else {
      return false
    }
    return header.lowercased() == "origin"
  }

  fileprivate var isAnyOrigin: Bool {
    name.lowercased() == "access-control-allow-origin" && value == .literal("*")
  }
}
