package enum GatewayIntegration: Equatable, Sendable {
  /// REST: templates map the request and the response; the target may be a mock.
  case mapped(MappedIntegration)
  /// WebSocket: calls nothing and sends nothing.
  case webSocketMock
  /// A function: the name of its resource and the format of its event. The name may contain `${stageVariables.x}`.
  case function(String, PayloadFormat)
  case restFunction(RESTFunction)
  case http(HTTPIntegration)
  /// HTTP API: an action of an AWS service, such as `SQS-SendMessage`.
  case service(ServiceIntegration)
  /// Something that is not emulated. It decides about the answer, not about who may call the route.
  case unavailable(Diagnostic)

  package enum PayloadFormat: Equatable, Sendable {
    /// REST APIs, and HTTP APIs with payload 1.0 (which also has a `version`).
    case rest, http1
    /// HTTP APIs, payload 2.0.
    case http2
    case webSocket
  }

  /// The function that it calls, by the name of its resource.
  package var function: String? {
    switch self {
    case .function(let name, _): return name
    case .restFunction(let function): return function.name
    case .mapped(let mapped): return mapped.function
    case .webSocketMock, .http, .service, .unavailable: return nil
    }
  }

  /// The mock, if it is one: templates alone make the response.
  package var mock: MappedIntegration? {
    if case .mapped(let mapped) = self, mapped.target == .mock { mapped } else { nil }
  }
}

package struct HTTPIntegration: Equatable, Sendable {
  /// The method; `nil` for the method of the request.
  package let method: String?
  /// The address, with `{name}` for path parameters and `${stageVariables.x}` for variables.
  package let address: String
  package let changes: [Change]
  /// The changes of the response by the status of the backend (HTTP APIs).
  package var responseChanges: [Int: [Change]] = [:]
  /// Whether the address is that of a VPC link, which only AWS can reach.
  package var isPrivate = false
  /// Whether the response is streamed (`responseTransferMode`).
  package var isStreamed = false
  /// The timeout of the template; `nil` for that of the API.
  package var timeoutMilliseconds: Int?

  package init(method: String?, address: String, changes: [Change]) {
    self.method = method
    self.address = address
    self.changes = changes
  }

  /// One change of the request or the response.
  package struct Change: Equatable, Sendable {
    package enum Place: Equatable, Sendable {
      case header(String)
      case query(String)
      case path(String)
      case wholePath
      case status
    }

    package enum Action: Equatable, Sendable { case append, overwrite, remove }

    package let place: Place
    package let action: Action
    package let value: ParameterValue?

    package init(place: Place, action: Action, value: ParameterValue?) {
      self.place = place
      self.action = action
      self.value = value
    }

    package var header: String? { if case .header(let name) = place { name } else { nil } }
  }
}

/// An integration of an HTTP API with an action of an AWS service ("Integration subtype reference").
package struct ServiceIntegration: Equatable, Sendable {
  /// The subtype, such as `SQS-SendMessage`.
  package let subtype: String
  package let parameters: [GatewayResponseChange.Parameter]

  package init(subtype: String, parameters: [GatewayResponseChange.Parameter]) {
    self.subtype = subtype
    self.parameters = parameters
  }
}
