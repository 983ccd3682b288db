import Bytes

/// The fields about an invocation in the head of an answer to `/next`, as received. Each field may be missing.
///
/// Contains one copy of the head, and the place of each field in it: most fields are never read, and the others are
/// only repeated.
struct InvocationFields: Sendable {
  /// The part of the head that is a field's value. Narrow, because the fields are handed on several times.
  typealias Place = Range<UInt32>

  var deadlineMilliseconds: Int64?
  var requestIDPlace: Place?
  var invocationIDPlace: Place?
  var functionARNPlace: Place?
  var traceIDPlace: Place?
  var clientContextPlace: Place?
  var cognitoIdentityPlace: Place?
  var tenantIDPlace: Place?
  private var head: [UInt8] = []

  /// No field.
  init() {}

  /// Creates the fields with these texts.
  init(
    requestID: [UInt8]? = nil, invocationID: [UInt8]? = nil, deadlineMilliseconds: Int64? = nil,
    functionARN: [UInt8]? = nil, traceID: [UInt8]? = nil, clientContext: [UInt8]? = nil,
    cognitoIdentity: [UInt8]? = nil, tenantID: [UInt8]? = nil
  ) {
    self.deadlineMilliseconds = deadlineMilliseconds
    requestIDPlace = add(requestID)
    invocationIDPlace = add(invocationID)
    functionARNPlace = add(functionARN)
    traceIDPlace = add(traceID)
    clientContextPlace = add(clientContext)
    cognitoIdentityPlace = add(cognitoIdentity)
    tenantIDPlace = add(tenantID)
  }

  private mutating func add(_ text: [UInt8]?) -> Place? {
    guard let text else { return nil }
    head += text
    return UInt32(head.count - text.count)..<UInt32(head.count)
  }

  /// Copies the head, to which the ranges refer. The head of an answer to a POST, which has no texts, is not copied.
  mutating func keepTexts(of head: Span<UInt8>) {
    let isEmpty =
      requestIDPlace == nil && invocationIDPlace == nil && functionARNPlace == nil && traceIDPlace == nil
      && clientContextPlace == nil && cognitoIdentityPlace == nil && tenantIDPlace == nil
    if !isEmpty { self.head = Array(copying: head) }
  }
}

// The texts are inlined, because a call would copy all fields.
extension InvocationFields: Equatable {
  @inline(__always) var requestID: ArraySlice<UInt8>? { text(requestIDPlace) }
  @inline(__always) var invocationID: ArraySlice<UInt8>? { text(invocationIDPlace) }
  @inline(__always) var functionARN: ArraySlice<UInt8>? { text(functionARNPlace) }
  @inline(__always) var traceID: ArraySlice<UInt8>? { text(traceIDPlace) }
  @inline(__always) var clientContext: ArraySlice<UInt8>? { text(clientContextPlace) }
  @inline(__always) var cognitoIdentity: ArraySlice<UInt8>? { text(cognitoIdentityPlace) }
  @inline(__always) var tenantID: ArraySlice<UInt8>? { text(tenantIDPlace) }

  /// Compares the texts and not their places.
  static func == (left: Self, right: Self) -> Bool {
    left.requestID == right.requestID && left.invocationID == right.invocationID
      && left.deadlineMilliseconds == right.deadlineMilliseconds && left.functionARN == right.functionARN
      && left.traceID == right.traceID && left.clientContext == right.clientContext
      && left.cognitoIdentity == right.cognitoIdentity && left.tenantID == right.tenantID
  }

  @inline(__always)
  private func text(_ place: Place?) -> ArraySlice<UInt8>? {
    place.map { head[Int($0.lowerBound)..<Int($0.upperBound)] }
  }
}
