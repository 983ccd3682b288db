internal import Emulator
internal import Logging
internal import Synchronization

/// An event that is ready to be sent.
struct PreparedEvent {
  /// What to call it: its path, or its name in a suite.
  let name: String
  let bytes: [UInt8]
  let configuration: FunctionConfiguration
}

/// What became of an event.
struct EventOutcome {
  let event: PreparedEvent
  let result: InvocationResult
  let verdict: Verdict

  /// The exit code that this outcome asks for where nothing was expected of it.
  var exit: CommandExit? {
    switch verdict.failure {
    case nil: nil
    case .functionError, .malformedAnswer, .notAuthorizerEvent, .undecided, .initialization(.reported):
      .functionFailed
    // 126 and 127 are the shell's words for a command that is not there (POSIX.1-2024, "Exit Status for Commands").
    case .initialization(.notStarted), .initialization(.died(.status(126))),
      .initialization(.died(.status(127))):
      .unavailable
    case .died, .timedOut, .initialization(.died), .initialization(.timedOut): .functionDied
    }
  }

  /// Shows what the function wrote where it failed, which is often the reason.
  func showLog() {
    for line in result.log.suffix(Self.shownLines) { Terminal.note("function: \(line.text)") }
  }

  private static let shownLines = 40

  /// The exit code where something else was expected: a function that could not even answer says more than a contract
  /// that was not met.
  var exitWhenUnmet: CommandExit {
    switch verdict.failure {
    case nil, .functionError, .malformedAnswer, .notAuthorizerEvent, .undecided: .unmet
    case .initialization(.reported), .initialization(.notStarted), .died, .timedOut,
      .initialization(.died), .initialization(.timedOut):
      exit ?? .unmet
    }
  }
}

/// Sends events to the function: one process for all that share a configuration, or several at once.
struct EventRun {
  let options: FunctionOptions
  /// Processes at a time.
  var concurrency = 1
  /// Called after each event.
  var onAnswer: @Sendable () -> Void = {}

  /// The outcomes in the order of the events.
  func outcomes(of events: [PreparedEvent]) async throws -> [EventOutcome] {
    var outcomes = [EventOutcome?](repeating: nil, count: events.count)
    var order: [FunctionConfiguration] = []
    var places: [FunctionConfiguration: [Int]] = [:]
    for (index, event) in events.enumerated() {
      if places[event.configuration] == nil { order.append(event.configuration) }
      places[event.configuration, default: []].append(index)
    }
    for configuration in order {
      let command = try options.command(for: configuration)
      let queue = EventQueue((places[configuration] ?? []).map { ($0, events[$0].bytes) })
      for (index, result) in try await send(queue, to: command) {
        outcomes[index] = EventOutcome(
          event: events[index], result: result,
          verdict: Verdict(event: events[index].bytes, answer: result.answer, at: Moment.now))
      }
    }
    return outcomes.compactMap { $0 }
  }

  private func send(
    _ queue: EventQueue, to command: FunctionCommand
  ) async throws -> [(Int, InvocationResult)] {
    try await withThrowingTaskGroup(of: [(Int, InvocationResult)].self) { group in
      for _ in 0..<min(concurrency, queue.count) {
        group.addTask { try await self.work(on: queue, with: command) }
      }
      var results: [(Int, InvocationResult)] = []
      for try await some in group { results += some }
      return results
    }
  }

  /// One process that takes events until there are none.
  private func work(
    on queue: EventQueue, with command: FunctionCommand
  ) async throws -> [(Int, InvocationResult)] {
    var onLine: (@Sendable (FunctionLogLine) -> Void)?
    if options.verbose { onLine = { Terminal.note("function: " + $0.text) } }
    return try await ExecutionEnvironment.run(
      command, limits: try options.limits(), clock: try Patience.clock(), logger: Self.logger, onLine: onLine
    ) { environment in
      var results: [(Int, InvocationResult)] = []
      while let (index, body) = queue.next() {
        results.append((index, await environment.invoke(event: body)))
        onAnswer()
      }
      return results
    }
  }

  /// Silent but for the end of the world: the server calls its own orderly end an error, and a real one is thrown.
  private static let logger: Logger = {
    var logger = Logger(label: "authorizer-local") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .critical
    return logger
  }()
}

/// Events that wait for a process, with their places.
private final class EventQueue: Sendable {
  let count: Int
  private let waiting: Mutex<ArraySlice<(Int, [UInt8])>>

  init(_ events: [(Int, [UInt8])]) {
    count = events.count
    waiting = Mutex(events[...])
  }

  func next() -> (Int, [UInt8])? { waiting.withLock { $0.popFirst() } }
}
