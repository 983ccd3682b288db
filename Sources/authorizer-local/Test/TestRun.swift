internal import AuthorizerContract

/// One run of `test`: sends the events of a folder, and compares the answers with the expectations.
struct TestRun {
  let command: TestCommand
  let function: FunctionOptions
  let answers: AnswerOptions
  let lint: LintArguments
  let machine: Machine

  /// - Throws: `CommandFailure` if the tests cannot be run, and `CommandExit` if one of them failed.
  func run() async throws {
    let source = EventSource(options: function, machine: machine)
    let suite = try PreparedSuite(
      of: command, from: source, expectation: command.update ? .mayBeNew : .required)
    var entries = suite.entries
    let ready = suite.ready
    let runs = try await outcomes(of: ready)
    var unmet: [CommandExit] = []
    var failedStarts: Set<FunctionConfiguration> = []
    for (test, outcomes) in zip(ready, runs) {
      let result = test.result(of: outcomes, explainsAll: function.verbose) {
        $0.why(function.configuration, on: machine)
      }
      entries[test.place] = result.entry
      if command.update, !result.entry.isPassed, try write(test, outcomes) {
        entries[test.place]?.mismatches = []
      } else if let failed = result.failed {
        unmet.append(failed.exitWhenUnmet)
        if !function.verbose { failed.showLog(besides: &failedStarts, on: machine.terminal) }
      }
      if command.strict {
        entries[test.place]?.mismatches += lint.mismatches(in: outcomes)
      }
    }
    let report = ContractReport(entries.compactMap { $0 })
    try command.show(report, on: machine)
    _ = lint.note(runs.flatMap { $0 }, on: machine.terminal)
    function.noteRealKeys(runs.flatMap { $0 }, on: machine)
    function.noteHints(runs.flatMap { $0 }, on: machine)
    if report.failed > 0 { throw unmet.worst ?? .unmet }
  }

  /// Returns every test's outcomes, one for each run.
  private func outcomes(of tests: [ReadyTest]) async throws -> [[EventOutcome]] {
    let run = command.eventRun(
      of: function, by: try answers.rules(on: machine), count: tests.count * command.repeat, on: machine)
    // Round by round, so that the same event is never sent twice in a row.
    let all = try await run.outcomes(of: (0..<command.repeat).flatMap { _ in tests.map(\.event) })
    return tests.indices.map { index in
      stride(from: index, to: all.count, by: max(1, tests.count)).map { all[$0] }
    }
  }

  /// Writes an expectation from the outcomes. Returns whether it was written.
  private func write(_ test: ReadyTest, _ outcomes: [EventOutcome]) throws(CommandFailure) -> Bool {
    let path = test.expectationPath
    let updates = outcomes.map {
      ContractUpdate(
        test.contract, evaluation: $0.evaluation, result: $0.result, tokenTimes: test.tokenTimes)
    }
    guard let first = updates.first else { return false }
    guard updates.allSatisfy({ $0 == first }) else {
      machine.terminal.note("unchanged \(path): the answers differ between runs; use a matcher")
      return false
    }
    switch first {
    case .keep(let reason):
      machine.terminal.note("unchanged \(path): \(reason)")
      return false
    case .write(let bytes):
      let old = test.contract == nil ? [] : try machine.files.bytes(at: path)
      try machine.files.write(bytes, to: path)
      machine.terminal.note("\(test.contract == nil ? "wrote" : "updated") \(path)")
      let difference = UnifiedDifference(
        expected: String(decoding: old, as: UTF8.self), found: String(decoding: bytes, as: UTF8.self))
      if test.contract != nil {
        difference.lines.forEach { machine.terminal.note("  " + Printable.text($0)) }
      }
      return true
    }
  }
}
