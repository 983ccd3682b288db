package struct InvocationResult: Sendable {
  package let requestID: String
  package let answer: InvocationAnswer
  /// The time from sending the event to reading the answer, in microseconds, measured by the Runtime API server.
  package let microseconds: Int
  /// The function's decision record for this request ID, if it wrote one.
  package let decision: DecisionRecord?
  /// All other lines that the function wrote since the previous event, including its start.
  package let log: [FunctionLogLine]
  /// The peak resident memory of the process in KiB; `nil` if the system does not report it.
  package let peakMemoryKiB: Int?
  /// The platform's report; only if the caller waited for it.
  package var report: InvocationReport?
  /// The log of this invocation as in CloudWatch, `START` to `REPORT`; only if the caller waited for the report.
  package var cloudLog: [String] = []

  /// Creates a result from the lines that the function wrote.
  package init(
    requestID: String, answer: InvocationAnswer, microseconds: Int, lines: [FunctionLogLine],
    peakMemoryKiB: Int?
  ) {
    self.requestID = requestID
    self.answer = answer
    self.microseconds = microseconds
    self.peakMemoryKiB = peakMemoryKiB
    var decision: DecisionRecord?
    var log: [FunctionLogLine] = []
    for line in lines {
      if decision == nil, let found = DecisionRecord(line: line, requestID: requestID) {
        decision = found
      } else {
        log.append(line)
      }
    }
    self.decision = decision
    self.log = log
  }
}

extension InvocationResult {
  /// The function's own reason: the authorizer's reason for its decision, or that of the sign-in function, followed
  /// by the store's detail if the store failed.
  package var reason: String? {
    if let decision {
      return decision.reason.map { $0 + (decision.requiredScope.map { "(\($0))" } ?? "") }
    }
    let request = log.lazy.compactMap {
      DecisionRecord(line: $0, requestID: requestID, message: "request")
    }.first
    return request?.reason.map { reason in reason + (request?.detail.map { " (\($0))" } ?? "") }
  }

  /// Whether this is a function error for Lambda (`X-Amz-Function-Error: Unhandled`).
  package var isFunctionError: Bool {
    if case .response = answer { false } else { true }
  }

  /// The payload that Lambda returns to the caller: the function's response, or an error document.
  package var payload: [UInt8] { answer.payload(requestID: requestID) }

  /// Lambda's error type; `nil` for a response. It never contains text of the event.
  package var errorType: String? {
    switch answer {
    case .response: nil
    case .error(let report): report.headerType
    case .died: "Runtime.ExitError"
    case .timedOut: "Sandbox.Timedout"
    case .initializationFailed(let failure):
      if case .error(let type) = failure.status { type } else { "Sandbox.Timedout" }
    }
  }

  /// Returns milliseconds as seconds in Lambda's format: `3000` is `3.00`.
  package static func seconds(_ milliseconds: Int) -> String {
    let hundredths = milliseconds % 1000 / 10
    return "\(milliseconds / 1000).\(hundredths < 10 ? "0" : "")\(hundredths)"
  }
}

extension InvocationAnswer {
  /// The payload that Lambda returns to the caller: the function's response, or an error document.
  package func payload(requestID: String) -> [UInt8] {
    switch self {
    case .response(let bytes): return bytes
    case .error(let report), .initializationFailed(.reported(let report)): return report.document
    case .died(let exit), .initializationFailed(.died(let exit)):
      return exit.errorDocument(requestID: requestID)
    case .timedOut(let milliseconds), .initializationFailed(.timedOut(let milliseconds)):
      let seconds = InvocationResult.seconds(milliseconds)
      return RuntimeReply.errorBody(
        message: "RequestId: \(requestID) Error: Task timed out after \(seconds) seconds",
        type: "Sandbox.Timedout")
    case .initializationFailed(.notStarted(let reason)):
      return RuntimeReply.errorBody(
        message: "RequestId: \(requestID) Error: \(reason)", type: "Runtime.InvalidEntrypoint")
    }
  }
}

extension ProcessExit {
  /// Returns the error document that the caller gets for the interrupted invocation.
  package func errorDocument(requestID: String, type: String = "Runtime.ExitError") -> [UInt8] {
    RuntimeReply.errorBody(message: "RequestId: \(requestID) Error: \(lambdaReason)", type: type)
  }
}
