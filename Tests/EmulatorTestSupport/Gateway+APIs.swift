@testable import GatewayEmulator
@testable import GatewayModel

extension Gateway {
  /// Creates a gateway of single APIs, without a template.
  init(
    apis: [GatewayAPI], closedAPIs: [ClosedAPI] = [], domains: [GatewayDomain] = [],
    location: AWSLocation, settings: Assumptions, trust: TrustedKeys = .none, tenancy: [String: Bool] = [:]
  ) {
    let served = ServedAPIs(
      apis: apis, closedAPIs: closedAPIs, domains: domains, location: location, tenancy: tenancy)
    self.init(served, settings: settings, trust: trust)
  }
}
