internal import AuthorizerContract
internal import LambdaEmulator

/// One run of `test --against`: asks two authorizers about the events of a folder, and compares what their answers mean.
struct ComparisonRun {
  let command: TestCommand
  /// The first authorizer, whose answers are expected; `nil` for those of API Gateway itself.
  let a: FunctionOptions?
  /// The second one.
  let b: FunctionOptions
  let answers: AnswerOptions
  /// The time for which API Gateway caches answers in seconds, if it is known.
  let ttl: Int?
  let machine: Machine

  /// What one authorizer decided about an event.
  private struct Side {
    let answer: ComparedAnswer
    var reason: String?
    var microseconds: Int?
  }

  /// - Throws: `CommandFailure` if the events cannot be sent, and `CommandExit` if B allows what A refuses.
  func run() async throws {
    let suite = try PreparedSuite(
      of: command, from: EventSource(options: a ?? b, machine: machine), expectation: .ignored)
    let apis = try answers.apis(on: machine)
    let rules = try answers.rules(on: machine)
    let events = try events(suite.ready)
    var exits: [CommandExit] = []
    let first: [Side?]
    if let a {
      first = try await sides(of: suite.ready.map(\.event), a, rules, &exits)
    } else {
      let gateway = try NativeAuthorizers(apis, on: machine)
      first = suite.ready.map { test in
        gateway.answer(to: test.event.bytes, at: machine.now()).map { Side(answer: $0) }
      }
    }
    let second = try await sides(of: events, b, rules, &exits)
    let asked = zip(suite.ready, zip(first, second)).compactMap { test, sides in
      sides.0.map { (test, $0, sides.1) }
    }
    let comparison = AnswerComparison(
      asked.map { test, one, other in .init(event: test.event.bytes, a: one.answer, b: other.answer) },
      requests: { kind in apis.filter { $0.isKind(of: kind) }.flatMap(\.listedRequests) }, ttl: ttl,
      at: machine.now())
    var entries = suite.entries
    for test in suite.ready { entries[test.place] = Self.entryWithoutRoute(test) }
    for ((test, one, other), found) in zip(asked, comparison.differences) {
      entries[test.place] = entry(test, one, other, found)
    }
    let report = ContractReport(comparing: entries.compactMap(\.self))
    try command.show(report, on: machine)
    if let worst = exits.worst { throw worst }
    if report.failed > 0 { throw CommandExit.unmet }
  }

  /// Returns the same events with the configurations of B.
  private func events(_ tests: [ReadyTest]) throws -> [PreparedEvent] {
    let source = EventSource(options: b, machine: machine)
    return try tests.map { test in
      PreparedEvent(
        name: test.name, bytes: test.event.bytes,
        configuration: try source.configuration(for: test.expectationPath))
    }
  }

  /// Asks a function. Prints its log if it could not answer, and hints.
  ///
  /// - Parameter exits: gets the exit codes for which its answers say nothing about callers.
  private func sides(
    of events: [PreparedEvent], _ options: FunctionOptions, _ rules: AnswerRules, _ exits: inout [CommandExit]
  ) async throws -> [Side] {
    let outcomes = try await command.eventRun(of: options, by: rules, count: events.count, on: machine)
      .outcomes(of: events)
    var failedStarts: Set<FunctionConfiguration> = []
    for outcome in outcomes where outcome.exitWhenUnmet != .unmet {
      exits.append(outcome.exitWhenUnmet)
      if !options.verbose { outcome.showLog(besides: &failedStarts, on: machine.terminal) }
    }
    options.noteRealKeys(outcomes, on: machine)
    options.noteHints(outcomes, on: machine)
    return outcomes.map { outcome in
      Side(
        answer: ComparedAnswer(
          of: outcome.result.answer, outcome.evaluation, for: outcome.eventKind, by: rules,
          why: outcome.why(options.configuration, on: machine)),
        reason: outcome.result.decision?.reason, microseconds: outcome.result.microseconds)
    }
  }

  private func entry(
    _ test: ReadyTest, _ one: Side, _ other: Side, _ differences: [AnswerComparison.Difference]
  ) -> ContractReport.Entry {
    var entry = ContractReport.Entry(
      name: test.name, eventKind: AuthorizerEvent(test.event.bytes)?.kind,
      outcome: one.answer.evaluation.outcome, reason: one.reason, microseconds: one.microseconds,
      mismatches: differences.filter { command.strict || $0.effect == .allowsMore }.map(\.mismatch))
    entry.comparison = ContractReport.Comparison(
      outcome: other.answer.evaluation.outcome, reason: other.reason, microseconds: other.microseconds,
      differences: differences)
    return entry
  }

  /// The entry of an event whose route no authorizer of API Gateway itself guards.
  private static func entryWithoutRoute(_ test: ReadyTest) -> ContractReport.Entry {
    ContractReport.Entry(
      name: test.name, eventKind: nil, outcome: nil, reason: nil, microseconds: nil,
      mismatches: [.init(subject: "route", expected: "a JWT or Cognito authorizer", found: "none", note: nil)]
    )
  }
}
