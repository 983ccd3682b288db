public import Logging
internal import Synchronization

/// A Lambda function with as many execution environments as it may have at once.
///
/// An invocation goes to the environment that became free last, as on Lambda, so that a quiet function has one warm
/// process; a process is started when an event first needs it. Where all are busy the invocation waits in line.
public final class FunctionPool: Sendable {
  /// The function.
  public let settings: FunctionSettings

  private let shared = Mutex(Shared())

  private struct Shared {
    /// Free environments; the last is the next.
    var free: [ExecutionEnvironment] = []
    var line: [CheckedContinuation<ExecutionEnvironment?, Never>] = []
  }

  private init(_ settings: FunctionSettings) {
    self.settings = settings
  }

  /// Opens the function for as long as `body` runs; when this returns or throws, no process is left behind.
  ///
  /// - Parameters:
  ///   - settings: the function.
  ///   - inherited: the harness's own environment, of which `PATH`, `TZ` and `LANG` are kept.
  ///   - clock: what its limits are measured by.
  ///   - logger: for the HTTP servers' own troubles.
  ///   - onLine: called with each line that the function or the platform writes, as it comes; it must not call back.
  public static func run<Result: Sendable>(
    _ settings: FunctionSettings, inheriting inherited: [String: String] = [:],
    clock: LambdaClock = .system, logger: Logger,
    onLine: (@Sendable (FunctionLogLine) -> Void)? = nil,
    _ body: @escaping @Sendable (FunctionPool) async throws -> Result
  ) async throws -> Result {
    let pool = FunctionPool(settings)
    return try await pool.open(
      settings.concurrency, command: settings.command(inheriting: inherited), clock: clock, logger: logger,
      onLine: onLine
    ) { try await body(pool) }
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
    guard payload.count <= RuntimeAPILimits.eventBytes else { throw .eventTooLarge(bytes: payload.count) }
    guard let environment = await takeEnvironment() else { throw .tooManyRequests }
    let result = await environment.invoke(event: payload, context: context)
    // The caller has its answer; the environment is free when the function asks for the next event.
    Task {
      await environment.rest()
      release(environment)
    }
    return result
  }

  // MARK: Environments

  private func open<Result: Sendable>(
    _ count: Int, command: FunctionCommand, clock: LambdaClock, logger: Logger,
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
      release(environment)
      return try await open(
        count - 1, command: command, clock: clock, logger: logger, onLine: onLine, body)
    }
  }

  /// A free environment, or the next that becomes free; `nil` where too many wait already.
  private func takeEnvironment() async -> ExecutionEnvironment? {
    await withCheckedContinuation { continuation in
      let found: ExecutionEnvironment?? = shared.withLock { shared in
        if let environment = shared.free.popLast() { return .some(environment) }
        guard shared.line.count < settings.waitingInvocations else { return .some(nil) }
        shared.line.append(continuation)
        return nil
      }
      if let found { continuation.resume(returning: found) }
    }
  }

  private func release(_ environment: ExecutionEnvironment) {
    let next = shared.withLock { shared in
      if !shared.line.isEmpty { return Optional(shared.line.removeFirst()) }
      shared.free.append(environment)
      return nil
    }
    next?.resume(returning: environment)
  }
}
