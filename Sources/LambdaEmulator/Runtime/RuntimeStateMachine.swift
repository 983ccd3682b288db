/// The Runtime API of one execution environment without its sockets and clocks: events in, actions out.
///
/// It handles one invocation at a time and queues the others. The allowed transitions follow Lambda's own supervisor
/// (`core/states.go` and `rapi` of aws-lambda-runtime-interface-emulator), the attempt ID its managed-instances mode.
struct RuntimeStateMachine {
  var state = State.stopped
  private(set) var queue: [Invocation] = []
  var extensions = ExtensionRegistry()
  /// The phase of the next process start: only the first start is a separate initialization.
  private(set) var phase = InitializationPhase.initialization
  /// The duration of a successful initialization that is not in a report yet.
  private var unreportedInitialization: UInt64?
  private let initializationMilliseconds: Int

  init(initializationMilliseconds: Int = RuntimeAPILimits.initializationMilliseconds) {
    self.initializationMilliseconds = initializationMilliseconds
  }

  /// Whether an event waits and there is no process.
  var awaitsProcess: Bool { state == .stopped && !queue.isEmpty }

  /// Whether a process must not exist or must end soon.
  var wantsNoProcess: Bool { state == .stopped || state == .initializationFailed }

  var isIdle: Bool {
    guard queue.isEmpty else { return false }
    switch state {
    case .stopped, .initializationFailed, .ready, .started(_, serving: nil): return true
    case .started, .running, .refused, .responseSent, .dying: return false
    }
  }

  /// Whether a process has died and its last posts are still being read, until `drained`.
  var isDraining: Bool { if case .dying = state { true } else { false } }

  // MARK: The harness

  /// Records that a process is being started. The first one has `initializationMilliseconds` until its `/next`. A
  /// replacement initializes in the time of the waiting invocation (AWS Lambda, "Lambda execution environment
  /// lifecycle", "Failures during the Init phase" and "… the Invoke phase").
  mutating func processStarted(at now: Moment) -> [Action] {
    guard phase == .invocation, !queue.isEmpty else {
      state = .started(since: now, serving: nil)
      return [.startTimer(.initialization, milliseconds: initializationMilliseconds)]
    }
    let active = Active(invocation: queue.removeFirst(), since: now)
    state = .started(since: now, serving: active)
    return begin(active.invocation)
  }

  /// Makes the next process the first one of a new environment.
  mutating func renew() -> [Action] {
    if state == .stopped { phase = .initialization }
    return []
  }

  mutating func processNotStarted(_ reason: String, at now: Moment) -> [Action] {
    failInitialization(.notStarted(reason), at: now)
  }

  mutating func enqueue(_ invocation: Invocation, at now: Moment) -> [Action] {
    queue.append(invocation)
    if case .ready(let polls) = state { return dispatch(to: polls, at: now) }
    return []
  }

  /// Handles an expired timer. Ignores it if the limited phase has already ended.
  mutating func timeOut(_ timer: Timer, at now: Moment) -> [Action] {
    switch (timer, state) {
    case (.initialization, .started(_, serving: nil)):
      return failInitialization(.timedOut(milliseconds: initializationMilliseconds), at: now) + [.endProcess]
    case (.invocation(let requestID), .started(_, serving: let active?))
    where active.invocation.requestID == requestID:
      let failure = InitializationFailure.timedOut(milliseconds: active.invocation.timeoutMilliseconds)
      return failInitialization(failure, at: now) + [.endProcess]
    case (.invocation(let requestID), .running(let active)),
      (.invocation(let requestID), .refused(let active)):
      guard active.invocation.requestID == requestID else { return [] }
      let answer = InvocationAnswer.timedOut(milliseconds: active.invocation.timeoutMilliseconds)
      return stop() + [answered(active, answer, at: now), end(active, .timeout, at: now), .endProcess]
    case (.invocation(let requestID), .responseSent(let active)):
      // The caller has its answer; the environment is reset because the function exceeded its time after it.
      guard active.invocation.requestID == requestID else { return [] }
      return stop() + [end(active, .timeout, at: now), .endProcess]
    case (.drain(let moment), .dying(_, let death)) where death.at.monotonicNanoseconds == moment:
      return drained()
    default: return []
    }
  }

  // MARK: The runtime

  /// `GET /runtime/invocation/next`.
  mutating func next(exchange: Int, at now: Moment) -> [Action] {
    switch state {
    case .started(let since, let serving):
      let initialization = InitializationEnd(
        phase: phase, nanoseconds: now.nanoseconds(since: since), failure: nil)
      let isFirst = phase == .initialization
      phase = .invocation
      guard let serving else {
        if isFirst { unreportedInitialization = initialization.nanoseconds }
        return [.cancelTimer(.initialization), .initialized(initialization)] + poll([exchange], at: now)
      }
      state = .running(serving)
      return [.initialized(initialization), .reply(exchange: exchange, event(serving))]
    case .responseSent(let active):
      return [cancel(active), end(active, .success, at: now)] + poll([exchange], at: now)
    case .ready(let polls): return poll(polls + [exchange], at: now)
    case .running(let active): return [.reply(exchange: exchange, event(active))]
    case .initializationFailed: return refuse(exchange, from: "RuntimeInitErrorState", to: "Ready")
    case .refused: return refuse(exchange, from: "RuntimeInvocationResponseState", to: "Ready")
    case .stopped, .dying: return [.reply(exchange: exchange, .gone)]
    }
  }

  /// `POST /runtime/invocation/{id}/response` and `…/error`.
  mutating func post(_ post: Post, at now: Moment) -> [Action] {
    hear { $0.take(post, at: now) }
  }

  private mutating func take(_ post: Post, at now: Moment) -> [Action] {
    if let attemptID = post.attemptID, attemptID != state.current?.attemptID {
      return [.reply(exchange: post.exchange, .staleAttempt)]
    }
    guard let current = state.current, current.requestID == post.requestID else {
      return [.reply(exchange: post.exchange, .invalidRequestID)]
    }
    guard case .running(let active) = state else {
      return refuse(post.exchange, from: state.lambdaName, to: post.targetName)
    }
    let reply: RuntimeReply
    let answer: InvocationAnswer
    switch post.payload {
    case .unknownResponseMode:
      state = .refused(active)
      return [.reply(exchange: post.exchange, .invalidResponseMode)]
    case .tooLarge(let limit): (reply, answer) = (.tooLarge(limit: limit), .error(Self.tooLargeReport(limit)))
    case .response(let bytes): (reply, answer) = (.accepted, .response(bytes))
    case .error(let report): (reply, answer) = (.accepted, .error(report))
    }
    state = .responseSent(active)
    return [.reply(exchange: post.exchange, reply), answered(active, answer, at: now)]
  }

  /// `POST /runtime/init/error`.
  mutating func initializationError(_ report: FunctionErrorReport, exchange: Int, at now: Moment) -> [Action]
  {
    hear { $0.take(report, exchange: exchange, at: now) }
  }

  private mutating func take(_ report: FunctionErrorReport, exchange: Int, at now: Moment) -> [Action] {
    guard case .started = state else {
      return refuse(exchange, from: state.lambdaName, to: "InitError")
    }
    let failed = failInitialization(.reported(report), at: now)
    state = .initializationFailed
    // Most runtimes exit by themselves now, and they have nothing more to report.
    return [.reply(exchange: exchange, .accepted)] + failed + [.endProcess]
  }

  mutating func extensionCall(_ call: ExtensionRegistry.Call, exchange: Int) -> [Action] {
    let mayRegister = if case .started = state { true } else { false }
    return extensions.handle(call, exchange: exchange, mayRegister: mayRegister)
  }

  // MARK: Steps

  private mutating func poll(_ polls: [Int], at now: Moment) -> [Action] {
    state = .ready(polls: polls)
    return queue.isEmpty ? [] : dispatch(to: polls, at: now)
  }

  /// Sends the event to every open poll: all but the last belong to connections that the runtime abandoned.
  private mutating func dispatch(to polls: [Int], at now: Moment) -> [Action] {
    let active = Active(invocation: queue.removeFirst(), since: now)
    state = .running(active)
    return begin(active.invocation) + polls.map { .reply(exchange: $0, event(active)) }
      + extensions.deliver(active.invocation, deadlineUnixMilliseconds: active.deadlineUnixMilliseconds)
  }

  private func begin(_ invocation: Invocation) -> [Action] {
    [
      .began(invocation),
      .startTimer(.invocation(invocation.requestID), milliseconds: invocation.timeoutMilliseconds),
    ]
  }

  private func event(_ active: Active) -> RuntimeReply {
    .event(active.invocation, deadlineUnixMilliseconds: active.deadlineUnixMilliseconds)
  }

  func cancel(_ active: Active) -> Action { .cancelTimer(.invocation(active.invocation.requestID)) }

  func answered(_ active: Active, _ answer: InvocationAnswer, at now: Moment) -> Action {
    .answered(
      requestID: active.invocation.requestID, answer, nanoseconds: now.nanoseconds(since: active.since))
  }

  mutating func end(
    _ active: Active, _ status: InvocationEnd.Status, exit: ProcessExit? = nil, at now: Moment
  ) -> Action {
    defer { unreportedInitialization = nil }
    // Lambda reports the time limit, not the time at which it detected the timeout.
    let limit = UInt64(active.invocation.timeoutMilliseconds) * 1_000_000
    let elapsed = now.nanoseconds(since: active.since)
    return .ended(
      InvocationEnd(
        invocation: active.invocation, nanoseconds: status == .timeout ? limit : min(elapsed, limit),
        initializationNanoseconds: unreportedInitialization, status: status, exit: exit, at: now))
  }

  /// Fails an initialization. The first failure is retried in the waiting invocation; the second one ends that
  /// invocation.
  mutating func failInitialization(_ failure: InitializationFailure, at now: Moment) -> [Action] {
    guard case .started(let since, let serving) = state else { return stop() }
    let initialization = InitializationEnd(
      phase: phase, nanoseconds: now.nanoseconds(since: since), failure: failure)
    phase = .invocation
    let stopped = stop()
    guard let serving else {
      return stopped + [.cancelTimer(.initialization), .initialized(initialization)]
    }
    return stopped + [
      cancel(serving), .initialized(initialization),
      answered(serving, .initializationFailed(failure), at: now),
      end(serving, failure.status, at: now),
    ]
  }

  mutating func stop() -> [Action] {
    let polls = if case .ready(let polls) = state { polls } else { [Int]() }
    state = .stopped
    return (polls + extensions.removeAll()).map { .reply(exchange: $0, .gone) }
  }

  private func refuse(_ exchange: Int, from state: String, to target: String) -> [Action] {
    [.reply(exchange: exchange, .invalidTransition(from: state, to: target))]
  }
}
