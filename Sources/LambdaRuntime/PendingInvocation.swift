import Bytes

/// An invocation that waits for its answer.
///
/// It is noncopyable and an answer consumes it, so the compiler refuses a second answer. Lambda would refuse a second
/// answer with 403, and the runtime would have to exit
/// (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html).
public struct PendingInvocation: ~Copyable {
  /// The unchanged event: JSON of at most ``RuntimeAPI/eventByteLimit`` bytes.
  public let event: [UInt8]
  /// The metadata of the invocation for the handler.
  public let context: InvocationContext
  /// Unique for each attempt, unlike the request ID, which stays the same on a retry. It is sent back with the
  /// answer, so that a late answer is not used for the retry. Nil if the Runtime API sent none.
  let invocationID: String?

  /// The maximum size of an ID in bytes (this project's limit). A UUID has 36.
  static let idByteLimit = 256

  /// Creates the invocation from an answer to `/next`.
  ///
  /// - Throws: `.missingRequestID`; `.invalidRequestID` or `.invalidInvocationID` for an ID that would change the
  ///   request that sends it back.
  init(fields: InvocationFields, event: [UInt8]) throws(RuntimeAPIError) {
    guard let requestID = fields.requestID else { throw .missingRequestID }
    guard Self.isPathSegment(requestID) else { throw .invalidRequestID }
    if let invocationID = fields.invocationID {
      guard Self.isFieldValue(invocationID) else { throw .invalidInvocationID }
    }
    self.event = event
    invocationID = fields.invocationID
    context = InvocationContext(
      requestID: requestID, deadlineMilliseconds: fields.deadlineMilliseconds,
      functionARN: fields.functionARN, traceID: fields.traceID, clientContext: fields.clientContext,
      cognitoIdentity: fields.cognitoIdentity, tenantID: fields.tenantID)
  }

  /// Whether the ID is one path segment without encoding: no slash, space or percent sign, and not `.` or `..` (RFC
  /// 3986 §3.3, §5.2.4).
  private static func isPathSegment(_ id: String) -> Bool {
    id.utf8.count <= idByteLimit && Array(id.utf8).allSatisfy({ $0.isPathCharacter }) && id != "."
      && id != ".."
  }

  private static func isFieldValue(_ id: String) -> Bool {
    id.utf8.count <= idByteLimit && Array(id.utf8).allSatisfy { $0.isVisible }
  }
}

/// The metadata that the Runtime API sends with an event. Emulators omit most of it.
public struct InvocationContext: Equatable, Sendable {
  /// The request ID, the same on a retry; for logs.
  public let requestID: String
  /// The deadline of the invocation in Unix milliseconds. Emulators send none, or one in the past.
  public let deadlineMilliseconds: Int64?
  /// The invoked ARN, with its alias or version.
  public let functionARN: String?
  /// The X-Ray trace, `Root=1-…;Parent=…;Sampled=…`.
  public let traceID: String?
  /// JSON that the caller sent in addition to the event.
  public let clientContext: String?
  /// JSON about the caller, if the caller uses AWS's mobile SDK.
  public let cognitoIdentity: String?
  /// The tenant, if the function uses tenant isolation.
  public let tenantID: String?

  /// Creates a context.
  public init(
    requestID: String, deadlineMilliseconds: Int64? = nil, functionARN: String? = nil, traceID: String? = nil,
    clientContext: String? = nil, cognitoIdentity: String? = nil, tenantID: String? = nil
  ) {
    self.requestID = requestID
    self.deadlineMilliseconds = deadlineMilliseconds
    self.functionARN = functionARN
    self.traceID = traceID
    self.clientContext = clientContext
    self.cognitoIdentity = cognitoIdentity
    self.tenantID = tenantID
  }
}
