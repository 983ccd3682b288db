internal import Mapping
internal import Text
internal import GatewayModel
internal import JSON

/// The document about a protected resource (RFC 9728 section 2), as far as a template says it.
struct ResourceMetadata {
  let resource: String
  /// `authorization_servers`.
  package let issuers: [String]

  /// Reads the literal response template of a mock route; `nil` without both members.
  init?(of route: GatewayRoute) {
    guard
      let text = route.integration.mock?.response(for: "200")?.templates.entries.first?.template.text,
      let tree = try? JSONTree(parsing: Array(text.utf8)), case .string(let resource)? = tree["resource"],
      case .array(let servers)? = tree["authorization_servers"]
    else { return nil }
    self.resource = resource
    issuers = servers.compactMap { if case .string(let text) = $0 { text } else { nil } }
    guard !issuers.isEmpty else { return nil }
  }
}

/// Where a URL leads in an API.
enum ServedAddress {
  /// The possible paths of its route.
  case path([String])
  /// Not to this API, with the reason.
  case elsewhere(String)

  /// Finds the path behind the stage or the base path of a URL.
  ///
  /// A host that the template does not describe, such as that of a domain in another template, may have any base path:
  /// each end of the path is possible then.
  init(_ url: String, of api: GatewayAPI, _ domains: [GatewayDomain]) {
    let parts = url.splitBytes(at: "/", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 4, ["https:", "http:"].contains(parts[0]), parts[1].isEmpty,
      let host = LoopbackHost.name(of: parts[2])
    else {
      self = .elsewhere("it must be an absolute URL with a path")
      return
    }
    let path = "/" + parts[3]
    guard !path.utf8.contains(where: { "?#".utf8.contains($0) }) else {
      self = .elsewhere("it must not have a query or a fragment here")
      return
    }
    if let domain = domains.first(where: { $0.answers(host) }) {
      self = Self.behind(domain, path, api)
    } else if host.containsBytes(of: ".execute-api.") {
      self = Self.behind(stage: api.stage.name, path)
    } else {
      let starts = path.indices.filter { path[$0] == "/" }
      self = .path(starts.map { String(path[$0...]) })
    }
  }

  private static func behind(_ domain: GatewayDomain, _ path: String, _ api: GatewayAPI) -> ServedAddress {
    guard let found = domain.mapping(of: path) else {
      return .elsewhere("the custom domain \(domain.name) has no mapping for its path")
    }
    switch found.mapping.target {
    case .stage(api.name, api.stage.name): return .path([found.rest])
    case .api(api.name): return behind(stage: api.stage.name, found.rest)
    default: return .elsewhere("the custom domain \(domain.name) maps its path to another API or stage")
    }
  }

  private static func behind(stage: String, _ path: String) -> ServedAddress {
    let start = "/" + stage
    guard path.hasBytePrefix(start + "/") else {
      return .elsewhere("the first segment of its path must be the stage \(stage)")
    }
    return .path([String(path.dropFirst(bytes: start.utf8.count))])
  }
}
