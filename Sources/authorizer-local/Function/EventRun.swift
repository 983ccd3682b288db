internal import Text
internal import AuthorizerContract
internal import GatewayModel
internal import LambdaEmulator
internal import Templates
internal import Logging
internal import Synchronization

/// An event that is ready to send.
struct PreparedEvent {
  /// Its path, or its name in a suite.
  let name: String
  let bytes: [UInt8]
  let configuration: FunctionConfiguration
}

struct EventOutcome {
  let event: PreparedEvent
  let result: InvocationResult
  let evaluation: Evaluation
  /// Whether the authorizer of this project answered.
  var isShipped = false

  /// The kind of the event; `nil` if it is not an authorizer event.
  var eventKind: EventKind? { AuthorizerEvent(event.bytes)?.kind }

  /// The exit code of this outcome if no outcome was expected.
  var exit: CommandExit? {
    switch evaluation.failure {
    case nil: nil
    case .functionError, .malformedAnswer, .notAuthorizerEvent, .undecided, .initialization(.reported):
      .functionFailed
    // A shell exits with 126 or 127 if it cannot run the command (POSIX.1-2024, "Exit Status for Commands").
    case .initialization(.notStarted), .initialization(.died(.status(126))),
      .initialization(.died(.status(127))):
      .unavailable
    case .initialization(.died): .functionFailed
    case .died, .timedOut, .initialization(.timedOut): .functionDied
    }
  }

  /// Whether the function failed before it requested an event.
  var hasNotStarted: Bool { if case .initialization = evaluation.failure { true } else { false } }

  /// Shows the last lines of the function's log, which often contain the reason of a failure.
  func showLog(on terminal: Terminal) {
    var lines = result.log.flatMap(\.shown)
    let half = lines.count / 2
    // The start is tried twice for the first event, mostly with the same words.
    if hasNotStarted, lines.count == 2 * half, lines.prefix(half) == lines.suffix(half) {
      lines.removeLast(half)
    }
    for line in lines.suffix(Self.shownLines) { terminal.note("function: \(line)") }
  }

  /// Shows the log, unless it is that of a failed start with a configuration whose failed start was already shown.
  func showLog(besides shown: inout Set<FunctionConfiguration>, on terminal: Terminal) {
    guard !hasNotStarted || shown.insert(event.configuration).inserted else { return }
    showLog(on: terminal)
  }

  private static let shownLines = 40

  /// The exit code if another outcome was expected. A function that could not answer at all has its own code, which
  /// says more than a failed contract.
  var exitWhenUnmet: CommandExit {
    switch evaluation.failure {
    case nil, .functionError, .malformedAnswer, .notAuthorizerEvent, .undecided: .unmet
    case .initialization(.reported), .initialization(.notStarted), .died, .timedOut,
      .initialization(.died), .initialization(.timedOut):
      exit ?? .unmet
    }
  }
}

extension FunctionOptions {
  /// Prints what the program that calls a handler says about its packages. The log of a failure has it already.
  func noteHints(_ outcomes: [EventOutcome], on machine: Machine) {
    guard handler != nil, !verbose else { return }
    var seen: Set<String> = []
    for outcome in outcomes where outcome.exit == nil {
      for line in outcome.result.log.flatMap(\.shown)
      where line.hasBytePrefix("hint: ") && seen.insert(line).inserted {
        machine.terminal.note(Printable.text("function: \(line)"))
      }
    }
  }

  /// Prints a hint if a package had no keys. Only a configuration from a file gets the development keys.
  func noteRealKeys(_ outcomes: [EventOutcome], on machine: Machine) {
    guard zip != nil, !configuration.realKeys else { return }
    let isPacked = outcomes.contains { outcome in
      let variables = outcome.event.configuration.authorizerVariables(configuration, machine.environment)
      return outcome.result.decision?.reason == "keysUnavailable"
        && ShippedFunction.authorizer.configuringVariables.allSatisfy { (variables[$0] ?? "").isEmpty }
    }
    guard isPacked else { return }
    machine.terminal.note(
      "hint: the package's own configuration verifies with the issuers' real keys; give --config FILE to use"
        + " development keys")
  }
}

/// Sends events to the function: one process for all events with the same configuration, or several in parallel.
struct EventRun {
  let options: FunctionOptions
  /// What answers are interpreted by.
  let rules: AnswerRules
  let machine: Machine
  /// Maximum number of parallel processes.
  var concurrency = 1
  /// Called after each event.
  var onAnswer: @Sendable () -> Void = {}

  /// Returns the outcomes in the order of the events.
  func outcomes(of events: [PreparedEvent]) async throws -> [EventOutcome] {
    var outcomes = [EventOutcome?](repeating: nil, count: events.count)
    var order: [FunctionConfiguration] = []
    var places: [FunctionConfiguration: [Int]] = [:]
    for (index, event) in events.enumerated() {
      if places[event.configuration] == nil { order.append(event.configuration) }
      places[event.configuration, default: []].append(index)
    }
    for configuration in order {
      var command = try options.command(for: configuration, on: machine)
      if let memory = options.memoryMegabytes {
        command.environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] = String(memory)
      }
      let queue = EventQueue((places[configuration] ?? []).map { ($0, events[$0].bytes) })
      for (index, result) in try await send(queue, to: command) {
        outcomes[index] = EventOutcome(
          event: events[index], result: result,
          evaluation: Evaluation(
            of: result.answer, to: events[index].bytes, by: rules, at: machine.now()),
          // With --function and --zip, its decision line identifies it.
          isShipped: options.needsConfiguration || result.decision != nil)
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

  /// Runs one process that takes events until the queue is empty.
  private func work(
    on queue: EventQueue, with command: FunctionCommand
  ) async throws -> [(Int, InvocationResult)] {
    var onLine: (@Sendable (FunctionLogLine) -> Void)?
    if options.verbose {
      onLine = { line in
        for text in line.shown { machine.terminal.note("function: " + text) }
      }
    }
    return try await ExecutionEnvironment.run(
      command, limits: try options.limits(machine.timeouts), clock: try machine.timeouts.clock(),
      logger: .criticalOnly,
      onLine: onLine
    ) { environment in
      var results: [(Int, InvocationResult)] = []
      while let (index, body) = queue.next() {
        results.append((index, await environment.invoke(event: body)))
        onAnswer()
      }
      return results
    }
  }
}

/// The events that wait for a process, with their indices.
private final class EventQueue: Sendable {
  let count: Int
  private let waiting: Mutex<ArraySlice<(Int, [UInt8])>>

  init(_ events: [(Int, [UInt8])]) {
    count = events.count
    waiting = Mutex(events[...])
  }

  func next() -> (Int, [UInt8])? { waiting.withLock { $0.popFirst() } }
}

extension FunctionLogLine {
  /// The lines on a terminal: Lambda's runtimes write several lines of one log event with carriage returns between
  /// them.
  var shown: [String] { text.splitBytes(at: "\r", omittingEmptySubsequences: false).map(String.init) }
}

extension Logger {
  /// Logs critical messages only: the server logs its own orderly shutdown as an error, and real errors are thrown.
  static let criticalOnly: Logger = {
    var logger = Logger(label: "authorizer-local") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .critical
    return logger
  }()
}
