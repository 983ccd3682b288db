package import GatewayModel
package import Templates

/// Compares a template with the configurations of the authorizers that it deploys.
package struct TemplateInspection {
  /// The findings, in template order.
  package internal(set) var findings: [DeploymentFinding] = []
  package let template: GatewayTemplate

  /// - Parameters:
  ///   - template: the template.
  ///   - configurations: the configurations of the authorizer functions, by function name, without those that could
  ///     not be read.
  package init(_ template: GatewayTemplate, _ configurations: [String: DeployedConfiguration]) {
    self.template = template
    let functions = template.authorizerFunctions
    for finding in template.uncallable {
      findings.add(.authorizerNotPermitted, finding.path, finding.problem, cure: Self.permissionCure)
    }
    let standalone = template.standaloneAuthorizers
    if !standalone.isEmpty {
      findings.add(
        .templateNote, "template",
        "no API: \(standalone.joined(separator: ", ")) is assumed to authorize APIs of other templates",
        cure: "nothing to do here; run doctor on the template of each API")
    } else if template.apis.allSatisfy({ $0.routes.allSatisfy { $0.access.isOpen && !$0.needsAPIKey } }) {
      findings.add(
        .authorizerMissing, "template", "no route has an authorizer: every caller is admitted",
        cure: "set DefaultAuthorizer at the API, or an authorizer at its routes")
    }
    for name in template.externalAuthorizers { inspectForeign(name) }
    for name in functions + standalone { inspectFunction(name, configurations[name]) }
    for api in template.distinctAPIs {
      for authorizer in Self.authorizers(of: api) {
        inspect(authorizer, at: "\(api.name).\(authorizer.name)", configurations[authorizer.function])
      }
      inspectPaths(of: api, configurations)
      if api.routes.contains(where: { !$0.access.isOpen }) || !functions.isEmpty {
        inspectOpenRoutes(of: api)
        inspectHoles(of: api)
      }
      inspectPreflights(of: api)
      inspectProofs(of: api, configurations)
      inspectTokens(of: api, configurations)
      inspectTenants(of: api)
      inspectGuests(of: api, configurations)
      inspectTools(of: api, configurations)
      inspectResponses(of: api)
      inspectResourceMetadata(of: api, configurations)
    }
    inspectRules(configurations)
    for warning in template.warnings {
      findings.add(.templateIgnored, warning.path, warning.problem, cure: warning.cure)
    }
    for note in template.notes {
      findings.append(
        DeploymentFinding(
          .templateNote, "template", note.text(),
          cure: "nothing to do here; check it on AWS", location: note.location))
    }
  }

  static let permissionCure =
    "add EnableFunctionDefaultPermissions: true (SAM HTTP API), an AWS::Lambda::Permission of apigateway.amazonaws.com"
    + " whose SourceArn ends in /authorizers/*, or credentials"

  /// Returns each authorizer once, in route order.
  package static func authorizers(of api: GatewayAPI) -> [GatewayAuthorizer] {
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
      findings.add(
        .wrongRuntime, name,
        "Runtime is \(runtime), but the function is built for \(RuntimeImage.identifier)",
        cure: "write Runtime: \(RuntimeImage.identifier)")
    }
    let asking = template.distinctAPIs.flatMap(Self.authorizers).filter { $0.function == name }
    let timeout = function.timeoutMilliseconds
    if function.isAdopted {
      inspectAdopted(function)
    } else if let patience = asking.map(\.timeoutMilliseconds).min(), timeout > patience {
      findings.add(
        .timeoutAbovePatience, name,
        "Timeout is \(timeout / 1000) s, but API Gateway waits only \(patience / 1000) s: the rest is billed in vain",
        cure: "write Timeout: \(patience / 1000)")
    }
    if let fetch = configuration?.fetchMilliseconds, timeout < fetch + Self.reserveMilliseconds {
      findings.add(
        .timeoutBelowFetch, name,
        "Timeout is \(timeout) ms, which is too short for a key fetch (\(fetch) ms) and the answer after it",
        cure: "write Timeout: 10, or lower fetch.timeoutMilliseconds")
    }
    let simple = asking.compactMap { authorizer in
      if case .http2(_, let isSimple) = authorizer.form { isSimple } else { nil }
    }
    if !isForeign, Set(simple).count > 1 {
      findings.add(
        .mixedAnswers, name, "one HTTP API expects simple answers from it, another one policies",
        cure: "set EnableSimpleResponses to the same value everywhere, or deploy two functions")
    }
  }

  /// The time that the function needs to answer after a key fetch.
  private static let reserveMilliseconds = 500

  // MARK: Authorizers

  private mutating func inspect(
    _ authorizer: GatewayAuthorizer, at place: String, _ configuration: DeployedConfiguration?
  ) {
    guard let configuration else { return }
    if case .http2(_, let isSimple) = authorizer.form, isSimple != configuration.isSimple {
      findings.add(
        .simpleAnswersMismatch, place,
        isSimple
          ? "the API expects simple answers, but the function returns policies"
          : "the API expects policies, but the function returns simple answers",
        cure:
          "set EnableSimpleResponses: \(configuration.isSimple),"
          + " or httpApiAnswer: \"\(isSimple ? "simple" : "policy")\""
      )
    }
    if authorizer.timeToLiveSeconds > 0 {
      inspectCache(of: authorizer, at: place, configuration)
    } else if configuration.cache != .off, authorizer.eventKind != .webSocket {
      findings.add(
        .cacheUnused, place, "it caches no answers: the function is invoked for every request",
        cure: "set the TTL to 300 s to save most calls; set gatewayCache \"off\" if this is intended")
    }
    inspectSources(of: authorizer, at: place, configuration)
  }

  private mutating func inspectCache(
    of authorizer: GatewayAuthorizer, at place: String, _ configuration: DeployedConfiguration
  ) {
    let cached = "it caches answers for \(authorizer.timeToLiveSeconds) s"
    let off = "set the TTL to 0"
    if case .http2(_, true) = authorizer.form, configuration.isSimple, configuration.hasRules {
      findings.add(
        .simpleAnswersCached, place,
        "\(cached), and a simple answer for one route also applies to other routes",
        cure: "\(off), or write \"httpApiAnswer\": \"policy\"")
    }
    if configuration.cache == .off {
      if configuration.tokenSources.count > 1 {
        findings.add(
          .cacheWithSeveralSources, place,
          "\(cached), and there are \(configuration.tokenSources.count) token sources: every identity source is"
            + " mandatory then, so either the cache key lacks the token, or callers are refused",
          cure: "\(off), or name only one source in tokenSources")
      } else if configuration.proofs.isEmpty, !configuration.hasGuests, configuration.toolRoutes.isEmpty {
        // With proofs, guests or tools it is an error of its own.
        findings.add(
          .cacheExpectedOff, place, "\(cached), but the configuration says gatewayCache \"off\"",
          cure: "\(off), or set gatewayCache to \"token\"")
      }
    }
    if configuration.cache == .tokenAndRoute, !Self.namesRoute(authorizer) {
      findings.add(
        .routeNotInCacheKey, place,
        "\(cached) with the token alone as the key, but the configuration says gatewayCache \"tokenAndRoute\"",
        cure:
          "add $context.routeKey (HTTP) or the path and method (REST) as identity sources,"
          + " or set gatewayCache to \"token\""
      )
    }
  }

  static func namesRoute(_ authorizer: GatewayAuthorizer) -> Bool {
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
    // A TOKEN event always contains the token of its own header.
    if case .token = authorizer.form { return }
    let sources = authorizer.identitySources
    let read = configuration.tokenSources.filter { source in sources.contains { source.isKept(under: $0) } }
    if read.isEmpty {
      let wanted = configuration.tokenSources.map(\.description).joined(separator: " or ")
      let asked = sources.map(\.description).joined(separator: " and ")
      if authorizer.timeToLiveSeconds > 0 {
        findings.add(
          .cacheWithoutToken, place,
          "its cache key is \(asked), but the token is read from \(wanted): one caller gets the answer of another",
          cure: "name \(wanted) as an identity source, or set the TTL to 0")
      } else if !sources.isEmpty {
        findings.add(
          .sourceUnread, place, "it requires \(asked), but the token is read from \(wanted)",
          cure: "name the same sources in the template and in tokenSources")
      }
    }
    for source in sources where !read.isEmpty {
      guard source.isSent, !configuration.tokenSources.contains(where: { $0.isKept(under: source) }),
        configuration.toolRoutes.isEmpty || !source.isToolHeader
      else { continue }
      if case .header(let name) = source, name.lowercased() == "dpop", configuration.proofs.contains(.dpop) {
        findings.add(
          .sourceUnread, place,
          "it also requires \(source.description): tokens that are not bound never reach the function",
          cure: "remove it from the identity sources, unless each client sends proofs")
        continue
      }
      findings.add(
        .sourceUnread, place,
        "it also requires \(source.description), which the function does not read: requests without it get a 401",
        cure: "remove it from the identity sources, unless this is intended")
    }
    for case .query(let name) in read
    where authorizer.eventKind != .webSocket && !configuration.allowsQueryTokens {
      findings.add(
        .queryTokenRefused, place,
        "the token is in the query parameter \(name), which the function does not accept",
        cure: "send it in a header; or set allowQueryTokens, but note that URLs are logged")
    }
  }
}

extension IdentitySource {
  /// Whether the caller sends it.
  fileprivate var isSent: Bool {
    switch self {
    case .header, .query: true
    case .stageVariable, .context: false
    }
  }
}
