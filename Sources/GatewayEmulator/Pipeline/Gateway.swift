package import GatewayModel

/// API Gateway as a state machine without I/O: it takes a request, and each step returns the action that is needed
/// for the next step.
///
/// It reads no clock, opens no connection and calls no function; the caller does that and passes in the result.
package struct Gateway: Sendable {
  /// The APIs that it serves, once for each stage.
  package let apis: [GatewayAPI]
  package let closedAPIs: [ClosedAPI]
  package let domains: [GatewayDomain]
  package let location: AWSLocation
  package let settings: Assumptions
  package let trust: TrustedKeys
  package let tables: [String: RouteTable]
  /// Whether a function has tenant isolation, by its name; those that are not known are absent.
  package let tenancy: [String: Bool]

  package init(
    apis: [GatewayAPI], closedAPIs: [ClosedAPI] = [], domains: [GatewayDomain] = [],
    location: AWSLocation, settings: Assumptions, trust: TrustedKeys = .none, tenancy: [String: Bool] = [:]
  ) {
    self.tenancy = tenancy
    self.trust = trust
    self.domains = domains
    self.apis = apis
    self.closedAPIs = closedAPIs
    self.location = location
    self.settings = settings
    tables = Dictionary(
      apis.map { ($0.address, RouteTable($0, missingMethod: settings.restMissingMethod)) }
    ) { first, _ in first }
  }

  /// Creates a gateway for the APIs of a template or another source.
  ///
  /// - Parameters:
  ///   - trust: what API Gateway's own authorizers trust; their routes are closed without it.
  ///   - keyValues: values of API keys to which the template gives none. A key without a value admits no request.
  package init(
    _ served: ServedAPIs, settings: Assumptions, trust: TrustedKeys = .none,
    keyValues: [String: String] = [:]
  ) {
    let apis = served.apis.map { api in
      var api = api
      for index in api.access.keys.indices where api.access.keys[index].value == nil {
        api.access.keys[index].value = keyValues[api.access.keys[index].name]
      }
      return api
    }
    self.init(
      apis: apis, closedAPIs: served.closedAPIs, domains: served.domains, location: served.location,
      settings: settings, trust: trust, tenancy: served.tenancy)
  }

  package func serves(_ api: GatewayAPI) -> Bool { tables[api.address] != nil }

  /// Returns the API of a name, for the stage that begins the path; another stage if there is no such stage.
  package func api(_ path: String, where isMeant: (String) -> Bool) -> GatewayAPI? {
    let named = apis.filter { isMeant($0.name) }
    return named.first { $0.stage.isInPath && $0.pathBehindStage(path) != nil } ?? named.first {
      !$0.stage.isInPath
    }
      ?? named.first
  }
}
