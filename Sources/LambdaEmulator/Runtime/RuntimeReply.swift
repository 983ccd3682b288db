internal import JSON

package struct RuntimeReply: Equatable, Sendable {
  package let status: Int
  /// The header fields in the order in which they are sent.
  package private(set) var headers: [Field]
  package let body: [UInt8]

  package struct Field: Equatable, Sendable {
    package let name: String
    package let value: String
  }

  /// 202 after a valid post.
  package static let accepted = RuntimeReply(status: 202, json: Array(#"{"status":"OK"}"#.utf8))
  /// The health check of the supervisor.
  package static let pong = RuntimeReply(status: 200, text: "pong")
  package static let notFound = RuntimeReply(status: 404, text: "404 page not found\n")
  /// The response to a poll when the environment shuts down; a runtime exits then.
  package static let gone = RuntimeReply(
    status: 500, errorType: "InternalServerError", message: "The execution environment is shutting down")
  static let invalidRequestID = RuntimeReply(
    status: 400, errorType: "InvalidRequestID", message: "Invalid request ID")
  static let invalidResponseMode = RuntimeReply(
    status: 400, errorType: "InvalidFunctionResponseMode", message: "Invalid function response mode")
  package static let truncated = RuntimeReply(
    status: 400, errorType: "TruncatedHTTPRequest", message: "HTTP request detected as truncated")
  /// The response to a post of an attempt that has ended: the runtime drops its answer and continues.
  static let staleAttempt = RuntimeReply(
    status: 410, errorType: "InvokeTimeout", message: "Invoke timeout")
  package static let tooLarge = tooLarge(limit: RuntimeAPILimits.payloadBytes)

  package static func tooLarge(limit: Int) -> RuntimeReply {
    RuntimeReply(
      status: 413, errorType: "RequestEntityTooLarge",
      message: "Exceeded maximum allowed payload size (\(limit) bytes).")
  }

  static func invalidTransition(from state: String, to target: String) -> RuntimeReply {
    RuntimeReply(
      status: 403, errorType: "InvalidStateTransition",
      message: "State transition from \(state) to \(target) failed for runtime. "
        + "Error: State transition is not allowed")
  }

  package static func event(_ invocation: Invocation, deadlineUnixMilliseconds: Int64) -> RuntimeReply {
    var reply = RuntimeReply(
      status: 200,
      headers: [
        Field(name: "Content-Type", value: "application/json"),
        Field(name: "Lambda-Runtime-Aws-Request-Id", value: invocation.requestID),
        Field(name: "Lambda-Runtime-Invocation-Id", value: invocation.attemptID),
        Field(name: "Lambda-Runtime-Deadline-Ms", value: String(deadlineUnixMilliseconds)),
        Field(name: "Lambda-Runtime-Invoked-Function-Arn", value: invocation.functionARN),
        Field(name: "Lambda-Runtime-Trace-Id", value: invocation.traceID),
      ],
      body: invocation.event)
    if let clientContext = invocation.clientContext {
      reply.headers.append(Field(name: "Lambda-Runtime-Client-Context", value: clientContext))
    }
    if let tenant = invocation.tenant {
      reply.headers.append(Field(name: "Lambda-Runtime-Aws-Tenant-Id", value: tenant.text))
    }
    return reply
  }
}

extension RuntimeReply {
  private init(status: Int, text: String) {
    self.init(
      status: status, headers: [Field(name: "Content-Type", value: "text/plain")], body: Array(text.utf8))
  }

  package init(status: Int, json: [UInt8], _ more: [Field] = []) {
    self.init(
      status: status, headers: [Field(name: "Content-Type", value: "application/json")] + more, body: json)
  }

  package init(status: Int, errorType: String, message: String) {
    self.init(status: status, json: Self.errorBody(message: message, type: errorType))
  }

  package static func errorBody(message: String, type: String) -> [UInt8] {
    JSONTree.members(["errorMessage": .string(message), "errorType": .string(type)]).bytes()
  }
}
