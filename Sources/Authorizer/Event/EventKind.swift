import JSON

/// The five kinds of event that API Gateway sends to a Lambda authorizer.
package enum EventKind: String, CaseIterable, Sendable {
  /// REST API, authorizer of type TOKEN.
  case restToken
  /// REST API, authorizer of type REQUEST.
  case restRequest
  /// HTTP API, payload format 1.0.
  case http1
  /// HTTP API, payload format 2.0.
  case http2
  /// WebSocket API, `$connect`.
  case webSocket

  /// The member that alone carries the token, as a header would; `nil` for a kind whose token is in a `TokenSource`.
  package var credentialMember: StaticString? { self == .restToken ? "authorizationToken" : nil }

  /// Whether it has headers that every client can set: a TOKEN event has none, and browsers set none on a WebSocket.
  var hasClientHeaders: Bool { self != .restToken && self != .webSocket }

  /// Whether it comes from an HTTP API.
  var isHTTP: Bool { self == .http1 || self == .http2 }

  /// Recognizes an event by the members that only its kind has, since `version` alone is not reliable and API Gateway
  /// may add members. Returns `nil` if it is not an authorizer event.
  ///
  /// - Returns: the kind, and the ARN of the method; `nil` for an ARN that is malformed.
  static func recognize(_ event: JSONValue) -> (kind: EventKind, arn: MethodARN?)? {
    guard let type = event["type"] else { return nil }
    if type.equals("TOKEN") { return event["methodArn"].map { (.restToken, MethodARN($0)) } }
    guard type.equals("REQUEST") else { return nil }
    if let arn = event["routeArn"] { return (.http2, MethodARN(arn)) }
    guard let arn = event["methodArn"] else { return nil }
    let method = MethodARN(arn)
    let isConnect = event["requestContext"]?["eventType"]?.equals("CONNECT") == true
    if isConnect || method?.isConnectRoute == true { return (.webSocket, method) }
    return (event["version"]?.equals("1.0") == true ? .http1 : .restRequest, method)
  }
}

extension MethodARN {
  /// Reads the member in which an event names the ARN; `nil` if it is malformed.
  fileprivate init?(_ member: JSONValue) {
    guard let text = member.utf8Slice else { return nil }
    self.init(parsing: text.span)
  }
}
