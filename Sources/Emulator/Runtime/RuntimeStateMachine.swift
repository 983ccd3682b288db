/// The Runtime API of one execution environment without its sockets and clocks: events in, actions out.
///
/// One invocation at a time; the others wait in line. What is allowed when follows Lambda's own supervisor
/// (`core/states.go` and `rapi` of aws-lambda-runtime-interface-emulator), the attempt id its managed-instances mode.
struct RuntimeStateMachine {
  /// What the runtime is doing.
  enum State: Equatable {
    /// No process, or one that is gone. → `started`
    case stopped
    /// The process runs and has not asked for an event. → `ready`, `initializationFailed`, `stopped`
    case started
    /// It posted `/init/error`; every other call is refused. → `stopped`
    case initializationFailed
    /// These `/next` calls are open. → `running`, `stopped`
    case ready(polls: [Int])
    /// It has this event. → `responseSent`, `refused`, `stopped`
    case running(Invocation, since: Moment)
    /// Its answer was refused for its form; as in Lambda nothing is allowed any more. → `stopped`
    case refused(Invocation, since: Moment)
    /// It has answered and not yet asked again. → `ready`, `running`, `stopped`
    case responseSent(Invocation)
  }

  /// What the layer around must do, in order.
  enum Action: Equatable {
    /// Send this answer on this HTTP exchange.
    case reply(exchange: Int, RuntimeReply)
    /// The runtime asked for its first event.
    case initialized
    /// There will be no first `/next`.
    case initializationFailed(InitializationFailure)
    /// The function's time for this invocation begins now.
    case startTimer(Invocation)
    /// This invocation has ended.
    case finished(requestID: String, InvocationAnswer, nanoseconds: UInt64)
  }

  private(set) var state = State.stopped
  private(set) var line: [Invocation] = []

  // MARK: The harness

  /// A process has been started.
  mutating func processStarted() {
    state = .started
  }

  /// An event for the function.
  mutating func enqueue(_ invocation: Invocation, at now: Moment) -> [Action] {
    line.append(invocation)
    switch state {
    case .ready(let polls): return dispatch(to: polls, at: now)
    case .responseSent where line.count == 1: return [.startTimer(invocation)]
    default: return []
    }
  }

  /// The time of this invocation is over; nothing happens where it has ended before. The process must be killed.
  mutating func timeOut(requestID: String, at now: Moment) -> [Action] {
    switch state {
    case .running(let invocation, let since), .refused(let invocation, let since):
      guard invocation.requestID == requestID else { return [] }
      state = .stopped
      return [finish(invocation, .timedOut(milliseconds: invocation.timeoutMilliseconds), since, now)]
    case .responseSent:
      guard let first = line.first, first.requestID == requestID else { return [] }
      line.removeFirst()
      state = .stopped
      return [finish(first, .timedOut(milliseconds: first.timeoutMilliseconds), now, now)]
    case .stopped, .started, .initializationFailed, .ready: return []
    }
  }

  /// The time until the first `/next` is over; nothing happens where it came. The process must be killed.
  mutating func timeOutInitialization(milliseconds: Int) -> [Action] {
    guard state == .started else { return [] }
    return failInitialization(.timedOut(milliseconds: milliseconds))
  }

  /// The system would not start the command.
  mutating func processNotStarted(_ reason: String) -> [Action] {
    failInitialization(.notStarted(reason))
  }

  /// The process has ended.
  mutating func processEnded(_ exit: ProcessExit, at now: Moment) -> [Action] {
    switch state {
    case .started: return failInitialization(.died(exit))
    case .running(let invocation, let since), .refused(let invocation, let since):
      state = .stopped
      return [finish(invocation, .died(exit), since, now)]
    case .ready(let polls):
      state = .stopped
      return polls.map { .reply(exchange: $0, .gone) }
    case .stopped, .initializationFailed, .responseSent:
      state = .stopped
      return []
    }
  }

  // MARK: The runtime

  /// `GET /runtime/invocation/next`.
  mutating func next(exchange: Int, at now: Moment) -> [Action] {
    switch state {
    case .started: return [.initialized] + poll([exchange], at: now)
    case .responseSent: return poll([exchange], at: now)
    case .ready(let polls): return poll(polls + [exchange], at: now)
    case .running(let invocation, let since):
      return [.reply(exchange: exchange, event(invocation, since))]
    case .initializationFailed: return refuse(exchange, from: "RuntimeInitErrorState", to: "Ready")
    case .refused: return refuse(exchange, from: "RuntimeInvocationResponseState", to: "Ready")
    case .stopped: return [.reply(exchange: exchange, .gone)]
    }
  }

  /// What a post to an invocation says besides its body.
  struct Post {
    let exchange: Int
    let requestID: String
    /// `nil` where the header is absent or empty, as with runtimes older than the header.
    let attemptID: String?
    let payload: Payload

    enum Payload {
      case response([UInt8])
      case error(FunctionErrorReport)
      /// A response with a `Lambda-Runtime-Function-Response-Mode` that does not exist.
      case unknownResponseMode
      /// A body over `RuntimeAPILimits.payloadBytes`.
      case tooLarge
    }
  }

  /// `POST /runtime/invocation/{id}/response` and `…/error`.
  mutating func post(_ post: Post, at now: Moment) -> [Action] {
    if let attemptID = post.attemptID, attemptID != current?.attemptID {
      return [.reply(exchange: post.exchange, .staleAttempt)]
    }
    guard let current, current.requestID == post.requestID else {
      return [.reply(exchange: post.exchange, .invalidRequestID)]
    }
    guard case .running(let invocation, let since) = state else {
      return refuse(post.exchange, from: stateName, to: post.targetName)
    }
    let reply: RuntimeReply
    let answer: InvocationAnswer
    switch post.payload {
    case .unknownResponseMode:
      state = .refused(invocation, since: since)
      return [.reply(exchange: post.exchange, .invalidResponseMode)]
    case .tooLarge: (reply, answer) = (.tooLarge, .error(Self.tooLargeReport))
    case .response(let bytes): (reply, answer) = (.accepted, .response(bytes))
    case .error(let report): (reply, answer) = (.accepted, .error(report))
    }
    state = .responseSent(invocation)
    return [.reply(exchange: post.exchange, reply), finish(invocation, answer, since, now)]
      + (line.first.map { [.startTimer($0)] } ?? [])
  }

  /// `POST /runtime/init/error`.
  mutating func initializationError(_ report: FunctionErrorReport, exchange: Int) -> [Action] {
    guard state == .started else {
      return refuse(exchange, from: stateName, to: "InitError")
    }
    let failed = failInitialization(.reported(report))
    state = .initializationFailed
    return [.reply(exchange: exchange, .accepted)] + failed
  }

  // MARK: Steps

  private mutating func poll(_ polls: [Int], at now: Moment) -> [Action] {
    let timerRuns = if case .responseSent = state { true } else { false }
    state = .ready(polls: polls)
    guard !line.isEmpty else { return [] }
    return dispatch(to: polls, at: now, timerRuns: timerRuns)
  }

  /// Every open poll gets the event: all but the last belong to connections that the runtime gave up.
  private mutating func dispatch(to polls: [Int], at now: Moment, timerRuns: Bool = false) -> [Action] {
    let invocation = line.removeFirst()
    state = .running(invocation, since: now)
    return (timerRuns ? [] : [.startTimer(invocation)])
      + polls.map { .reply(exchange: $0, event(invocation, now)) }
  }

  private func event(_ invocation: Invocation, _ since: Moment) -> RuntimeReply {
    .event(
      invocation,
      deadlineUnixMilliseconds: since.unixMilliseconds + Int64(invocation.timeoutMilliseconds))
  }

  private func finish(
    _ invocation: Invocation, _ answer: InvocationAnswer, _ since: Moment, _ now: Moment
  ) -> Action {
    let elapsed = now.monotonicNanoseconds.subtractingReportingOverflow(since.monotonicNanoseconds)
    return .finished(
      requestID: invocation.requestID, answer, nanoseconds: elapsed.overflow ? 0 : elapsed.partialValue)
  }

  private mutating func failInitialization(_ failure: InitializationFailure) -> [Action] {
    let waiting = line
    line = []
    state = .stopped
    return [.initializationFailed(failure)]
      + waiting.map {
        .finished(requestID: $0.requestID, .initializationFailed(failure), nanoseconds: 0)
      }
  }

  private func refuse(_ exchange: Int, from state: String, to target: String) -> [Action] {
    [.reply(exchange: exchange, .invalidTransition(from: state, to: target))]
  }

  private var current: Invocation? {
    switch state {
    case .running(let invocation, _), .refused(let invocation, _), .responseSent(let invocation):
      invocation
    case .stopped, .started, .initializationFailed, .ready: nil
    }
  }

  /// Lambda's names of the states, as its error messages show them.
  private var stateName: String {
    switch state {
    case .stopped, .started: "RuntimeStartedState"
    case .initializationFailed: "RuntimeInitErrorState"
    case .ready: "RuntimeReadyState"
    case .running: "RuntimeRunningState"
    case .refused: "RuntimeInvocationResponseState"
    case .responseSent: "RuntimeResponseSentState"
    }
  }

  /// What the caller of the function gets for a 413 (`Function.ResponseSizeTooLarge`, AWS Lambda quotas).
  private static let tooLargeReport = FunctionErrorReport(
    headerType: "Function.ResponseSizeTooLarge",
    document: RuntimeReply.errorBody(
      message: "Response payload size exceeded maximum allowed payload size "
        + "(\(RuntimeAPILimits.payloadBytes) bytes).",
      type: "Function.ResponseSizeTooLarge"))
}

extension RuntimeStateMachine.Post {
  fileprivate var targetName: String {
    switch payload {
    case .error: "InvocationErrorResponse"
    case .response, .unknownResponseMode, .tooLarge: "InvocationResponse"
    }
  }
}
