package import Logging
internal import Synchronization

/// A Lambda function with all of its concurrent execution environments.
///
/// An invocation goes to the environment that became free last, as on Lambda, so that a function with little traffic
/// has one warm process. A process is started when an event first needs it. If all environments are busy, the
/// invocation waits in a queue.
package final class FunctionPool: Sendable {
  package let settings: FunctionSettings

  private let clock: LambdaClock
  private let shared = Mutex(Shared())

  private struct Shared {
    /// The free environments; the last one is used next.
    var free: [ExecutionEnvironment] = []
    var all: [ExecutionEnvironment] = []
    var queue: [CheckedContinuation<Lease, Never>] = []
    var isClosed = false
  }

  private typealias Lease = Swift.Result<ExecutionEnvironment, InvocationRefusal>

  private init(_ settings: FunctionSettings, clock: LambdaClock) {
    self.settings = settings
    self.clock = clock
  }

  /// Opens the function while `body` runs. When this returns or throws, no process is left.
  ///
  /// - Parameters:
  ///   - inherited: the harness's own environment, of which only `PATH`, `TZ` and `LANG` are passed on.
  ///   - onLine: called with each line that the function or the platform writes; it must not call the pool.
  /// - Throws: the error of `body`, `FunctionSettingsError`, or the system's error if it cannot listen.
  package static func run<Result: Sendable>(
    _ settings: FunctionSettings, inheriting inherited: [String: String] = [:],
    clock: LambdaClock = .system, logger: Logger,
    onLine: (@Sendable (FunctionLogLine) -> Void)? = nil,
    _ body: @escaping @Sendable (FunctionPool) async throws -> Result
  ) async throws -> Result {
    try settings.check()
    let pool = FunctionPool(settings, clock: clock)
    return try await pool.open(
      settings.concurrency, command: settings.command(inheriting: inherited), logger: logger, onLine: onLine
    ) {
      defer { pool.close() }
      return try await withTaskCancellationHandler {
        try await body(pool)
      } onCancel: {
        pool.close()
      }
    }
  }

  /// Sets or removes one of the function's variables. Later events get a process that was started with the new value;
  /// running invocations finish with the old one.
  package func setVariable(_ name: String, _ value: String?) {
    for environment in shared.withLock({ $0.all }) { environment.setVariable(name, value) }
  }

  /// Sends one event to the function and waits for the result.
  ///
  /// Cancelling the caller does not stop the function, as on Lambda.
  ///
  /// - Parameters:
  ///   - payload: the event; any bytes, because only the Invoke API requires JSON.
  ///   - queueLimit: the maximum number of waiting invocations; `nil` for that of the settings.
  /// - Throws: `InvocationRefusal` if the event was not sent to the function.
  package func invoke(
    _ payload: [UInt8], context: InvocationContext = InvocationContext(), queueLimit: Int? = nil
  ) async throws(InvocationRefusal) -> InvocationResult {
    guard payload.count <= RuntimeAPILimits.eventBytes else { throw .eventTooLarge(bytes: payload.count) }
    guard (context.tenant != nil) == settings.isTenantIsolated else {
      throw settings.isTenantIsolated ? .tenantMissing : .tenantUnknown
    }
    let environment = try await lease(queueLimit: queueLimit ?? settings.waitingInvocations).get()
    let result = await environment.invoke(event: payload, context: context)
    await releaseSoon(environment)
    return result
  }

  /// The milliseconds that an answer waits for the function to request its next event, so that the caller's next call
  /// finds a warm process instead of starting another one. Our choice: an idle runtime requests it at once.
  private static let graceMilliseconds = 5

  /// Releases the environment when the function requests the next event, which may be long after its answer.
  private func releaseSoon(_ environment: ExecutionEnvironment) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let go = OneShot(continuation)
      let grace = Task {
        try await clock.wait(Self.graceMilliseconds)
        go.resume(())
      }
      Task {
        await environment.rest()
        grace.cancel()
        release(environment)
        go.resume(())
      }
    }
  }

  // MARK: Environments

  private func open<Result: Sendable>(
    _ count: Int, command: FunctionCommand, logger: Logger,
    onLine: (@Sendable (FunctionLogLine) -> Void)?, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    guard count > 0 else { return try await body() }
    var limits = ExecutionEnvironment.Limits()
    limits.initializationMilliseconds = settings.initializationMilliseconds
    limits.invocationMilliseconds = settings.timeoutMilliseconds
    limits.memoryMegabytes = settings.memoryMegabytes
    limits.enforcesMemory = true
    var onPlatformLine: (@Sendable (String) -> Void)?
    if let onLine { onPlatformLine = { onLine(FunctionLogLine(stream: .platform, text: $0)) } }
    return try await ExecutionEnvironment.run(
      command, limits: limits, clock: clock, logger: logger, onLine: onLine, onPlatformLine: onPlatformLine
    ) { [self] environment in
      shared.withLock { $0.all.append(environment) }
      release(environment)
      return try await open(
        count - 1, command: command, logger: logger, onLine: onLine, body)
    }
  }

  /// Returns a free environment, or the next one that becomes free.
  private func lease(queueLimit: Int) async -> Lease {
    await withCheckedContinuation { continuation in
      let lease: Lease? = shared.withLock { shared in
        if shared.isClosed { return .failure(.closed) }
        if let environment = shared.free.popLast() { return .success(environment) }
        guard shared.queue.count < queueLimit else { return .failure(.tooManyRequests) }
        shared.queue.append(continuation)
        return nil
      }
      if let lease { continuation.resume(returning: lease) }
    }
  }

  private func release(_ environment: ExecutionEnvironment) {
    let next: CheckedContinuation<Lease, Never>? = shared.withLock { shared in
      if !shared.queue.isEmpty { return shared.queue.removeFirst() }
      shared.free.append(environment)
      return nil
    }
    next?.resume(returning: .success(environment))
  }

  private func close() {
    let waiting = shared.withLock { shared in
      shared.isClosed = true
      defer { shared.queue = [] }
      return shared.queue
    }
    for continuation in waiting { continuation.resume(returning: .failure(.closed)) }
  }
}
