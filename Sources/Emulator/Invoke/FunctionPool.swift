public import Logging
internal import Synchronization

/// A Lambda function with as many execution environments as it may have at once.
///
/// An invocation goes to the environment that became free last, as on Lambda, so that a quiet function has one warm
/// process; a process is started when an event first needs it. Where all are busy the invocation waits in line.
public final class FunctionPool: Sendable {
  /// The function.
  public let settings: FunctionSettings

  private let clock: LambdaClock
  private let shared = Mutex(Shared())

  private struct Shared {
    /// Free environments; the last is the next.
    var free: [ExecutionEnvironment] = []
    var all: [ExecutionEnvironment] = []
    var line: [CheckedContinuation<Place, Never>] = []
    var isClosed = false
  }

  private typealias Place = Swift.Result<ExecutionEnvironment, InvocationRefusal>

  private init(_ settings: FunctionSettings, clock: LambdaClock) {
    self.settings = settings
    self.clock = clock
  }

  /// Opens the function for as long as `body` runs; when this returns or throws, no process is left behind.
  ///
  /// - Parameters:
  ///   - settings: the function.
  ///   - inherited: the harness's own environment, of which `PATH`, `TZ` and `LANG` are kept.
  ///   - clock: what its limits are measured by.
  ///   - logger: for the HTTP servers' own troubles.
  ///   - onLine: called with each line that the function or the platform writes, as it comes; it must not call back.
  /// - Throws: what `body` throws, `FunctionSettingsError`, or the system's error when it cannot listen.
  public static func run<Result: Sendable>(
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

  /// Gives the function another value of one of its variables, or takes the variable away. Events that come from now on
  /// meet a process that was started with it; what runs is finished as it began.
  public func setVariable(_ name: String, _ value: String?) {
    for environment in shared.withLock({ $0.all }) { environment.setVariable(name, value) }
  }

  /// Sends one event to the function and waits for its end.
  ///
  /// Cancelling the caller does not stop the function, as a caller of Lambda who hangs up does not.
  ///
  /// - Parameters:
  ///   - payload: the event; any bytes, the Invoke API is what insists on JSON.
  ///   - context: what else the caller says.
  /// - Throws: `InvocationRefusal` where the function never saw the event.
  public func invoke(
    _ payload: [UInt8], context: InvocationContext = InvocationContext()
  ) async throws(InvocationRefusal) -> InvocationResult {
    try await invoke(payload, context: context, lineLimit: settings.waitingInvocations)
  }

  /// The same with another limit of the line.
  func invoke(
    _ payload: [UInt8], context: InvocationContext, lineLimit: Int
  ) async throws(InvocationRefusal) -> InvocationResult {
    guard payload.count <= RuntimeAPILimits.eventBytes else { throw .eventTooLarge(bytes: payload.count) }
    let environment = try await place(lineLimit: lineLimit).get()
    let result = await environment.invoke(event: payload, context: context)
    await releaseSoon(environment)
    return result
  }

  /// Milliseconds that an answer waits for the function to ask for its next event, so that the next call of the same
  /// caller finds a warm process rather than starts another. Ours: a runtime that has nothing left to do asks at once.
  private static let graceMilliseconds = 5

  /// The environment is free when the function asks for the next event, however long it is busy after its answer.
  private func releaseSoon(_ environment: ExecutionEnvironment) async {
    await withCheckedContinuation { continuation in
      let go = OneShot(continuation)
      let grace = Task {
        try await clock.wait(Self.graceMilliseconds)
        go.fire()
      }
      Task {
        await environment.rest()
        grace.cancel()
        release(environment)
        go.fire()
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

  /// A free environment, or the next that becomes free.
  private func place(lineLimit: Int) async -> Place {
    await withCheckedContinuation { continuation in
      let place: Place? = shared.withLock { shared in
        if shared.isClosed { return .failure(.closed) }
        if let environment = shared.free.popLast() { return .success(environment) }
        guard shared.line.count < lineLimit else { return .failure(.tooManyRequests) }
        shared.line.append(continuation)
        return nil
      }
      if let place { continuation.resume(returning: place) }
    }
  }

  private func release(_ environment: ExecutionEnvironment) {
    let next: CheckedContinuation<Place, Never>? = shared.withLock { shared in
      if !shared.line.isEmpty { return shared.line.removeFirst() }
      shared.free.append(environment)
      return nil
    }
    next?.resume(returning: .success(environment))
  }

  private func close() {
    let waiting = shared.withLock { shared in
      shared.isClosed = true
      defer { shared.line = [] }
      return shared.line
    }
    for continuation in waiting { continuation.resume(returning: .failure(.closed)) }
  }
}
