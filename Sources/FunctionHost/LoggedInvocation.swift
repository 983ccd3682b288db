/// The invocation that a log line is about.
package struct LoggedInvocation {
  /// Lambda's request ID.
  package let requestID: ArraySlice<UInt8>
  /// `Lambda-Runtime-Trace-Id` as received.
  package let traceHeader: ArraySlice<UInt8>?
  /// Whether this is the first invocation of its worker.
  package let isFirst: Bool

  /// Creates the data of an invocation.
  package init(requestID: ArraySlice<UInt8>, traceHeader: ArraySlice<UInt8>?, isFirst: Bool) {
    self.requestID = requestID
    self.traceHeader = traceHeader
    self.isFirst = isFirst
  }

  /// Creates the data of an invocation from texts.
  package init(requestID: String, traceHeader: String? = nil, isFirst: Bool = false) {
    self.init(
      requestID: Array(requestID.utf8)[...], traceHeader: traceHeader.map { Array($0.utf8)[...] },
      isFirst: isFirst)
  }
}

extension LogLine {
  /// Writes the members that lead to other logs: those of API Gateway, of X-Ray and of the function's start.
  package mutating func members(of invocation: LoggedInvocation, _ apiRequestID: APIRequestID?) {
    if let apiRequestID { member("apiRequestId", utf8: apiRequestID.utf8.span) }
    if let header = invocation.traceHeader, let trace = TraceIdentifier(header: header) {
      member("xrayTraceId", utf8: trace.utf8.span)
    }
    // Left out otherwise, so that a query can count the lines that have the member.
    if invocation.isFirst { member("coldStart", true) }
  }
}
