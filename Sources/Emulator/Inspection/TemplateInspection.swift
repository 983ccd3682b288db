/// Compares a template with the configuration of the authorizer that it deploys.
public struct TemplateInspection {
  /// What was found, in the order of the template.
  public private(set) var findings: [DeploymentFinding] = []
  private let template: GatewayTemplate

  /// - Parameters:
  ///   - template: the template.
  ///   - configuration: of the function that its authorizers ask; `nil` where it could not be read.
  public init(_ template: GatewayTemplate, _ configuration: DeployedConfiguration?) {
    self.template = template
    let functions = template.authorizerFunctions
    if functions.isEmpty {
      add(
        .authorizerMissing, "template", "no route has a Lambda authorizer: whoever calls, passes",
        cure: "set DefaultAuthorizer at the API, or an authorizer at its routes")
    }
    for name in functions { inspectFunction(name, configuration) }
    for api in template.apis {
      for authorizer in Self.authorizers(of: api) {
        inspect(authorizer, at: "\(api.name).\(authorizer.name)", configuration)
      }
      if configuration?.allowsByDefault == true { inspectPaths(of: api) }
      inspectResponses(of: api)
    }
    for note in template.notes {
      add(.templateNote, "template", note, cure: "nothing to do here, see that it holds on AWS")
    }
  }

  private mutating func add(
    _ code: DeploymentFinding.Code, _ place: String, _ problem: String, cure: String
  ) {
    findings.append(DeploymentFinding(code, place, problem, cure: cure))
  }

  /// Each authorizer once, in the order of the routes.
  private static func authorizers(of api: GatewayAPI) -> [GatewayAuthorizer] {
    var authorizers: [GatewayAuthorizer] = []
    for authorizer in api.routes.compactMap(\.authorizer) where !authorizers.contains(authorizer) {
      authorizers.append(authorizer)
    }
    return authorizers
  }

  // MARK: The function

  private mutating func inspectFunction(_ name: String, _ configuration: DeployedConfiguration?) {
    guard let function = template.functions[name] else { return }
    if let runtime = function.runtime, runtime != RuntimeImage.identifier {
      add(
        .wrongRuntime, name, "Runtime is \(runtime); it is built for \(RuntimeImage.identifier)",
        cure: "write Runtime: \(RuntimeImage.identifier)")
    }
    let asking = template.apis.flatMap(Self.authorizers).filter { $0.function == name }
    let timeout = function.timeoutMilliseconds
    if let patience = asking.map(\.patienceMilliseconds).min(), timeout > patience {
      add(
        .timeoutAbovePatience, name,
        "Timeout is \(timeout / 1000) s, and API Gateway waits \(patience / 1000) s: the rest is billed for nobody",
        cure: "write Timeout: \(patience / 1000)")
    }
    if let fetch = configuration?.fetchMilliseconds, timeout < fetch + Self.reserveMilliseconds {
      add(
        .timeoutBelowFetch, name,
        "Timeout is \(timeout) ms, less than a fetch of keys (\(fetch) ms) and the answer behind it",
        cure: "write Timeout: 10, or set fetch.timeoutMilliseconds lower")
    }
    let simple = asking.compactMap { authorizer in
      if case .http2(_, let isSimple) = authorizer.form { isSimple } else { nil }
    }
    if Set(simple).count > 1 {
      add(
        .mixedAnswers, name, "one HTTP API asks it for simple answers, another one for policies",
        cure: "set EnableSimpleResponses alike, or deploy two functions")
    }
  }

  /// What the function keeps for its answer behind a fetch.
  private static let reserveMilliseconds = 500

  // MARK: Authorizers

  private mutating func inspect(
    _ authorizer: GatewayAuthorizer, at place: String, _ configuration: DeployedConfiguration?
  ) {
    guard let configuration else { return }
    if case .http2(_, let isSimple) = authorizer.form, isSimple != configuration.isSimple {
      add(
        .simpleAnswersMismatch, place,
        isSimple
          ? "the API takes simple answers, the function gives policies"
          : "the API takes policies, the function gives simple answers",
        cure:
          "set EnableSimpleResponses: \(configuration.isSimple), or httpApiAnswer: \"\(isSimple ? "simple" : "policy")\""
      )
    }
    if authorizer.timeToLiveSeconds > 0 {
      inspectCache(of: authorizer, at: place, configuration)
    } else if configuration.cache != .off, authorizer.eventKind != .webSocket {
      add(
        .cacheUnused, place, "it keeps no answers: the function is asked for every request",
        cure: "a time to live of 300 s spares most calls; gatewayCache \"off\" says that none is meant")
    }
    inspectSources(of: authorizer, at: place, configuration)
  }

  private mutating func inspectCache(
    of authorizer: GatewayAuthorizer, at place: String, _ configuration: DeployedConfiguration
  ) {
    let kept = "it keeps answers for \(authorizer.timeToLiveSeconds) s"
    let off = "set the time to live to 0"
    if case .http2(_, true) = authorizer.form, configuration.isSimple, configuration.hasRules {
      add(
        .simpleAnswersCached, place, "\(kept), and a simple answer for one route would hold for others",
        cure: "\(off), or write \"httpApiAnswer\": \"policy\"")
    }
    if configuration.cache == .off {
      if configuration.tokenSources.count > 1 {
        add(
          .cacheWithSeveralSources, place,
          "\(kept), and the token may stand in \(configuration.tokenSources.count) places: each identity source is"
            + " mandatory then, so answers are kept under a place without the token, or callers are refused",
          cure: "\(off), or name one source in tokenSources")
      } else {
        add(
          .cacheExpectedOff, place, "\(kept), and the configuration says gatewayCache \"off\"",
          cure: "\(off), or set gatewayCache to \"token\"")
      }
    }
    if configuration.cache == .tokenAndRoute, !Self.namesRoute(authorizer) {
      add(
        .routeNotInCacheKey, place,
        "\(kept) under the token alone, and the configuration says \"tokenAndRoute\"",
        cure:
          "name $context.routeKey (HTTP) or the path and method (REST) as an identity source, or say \"token\""
      )
    }
  }

  private static func namesRoute(_ authorizer: GatewayAuthorizer) -> Bool {
    authorizer.identitySources.contains { source in
      if case .context(let name) = source {
        ["routeKey", "path", "resourcePath", "http.path", "resourceId"].contains(name)
      } else {
        false
      }
    }
  }

  private mutating func inspectSources(
    of authorizer: GatewayAuthorizer, at place: String, _ configuration: DeployedConfiguration
  ) {
    // A TOKEN event brings the token of its own header.
    if case .token = authorizer.form { return }
    let sources = authorizer.identitySources
    let read = configuration.tokenSources.filter { source in sources.contains { source.isKept(under: $0) } }
    if read.isEmpty {
      let wanted = configuration.tokenSources.map(\.description).joined(separator: " or ")
      let asked = sources.map(\.description).joined(separator: " and ")
      if authorizer.timeToLiveSeconds > 0 {
        add(
          .cacheWithoutToken, place,
          "it keeps answers under \(asked), and the token is read from \(wanted): one caller gets the answer of another",
          cure: "name \(wanted) as an identity source, or set the time to live to 0")
      } else if !sources.isEmpty {
        add(
          .sourceUnread, place, "it asks callers for \(asked), and the token is read from \(wanted)",
          cure: "name the same in the template and in tokenSources")
      }
    }
    for case .query(let name) in read
    where authorizer.eventKind != .webSocket && !configuration.allowsQueryTokens {
      add(
        .queryTokenRefused, place,
        "the token stands in the query parameter \(name), which the function does not take",
        cure: "send it in a header; or set allowQueryTokens, knowing that addresses are logged")
    }
  }

  // MARK: APIs

  /// `default: allow` and a path that takes every spelling.
  private mutating func inspectPaths(of api: GatewayAPI) {
    for route in api.routes where route.authorizer != nil {
      let isGreedy: Bool
      switch route.match {
      case .path(_, let pattern): isGreedy = pattern.text.hasSuffix("+}")
      case .default: isGreedy = true
      case .connect, .message: isGreedy = false
      }
      guard isGreedy else { continue }
      add(
        .greedyPathUnderAllow, "\(api.name) \(route.key)",
        "\"default\": \"allow\" behind a path that takes any spelling: //admin, /%61dmin or /Admin may pass no rule",
        cure: "write \"default\": \"deny\" and grant what is meant")
    }
  }

  /// What a browser sees of a refusal by a REST API.
  private mutating func inspectResponses(of api: GatewayAPI) {
    guard case .rest(let responses) = api.kind, api.routes.contains(where: { $0.authorizer != nil }) else {
      return
    }
    let hasPreflight = api.routes.contains { route in
      if case .path(let method, _) = route.match { method == "OPTIONS" } else { false }
    }
    for kind in [GatewayResponseKind.unauthorized, .accessDenied] {
      let place = "\(api.name) \(kind.rawValue)"
      let change = responses.changes[kind] ?? responses.changes[.default4XX]
      guard let change else {
        add(
          .gatewayResponseMissing, place,
          "refusals have API Gateway's own body, and no header of CORS or RFC 6750",
          cure: "write GatewayResponses as template/template.yaml does")
        continue
      }
      if hasPreflight,
        !change.headers.contains(where: { $0.name.lowercased() == "access-control-allow-origin" })
      {
        add(
          .originMissing, place, "no Access-Control-Allow-Origin: a browser hides the refusal from the page",
          cure: "add the header to ResponseParameters")
      }
    }
  }
}
