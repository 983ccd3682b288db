import Bytes

/// The fields about an invocation in the head of an answer to `/next`, as received. Each field may be missing.
///
/// Contains one copy of the head, and the range of each value in it: most fields are never read, and the others are only
/// repeated.
struct InvocationFields: Sendable {
  /// The part of the head that is a field's value. Narrow, because the fields are handed on several times.
  typealias TextRange = Range<UInt32>

  var deadlineMilliseconds: Int64?
  var requestIDRange: TextRange?
  var invocationIDRange: TextRange?
  var functionARNRange: TextRange?
  var traceIDRange: TextRange?
  var clientContextRange: TextRange?
  var cognitoIdentityRange: TextRange?
  var tenantIDRange: TextRange?
  /// The received head, or the texts joined. Empty until `keepTexts`: no text may be read before.
  private var bytes: [UInt8] = []

  /// No field.
  init() {}

  /// Creates the fields with these texts.
  init(
    requestID: [UInt8]? = nil, invocationID: [UInt8]? = nil, deadlineMilliseconds: Int64? = nil,
    functionARN: [UInt8]? = nil, traceID: [UInt8]? = nil, clientContext: [UInt8]? = nil,
    cognitoIdentity: [UInt8]? = nil, tenantID: [UInt8]? = nil
  ) {
    self.deadlineMilliseconds = deadlineMilliseconds
    requestIDRange = add(requestID)
    invocationIDRange = add(invocationID)
    functionARNRange = add(functionARN)
    traceIDRange = add(traceID)
    clientContextRange = add(clientContext)
    cognitoIdentityRange = add(cognitoIdentity)
    tenantIDRange = add(tenantID)
  }

  private mutating func add(_ text: [UInt8]?) -> TextRange? {
    guard let text else { return nil }
    bytes += text
    return UInt32(bytes.count - text.count)..<UInt32(bytes.count)
  }

  /// Copies the head, to which the ranges refer, if it has texts: that of an answer to a POST has none.
  mutating func keepTexts(of head: Span<UInt8>) {
    let hasNoText =
      requestIDRange == nil && invocationIDRange == nil && functionARNRange == nil && traceIDRange == nil
      && clientContextRange == nil && cognitoIdentityRange == nil && tenantIDRange == nil
    if !hasNoText { bytes = Array(copying: head) }
  }
}

/// The texts, inlined because a call would copy all fields.
extension InvocationFields {
  @inline(__always) var requestID: ArraySlice<UInt8>? { text(requestIDRange) }
  @inline(__always) var invocationID: ArraySlice<UInt8>? { text(invocationIDRange) }
  @inline(__always) var functionARN: ArraySlice<UInt8>? { text(functionARNRange) }
  @inline(__always) var traceID: ArraySlice<UInt8>? { text(traceIDRange) }
  @inline(__always) var clientContext: ArraySlice<UInt8>? { text(clientContextRange) }
  @inline(__always) var cognitoIdentity: ArraySlice<UInt8>? { text(cognitoIdentityRange) }
  @inline(__always) var tenantID: ArraySlice<UInt8>? { text(tenantIDRange) }

  @inline(__always)
  private func text(_ range: TextRange?) -> ArraySlice<UInt8>? {
    range.map { bytes[Int($0.lowerBound)..<Int($0.upperBound)] }
  }
}

extension InvocationFields: Equatable {
  /// Compares the texts and not their ranges.
  static func == (left: Self, right: Self) -> Bool {
    left.requestID == right.requestID && left.invocationID == right.invocationID
      && left.deadlineMilliseconds == right.deadlineMilliseconds && left.functionARN == right.functionARN
      && left.traceID == right.traceID && left.clientContext == right.clientContext
      && left.cognitoIdentity == right.cognitoIdentity && left.tenantID == right.tenantID
  }
}
