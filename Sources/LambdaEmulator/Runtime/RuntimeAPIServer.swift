internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import Synchronization

/// The Lambda Runtime API 2018-06-01 on a loopback port, for one execution environment.
///
/// It serves any custom runtime. `RuntimeStateMachine` decides the answers; this class only moves bytes and reads
/// clocks.
final class RuntimeAPIServer: Sendable {
  /// The value of `AWS_LAMBDA_RUNTIME_API`: `127.0.0.1:port`.
  let address: String

  private let clock: LambdaClock
  private let limits: ExecutionEnvironment.Limits
  private let port: Int
  private let connections: OpenConnections
  private let process = Mutex<FunctionProcess?>(nil)
  private let onPlatformLine: (@Sendable (String) -> Void)?
  private let shared: Mutex<Shared>

  private struct Shared {
    var machine: RuntimeStateMachine
    var ledger: InvocationLedger
    /// Whether a process is starting, running or ending.
    var hasProcess = false
    var exchanges = 0
    /// Whether a response with the limit of a stream is being read.
    var readsStream = false
    var replies: [Int: CheckedContinuation<RuntimeReply, Never>] = [:]
    var invocations: [String: CheckedContinuation<InvocationResult, Never>] = [:]
    var timers: [RuntimeStateMachine.Timer: Task<Void, Never>] = [:]
    var resting: [CheckedContinuation<Void, Never>] = []
    /// Resumes the task that waits for the last posts of a dead process.
    var drain: OneShot<Void>?
    var isShutDown = false
  }

  private init(
    port: Int, connections: OpenConnections, clock: LambdaClock, limits: ExecutionEnvironment.Limits,
    onPlatformLine: (@Sendable (String) -> Void)?
  ) {
    address = "127.0.0.1:\(port)"
    self.port = port
    self.connections = connections
    self.clock = clock
    self.limits = limits
    self.onPlatformLine = onPlatformLine
    shared = Mutex(
      Shared(
        machine: RuntimeStateMachine(initializationMilliseconds: limits.initializationMilliseconds),
        ledger: InvocationLedger(memoryMegabytes: limits.memoryMegabytes)))
  }

  /// Listens on a free port of 127.0.0.1 while `body` runs.
  ///
  /// - Throws: the error of `body`, or the system's error if it cannot listen.
  static func run<Result: Sendable>(
    clock: LambdaClock = .system, limits: ExecutionEnvironment.Limits = .init(), logger: Logger,
    onPlatformLine: (@Sendable (String) -> Void)? = nil,
    _ body: @escaping @Sendable (RuntimeAPIServer) async throws -> Result
  ) async throws -> Result {
    let responder = RuntimeAPIResponder()
    let connections = OpenConnections()
    return try await LoopbackServer.run(responder.respond, connections, logger: logger) { port in
      let server = RuntimeAPIServer(
        port: port, connections: connections, clock: clock, limits: limits, onPlatformLine: onPlatformLine)
      responder.serve(server)
      // Answers every open poll, because its connection would keep the server running.
      defer { server.shutDown() }
      // A cancelled caller must not wait for a function that never answers.
      return try await withTaskCancellationHandler {
        try await body(server)
      } onCancel: {
        server.shutDown()
      }
    }
  }

  // MARK: For the execution environment

  /// Returns whether an event waits and there is no process. If true, the caller must start one: it calls
  /// `processStarted`, then `start`, and `processNotStarted` if that fails.
  func claimStart() -> Bool {
    shared.withLock { shared in
      guard shared.machine.awaitsProcess, !shared.hasProcess, !shared.isShutDown else { return false }
      shared.hasProcess = true
      return true
    }
  }

  /// Records that a process is being started; its timeout begins.
  func processStarted() {
    perform { machine, now in machine.processStarted(at: now) }
  }

  /// Starts the process. Calls of the process wait until it is set here: otherwise the lines of a process that answers
  /// at once would be lost.
  func start(
    _ start: () throws(FunctionStartError) -> FunctionProcess
  ) throws(FunctionStartError) -> FunctionProcess {
    let started = try process.withLock { process throws(FunctionStartError) in
      let started = try start()
      process = started
      return started
    }
    // Its timeout may have expired while the system started it.
    if shared.withLock({ $0.machine.wantsNoProcess }) { started.kill() }
    return started
  }

  func processNotStarted(_ reason: String) {
    perform { machine, now in machine.processNotStarted(reason, at: now) }
    shared.withLock { $0.hasProcess = false }
  }

  /// Makes the next process the first one of a new environment, with its own initialization.
  func renew() {
    perform { machine, _ in machine.renew() }
  }

  /// Records that the process has ended, with all lines that it wrote. Returns after reading everything that it sent.
  func processEnded(_ exit: ProcessExit, lines: [FunctionLogLine]) async {
    let isOutOfMemory = exit == .signal(9) && exceedsMemory(peakMemoryKiB)
    perform(lines) { machine, now in machine.processEnded(exit, outOfMemory: isOutOfMemory, at: now) }
    if shared.withLock({ $0.machine.isDraining }) {
      await drain()
      perform { machine, _ in machine.drained() }
    }
    process.withLock { $0 = nil }
    shared.withLock { $0.hasProcess = false }
  }

  /// Waits until every connection of the dead process is read to its end, or until the state machine's timer expires.
  private func drain() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let end = OneShot(continuation)
      let isOpen = shared.withLock { shared in
        shared.drain = end
        return shared.machine.isDraining && !shared.isShutDown
      }
      guard isOpen else { return end.resume(()) }
      Task { [port, connections] in
        await LoopbackServer.awaitEarlierConnections(port: port)
        await connections.allClosed()
        end.resume(())
      }
    }
  }

  /// Whether the function registered an extension and so gets SIGTERM before SIGKILL.
  var hasExtension: Bool { shared.withLock { !$0.machine.extensions.isEmpty } }

  /// Sends an event to the function and waits for the result. Calls `enqueued` when the event is in the queue.
  func invoke(
    _ invocation: Invocation, waitsForReport: Bool = false, enqueued: () -> Void = {}
  ) async -> InvocationResult {
    await withCheckedContinuation { continuation in
      let isOpen = shared.withLock { shared in
        guard !shared.isShutDown else { return false }
        shared.invocations[invocation.requestID] = continuation
        shared.ledger.expect(invocation, waitsForReport: waitsForReport)
        return true
      }
      guard isOpen else { return continuation.resume(returning: .abandoned(invocation.requestID)) }
      perform { machine, now in machine.enqueue(invocation, at: now) }
      enqueued()
    }
  }

  /// Waits until the function has finished all events.
  func rest() async {
    await withCheckedContinuation { continuation in
      let isIdle = shared.withLock { shared in
        if shared.machine.isIdle || shared.isShutDown { return true }
        shared.resting.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }

  // MARK: For the HTTP layer

  /// Passes one call of the runtime to the state machine and waits for the reply; a poll may wait forever.
  ///
  /// Reads the runtime's output first, because it belongs to the state before the call.
  func exchange(
    _ call: (inout RuntimeStateMachine, _ exchange: Int, Moment) -> [RuntimeStateMachine.Action]
  ) async -> RuntimeReply {
    let lines = await process.withLock { $0 }?.takeLines() ?? []
    return await withCheckedContinuation { continuation in
      let number: Int? = shared.withLock { shared in
        if shared.isShutDown { return nil }
        shared.exchanges += 1
        shared.replies[shared.exchanges] = continuation
        return shared.exchanges
      }
      guard let number else { return continuation.resume(returning: .gone) }
      let peak = limits.enforcesMemory ? peakMemoryKiB : nil
      let isTooMuch = exceedsMemory(peak)
      perform(lines, knownPeakKiB: peak) { machine, now in
        (isTooMuch ? machine.exceedMemory(at: now) : []) + call(&machine, number, now)
      }
    }
  }

  /// Returns the maximum size in bytes of a streamed response to an event. Only one body at a time may have that of a
  /// stream, until ``endStream()``, so that a function cannot fill the memory of the harness with many.
  func beginStream(_ requestID: String) -> Int {
    shared.withLock { shared in
      guard case .running(let active) = shared.machine.state, active.invocation.requestID == requestID,
        active.invocation.acceptsStream, !shared.readsStream
      else { return RuntimeAPILimits.payloadBytes }
      shared.readsStream = true
      return RuntimeAPILimits.streamBytes
    }
  }

  func endStream() { shared.withLock { $0.readsStream = false } }

  /// Kills a process that works on an event and has more memory than its limit. Without this, a function that never
  /// calls back could use up the machine.
  func limitMemory() async {
    guard limits.enforcesMemory, !shared.withLock({ $0.machine.isIdle }), exceedsMemory(peakMemoryKiB) else {
      return
    }
    let lines = await process.withLock { $0 }?.takeLines() ?? []
    perform(lines) { machine, now in machine.exceedMemory(at: now) }
  }

  private func exceedsMemory(_ peakKiB: Int?) -> Bool { (peakKiB ?? 0) > limits.memoryMegabytes * 1024 }

  // MARK: Actions

  /// Passes an event to the state machine and performs its actions.
  ///
  /// - Parameter knownPeakKiB: the peak memory of the process if it was just read, so that /proc is not read again.
  private func perform(
    _ lines: [FunctionLogLine] = [], knownPeakKiB: Int? = nil,
    _ event: (inout RuntimeStateMachine, Moment) -> [RuntimeStateMachine.Action]
  ) {
    var replies: [(CheckedContinuation<RuntimeReply, Never>, RuntimeReply)] = []
    var results: [(CheckedContinuation<InvocationResult, Never>, InvocationResult)] = []
    var doomed: FunctionProcess?
    var rested: [CheckedContinuation<Void, Never>] = []
    shared.withLock { shared in
      shared.ledger.write(lines)
      for action in event(&shared.machine, clock.now()) {
        switch action {
        case .reply(let exchange, let reply):
          if let waiting = shared.replies.removeValue(forKey: exchange) { replies.append((waiting, reply)) }
        case .startTimer(let timer, let milliseconds):
          shared.timers[timer] = start(timer, milliseconds: milliseconds)
        case .cancelTimer(let timer): shared.timers.removeValue(forKey: timer)?.cancel()
        case .endProcess: doomed = process.withLock { $0 }
        case .initialized, .began, .answered, .ended: break
        }
        for entry in shared.ledger.record(action, peakMemoryKiB: { knownPeakKiB ?? peakMemoryKiB }) {
          switch entry {
          case .platformLine(let text): onPlatformLine?(text)
          case .result(let result):
            if let waiting = shared.invocations.removeValue(forKey: result.requestID) {
              results.append((waiting, result))
            }
          }
        }
      }
      if shared.machine.isIdle { swap(&rested, &shared.resting) }
    }
    doomed?.kill()
    for waiting in rested { waiting.resume() }
    for (waiting, reply) in replies { waiting.resume(returning: reply) }
    for (waiting, result) in results { waiting.resume(returning: result) }
  }

  private var peakMemoryKiB: Int? { process.withLock { $0 }?.peakMemoryKiB }

  private func start(_ timer: RuntimeStateMachine.Timer, milliseconds: Int) -> Task<Void, Never> {
    // The caller sets the other limits.
    var milliseconds = milliseconds
    if case .drain = timer { milliseconds *= clock.timeoutFactor }
    return Task { [self, milliseconds] in
      guard (try? await clock.wait(milliseconds)) != nil else { return }
      let lines = await process.withLock { $0 }?.takeLines() ?? []
      perform(lines) { machine, now in machine.timeOut(timer, at: now) }
      if case .drain = timer { shared.withLock { $0.drain }?.resume(()) }
    }
  }

  private func shutDown() {
    let left = shared.withLock { shared in
      shared.isShutDown = true
      for timer in shared.timers.values { timer.cancel() }
      defer { (shared.replies, shared.invocations, shared.resting) = ([:], [:], []) }
      return (shared.replies.values, shared.invocations, shared.resting, shared.drain)
    }
    left.3?.resume(())
    for waiting in left.0 { waiting.resume(returning: .gone) }
    for (requestID, waiting) in left.1 { waiting.resume(returning: .abandoned(requestID)) }
    for waiting in left.2 { waiting.resume() }
  }
}

extension InvocationResult {
  /// Returns the result for an event that was still queued when the environment was closed.
  fileprivate static func abandoned(_ requestID: String) -> InvocationResult {
    InvocationResult(
      requestID: requestID, answer: .initializationFailed(.notStarted("the environment is closed")),
      microseconds: 0, lines: [], peakMemoryKiB: nil)
  }
}
