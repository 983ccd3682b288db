/// What one exchange may use and change.
package struct RequestOptions: Sendable {
  /// The cache and the use of API keys.
  let state: Gateway.State
  /// The functions of authorizers, by the names of their resources.
  let functions: [String: any FunctionInvoking]
  /// How far its time is ahead of the gateway's clock.
  let offsetMilliseconds: Int64
  /// Its IDs and its time; `nil` for new ones.
  var identity: RequestIdentity?
  /// Whether the backend is called; otherwise the exchange ends before it, with an empty 200.
  let callsBackend: Bool
  /// The ID of the connection that a WebSocket handshake requests.
  var connectionID: String?
}
