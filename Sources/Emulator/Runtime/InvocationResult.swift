internal import JSON

/// What became of one event.
public struct InvocationResult: Sendable {
  /// The id that the function was given.
  public let requestID: String
  /// How it ended.
  public let answer: InvocationAnswer
  /// From sending the event to having read the answer, in microseconds, as the Runtime API server saw it.
  public let microseconds: Int
  /// The function's own record of its decision, where it wrote one with this request's id.
  public let decision: DecisionRecord?
  /// All other lines that the function wrote since the event before, its start included.
  public let log: [FunctionLogLine]
  /// The most memory the process ever had resident, in KiB; `nil` where the system does not say.
  public let peakMemoryKiB: Int?
  /// The platform's numbers; only where the caller waited for them.
  public let report: InvocationReport?
  /// The log of this invocation as CloudWatch shows it, `START` to `REPORT`; only where the caller waited for the report.
  public let cloudLog: [String]

  /// A result from the lines as the function wrote them.
  public init(
    requestID: String, answer: InvocationAnswer, microseconds: Int, lines: [FunctionLogLine],
    peakMemoryKiB: Int?, report: InvocationReport? = nil, cloudLog: [String] = []
  ) {
    self.report = report
    self.cloudLog = cloudLog
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
  /// The function's own reason: an authorizer's for its decision, or that of the function that signs users in, which says of
  /// its store besides what kept it from answering.
  var reason: String? {
    if let decision {
      return decision.reason.map { $0 + (decision.requiredScope.map { "(\($0))" } ?? "") }
    }
    let request = log.lazy.compactMap {
      DecisionRecord(line: $0, requestID: requestID, message: "request")
    }.first
    return request?.reason.map { reason in reason + (request?.detail.map { " (\($0))" } ?? "") }
  }

  /// Whether Lambda calls this a function error (`X-Amz-Function-Error: Unhandled`).
  public var isFunctionError: Bool {
    if case .response = answer { false } else { true }
  }

  /// What Lambda gives to the caller: the function's own response, or an error document.
  public var payload: [UInt8] {
    switch answer {
    case .response(let bytes): bytes
    case .error(let report), .initializationFailed(.reported(let report)): report.document
    case .died(let exit), .initializationFailed(.died(let exit)): exit.errorDocument(requestID: requestID)
    case .timedOut(let milliseconds), .initializationFailed(.timedOut(let milliseconds)):
      RuntimeReply.errorBody(
        message: "RequestId: \(requestID) Error: Task timed out after \(Self.seconds(milliseconds)) seconds",
        type: "Sandbox.Timedout")
    case .initializationFailed(.notStarted(let reason)):
      RuntimeReply.errorBody(
        message: "RequestId: \(requestID) Error: \(reason)", type: "Runtime.InvalidEntrypoint")
    }
  }

  /// To an event that Lambda would not take.
  static func tooLarge(_ requestID: String) -> InvocationResult {
    let error = InvokeError.tooLarge(limit: RuntimeAPILimits.eventBytes)
    let report = FunctionErrorReport(
      headerType: "Runtime.RequestEntityTooLarge",
      document: RuntimeReply.errorBody(message: error.message, type: error.type))
    return InvocationResult(
      requestID: requestID, answer: .error(report), microseconds: 0, lines: [], peakMemoryKiB: nil)
  }

  /// What Lambda calls the error; `nil` for a response. It holds no word of the event.
  var errorType: String? {
    switch answer {
    case .response: nil
    case .error(let report): report.headerType
    case .died: "Runtime.ExitError"
    case .timedOut: "Sandbox.Timedout"
    case .initializationFailed(let failure):
      if case .error(let type) = failure.status { type } else { "Sandbox.Timedout" }
    }
  }

  /// `3000` as Lambda writes it: `3.00`.
  static func seconds(_ milliseconds: Int) -> String {
    let hundredths = milliseconds % 1000 / 10
    return "\(milliseconds / 1000).\(hundredths < 10 ? "0" : "")\(hundredths)"
  }
}

/// The line that the authorizer writes for each decision: `"message":"decision"`.
///
/// It is the function's own word: the harness shows it and never derives an outcome from it.
public struct DecisionRecord: Equatable, Sendable {
  /// `outcome`.
  public let outcome: String
  /// `reason`, absent for an allowed request.
  public let reason: String?
  /// `issuer`, the name from the configuration, where known.
  public let issuer: String?
  /// `microseconds` that the function counted itself.
  public let microseconds: Int?
  /// `requiredScope`, which the token does not have.
  public let requiredScope: String?
  /// `detail`, what a store has to say.
  let detail: String?

  /// `nil` where the line is no decision or one about another request.
  init?(line: FunctionLogLine, requestID: String, message: String = "decision") {
    guard line.stream == .standardOutput, line.text.utf8.first == 0x7B,
      let document = try? JSONDocument(parsing: Array(line.text.utf8), limits: .event)
    else { return nil }
    let root = document.root
    guard root["message"]?.equals(message) == true, root["requestId"]?.equals(requestID) == true,
      let outcome = root["outcome"]?.text
    else { return nil }
    self.outcome = outcome
    reason = root["reason"]?.text
    issuer = root["issuer"]?.text
    requiredScope = root["requiredScope"]?.text
    detail = root["detail"]?.text
    microseconds = root["microseconds"]?.number?.integer.map(Int.init)
  }
}
