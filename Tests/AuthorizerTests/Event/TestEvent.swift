import Authorizer
import JSON

/// Minimal events of each kind.
enum TestEvent {
  static let stage = "arn:aws:execute-api:eu-west-1:123456789012:abc/dev/"

  /// Returns an event for `GET /pets` of the stage `dev`, or for another ARN.
  ///
  /// - Parameter members: the members in addition to those that define the kind.
  static func bytes(
    _ kind: EventKind, arn: String? = nil, _ members: [JSONTree.Member]
  ) -> [UInt8] {
    let route = kind == .webSocket ? "$connect" : "GET/pets"
    var event: [JSONTree.Member] = [
      text("type", kind == .restToken ? "TOKEN" : "REQUEST"),
      text(kind == .http2 ? "routeArn" : "methodArn", arn ?? stage + route),
    ]
    switch kind {
    case .http1: event.append(text("version", "1.0"))
    case .http2: event.append(text("version", "2.0"))
    case .webSocket: event.append(object("requestContext", [text("eventType", "CONNECT")]))
    case .restToken, .restRequest: break
    }
    return JSONTree.object(event + members).bytes()
  }

  /// Returns an event with this value in place of its `Authorization` header.
  static func bytes(_ kind: EventKind, arn: String? = nil, authorization value: JSONTree) -> [UInt8] {
    bytes(kind, arn: arn, [authorization(kind, value)])
  }

  /// Returns an event with a bearer token.
  static func bytes(_ kind: EventKind, arn: String? = nil, token: String) -> [UInt8] {
    bytes(kind, arn: arn, authorization: .string("Bearer " + token))
  }

  /// REST APIs pass the client's letter case, HTTP APIs pass lower case.
  private static func authorization(_ kind: EventKind, _ value: JSONTree) -> JSONTree.Member {
    switch kind {
    case .restToken: .init(name: "authorizationToken", value: value)
    case .http2: object("headers", [.init(name: "authorization", value: value)])
    case .restRequest, .http1, .webSocket: object("headers", [.init(name: "Authorization", value: value)])
    }
  }

  static func text(_ name: String, _ value: String) -> JSONTree.Member {
    .init(name: name, value: .string(value))
  }

  static func list(_ name: String, _ values: [String]) -> JSONTree.Member {
    .init(name: name, value: .array(values.map { .string($0) }))
  }

  static func object(_ name: String, _ members: [JSONTree.Member]) -> JSONTree.Member {
    .init(name: name, value: .object(members))
  }
}
