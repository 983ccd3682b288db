/// A function behind a REST API for which the integration asks Lambda for more than its answer.
package struct RESTFunction: Equatable, Sendable {
  /// The name of its resource, which may contain `${stageVariables.x}`.
  package let name: String
  /// The value of `X-Amz-Tenant-Id`; `nil` where nothing is mapped to it.
  package let tenant: ParameterValue?
  /// Whether the function streams its response (`InvokeWithResponseStream`).
  package let isStreamed: Bool
  /// The timeout of the template for a stream; `nil` for that of the API.
  package var timeoutMilliseconds: Int?

  package init(
    _ name: String, tenant: ParameterValue?, isStreamed: Bool = false, timeoutMilliseconds: Int? = nil
  ) {
    self.name = name
    self.tenant = tenant
    self.isStreamed = isStreamed
    self.timeoutMilliseconds = timeoutMilliseconds
  }

  /// The header of Lambda's Invoke API with the tenant, in lower case (AWS Lambda Developer Guide, "Invoking Lambda
  /// functions with tenant isolation").
  package static let tenantHeader = "x-amz-tenant-id"
}

extension GatewayIntegration {
  /// What the integration maps to the tenant of a function; `nil` if it maps nothing to it.
  package var tenant: ParameterValue? {
    switch self {
    case .restFunction(let function): return function.tenant
    case .mapped(let mapped):
      guard mapped.function != nil else { return nil }
      return mapped.parameters.last { $0.header?.lowercased() == RESTFunction.tenantHeader }?.value
    case .function, .webSocketMock, .http, .service, .unavailable: return nil
    }
  }
}

extension MappedIntegration {
  /// The function that it calls.
  package var function: String? { if case .function(let name) = target { name } else { nil } }
}
