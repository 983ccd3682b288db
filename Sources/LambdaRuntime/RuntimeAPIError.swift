/// The calls of the Runtime API 2018-06-01 that a runtime makes.
package enum RuntimeCall: String, Equatable, Sendable {
  /// `GET /runtime/invocation/next`.
  case next
  /// `POST /runtime/invocation/{id}/response`.
  case response
  /// `POST /runtime/invocation/{id}/error`.
  case error
  /// `POST /runtime/init/error`.
  case initializationError = "init/error"
}

/// The result of a POST after which the runtime continues. Results that end the runtime are a ``RuntimeAPIError``.
package enum PostOutcome: Equatable, Sendable {
  /// 2xx; Lambda sends 202.
  case accepted
  /// 400: the POST is invalid, for example because of an unknown request ID. The next invocation may succeed.
  case refused(RefusalDetail)
  /// 410: the invocation has timed out and may be running elsewhere; its late answer was dropped.
  case stale
  /// 413: the answer is too long. The caller gets `Function.ResponseSizeTooLarge`; a second POST would be refused
  /// with 403.
  case tooLarge

  /// The stable name of this outcome, for logs and tests.
  package var code: String {
    switch self {
    case .accepted: "accepted"
    case .refused: "postRefused"
    case .stale: "postStale"
    case .tooLarge: "postTooLarge"
    }
  }
}

/// The reason why the runtime cannot continue. Do not retry: log it once and exit.
package enum RuntimeAPIError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No readable answer.
  case transport(RuntimeCall, TransportFailure)
  /// 403: the Runtime API and the runtime do not agree on the state. Every later call would be refused.
  case invalidState(RuntimeCall, RefusalDetail)
  /// 500: the environment is broken; the process must exit promptly.
  case containerError(RuntimeCall, RefusalDetail)
  /// A status that the Runtime API does not document for this call.
  case unexpectedStatus(RuntimeCall, status: Int, RefusalDetail)
  /// `/next` answered 204 this many times in a row.
  case noInvocation(emptyAnswers: Int)
  /// The event has no request ID, so it cannot be answered.
  case missingRequestID
  /// The request ID is empty, too long, or would change the path of the answer's request.
  case invalidRequestID
  /// The invocation ID is too long or contains other characters than visible ASCII.
  case invalidInvocationID

  /// Whether the failed call was a POST; otherwise it was a request for an event.
  var isOfPost: Bool {
    switch self {
    case .transport(let call, _), .invalidState(let call, _), .containerError(let call, _),
      .unexpectedStatus(let call, _, _):
      call != .next
    case .noInvocation, .missingRequestID, .invalidRequestID, .invalidInvocationID: false
    }
  }

  /// The stable name of this error, for logs and tests.
  package var code: String {
    switch self {
    case .transport(_, let failure): failure.code
    case .invalidState: "invalidState"
    case .containerError: "containerError"
    case .unexpectedStatus: "unexpectedStatus"
    case .noInvocation: "noInvocation"
    case .missingRequestID: "missingRequestID"
    case .invalidRequestID: "invalidRequestID"
    case .invalidInvocationID: "invalidInvocationID"
    }
  }

  /// A description of the error with the call.
  package var description: String {
    switch self {
    case .transport(let call, let failure):
      "\(call.rawValue): \(failure.description)"
    case .invalidState(let call, let detail):
      "\(call.rawValue): the Runtime API answered 403\(detail.clause)"
    case .containerError(let call, let detail):
      "\(call.rawValue): the Runtime API answered 500\(detail.clause)"
    case .unexpectedStatus(let call, let status, let detail):
      "\(call.rawValue): the Runtime API answered \(status)\(detail.clause)"
    case .noInvocation(let count):
      "next: the Runtime API answered 204 \(count) times in a row"
    case .missingRequestID:
      "next: the Runtime API sent no Lambda-Runtime-Aws-Request-Id"
    case .invalidRequestID:
      "next: the Lambda-Runtime-Aws-Request-Id is not valid in a path"
    case .invalidInvocationID:
      "next: the Lambda-Runtime-Invocation-Id is not valid in a header"
    }
  }
}
