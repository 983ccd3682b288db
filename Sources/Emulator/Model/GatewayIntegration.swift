/// The integration of a route.
public enum GatewayIntegration: Equatable, Sendable {
  /// REST: answered by templates only.
  case mock(MockIntegration)
  /// WebSocket: calls nothing and sends nothing.
  case webSocketMock
  /// A function: the name of its resource and the format of its event.
  case function(String, PayloadFormat)
  /// An HTTP backend.
  case http(HTTPIntegration)
  /// Something that is not emulated. It decides about the answer, not about who may call the route.
  case unavailable(TemplateFinding)

  /// The format of the function's event.
  public enum PayloadFormat: Equatable, Sendable {
    /// REST APIs, and HTTP APIs with payload 1.0 (which also has a `version`).
    case rest, http1
    /// HTTP APIs, payload 2.0.
    case http2
    /// WebSocket APIs.
    case webSocket
  }
}

/// An HTTP proxy integration.
public struct HTTPIntegration: Equatable, Sendable {
  /// The method; `nil` for the method of the request.
  public let method: String?
  /// The address, with `{name}` for path parameters and `${stageVariables.x}` for variables.
  public let address: String
  /// The changes of the request.
  let changes: [Change]

  /// One change of the request.
  struct Change: Equatable, Sendable {
    enum Place: Equatable, Sendable {
      case header(String)
      case query(String)
      /// A parameter in the address.
      case path(String)
      /// The whole path.
      case wholePath
    }

    enum Action: Equatable, Sendable { case append, overwrite, remove }

    let place: Place
    let action: Action
    let value: ParameterValue?
  }
}

/// A mock integration of a REST API: the request template selects a status, and the response of that status is
/// returned.
public struct MockIntegration: Equatable, Sendable {
  let request: MappingTemplate
  let responses: [Response]

  struct Response: Equatable, Sendable {
    /// The expression for the status; `nil` for `default`.
    let pattern: ValidationExpression?
    let status: Int
    let headers: [GatewayResponseChange.Parameter]
    let contentType: String
    let template: MappingTemplate?
  }

  /// Returns the response; `nil` if no response matches, which is a 500 on AWS.
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
