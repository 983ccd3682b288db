import Bytes

/// An invocation that waits for its answer.
///
/// It is noncopyable and an answer consumes it, so the compiler refuses a second answer. Lambda would refuse a second
/// answer with 403, and the runtime would have to exit
/// (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html).
package struct PendingInvocation: ~Copyable {
  /// The unchanged event: JSON of at most ``RuntimeAPI/eventByteLimit`` bytes.
  package let event: [UInt8]
  /// The metadata of the invocation for the handler.
  package let context: InvocationContext
  /// Unique for each attempt, unlike the request ID, which stays the same on a retry. It is sent back with the
  /// answer, so that a late answer is not used for the retry. Nil if the Runtime API sent none.
  var invocationID: ArraySlice<UInt8>? { context.fields.invocationID }

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
    context = InvocationContext(fields)
  }

  /// Whether the ID is one path segment without encoding: no slash, space or percent sign, and not `.` or `..` (RFC
  /// 3986 §3.3, §5.2.4).
  private static func isPathSegment(_ id: ArraySlice<UInt8>) -> Bool {
    let isDots = 1...2 ~= id.count && id.allSatisfy { $0 == .dot }
    guard id.count <= idByteLimit, !isDots else { return false }
    // Several bytes at a time as far as there are only letters, digits and hyphens: in a UUID to the end.
    let plain = id.span.firstIndex(from: 0) { $0.marksOfOtherThanLettersDigitsAndHyphens }
    return id.dropFirst(plain).allSatisfy { $0.isPathCharacter }
  }

  private static func isFieldValue(_ id: ArraySlice<UInt8>) -> Bool {
    id.count <= idByteLimit && id.allSatisfy { $0.isVisible }
  }
}

/// The metadata that the Runtime API sends with an event. Emulators omit most of it.
///
/// Texts are parts of the head that was received: most of them are never read, or written to a log as they are.
package struct InvocationContext: Equatable, Sendable {
  /// The request ID as received, in UTF-8.
  package var requestIDBytes: ArraySlice<UInt8> { fields.requestID ?? [] }
  /// The deadline of the invocation in Unix milliseconds. Emulators send none, or one in the past.
  package var deadlineMilliseconds: Int64? { fields.deadlineMilliseconds }
  /// The X-Ray trace as received; possibly ill-formed UTF-8.
  package var traceIDBytes: ArraySlice<UInt8>? { fields.traceID }
  /// The request ID, the same on a retry; for logs.
  package var requestID: String { String(decoding: requestIDBytes, as: UTF8.self) }
  /// The invoked ARN, with its alias or version.
  package var functionARN: String? { Self.text(fields.functionARN) }
  /// The X-Ray trace, `Root=1-…;Parent=…;Sampled=…`.
  package var traceID: String? { Self.text(fields.traceID) }
  /// JSON that the caller sent in addition to the event.
  package var clientContext: String? { Self.text(fields.clientContext) }
  /// JSON about the caller, if the caller uses AWS's mobile SDK.
  package var cognitoIdentity: String? { Self.text(fields.cognitoIdentity) }
  /// The tenant, if the function uses tenant isolation.
  package var tenantID: String? { Self.text(fields.tenantID) }
  /// The fields as received. They have a request ID: without one there is no `PendingInvocation`.
  let fields: InvocationFields

  /// Creates a context.
  package init(
    requestID: String, deadlineMilliseconds: Int64? = nil, functionARN: String? = nil, traceID: String? = nil,
    clientContext: String? = nil, cognitoIdentity: String? = nil, tenantID: String? = nil
  ) {
    self.init(
      InvocationFields(
        requestID: Array(requestID.utf8), deadlineMilliseconds: deadlineMilliseconds,
        functionARN: functionARN.map { Array($0.utf8) },
        traceID: traceID.map { Array($0.utf8) }, clientContext: clientContext.map { Array($0.utf8) },
        cognitoIdentity: cognitoIdentity.map { Array($0.utf8) }, tenantID: tenantID.map { Array($0.utf8) }))
  }

  /// The X-Ray trace for `_X_AMZN_TRACE_ID`, empty without one. Ill-formed UTF-8 becomes U+FFFD: programs read the
  /// variable as text, and Python's runtime, for example, refuses such a trace altogether.
  var traceVariable: ArraySlice<UInt8> {
    guard let trace = traceIDBytes else { return [] }
    // Plain text, as nearly every trace, does not become a string first.
    guard PlainText.end(in: trace.span, from: 0) < trace.count else { return trace }
    return Array(String(decoding: trace, as: UTF8.self).utf8)[...]
  }

  init(_ fields: InvocationFields) { self.fields = fields }

  private static func text(_ bytes: ArraySlice<UInt8>?) -> String? {
    bytes.map { String(decoding: $0, as: UTF8.self) }
  }
}
