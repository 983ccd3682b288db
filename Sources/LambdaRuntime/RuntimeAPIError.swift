/// The calls of the Runtime API 2018-06-01 that a runtime makes.
public enum RuntimeCall: String, Equatable, Sendable {
  /// `GET /runtime/invocation/next`.
  case next
  /// `POST /runtime/invocation/{id}/response`.
  case response
  /// `POST /runtime/invocation/{id}/error`.
  case error
  /// `POST /runtime/init/error`.
  case initializationError = "init/error"
}

/// How the Runtime API took a post after which the runtime goes on. What ends it is a ``RuntimeAPIError``.
public enum PostOutcome: Equatable, Sendable {
  /// 2xx; Lambda says 202.
  case accepted
  /// 400: the post itself is wrong, such as an unknown request id. The next invocation may be well.
  case refused(RefusalDetail)
  /// 410: the invocation has timed out and may be running elsewhere; its late answer was dropped.
  case stale
  /// 413: the answer is too long. Lambda tells the caller `Function.ResponseSizeTooLarge`; a second post would be
  /// refused with 403.
  case tooLarge

  /// The stable name of this outcome, for logs and tests.
  public var code: String {
    switch self {
    case .accepted: "accepted"
    case .refused: "postRefused"
    case .stale: "postStale"
    case .tooLarge: "postTooLarge"
    }
  }
}

/// Why the runtime cannot go on. There is nothing to retry: log it once and exit.
public enum RuntimeAPIError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No answer came that could be read.
  case transport(RuntimeCall, TransportFailure)
  /// 403: the Runtime API and the runtime do not agree on the state. From here each call would be refused.
  case invalidState(RuntimeCall, RefusalDetail)
  /// 500: the environment is broken and wants to be left promptly.
  case containerError(RuntimeCall, RefusalDetail)
  /// A status that the Runtime API does not document for this call.
  case unexpectedStatus(RuntimeCall, status: Int, RefusalDetail)
  /// `/next` answered 204 this many times in a row.
  case noInvocation(emptyAnswers: Int)
  /// An event came without an id to answer it by.
  case missingRequestID
  /// The request id is empty, too long, or would change the path of the request that carries it.
  case invalidRequestID
  /// The invocation id is too long or holds more than visible ASCII.
  case invalidInvocationID

  /// Whether an answer could not be posted; else no event could be asked for.
  var isOfPost: Bool {
    switch self {
    case .transport(let call, _), .invalidState(let call, _), .containerError(let call, _),
      .unexpectedStatus(let call, _, _):
      call != .next
    case .noInvocation, .missingRequestID, .invalidRequestID, .invalidInvocationID: false
    }
  }

  /// The stable name of this error, for logs and tests.
  public var code: String {
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

  /// One sentence with the call and the evidence.
  public var description: String {
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
      "next: the Runtime API gave no Lambda-Runtime-Aws-Request-Id"
    case .invalidRequestID:
      "next: the Lambda-Runtime-Aws-Request-Id cannot stand in a path"
    case .invalidInvocationID:
      "next: the Lambda-Runtime-Invocation-Id cannot stand in a header"
    }
  }
}
