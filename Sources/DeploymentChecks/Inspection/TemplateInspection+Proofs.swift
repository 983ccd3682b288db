internal import Text
internal import Templates
internal import GatewayModel

/// Checks of APIs whose authorizer checks proofs of possession (`proofOfPossession`).
extension TemplateInspection {
  /// Reports what lets a proof count for other requests, or keeps proofs and certificates from the authorizer.
  mutating func inspectProofs(
    of api: GatewayAPI, _ configurations: [String: DeployedConfiguration]
  ) {
    var proofs: Set<DeployedConfiguration.Proof> = []
    for authorizer in Self.authorizers(of: api) {
      guard let checked = configurations[authorizer.function]?.proofs, !checked.isEmpty else { continue }
      inspectProofs(checked, of: authorizer, at: "\(api.name).\(authorizer.name)")
      proofs.formUnion(checked)
    }
    if proofs.contains(.certificate) { inspectCertificates(of: api) }
    if proofs.contains(.dpop) { inspectProofHeader(of: api) }
    inspectNativeAuthorizers(of: api, configurations)
  }

  /// Reports routes where API Gateway itself accepts tokens of an issuer whose bound tokens need a proof: its own
  /// authorizers read no `cnf` (API Gateway Developer Guide, "Control access to HTTP APIs with JWT authorizers").
  private mutating func inspectNativeAuthorizers(
    of api: GatewayAPI, _ configurations: [String: DeployedConfiguration]
  ) {
    let issuers = configurations.values.reduce(into: Set<String>()) { $0.formUnion($1.provenIssuers) }
    guard !issuers.isEmpty else { return }
    for route in api.routes {
      guard case .token(let authorizer, _) = route.access else { continue }
      let accepted = authorizer.issuers(api.stage.variables)
      // An issuer that only AWS knows may be one of them.
      guard accepted.isEmpty || !issuers.isDisjoint(with: accepted) else { continue }
      findings.add(
        .proofNotChecked, "\(api.name) \(route.key)",
        "its authorizer \(authorizer.name) of API Gateway reads no cnf: a stolen bound token is accepted without a proof",
        cure: "use the Lambda authorizer on this route too, or another issuer for its tokens")
    }
  }

  private mutating func inspectProofs(
    _ proofs: Set<DeployedConfiguration.Proof>, of authorizer: GatewayAuthorizer, at place: String
  ) {
    switch authorizer.eventKind {
    case .restToken:
      findings.add(
        .proofNotCarried, place,
        "the event of a TOKEN authorizer has neither a proof nor a certificate: every bound token is refused",
        cure: "write FunctionPayloadType: REQUEST (SAM) or Type: REQUEST")
    case .webSocket:
      findings.add(
        .proofNotCarried, place,
        "the event of a WebSocket API has neither a proof nor a certificate: every bound token is refused",
        cure: "use an issuer without proofOfPossession for this API, with a function of its own")
    case .restRequest, .http1, .http2: break
    }
    if authorizer.timeToLiveSeconds > 0 {
      findings.add(
        .proofCached, place,
        "it caches answers for \(authorizer.timeToLiveSeconds) s: after one request with a proof, a stolen token is"
          + " accepted without one",
        cure: "set the TTL to 0")
    }
  }

  private mutating func inspectCertificates(of api: GatewayAPI) {
    let domains = template.domains.filter { domain in
      domain.mappings.contains { mapping in
        switch mapping.target {
        case .api(let name), .stage(let name, _): name == api.name
        case .closed: false
        }
      }
    }
    if let domain = domains.first(where: { $0.certificateFinding == nil }) {
      findings.add(
        .certificateNotRequested, "\(api.name) \(domain.name)",
        "the custom domain asks for no client certificate: every token that is bound to one is refused there",
        cure: "set MutualTlsAuthentication, or map another API to it")
    } else if domains.isEmpty {
      findings.add(
        .certificateNotRequested, api.name,
        "no custom domain with mutual TLS: without one, every token that is bound to a certificate is refused",
        cure:
          "set MutualTlsAuthentication at a domain; pass --accept certificateNotRequested if another template has it"
      )
    }
    if api.access.hasDefaultEndpoint {
      findings.add(
        .defaultEndpointOpen, api.name,
        "its execute-api address accepts callers without a client certificate",
        cure: "write DisableExecuteApiEndpoint: true")
    }
  }

  /// Reports CORS settings that keep pages from sending the header `DPoP` (Fetch Standard, "CORS-preflight fetch").
  private mutating func inspectProofHeader(of api: GatewayAPI) {
    let lists: [String]
    switch api.kind {
    case .http(let policy?): lists = [policy.headers.joined(separator: ",")]
    case .rest:
      lists = api.routes.compactMap { route in
        guard case .path("OPTIONS", _) = route.match, let mock = route.integration.mock else { return nil }
        return mock.responses.flatMap(\.headers).compactMap { header in
          guard header.name.lowercased() == "access-control-allow-headers",
            case .literal(let text) = header.value
          else { return nil }
          return text
        }.joined(separator: ",")
      }
    case .http(nil), .webSocket: lists = []
    }
    let isRefused = lists.contains { list in
      !list.lowercased().splitBytes(at: ",").contains {
        ["dpop", "*"].contains($0.trimmingBlanks)
      }
    }
    guard isRefused else { return }
    findings.add(
      .proofHeaderNotAllowed, api.name,
      "its preflight answers do not allow the header DPoP: a browser does not send the proofs of a page",
      cure: "add DPoP to the allowed headers")
  }
}
