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

  /// Whether it comes from an HTTP API.
  var isHTTP: Bool { self == .http1 || self == .http2 }

  /// Recognizes an event by the members that only its kind has, since `version` alone is not reliable and API Gateway
  /// may add members. Returns `nil` if it is not an authorizer event.
  ///
  /// - Returns: the kind, and the target; `nil` for a target that is malformed.
  static func recognize(_ event: JSONValue) -> (kind: EventKind, target: DecisionTarget?)? {
    guard let type = event["type"] else { return nil }
    if type.equals("TOKEN") { return event["methodArn"].map { (.restToken, DecisionTarget(arn: $0)) } }
    guard type.equals("REQUEST") else { return nil }
    if let arn = event["routeArn"] { return (.http2, DecisionTarget(arn: arn)) }
    guard let arn = event["methodArn"] else { return nil }
    let target = DecisionTarget(arn: arn)
    let isConnect = event["requestContext"]?["eventType"]?.equals("CONNECT") == true
    if isConnect || target?.method?.isConnectRoute == true { return (.webSocket, target) }
    return (event["version"]?.equals("1.0") == true ? .http1 : .restRequest, target)
  }
}
