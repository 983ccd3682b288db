internal import Foundation
public import Logging
internal import Synchronization

/// One Lambda execution environment: a function process behind a Runtime API server.
///
/// Events go to the function one at a time, in order. A process is started when an event first needs it, and again
/// when it died, failed its initialization or was killed for its time: the first start is an initialization of its own,
/// each later one happens within the invocation that waits for it, and that invocation bears its failure.
public final class ExecutionEnvironment: Sendable {
  /// Limits of one environment.
  public struct Limits: Equatable, Sendable {
    /// Milliseconds until the first `/next` of the first process.
    public var initializationMilliseconds = RuntimeAPILimits.initializationMilliseconds
    /// Milliseconds for one event.
    public var invocationMilliseconds = RuntimeAPILimits.invocationMilliseconds
    /// Memory of the function, in MB, for its report.
    public var memoryMegabytes = 128
    /// Whether a process that used more memory is ended, as Linux would on Lambda (`Runtime.OutOfMemory`).
    public var enforcesMemory = false

    /// Lambda's own limits.
    public init() {}
  }

  private let server: RuntimeAPIServer
  private let limits: Limits
  private let clock: LambdaClock
  private let onLine: (@Sendable (FunctionLogLine) -> Void)?
  private let functionARN: String
  private let shared: Mutex<Shared>

  private struct Shared {
    var process: FunctionProcess?
    /// Ends when the process has ended and the server knows it.
    var supervisor: Task<Void, Never>?
    var isClosed = false
    var command: FunctionCommand
    /// The process was started with other variables than the next one.
    var isOutdated = false
  }

  private init(
    server: RuntimeAPIServer, command: FunctionCommand, limits: Limits, clock: LambdaClock,
    onLine: (@Sendable (FunctionLogLine) -> Void)?
  ) {
    self.server = server
    shared = Mutex(Shared(command: command.adding(["AWS_LAMBDA_RUNTIME_API": server.address])))
    self.limits = limits
    self.clock = clock
    self.onLine = onLine
    functionARN = LambdaVariables.arn(
      ofFunction: command.environment["AWS_LAMBDA_FUNCTION_NAME"] ?? LambdaVariables.functionName)
  }

  /// Opens an environment for as long as `body` runs; when this returns or throws, no process is left behind.
  ///
  /// - Parameters:
  ///   - command: the function; `AWS_LAMBDA_RUNTIME_API` is added to its variables.
  ///   - limits: how long it may take, how much it may use.
  ///   - clock: what the limits are measured by.
  ///   - logger: for the HTTP server's own troubles.
  ///   - onLine: called with each line that the function writes, as it comes.
  ///   - onPlatformLine: called with each line that Lambda would add to the function's log.
  public static func run<Result: Sendable>(
    _ command: FunctionCommand, limits: Limits = Limits(), clock: LambdaClock = .system, logger: Logger,
    onLine: (@Sendable (FunctionLogLine) -> Void)? = nil,
    onPlatformLine: (@Sendable (String) -> Void)? = nil,
    _ body: @escaping @Sendable (ExecutionEnvironment) async throws -> Result
  ) async throws -> Result {
    let memory = RuntimeAPIServer.MemoryLimit(
      megabytes: limits.memoryMegabytes, isEnforced: limits.enforcesMemory)
    return try await RuntimeAPIServer.run(
      clock: clock, initializationMilliseconds: limits.initializationMilliseconds, memory: memory,
      logger: logger, onPlatformLine: onPlatformLine
    ) { server in
      let environment = ExecutionEnvironment(
        server: server, command: command, limits: limits, clock: clock, onLine: onLine)
      do {
        let result = try await body(environment)
        await environment.close()
        return result
      } catch {
        await environment.close()
        throw error
      }
    }
  }

  /// Sends one event to the function and waits for its answer. An event over `RuntimeAPILimits.eventBytes` never gets
  /// there: its end is the error that Lambda's Invoke API gives.
  ///
  /// - Parameters:
  ///   - event: any bytes.
  ///   - context: what else the caller says.
  public func invoke(
    event: [UInt8], context: InvocationContext = InvocationContext()
  ) async -> InvocationResult {
    guard event.count <= RuntimeAPILimits.eventBytes else { return .tooLarge(Identifiers.requestID()) }
    let trace = context.traceID ?? Identifiers.traceID(unixMilliseconds: clock.now().unixMilliseconds)
    var invocation = Invocation(
      requestID: Identifiers.requestID(), attemptID: Identifiers.requestID(), event: event,
      functionARN: context.qualifier.map { "\(functionARN):\($0)" } ?? functionARN, traceID: trace,
      clientContext: context.clientContext, timeoutMilliseconds: limits.invocationMilliseconds)
    invocation.version = context.version
    await renewIfOutdated()
    return await server.invoke(invocation, waitsForReport: context.waitsForReport) { startIfStopped() }
  }

  /// Waits until the function is done with what it was given: it asks for the next event, or its process has ended.
  func rest() async {
    await server.rest()
  }

  /// Gives every process that starts from now on this variable, or takes it from them. One that runs finishes what it
  /// has in hand and is ended before the next event, as Lambda replaces environments after a change of configuration.
  func setVariable(_ name: String, _ value: String?) {
    shared.withLock { shared in
      let command = shared.command.setting(name, value)
      guard command != shared.command else { return }
      shared.command = command
      shared.isOutdated = true
    }
  }

  private func renewIfOutdated() async {
    let isOutdated = shared.withLock { shared in
      defer { shared.isOutdated = false }
      return shared.isOutdated
    }
    guard isOutdated else { return }
    await rest()
    let (process, supervisor) = shared.withLock { ($0.process, $0.supervisor) }
    process?.kill()
    await supervisor?.value
    server.renew()
  }

  // MARK: The process

  /// Starts a process where none runs and an event waits; concurrent callers start one. A command that cannot be
  /// started is tried again for as long as events wait for it: each attempt but the first ends one of them.
  private func startIfStopped() {
    while !shared.withLock({ $0.isClosed }), server.claimStart() {
      do throws(FunctionStartError) {
        server.processStarted()
        let process = try FunctionProcess(shared.withLock { $0.command }, onLine: onLine)
        server.attach(process)
        let isClosed = shared.withLock { shared in
          shared.process = process
          shared.supervisor = Task { await self.supervise(process) }
          return shared.isClosed
        }
        if isClosed { process.kill() }
        return
      } catch {
        server.processNotStarted(error.reason)
      }
    }
  }

  private func supervise(_ process: FunctionProcess) async {
    let exit = await process.exit()
    let lines = await process.takeLines()
    shared.withLock { $0.process = nil }
    // In this order, and an event enters the line before it looks for a process: whoever comes second starts it.
    await server.processEnded(exit, lines: lines)
    startIfStopped()
  }

  /// Ends the process: at once, or, where an extension is registered, after it had the time to leave by itself.
  private func close() async {
    let (process, supervisor) = shared.withLock { shared in
      shared.isClosed = true
      return (shared.process, shared.supervisor)
    }
    if let process, server.hasExtension {
      process.terminate()
      let deadline = Task {
        try await clock.wait(RuntimeAPILimits.shutdownMilliseconds * clock.patience)
        process.kill()
      }
      _ = await process.exit()
      deadline.cancel()
    }
    process?.kill()
    await supervisor?.value
  }
}
