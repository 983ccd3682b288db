/// The state of one environment's running invocations: who waits for which report, and the log lines so far.
struct InvocationLedger {
  enum Entry {
    /// A line that the platform adds to the function's log.
    case platformLine(String)
    case result(InvocationResult)
  }

  private let memoryMegabytes: Int
  /// The request IDs of invocations whose caller waits for the report.
  private var reportsWanted: Set<String> = []
  /// The answer that was returned or waits for its report.
  private var answer: (requestID: String, InvocationAnswer, nanoseconds: UInt64)?
  /// The lines of the function that no result contains yet.
  private var lines: [FunctionLogLine] = []
  /// The log of the running invocation, as in CloudWatch.
  private var cloudLog: [String] = []
  private var initializationFailure: InitializationFailure?

  init(memoryMegabytes: Int) {
    self.memoryMegabytes = memoryMegabytes
  }

  mutating func expect(_ invocation: Invocation, waitsForReport: Bool) {
    if waitsForReport { reportsWanted.insert(invocation.requestID) }
  }

  mutating func write(_ written: [FunctionLogLine]) {
    lines += written
    cloudLog += written.map(\.text)
    lines.dropOldestLines(\.text)
    cloudLog.dropOldestLines(\.self)
  }

  /// Records an action of the state machine. Ignores timers, replies and processes.
  mutating func record(_ action: RuntimeStateMachine.Action, peakMemoryKiB: () -> Int?) -> [Entry] {
    switch action {
    case .initialized(let end):
      return PlatformLine.initialization(end).map { [platform($0)] } ?? []
    case .began(let invocation):
      // Earlier lines belong to the initialization, not to this invocation's log.
      cloudLog = []
      return [platform(PlatformLine.start(invocation))]
    case .answered(let requestID, let answer, let nanoseconds):
      self.answer = (requestID, answer, nanoseconds)
      if reportsWanted.contains(requestID) { return [] }
      return [.result(result(peakMemoryKiB: peakMemoryKiB(), report: nil))].compactMap { $0 }
    case .ended(let end):
      let peak = peakMemoryKiB()
      let report = InvocationReport(end, memoryMegabytes: memoryMegabytes, peakMemoryKiB: peak)
      var entries: [Entry] = []
      if let failure = PlatformLine.failure(end, answer?.1) { entries.append(platform(failure)) }
      entries.append(platform(PlatformLine.end(end.invocation.requestID)))
      entries.append(platform(report.line))
      if reportsWanted.remove(end.invocation.requestID) != nil {
        entries.append(.result(result(peakMemoryKiB: peak, report: report)))
      }
      answer = nil
      return entries
    case .reply, .startTimer, .cancelTimer, .endProcess: return []
    }
  }

  private mutating func platform(_ text: String) -> Entry {
    cloudLog.append(text)
    return .platformLine(text)
  }

  private mutating func result(peakMemoryKiB: Int?, report: InvocationReport?) -> InvocationResult {
    defer { lines = [] }
    let (requestID, answer, nanoseconds) = answer ?? ("", .response([]), 0)
    var result = InvocationResult(
      requestID: requestID, answer: answer, microseconds: Int(nanoseconds / 1000), lines: lines,
      peakMemoryKiB: peakMemoryKiB)
    if let report { (result.report, result.cloudLog) = (report, cloudLog) }
    return result
  }
}
