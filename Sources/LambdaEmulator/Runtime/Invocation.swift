/// One event for a function, with the data that `/next` sends.
package struct Invocation: Equatable, Sendable {
  /// `Lambda-Runtime-Aws-Request-Id`: unchanged on a retry, a lower-case UUID on AWS.
  let requestID: String
  /// `Lambda-Runtime-Invocation-Id`: unique per attempt, echoed by the runtime on its posts.
  let attemptID: String
  /// The event as the function receives it; any bytes.
  let event: [UInt8]
  /// `Lambda-Runtime-Invoked-Function-Arn`, with the qualifier of the call.
  let functionARN: String
  /// The version that runs: `START … Version`.
  var version = LambdaVariables.functionVersion
  /// `Lambda-Runtime-Trace-Id`, an X-Ray trace header.
  let traceID: String
  /// `Lambda-Runtime-Client-Context`, JSON; `nil` unless the caller sent one.
  var clientContext: String?
  /// `Lambda-Runtime-Aws-Tenant-Id`; `nil` unless the function has tenant isolation.
  var tenant: Tenant?
  /// Whether the caller takes a streamed response.
  var acceptsStream = false
  let timeoutMilliseconds: Int
}
