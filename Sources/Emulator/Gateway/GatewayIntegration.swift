/// Where requests of a route go.
public enum GatewayIntegration: Equatable, Sendable {
  /// REST: answered by templates alone.
  case mock(MockIntegration)
  /// WebSocket: nothing is called and nothing is sent.
  case webSocketMock
  /// A function, by the name of its resource, with the format of its event.
  case function(String, PayloadFormat)
  /// An address.
  case http(HTTPIntegration)

  /// The event that a function gets.
  public enum PayloadFormat: Equatable, Sendable {
    /// REST APIs, and HTTP APIs with payload 1.0 (which has a `version` besides).
    case rest, http1
    /// HTTP APIs, payload 2.0.
    case http2
    /// WebSocket APIs.
    case webSocket
  }
}

/// An HTTP proxy integration.
public struct HTTPIntegration: Equatable, Sendable {
  /// The verb; `nil` for the request's own.
  public let method: String?
  /// The address, with `{name}` for path parameters and `${stageVariables.x}` for variables.
  public let address: String
  /// What is changed of the request.
  let changes: [Change]

  /// One change of the request on its way.
  struct Change: Equatable, Sendable {
    enum Place: Equatable, Sendable {
      case header(String)
      case query(String)
      /// A parameter in the address.
      case path(String)
      /// The whole path.
      case wholePath
    }

    enum Deed: Equatable, Sendable { case append, overwrite, remove }

    let place: Place
    let deed: Deed
    let value: ParameterValue?
  }
}

/// A mock integration of a REST API: the request template says a status, the response of that status is written.
public struct MockIntegration: Equatable, Sendable {
  let request: MappingTemplate
  let responses: [Response]

  struct Response: Equatable, Sendable {
    /// What the status must match (`default` takes every other one).
    let pattern: ValidationExpression?
    let status: Int
    let headers: [GatewayResponseChange.Parameter]
    let contentType: String
    let template: MappingTemplate?
  }

  /// What comes of it; `nil` where no response fits, which is a 500 on AWS.
  func response(from source: ParameterSource) -> GatewayResponse? {
    guard let status = Self.statusCode(in: request.filled(from: source)),
      let found = responses.first(where: { $0.pattern?.matches(String(status)) == true })
        ?? responses.first(where: { $0.pattern == nil })
    else { return nil }
    var response = GatewayResponse(status: found.status)
    response.headers.append(.init("Content-Type", found.contentType))
    for header in found.headers {
      if let value = header.value.text(from: source) { response.headers.append(.init(header.name, value)) }
    }
    response.body = Array((found.template?.filled(from: source) ?? "").utf8)
    return response
  }
}
