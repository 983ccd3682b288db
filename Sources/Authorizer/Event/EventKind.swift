import JSON

/// The five kinds of event that API Gateway sends to a Lambda authorizer.
public enum EventKind: String, CaseIterable, Sendable {
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

  /// Whether it comes from an HTTP API.
  var isHTTP: Bool { self == .http1 || self == .http2 }

  /// Recognizes an event by the members that only its kind has, since `version` alone is not reliable and API Gateway
  /// may add members. Returns `nil` if it is not an authorizer event.
  ///
  /// - Returns: the kind, and the member that names the target.
  static func recognize(_ event: JSONValue) -> (kind: EventKind, target: JSONValue)? {
    guard let type = event["type"] else { return nil }
    if type.equals("TOKEN") { return event["methodArn"].map { (.restToken, $0) } }
    guard type.equals("REQUEST") else { return nil }
    if let arn = event["routeArn"] { return (.http2, arn) }
    guard let arn = event["methodArn"] else { return nil }
    if isConnect(event, arn) { return (.webSocket, arn) }
    return (event["version"]?.equals("1.0") == true ? .http1 : .restRequest, arn)
  }

  private static func isConnect(_ event: JSONValue, _ arn: JSONValue) -> Bool {
    if event["requestContext"]?["eventType"]?.equals("CONNECT") == true { return true }
    guard let bytes = arn.utf8, let arn = MethodARN(parsing: bytes) else { return false }
    return arn.isConnectRoute
  }
}
