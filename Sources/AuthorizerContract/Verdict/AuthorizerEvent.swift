internal import Text
package import GatewayModel
internal import JSON

/// The kind of an authorizer event, and the method or route that it is for.
package struct AuthorizerEvent: Equatable, Sendable {
  package let kind: EventKind
  /// `methodArn` or `routeArn`.
  package let resource: String
}

extension AuthorizerEvent {
  /// Returns `nil` where the bytes are not an authorizer event.
  ///
  /// The members decide. `version` only distinguishes REST from HTTP APIs, since recorded events have other values in
  /// it.
  package init?(_ bytes: [UInt8]) {
    guard let root = try? JSONDocument(parsing: bytes, limits: .event).root else { return nil }
    let method = root["methodArn"]?.text
    let route = root["routeArn"]?.text
    if root["type"]?.equals("TOKEN") == true, let method {
      self.init(kind: .restToken, resource: method)
    } else if root["type"]?.equals("REQUEST") == true {
      if let route {
        self.init(kind: .http2, resource: route)
      } else if let method {
        let isConnect =
          root["requestContext"]?["eventType"]?.equals("CONNECT") == true || method.hasByteSuffix("/$connect")
        let isHTTP = root["version"]?.equals("1.0") == true
        self.init(kind: isConnect ? .webSocket : isHTTP ? .http1 : .restRequest, resource: method)
      } else {
        return nil
      }
    } else {
      return nil
    }
  }
}

extension AuthorizerEvent {
  /// Returns the caller's credential: the identity source, else the header `Authorization`; `nil` without one.
  func credential(in event: [UInt8]) -> String? {
    guard let root = try? JSONDocument(parsing: event, limits: .event).root else { return nil }
    if let source = root["identitySource"] ?? root["authorizationToken"] {
      return String(decoding: source.source, as: UTF8.self)
    }
    let header = root["headers"]?.members.first { $0.name.text?.lowercased() == "authorization" }
    return header.map { String(decoding: $0.value.source, as: UTF8.self) }
  }
}
