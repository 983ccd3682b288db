internal import JSON

/// What the Invoke API answers where no function was run: status, `x-amzn-ErrorType`, and a JSON body.
///
/// Types and statuses are those of the Lambda API reference ("Invoke", Errors); the body names its message as each type
/// does on the wire.
enum InvokeError: Error, Equatable {
  /// No such function, by its ARN as Lambda would write it.
  case functionNotFound(arn: String)
  /// A header, the name or the qualifier is not what it may be.
  case invalidParameter(String)
  /// The payload or the client context is not JSON.
  case invalidContent(String)
  /// The payload has more bytes than this limit.
  case tooLarge(limit: Int)
  /// Every environment is busy and no more may wait.
  case tooManyRequests
  /// A call of the Lambda API other than Invoke.
  case notEmulated(String)
  /// The harness is going away.
  case unavailable

  /// The HTTP status code.
  var status: Int {
    switch self {
    case .invalidParameter, .invalidContent: 400
    case .functionNotFound: 404
    case .tooLarge: 413
    case .tooManyRequests: 429
    case .notEmulated: 501
    case .unavailable: 503
    }
  }

  /// `x-amzn-ErrorType`, which SDKs turn into an exception.
  var type: String {
    switch self {
    case .functionNotFound: "ResourceNotFoundException"
    case .invalidParameter: "InvalidParameterValueException"
    case .invalidContent: "InvalidRequestContentException"
    // The API reference says RequestTooLargeException; recorded answers of the service say this.
    case .tooLarge: "RequestEntityTooLargeException"
    case .tooManyRequests: "TooManyRequestsException"
    case .notEmulated: "NotImplementedException"
    case .unavailable: "ServiceException"
    }
  }

  /// The body.
  var body: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    if case .tooManyRequests = self {
      writer.name("Reason")
      writer.string("ReservedFunctionConcurrentInvocationLimitExceeded")
    }
    writer.name("Type")
    writer.string(status < 500 ? "User" : "Server")
    switch self {
    case .functionNotFound, .tooLarge, .notEmulated, .unavailable: writer.name("Message")
    case .invalidParameter, .invalidContent, .tooManyRequests: writer.name("message")
    }
    writer.string(message)
    writer.endObject()
    return writer.bytes
  }

  /// The message, for people.
  var message: String {
    switch self {
    case .functionNotFound(let arn): "Function not found: \(arn)"
    case .invalidParameter(let text), .invalidContent(let text): text
    case .tooLarge(let limit): "Request must be smaller than \(limit) bytes for the InvokeFunction operation"
    case .tooManyRequests: "Rate Exceeded."
    case .notEmulated(let call): "\(call) is not emulated: of the Lambda API only Invoke is"
    case .unavailable: "The function is shutting down"
    }
  }
}

extension InvokeError {
  init(_ refusal: InvocationRefusal) {
    switch refusal {
    case .eventTooLarge: self = .tooLarge(limit: RuntimeAPILimits.eventBytes)
    case .tooManyRequests: self = .tooManyRequests
    case .closed: self = .unavailable
    }
  }
}
