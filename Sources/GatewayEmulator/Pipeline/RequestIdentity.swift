/// The IDs and the time of one exchange, passed in from outside of the state machine.
package struct RequestIdentity: Equatable, Sendable {
  /// A UUID.
  package let requestID: String
  /// API Gateway's extended request ID: 15 characters and an equals sign.
  package let extendedRequestID: String
  /// The trace ID, `Root=1-…`.
  package let traceID: String
  /// The time of the request by the gateway's clock, in milliseconds since 1970.
  package let unixMilliseconds: Int64
}
