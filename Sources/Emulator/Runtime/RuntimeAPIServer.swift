internal import Foundation
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import Synchronization

/// The Lambda Runtime API 2018-06-01 on a loopback port, for one execution environment.
///
/// It serves any custom runtime: what it answers is decided by `RuntimeStateMachine`, this class only moves bytes and
/// reads clocks.
final class RuntimeAPIServer: Sendable {
  /// What a runtime finds in `AWS_LAMBDA_RUNTIME_API`: `127.0.0.1:port`.
  let address: String

  private let shared = Mutex(Shared())

  private struct Shared {
    var machine = RuntimeStateMachine()
    var exchanges = 0
    var replies: [Int: CheckedContinuation<RuntimeReply, Never>] = [:]
    var invocations: [String: CheckedContinuation<Completion, Never>] = [:]
    var timers: [String: Task<Void, Never>] = [:]
    var initialization: Task<Void, Never>?
    var initializationFailure: InitializationFailure?
    var isShutDown = false
  }

  /// An answer and how long the function took for it.
  struct Completion: Sendable {
    /// How it ended.
    let answer: InvocationAnswer
    /// From sending the event to having read the answer, in microseconds, as the server saw it.
    let microseconds: Int
  }

  private init(port: Int) {
    address = "127.0.0.1:\(port)"
  }

  /// Listens on a free port of 127.0.0.1 for as long as `body` runs.
  ///
  /// - Throws: what `body` throws, or the system's error when it cannot listen.
  static func run<Result: Sendable>(
    logger: Logger, _ body: @escaping @Sendable (RuntimeAPIServer) async throws -> Result
  ) async throws -> Result {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let responder = RuntimeAPIResponder()
    let application = Application(
      responder: responder,
      configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in
        port.yield(channel.localAddress?.port ?? 0)
        port.finish()
      },
      logger: logger)
    // Ended in good order: a cancelled server may drop a connection that it has just accepted, which NIO forbids.
    let service = ServiceGroup(configuration: .init(services: [.init(service: application)], logger: logger))
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        // A server that could not listen must end the wait for its port.
        defer { port.finish() }
        try await service.run()
      }
      guard let number = await ports.first(where: { _ in true }) else {
        try await group.waitForAll()
        throw CancellationError()
      }
      let server = RuntimeAPIServer(port: number)
      responder.serve(server)
      let outcome: Swift.Result<Result, any Error>
      do {
        outcome = .success(try await body(server))
      } catch {
        outcome = .failure(error)
      }
      server.shutDown()
      await service.triggerGracefulShutdown()
      try await group.waitForAll()
      return try outcome.get()
    }
  }

  // MARK: For the execution environment

  /// A process has been started; it has `milliseconds` until its first `/next`, after which `onTimeout` is called.
  func processStarted(milliseconds: Int, onTimeout: @escaping @Sendable () -> Void) {
    shared.withLock { shared in
      shared.machine.processStarted()
      shared.initialization = Task { [self] in
        guard (try? await Task.sleep(for: .milliseconds(milliseconds))) != nil else { return }
        if perform({ machine, _ in machine.timeOutInitialization(milliseconds: milliseconds) }) {
          onTimeout()
        }
      }
    }
  }

  /// The system would not start the command.
  func processNotStarted(_ reason: String) {
    perform { machine, _ in machine.processNotStarted(reason) }
  }

  /// The process has ended.
  func processEnded(_ exit: ProcessExit) {
    perform { machine, now in machine.processEnded(exit, at: now) }
  }

  /// Whether an event is in line and no process is there to take it.
  var awaitsProcess: Bool {
    shared.withLock { $0.machine.state == .stopped && !$0.machine.line.isEmpty && !$0.isShutDown }
  }

  /// Sends an event to the function and waits for its end; `enqueued` is called once the event is in line.
  ///
  /// After a failed initialization every event ends with that failure at once.
  func invoke(_ invocation: Invocation, enqueued: () -> Void = {}) async -> Completion {
    await withCheckedContinuation { continuation in
      let failure = shared.withLock { shared in
        if shared.initializationFailure == nil { shared.invocations[invocation.requestID] = continuation }
        return shared.initializationFailure
      }
      if let failure {
        continuation.resume(returning: Completion(answer: .initializationFailed(failure), microseconds: 0))
      } else {
        perform { machine, now in machine.enqueue(invocation, at: now) }
        enqueued()
      }
    }
  }

  // MARK: For the HTTP layer

  /// Hands one call of the runtime to the state machine and waits for its answer; a poll may wait for ever.
  func exchange(
    _ call: (inout RuntimeStateMachine, _ exchange: Int, Moment) -> [RuntimeStateMachine.Action]
  ) async -> RuntimeReply {
    await withCheckedContinuation { continuation in
      let number: Int? = shared.withLock { shared in
        if shared.isShutDown { return nil }
        shared.exchanges += 1
        shared.replies[shared.exchanges] = continuation
        return shared.exchanges
      }
      guard let number else { return continuation.resume(returning: .gone) }
      perform { machine, now in call(&machine, number, now) }
    }
  }

  // MARK: Actions

  /// Puts an event into the state machine and does what it says. True where it said anything.
  @discardableResult
  private func perform(
    _ event: (inout RuntimeStateMachine, Moment) -> [RuntimeStateMachine.Action]
  ) -> Bool {
    let (replies, completions, isEffective) = shared.withLock { shared in
      var replies: [(CheckedContinuation<RuntimeReply, Never>, RuntimeReply)] = []
      var completions: [(CheckedContinuation<Completion, Never>, Completion)] = []
      let actions = event(&shared.machine, .now)
      for action in actions {
        switch action {
        case .reply(let exchange, let reply):
          if let waiting = shared.replies.removeValue(forKey: exchange) { replies.append((waiting, reply)) }
        case .initialized:
          shared.initialization?.cancel()
        case .initializationFailed(let failure):
          shared.initialization?.cancel()
          shared.initializationFailure = failure
        case .startTimer(let invocation):
          shared.timers[invocation.requestID] = timer(for: invocation)
        case .finished(let requestID, let answer, let nanoseconds):
          shared.timers.removeValue(forKey: requestID)?.cancel()
          if let waiting = shared.invocations.removeValue(forKey: requestID) {
            completions.append((waiting, Completion(answer: answer, microseconds: Int(nanoseconds / 1000))))
          }
        }
      }
      return (replies, completions, !actions.isEmpty)
    }
    for (waiting, reply) in replies { waiting.resume(returning: reply) }
    for (waiting, completion) in completions { waiting.resume(returning: completion) }
    return isEffective
  }

  private func timer(for invocation: Invocation) -> Task<Void, Never> {
    Task { [self] in
      guard (try? await Task.sleep(for: .milliseconds(invocation.timeoutMilliseconds))) != nil else { return }
      perform { machine, now in machine.timeOut(requestID: invocation.requestID, at: now) }
    }
  }

  /// Lets every open poll go; without it the connections would keep the server from ending.
  private func shutDown() {
    let waiting = shared.withLock { shared in
      shared.isShutDown = true
      shared.initialization?.cancel()
      for timer in shared.timers.values { timer.cancel() }
      defer { shared.replies = [:] }
      return Array(shared.replies.values)
    }
    for continuation in waiting { continuation.resume(returning: .gone) }
  }
}

extension Moment {
  /// What this machine's clocks say.
  static var now: Moment {
    Moment(
      monotonicNanoseconds: DispatchTime.now().uptimeNanoseconds,
      unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }
}
