/// An invocation that waits for its answer.
///
/// It cannot be copied, and answering consumes it, so the compiler refuses a second answer. Lambda would refuse it with
/// 403 and the runtime would be broken (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html).
public struct PendingInvocation: ~Copyable {
  /// The event as the caller sent it: JSON of at most ``RuntimeAPI/eventByteLimit`` bytes.
  public let event: [UInt8]
  /// What the handler may know of the invocation.
  public let context: InvocationContext
  /// Unique for each attempt, where the request id stays the same on a retry; echoed with the answer, so that a late answer
  /// is not taken for the retry's. Nil where the Runtime API gave none.
  let invocationID: String?

  /// Bytes of an id, at most: ours. A UUID has 36.
  static let idByteLimit = 256

  /// The invocation that an answer to `/next` describes.
  ///
  /// - Throws: `.missingRequestID`, and `.invalidRequestID` or `.invalidInvocationID` for one that could change the
  ///   request that carries it back.
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

  /// One segment of a path, as it is: no slash, no space, no percent sign, and not a step up or in place
  /// (RFC 3986 §3.3, §5.2.4).
  private static func isPathSegment(_ id: String) -> Bool {
    id.utf8.count <= idByteLimit && id.utf8.allSatisfy({ $0.isPathCharacter }) && id != "." && id != ".."
  }

  private static func isFieldValue(_ id: String) -> Bool {
    id.utf8.count <= idByteLimit && id.utf8.allSatisfy { $0 > .space && $0 < 0x7F }
  }
}

/// What the Runtime API says of an invocation beside its event. Emulators leave most of it out.
public struct InvocationContext: Equatable, Sendable {
  /// The id of the request, the same on a retry; for logs.
  public let requestID: String
  /// When the invocation is cut off, in Unix milliseconds. Emulators send none, or one long past.
  public let deadlineMilliseconds: Int64?
  /// The ARN that was called, with its alias or version.
  public let functionARN: String?
  /// The X-Ray trace, `Root=1-…;Parent=…;Sampled=…`.
  public let traceID: String?
  /// JSON that the caller sent beside the event.
  public let clientContext: String?
  /// JSON about the caller, where it is AWS's mobile SDK.
  public let cognitoIdentity: String?
  /// The tenant, where the function keeps tenants apart.
  public let tenantID: String?

  /// A context, for tests of handlers and for the loop.
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
