internal import GatewayModel
internal import Templates
internal import TestTokens
internal import Text

/// Checks of API Gateway's own JWT authorizers.
extension TemplateInspection {
  /// Reports what such an authorizer refuses or accepts by mistake, once for each authorizer.
  mutating func inspectTokens(of api: GatewayAPI, _ configurations: [String: DeployedConfiguration]) {
    var known: [TokenAuthorizer] = []
    let configured = Set(configurations.values.flatMap(\.audiences.keys))
    for route in api.routes {
      guard case .token(let authorizer, _) = route.access, !known.contains(authorizer) else { continue }
      known.append(authorizer)
      let place = "\(api.name).\(authorizer.name)"
      guard authorizer.verifiesJWT else { continue }
      for issuer in authorizer.issuers(api.stage.variables) {
        inspectSlash(of: issuer, at: place, configured)
      }
      inspectClaims(of: authorizer, at: place)
      inspectScopes(of: authorizer, in: api, at: place)
    }
  }

  /// `iss` is compared exactly, "including any trailing slash" ("Create a JWT authorizer for a REST API").
  private mutating func inspectSlash(of issuer: String, at place: String, _ configured: Set<String>) {
    let others = configured.sorted() + Self.knownIssuers(like: issuer)
    guard !configured.contains(issuer),
      let other = others.first(where: {
        !$0.hasSameBytes(as: issuer) && Self.withoutSlash($0).hasSameBytes(as: Self.withoutSlash(issuer))
      })
    else { return }
    findings.add(
      .issuerSlash, place,
      "its issuer is \(issuer), but iss of the tokens is \(other): every token is refused",
      cure: "write \(other)")
  }

  /// The spellings of well-known issuers that may be meant.
  private static func knownIssuers(like issuer: String) -> [String] {
    let parts = issuer.splitBytes(at: "/").map(String.init)
    guard parts.count > 1 else { return [] }
    var presets = ["apple", "google"]
    if parts[1].hasByteSuffix(".auth0.com") { presets.append("auth0:" + parts[1]) }
    if parts[1].hasByteSuffix(".supabase.co") { presets.append("supabase:" + parts[1].head(before: ".")) }
    if parts.count > 2 {
      presets += ["cognito-id", "entra", "entra-v1", "firebase"].map { "\($0):\(parts[2])" }
    }
    return presets.compactMap { TokenPreset($0)?.issuer }
  }

  private static func withoutSlash(_ text: String) -> Substring {
    text.hasByteSuffix("/") ? text.dropLast(bytes: 1) : text[...]
  }

  private mutating func inspectClaims(of authorizer: TokenAuthorizer, at place: String) {
    guard case .restJWT(let trust) = authorizer.kind else { return }
    for issuer in trust.issuers {
      for claim in issuer.claims where !claim.isRequired {
        findings.add(
          .claimNotRequired, place,
          "the claim \(claim.name) of \(issuer.name) is not Required: AWS may accept tokens without it",
          cure: "write Required: true")
      }
    }
  }

  /// "There is no standard mechanism to differentiate JWT access tokens from other types of JWTs" ("Control access to HTTP
  /// APIs with JWT authorizers").
  private mutating func inspectScopes(of authorizer: TokenAuthorizer, in api: GatewayAPI, at place: String) {
    let keys = api.routes.compactMap { route in
      if case .token(authorizer, let scopes) = route.access, scopes.isEmpty { route.key } else { nil }
    }
    guard let first = keys.first else { return }
    findings.add(
      .scopesMissing, place,
      "\(first)\(keys.count == 1 ? "" : " and \(keys.count - 1) more") without scopes also accept ID tokens of the audience",
      cure: "write AuthorizationScopes, if only access tokens are meant")
  }
}

extension TokenAuthorizer {
  fileprivate var verifiesJWT: Bool {
    switch kind {
    case .jwt, .restJWT: true
    case .userPools: false
    }
  }
}

/// Checks of functions with tenant isolation.
extension TemplateInspection {
  /// Reports routes whose tenant is what the caller writes, or never one that Lambda accepts.
  mutating func inspectTenants(of api: GatewayAPI) {
    for route in api.routes {
      guard let tenant = route.integration.tenant else { continue }
      let place = "\(api.name) \(route.key)"
      switch tenant {
      case .literal, .stageVariable: break
      case .context(let name) where name.hasBytePrefix("authorizer."):
        guard case .token(let authorizer, _) = route.access, case .restJWT = authorizer.kind else { continue }
        findings.add(
          .tenantQuoted, place,
          "\(authorizer.name) writes texts in quotes into $context.\(name): Lambda refuses such a tenant",
          cure: "use a Lambda authorizer, whose context has none")
      default:
        findings.add(
          .tenantFromCaller, place,
          "its tenant does not come from the authorizer: callers choose the tenant whose environment they use",
          cure:
            "write integration.request.header.X-Amz-Tenant-Id: context.authorizer.NAME, from a verified claim"
        )
      }
    }
  }
}
