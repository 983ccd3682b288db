/// Compares a template with the configurations of the authorizers that it deploys.
public struct TemplateInspection {
  /// What was found, in the order of the template.
  public private(set) var findings: [DeploymentFinding] = []
  let template: GatewayTemplate

  /// - Parameters:
  ///   - template: the template.
  ///   - configurations: of the functions that its authorizers ask, by their names; one that could not be read is absent.
  public init(_ template: GatewayTemplate, _ configurations: [String: DeployedConfiguration]) {
    self.template = template
    let functions = template.authorizerFunctions
    for finding in template.uncallable {
      add(.authorizerNotPermitted, finding.path, finding.problem, cure: Self.permissionCure)
    }
    if functions.isEmpty {
      add(
        .authorizerMissing, "template", "no route has a Lambda authorizer: whoever calls, passes",
        cure: "set DefaultAuthorizer at the API, or an authorizer at its routes")
    }
    for name in functions { inspectFunction(name, configurations[name]) }
    for api in template.apis {
      for authorizer in Self.authorizers(of: api) {
        inspect(authorizer, at: "\(api.name).\(authorizer.name)", configurations[authorizer.function])
      }
      inspectPaths(of: api, configurations)
      if !functions.isEmpty { inspectOpenRoutes(of: api) }
      inspectPreflights(of: api)
      inspectResponses(of: api)
    }
    for note in template.remarks {
      add(.templateNote, "template", note, cure: "nothing to do here, see that it holds on AWS")
    }
  }

  static let permissionCure =
    "EnableFunctionDefaultPermissions: true (SAM HTTP API), or an AWS::Lambda::Permission of apigateway.amazonaws.com"
    + " whose SourceArn ends in /authorizers/*, or credentials"

  mutating func add(
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
    let isForeign = template.foreignAuthorizers.contains(name)
    if isForeign { inspectForeign(name) }
    if !isForeign, let runtime = function.runtime, runtime != RuntimeImage.identifier {
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
    for source in sources where !read.isEmpty {
      guard source.isSent, !configuration.tokenSources.contains(where: { $0.isKept(under: source) }) else {
        continue
      }
      add(
        .sourceUnread, place,
        "it asks callers for \(source.description) too, which the function does not read: 401 without it",
        cure: "take it out of the identity sources, unless callers shall be refused without it")
    }
    for case .query(let name) in read
    where authorizer.eventKind != .webSocket && !configuration.allowsQueryTokens {
      add(
        .queryTokenRefused, place,
        "the token stands in the query parameter \(name), which the function does not take",
        cure: "send it in a header; or set allowQueryTokens, knowing that addresses are logged")
    }
  }
}

extension IdentitySource {
  /// Whether it is a caller who has to send it.
  fileprivate var isSent: Bool {
    switch self {
    case .header, .query: true
    case .stageVariable, .context: false
    }
  }
}
