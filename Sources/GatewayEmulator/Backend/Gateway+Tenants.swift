internal import GatewayModel
internal import JSON
internal import LambdaEmulator

/// Functions with tenant isolation.
extension Gateway {
  /// The tenant of a call, or why it is not made.
  enum TenantCheck {
    case passed(Tenant?)
    case refused(GatewayAnswer)
  }

  /// Checks the tenant of a call as Lambda does.
  ///
  /// A REST API passes Lambda's 400 on, as users have seen on AWS. AWS documents no answer of the other kinds, which cannot
  /// map a tenant, nor one for a tenant of a function without isolation.
  func tenant(
    _ text: String?, of function: String, _ request: AuthorizedRequest
  ) -> TenantCheck {
    let (exchange, use) = (request.exchange, request.use)
    let tenant = text.flatMap(Tenant.init)
    switch served.tenancy[function] {
    // A function outside of the template may be isolated.
    case nil: return .passed(tenant)
    case false? where text == nil: return .passed(nil)
    case false?:
      let finding = Diagnostic(
        path: exchange.route.key, problem: "maps a tenant to \(function), which has no TenancyConfig",
        cure: "write TenancyConfig: { TenantIsolationMode: PER_TENANT } at the function")
      return .refused(refuse(.notEmulated(finding), exchange, use))
    case true? where tenant != nil: return .passed(tenant)
    case true?:
      guard exchange.isREST, exchange.route.integration.mapping == nil else {
        return .refused(refuse(.backendFunctionFailed, exchange, use))
      }
      var record = AccessRecord(exchange, use)
      record.backend = "\(function): Lambda refuses a call without a valid tenant"
      let body = JSONTree.members(["message": .string(Tenant.missingMessage)]).bytes()
      let response = completed(
        GatewayResponse(status: 400, headers: [.init("Content-Type", "application/json")], body: body),
        exchange)
      record.status = response.status
      return .refused(GatewayAnswer(response, record, of: exchange))
    }
  }
}

extension GatewayIntegration {
  fileprivate var mapping: MappedIntegration? { if case .mapped(let mapped) = self { mapped } else { nil } }
}
