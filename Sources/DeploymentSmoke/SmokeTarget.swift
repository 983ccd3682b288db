package import GatewayModel
internal import Text

/// The stage of an API that requests are sent to, at an address that the template or the user named.
package struct SmokeTarget: Equatable, Sendable {
  package let address: DeployedAddress
  package let api: GatewayAPI
  /// What the paths of the API's routes follow in a URL.
  let prefix: String
  /// Whether the address is a custom domain.
  let isDomain: Bool

  /// Finds the stage of an address.
  ///
  /// - Parameters:
  ///   - identifiers: IDs of APIs that the user named, whose `execute-api` host in the region is allowed.
  ///   - hosts: hosts that the user repeated, with their port if they have one.
  ///   - takesWebSockets: whether a WebSocket API may be asked.
  /// - Throws: also if neither the template nor the user named the host.
  package init(
    _ address: DeployedAddress, in served: ServedAPIs, identifiers: [String] = [], hosts: [String] = [],
    takesWebSockets: Bool = false
  ) throws(SmokeRefusal) {
    let stages = served.apis.filter { $0.name.hasSameBytes(as: address.api) }
    guard let first = stages.first else {
      var known: [String] = []
      for api in served.apis where !known.containsText(api.name) { known.append(api.name) }
      throw .unknownAPI(address.api, known: known)
    }
    if case .webSocket = first.kind, !takesWebSockets { throw .webSocket(address.api) }
    self.address = address
    let isStandard = !address.isPlain && address.port ?? 443 == 443
    let executeHosts = identifiers.map { Self.executeHost($0, served.location) }
    if isStandard, let domain = served.domains.answering(address.host), domain.closure == nil {
      (api, prefix, isDomain) = (try Self.mapped(address, domain, stages), address.path, true)
    } else if isStandard, executeHosts.containsText(address.host) {
      api = try Self.stage(of: address, stages, isFree: false)
      (prefix, isDomain) = (api.stage.isInPath ? "/" + api.stage.name : "", false)
    } else if hosts.map({ $0.lowercased() }).containsText(address.authority) {
      api = try Self.stage(of: address, stages, isFree: true)
      // If the default endpoint of the API answers nothing, another host can only be a domain.
      (prefix, isDomain) = (address.path, !address.isPlain && !api.access.hasDefaultEndpoint)
    } else {
      throw .unnamedHost(address.authority)
    }
  }

  /// The host of an API's default endpoint ("Invoke REST APIs in API Gateway").
  static func executeHost(_ identifier: String, _ location: AWSLocation) -> String {
    let suffix = location.partition == "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com"
    return "\(identifier).execute-api.\(location.region).\(suffix)".lowercased()
  }

  /// The stage that the path names; without one, the stage without a name, or the only one.
  ///
  /// - Parameter isFree: whether the path may be another one, because the host is not API Gateway's own.
  private static func stage(
    of address: DeployedAddress, _ stages: [GatewayAPI], isFree: Bool
  ) throws(SmokeRefusal) -> GatewayAPI {
    let named = stages.first { stage in
      let end = "/" + stage.stage.name
      return stage.stage.isInPath
        && (isFree ? address.path.hasByteSuffix(end) : address.path.hasSameBytes(as: end))
    }
    if let named { return named }
    let other = stages.first { !$0.stage.isInPath } ?? (stages.count == 1 ? stages.first : nil)
    guard isFree || address.path.isEmpty, let other else {
      throw .stage(api: address.api, known: stages.map(\.stage.name))
    }
    return other
  }

  private static func mapped(
    _ address: DeployedAddress, _ domain: GatewayDomain, _ stages: [GatewayAPI]
  ) throws(SmokeRefusal) -> GatewayAPI {
    let found = domain.mapping(of: address.path.isEmpty ? "/" : address.path)
    let stage = stages.first { stage in
      switch found?.mapping.target {
      case .stage(address.api, stage.stage.name)?: found?.rest == "/"
      case .api(address.api)?: found?.rest == "/" + stage.stage.name
      case .stage, .api, .closed, nil: false
      }
    }
    guard let stage else { throw .mapping(host: address.host, api: address.api) }
    return stage
  }
}
