internal import JSON

/// An error response of the Invoke API if no function ran: status, `x-amzn-ErrorType`, and a JSON body.
///
/// Types and statuses are those of the Lambda API reference ("Invoke", Errors). The name of the message member in the
/// body depends on the type, as on AWS.
package enum InvokeError: Error, Equatable {
  case functionNotFound(arn: String)
  case accessDenied(String)
  /// A header, the name or the qualifier is invalid.
  case invalidParameter(String)
  /// The payload or the client context is not JSON.
  case invalidContent(String)
  /// The payload has more bytes than this limit.
  case tooLarge(limit: Int)
  /// Every environment is busy and the queue is full.
  case tooManyRequests
  /// A call of the Lambda API other than Invoke.
  case notEmulated(String)
  case unavailable

  var status: Int { parts.status }

  /// `x-amzn-ErrorType`, which SDKs turn into an exception.
  var type: String { parts.type }

  var message: String { parts.message }

  private var parts: (status: Int, type: String, message: String) {
    switch self {
    case .invalidParameter(let text): (400, "InvalidParameterValueException", text)
    case .invalidContent(let text): (400, "InvalidRequestContentException", text)
    case .accessDenied(let text): (403, "AccessDeniedException", text)
    case .functionNotFound(let arn): (404, "ResourceNotFoundException", "Function not found: \(arn)")
    case .tooLarge(let limit):
      // The API reference says RequestTooLargeException; recorded responses of the service have this type.
      (
        413, "RequestEntityTooLargeException",
        "Request must be smaller than \(limit) bytes for the InvokeFunction operation"
      )
    case .tooManyRequests: (429, "TooManyRequestsException", "Rate Exceeded.")
    case .notEmulated(let call):
      (
        501, "NotImplementedException",
        "\(call) is not emulated: Invoke is the only call of the Lambda API that is"
      )
    case .unavailable: (503, "ServiceException", "The function is shutting down")
    }
  }

  var body: [UInt8] {
    let name =
      switch self {
      case .functionNotFound, .accessDenied, .tooLarge, .notEmulated, .unavailable: "Message"
      case .invalidParameter, .invalidContent, .tooManyRequests: "message"
      }
    let reason = "ReservedFunctionConcurrentInvocationLimitExceeded"
    return JSONTree.members([
      "Reason": self == .tooManyRequests ? .string(reason) : nil,
      "Type": .string(status < 500 ? "User" : "Server"), name: .string(message),
    ]).bytes()
  }
}

extension InvokeError {
  init(_ refusal: InvocationRefusal) {
    switch refusal {
    case .eventTooLarge: self = .tooLarge(limit: RuntimeAPILimits.eventBytes)
    case .tooManyRequests: self = .tooManyRequests
    case .closed: self = .unavailable
    case .tenantMissing: self = .invalidParameter(Tenant.missingMessage)
    case .tenantUnknown: self = .invalidParameter("The invoked function has no tenancy configuration.")
    }
  }
}

extension InvocationResult {
  /// Returns the result for an event that is too large for Lambda.
  package static func tooLarge(_ requestID: String) -> InvocationResult {
    let error = InvokeError.tooLarge(limit: RuntimeAPILimits.eventBytes)
    let report = FunctionErrorReport(
      headerType: "Runtime.RequestEntityTooLarge",
      document: RuntimeReply.errorBody(message: error.message, type: error.type))
    return InvocationResult(
      requestID: requestID, answer: .error(report), microseconds: 0, lines: [], peakMemoryKiB: nil)
  }
}
