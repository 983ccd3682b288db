/// The APIs of one deployment, as a gateway serves them.
package struct ServedAPIs: Sendable {
  /// The served APIs, once for each stage.
  package var apis: [GatewayAPI]
  /// The APIs that are not served.
  package let closedAPIs: [ClosedAPI]
  /// The custom domain names.
  package let domains: [GatewayDomain]
  package let location: AWSLocation
  /// Whether a function has tenant isolation, by its name; those that are not known are absent.
  package let tenancy: [String: Bool]

  package init(
    apis: [GatewayAPI], closedAPIs: [ClosedAPI] = [], domains: [GatewayDomain] = [],
    location: AWSLocation = AWSLocation(), tenancy: [String: Bool] = [:]
  ) {
    self.tenancy = tenancy
    self.apis = apis
    self.closedAPIs = closedAPIs
    self.domains = domains
    self.location = location
  }

  /// The issuers of the tokens that API Gateway itself verifies, each once.
  package var nativeIssuers: [String] {
    var found: [String] = []
    for api in apis {
      for case .token(let authorizer, _) in api.routes.map(\.access) {
        found += authorizer.issuers(api.stage.variables).filter { !found.contains($0) }
      }
    }
    return found
  }
}
