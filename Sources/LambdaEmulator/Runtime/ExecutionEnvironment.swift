internal import Foundation
package import Logging
internal import Synchronization

/// One Lambda execution environment: a function process behind a Runtime API server.
///
/// Events go to the function one at a time, in order. A process is started for the first event, and again after it
/// died, failed its initialization or timed out. The first start is a separate initialization. Each later start is
/// part of the waiting invocation, which fails if the start fails.
package final class ExecutionEnvironment: Sendable {
  package struct Limits: Equatable, Sendable {
    /// The time limit until the first `/next` of the first process, in milliseconds.
    package var initializationMilliseconds = RuntimeAPILimits.initializationMilliseconds
    /// The time limit for one event, in milliseconds.
    package var invocationMilliseconds = RuntimeAPILimits.invocationMilliseconds
    /// The function's memory limit in MB, for its report.
    package var memoryMegabytes = 128
    /// Whether a process that exceeds the memory limit is killed, as on Lambda (`Runtime.OutOfMemory`).
    package var enforcesMemory = false

    package init() {}
  }

  private let server: RuntimeAPIServer
  private let limits: Limits
  private let clock: LambdaClock
  private let onLine: (@Sendable (FunctionLogLine) -> Void)?
  private let functionARN: String
  private let shared: Mutex<Shared>

  private struct Shared {
    var process: FunctionProcess?
    /// Finishes when the process has ended and the server has recorded it.
    var supervisor: Task<Void, Never>?
    var isClosed = false
    var command: FunctionCommand
    /// Whether the variables or the tenant have changed since the process was started.
    var isOutdated = false
    /// The tenant of the process.
    var tenant: Tenant?
  }

  private init(
    server: RuntimeAPIServer, command: FunctionCommand, limits: Limits, clock: LambdaClock,
    onLine: (@Sendable (FunctionLogLine) -> Void)?
  ) {
    self.server = server
    var served = command
    served.environment["AWS_LAMBDA_RUNTIME_API"] = server.address
    shared = Mutex(Shared(command: served))
    self.limits = limits
    self.clock = clock
    self.onLine = onLine
    functionARN = LambdaVariables.arn(
      ofFunction: command.environment["AWS_LAMBDA_FUNCTION_NAME"] ?? LambdaVariables.functionName)
  }

  /// Opens an environment while `body` runs. When this returns or throws, no process is left.
  ///
  /// - Parameters:
  ///   - command: the function; `AWS_LAMBDA_RUNTIME_API` is added to its variables.
  ///   - onPlatformLine: called with each line that Lambda would add to the function's log.
  package static func run<Result: Sendable>(
    _ command: FunctionCommand, limits: Limits = Limits(), clock: LambdaClock = .system, logger: Logger,
    onLine: (@Sendable (FunctionLogLine) -> Void)? = nil,
    onPlatformLine: (@Sendable (String) -> Void)? = nil,
    _ body: @escaping @Sendable (ExecutionEnvironment) async throws -> Result
  ) async throws -> Result {
    try await RuntimeAPIServer.run(
      clock: clock, limits: limits, logger: logger, onPlatformLine: onPlatformLine
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

  /// Sends one event to the function and waits for its answer. An event over `RuntimeAPILimits.eventBytes` is not
  /// sent: the result is the error of Lambda's Invoke API.
  ///
  /// - Parameter event: any bytes.
  package func invoke(
    event: [UInt8], context: InvocationContext = InvocationContext()
  ) async -> InvocationResult {
    guard event.count <= RuntimeAPILimits.eventBytes else { return .tooLarge(Identifiers.requestID()) }
    let trace = context.traceID ?? Identifiers.traceID(unixMilliseconds: clock.now().unixMilliseconds)
    var invocation = Invocation(
      requestID: Identifiers.requestID(), attemptID: Identifiers.requestID(), event: event,
      functionARN: context.qualifier.map { "\(functionARN):\($0)" } ?? functionARN, traceID: trace,
      clientContext: context.clientContext, timeoutMilliseconds: limits.invocationMilliseconds)
    invocation.version = context.version
    invocation.tenant = context.tenant
    invocation.acceptsStream = context.acceptsStream
    // A process never serves two tenants.
    shared.withLock { shared in
      if shared.tenant != context.tenant, shared.tenant != nil { shared.isOutdated = true }
      shared.tenant = context.tenant
    }
    await renewIfOutdated()
    return await server.invoke(invocation, waitsForReport: context.waitsForReport) { startIfStopped() }
  }

  /// Waits until the function has finished all events: it requested the next event, or its process has ended.
  package func rest() async {
    await server.rest()
  }

  /// Sets or removes a variable of all processes started from now on. A running process finishes its event and is
  /// killed before the next one, as Lambda replaces environments after a configuration change.
  package func setVariable(_ name: String, _ value: String?) {
    shared.withLock { shared in
      guard shared.command.environment[name] != value else { return }
      shared.command.environment[name] = value
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

  /// Starts a process if none runs and an event waits; concurrent callers start only one. Retries a command that
  /// cannot be started while events wait for it: each attempt after the first fails one of them.
  private func startIfStopped() {
    while !shared.withLock({ $0.isClosed }), server.claimStart() {
      do throws(FunctionStartError) {
        server.processStarted()
        let command = shared.withLock { $0.command }
        let process = try server.start { () throws(FunctionStartError) in
          try FunctionProcess(command, onLine: onLine)
        }
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
    let watch = limits.enforcesMemory ? Task { await self.watchMemory() } : nil
    let exit = await process.exit()
    watch?.cancel()
    let lines = await process.takeLines()
    shared.withLock { $0.process = nil }
    // This order ensures that every event gets a process: an event enters the queue before it checks for a process.
    await server.processEnded(exit, lines: lines)
    startIfStopped()
  }

  /// Looks at the memory of the running process, between its calls.
  private func watchMemory() async {
    while (try? await Task.sleep(for: .milliseconds(Self.memoryMilliseconds))) != nil {
      await server.limitMemory()
    }
  }

  /// The milliseconds between two looks. Our choice: a process may exceed its limit by what it can allocate meanwhile.
  private static let memoryMilliseconds = 50

  /// Ends the process: immediately, or, if an extension is registered, after SIGTERM and a grace period.
  private func close() async {
    let (process, supervisor) = shared.withLock { shared in
      shared.isClosed = true
      return (shared.process, shared.supervisor)
    }
    if let process, server.hasExtension {
      process.terminate()
      let deadline = Task {
        try await clock.wait(RuntimeAPILimits.shutdownMilliseconds * clock.timeoutFactor)
        process.kill()
      }
      _ = await process.exit()
      deadline.cancel()
    }
    process?.kill()
    await supervisor?.value
  }
}
