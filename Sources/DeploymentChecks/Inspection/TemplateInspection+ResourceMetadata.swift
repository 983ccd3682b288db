internal import Text
internal import Templates
internal import GatewayModel

/// Checks of APIs that tell clients where to get tokens: the document about the protected resource (RFC 9728), and the
/// 401 that names it.
extension TemplateInspection {
  /// Reports a document that clients do not find, and a `resource` for which no token is accepted.
  mutating func inspectResourceMetadata(
    of api: GatewayAPI, _ configurations: [String: DeployedConfiguration]
  ) {
    guard case .rest(let responses) = api.kind else { return }
    let routes = api.routes.filter(\.isResourceMetadata)
    let change = responses.changes[.unauthorized] ?? responses.changes[.default4XX]
    let address = change?.resourceMetadataAddress
    if let address {
      inspectAddress(address, of: api, hasRoute: !routes.isEmpty)
    } else if let route = routes.first, api.routes.contains(where: { $0.authorizer != nil }) {
      findings.add(
        .resourceMetadataMissing, "\(api.name) UNAUTHORIZED",
        "the 401 does not name the document of \(route.key): clients that begin at the API do not find it",
        cure: "add WWW-Authenticate: \"'Bearer resource_metadata=\\\"URL\\\"'\" to its ResponseParameters")
    }
    for route in routes where route.integration.mock != nil {
      guard let document = ResourceMetadata(of: route) else {
        findings.add(
          .resourceMetadataMissing, "\(api.name) \(route.key)",
          "its answer is not a document with \"resource\" and \"authorization_servers\" (RFC 9728 section 2)",
          cure: "write both as literal texts into the response template")
        continue
      }
      inspect(document, at: "\(api.name) \(route.key)", of: api, configurations)
    }
  }

  /// Reports a `resource_metadata` at which the API has no document without an authorizer.
  private mutating func inspectAddress(_ address: String, of api: GatewayAPI, hasRoute: Bool) {
    let place = "\(api.name) UNAUTHORIZED"
    switch ServedAddress(address, of: api, template.domains) {
    case .elsewhere(let problem):
      findings.add(
        .resourceMetadataMissing, place, "resource_metadata is \(address): \(problem)",
        cure: "write the URL of the document's route, with the stage or the base path that clients use")
    case .path(let paths):
      let documents = api.routes.filter { $0.access.isOpen && $0.answers("GET", paths) }
      if documents.isEmpty {
        findings.add(
          .resourceMetadataMissing, place,
          "resource_metadata is \(address), where the API has no route without an authorizer",
          cure: hasRoute
            ? "write the path of the document's route"
            : "add a mock route without an authorizer, as in template/mcp.yaml")
      }
    }
  }

  private mutating func inspect(
    _ document: ResourceMetadata, at place: String, of api: GatewayAPI,
    _ configurations: [String: DeployedConfiguration]
  ) {
    let resource = document.resource
    var guards: [GatewayAuthorizer] = []
    switch ServedAddress(resource, of: api, template.domains) {
    case .elsewhere(let problem):
      findings.add(
        .resourceAudienceMismatch, place, "resource is \(resource): \(problem)",
        cure: "write the exact URL that clients use")
    case .path(let paths):
      guards = api.routes.filter { $0.answers("POST", paths) }.compactMap(\.authorizer)
      if guards.isEmpty {
        findings.add(
          .resourceAudienceMismatch, place,
          "resource is \(resource), where the API has no route with an authorizer for POST",
          cure: "write the exact URL that clients use")
      }
    }
    for configuration in guards.compactMap({ configurations[$0.function] }) {
      let known = configuration.audiences.filter { document.issuers.contains($0.key) }
      if known.isEmpty {
        findings.add(
          .resourceAudienceMismatch, place,
          "the authorizer accepts no tokens of \(document.issuers.joined(separator: " or "))",
          cure: "name the same issuer in authorization_servers and in the configuration")
      } else if !known.values.contains(where: { $0.contains(resource) }) {
        findings.add(
          .resourceAudienceMismatch, place,
          "clients request tokens for \(resource), which is not one of the audiences of the configuration",
          cure: "add it to audiences")
      }
    }
  }
}

extension GatewayRoute {
  /// Whether it is at the place of the documents of RFC 9728 section 3.
  var isResourceMetadata: Bool {
    guard case .path(let method, let pattern) = match, method == nil || method == "GET" else { return false }
    let place = "/.well-known/oauth-protected-resource"
    return pattern.text == place || pattern.text.hasBytePrefix(place + "/")
  }

  /// Whether it answers a method at one of these paths. Only literal routes count: a greedy one is the backend's.
  fileprivate func answers(_ method: String, _ paths: [String]) -> Bool {
    guard case .path(let own, let pattern) = match, own == nil || own == method else { return false }
    return paths.contains(pattern.text)
  }
}

extension GatewayResponseChange {
  /// The value of `resource_metadata` in a literal `WWW-Authenticate` (RFC 9728 section 5.1).
  fileprivate var resourceMetadataAddress: String? {
    for header in headers where header.name.lowercased() == "www-authenticate" {
      guard case .literal(let text) = header.value,
        let start = text.firstByteRange(of: "resource_metadata=\"")
      else { continue }
      return String(text[start.upperBound...].head(before: "\""))
    }
    return nil
  }
}
