package import GatewayModel

/// API Gateway as a state machine without I/O: it takes a request, and each step returns the action that is needed
/// for the next step.
///
/// It reads no clock, opens no connection and calls no function; the caller does that and passes in the result.
@dynamicMemberLookup
package struct Gateway: Sendable {
  let served: ServedAPIs
  package let settings: Assumptions
  package let trust: TrustedKeys
  package let tables: [String: RouteTable]

  /// Creates a gateway for the APIs of a template or another source.
  ///
  /// - Parameters:
  ///   - trust: what API Gateway's own authorizers trust; their routes are closed without it.
  ///   - keyValues: values of API keys to which the template gives none. A key without a value admits no request.
  package init(
    _ served: ServedAPIs, settings: Assumptions, trust: TrustedKeys = .none,
    keyValues: [String: String] = [:]
  ) {
    var served = served
    for api in served.apis.indices {
      for index in served.apis[api].access.keys.indices where served.apis[api].access.keys[index].value == nil
      {
        served.apis[api].access.keys[index].value = keyValues[served.apis[api].access.keys[index].name]
      }
    }
    self.served = served
    self.settings = settings
    self.trust = trust
    tables = Dictionary(
      served.apis.map { ($0.address, RouteTable($0, missingMethod: settings.restMissingMethod)) }
    ) { first, _ in first }
  }

  /// What it serves.
  package subscript<Value>(dynamicMember path: KeyPath<ServedAPIs, Value>) -> Value { served[keyPath: path] }

  package func serves(_ api: GatewayAPI) -> Bool { tables[api.address] != nil }

  /// Returns the API of a name, for the stage that begins the path; another stage if there is no such stage.
  package func api(_ path: String, where isMeant: (String) -> Bool) -> GatewayAPI? {
    let named = served.apis.filter { isMeant($0.name) }
    return named.first { $0.stage.isInPath && $0.pathBehindStage(path) != nil } ?? named.first {
      !$0.stage.isInPath
    }
      ?? named.first
  }
}
