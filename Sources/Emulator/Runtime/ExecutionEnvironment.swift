internal import JSON
public import Logging
internal import Synchronization

/// One Lambda execution environment: a function process behind a Runtime API server.
///
/// Events go to the function one at a time, in order. A process that died or was killed for its time is started again
/// for the next event; one that never got to its first `/next` is not: every event then ends with that failure.
public final class ExecutionEnvironment: Sendable {
  /// Limits of one environment.
  public struct Limits: Equatable, Sendable {
    /// Milliseconds until the first `/next`.
    public var initializationMilliseconds = RuntimeAPILimits.initializationMilliseconds
    /// Milliseconds for one event.
    public var invocationMilliseconds = RuntimeAPILimits.invocationMilliseconds

    /// Lambda's own limits.
    public init() {}
  }

  private let server: RuntimeAPIServer
  private let command: FunctionCommand
  private let limits: Limits
  private let onLine: (@Sendable (FunctionLogLine) -> Void)?
  private let shared = Mutex(Shared())

  private struct Shared {
    var process: FunctionProcess?
    /// Ends when the process has ended and the server knows it.
    var supervisor: Task<Void, Never>?
    /// Lines of processes that ended before somebody took them.
    var leftLines: [FunctionLogLine] = []
    var isClosed = false
  }

  private init(
    server: RuntimeAPIServer, command: FunctionCommand, limits: Limits,
    onLine: (@Sendable (FunctionLogLine) -> Void)?
  ) {
    self.server = server
    self.command = command.adding(["AWS_LAMBDA_RUNTIME_API": server.address])
    self.limits = limits
    self.onLine = onLine
  }

  /// Opens an environment for as long as `body` runs; when this returns or throws, no process is left behind.
  ///
  /// - Parameters:
  ///   - command: the function; `AWS_LAMBDA_RUNTIME_API` is added to its variables.
  ///   - limits: how long it may take.
  ///   - logger: for the HTTP server's own troubles.
  ///   - onLine: called with each line that the function writes, as it comes.
  public static func run<Result: Sendable>(
    _ command: FunctionCommand, limits: Limits = Limits(), logger: Logger,
    onLine: (@Sendable (FunctionLogLine) -> Void)? = nil,
    _ body: @escaping @Sendable (ExecutionEnvironment) async throws -> Result
  ) async throws -> Result {
    try await RuntimeAPIServer.run(logger: logger) { server in
      let environment = ExecutionEnvironment(
        server: server, command: command, limits: limits, onLine: onLine)
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

  /// Sends one event to the function and waits for its end.
  public func invoke(
    event: [UInt8], context: InvocationContext = InvocationContext()
  ) async -> InvocationResult {
    let invocation = Invocation(
      requestID: Identifiers.requestID(), attemptID: Identifiers.requestID(), event: event,
      functionARN: LambdaVariables.functionARN, traceID: context.traceID ?? Identifiers.traceID(),
      timeoutMilliseconds: limits.invocationMilliseconds)
    let completion = await server.invoke(invocation) { startIfStopped() }
    let peak = shared.withLock { $0.process?.peakMemoryKiB }
    switch completion.answer {
    case .timedOut, .initializationFailed(.timedOut), .initializationFailed(.reported):
      // A process that failed its initialization has nothing left to do; most leave by themselves.
      shared.withLock { $0.process }?.kill()
      await waitForEnd()
    case .died, .initializationFailed: await waitForEnd()
    case .response, .error: break
    }
    return await result(of: invocation, completion, peakMemoryKiB: peak)
  }

  // MARK: The process

  /// Starts a process where none runs and an event waits; concurrent callers start one.
  private func startIfStopped() {
    shared.withLock { shared in
      guard !shared.isClosed, shared.process == nil, server.awaitsProcess else { return }
      do throws(FunctionStartError) {
        server.processStarted(milliseconds: limits.initializationMilliseconds) { [self] in
          self.shared.withLock { $0.process }?.kill()
        }
        let process = try FunctionProcess(command, onLine: onLine)
        shared.process = process
        shared.supervisor = Task { await self.supervise(process) }
      } catch {
        server.processNotStarted(error.reason)
      }
    }
  }

  private func supervise(_ process: FunctionProcess) async {
    let exit = await process.exit()
    let lines = await process.takeLines()
    // In this order, and an event enters the line before it looks for a process: whoever comes second starts it.
    server.processEnded(exit)
    shared.withLock { shared in
      shared.leftLines += lines
      shared.process = nil
    }
    startIfStopped()
  }

  private func waitForEnd() async {
    await shared.withLock { $0.supervisor }?.value
  }

  private func close() async {
    let process = shared.withLock { shared in
      shared.isClosed = true
      return shared.process
    }
    process?.kill()
    await waitForEnd()
  }

  // MARK: The result

  private func result(
    of invocation: Invocation, _ completion: RuntimeAPIServer.Completion, peakMemoryKiB: Int? = nil
  ) async -> InvocationResult {
    let process = shared.withLock { $0.process }
    let newLines = await process?.takeLines() ?? []
    let lines = shared.withLock { shared in
      defer { shared.leftLines = [] }
      return shared.leftLines + newLines
    }
    return InvocationResult(
      requestID: invocation.requestID, answer: completion.answer, microseconds: completion.microseconds,
      lines: lines, peakMemoryKiB: peakMemoryKiB)
  }
}

/// Ids as Lambda makes them.
private enum Identifiers {
  /// A random UUID (RFC 9562 section 5.4) in lower case.
  static func requestID() -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: 0...255) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = hexadecimal(bytes)
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
      .map { String(digits[$0]) }.joined(separator: "-")
  }

  /// An X-Ray trace header: version 1, the time in hexadecimal seconds, 96 random bits; not sampled.
  static func traceID() -> String {
    let seconds = String(Moment.now.unixMilliseconds / 1000, radix: 16)
    let root = String(hexadecimal((0..<12).map { _ in UInt8.random(in: 0...255) }))
    let parent = String(hexadecimal((0..<8).map { _ in UInt8.random(in: 0...255) }))
    return "Root=1-\(seconds)-\(root);Parent=\(parent);Sampled=0"
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> [Character] {
    let digits = Array("0123456789abcdef")
    return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }
}
