internal import AuthorizerContract
internal import Synchronization

/// The tests of a folder whose events were read, and the results of those that cannot be run.
struct PreparedSuite {
  private(set) var ready: [ReadyTest] = []
  /// One for each test; `nil` where it is ready.
  private(set) var entries: [ContractReport.Entry?]

  /// - Throws: `CommandFailure` if there are no tests, or no configuration for one.
  init(
    of command: TestCommand, from source: EventSource, expectation need: ReadyTest.Need
  ) throws {
    let suite = try Result { () throws(ContractSuiteError) in
      try ContractSuite(
        directory: source.machine.files.place(of: command.directory), named: command.directory)
    }.mapError {
      CommandFailure(
        .usage, $0.description, hint: "an event is X.json, and its expectation is X.expected.json")
    }.get()
    entries = [ContractReport.Entry?](repeating: nil, count: suite.cases.count)
    var reported: Set<String> = []
    for (place, test) in suite.cases.enumerated() {
      let configuration = try source.configuration(for: test.eventPath)
      do throws(UnreadyTest) {
        ready.append(try ReadyTest(test, place: place, from: source, configuration, expectation: need))
      } catch {
        if let cause = error.cause, reported.insert(cause.message).inserted {
          source.machine.terminal.error(cause.message, hint: cause.hint)
        }
        entries[place] = ContractReport.Entry(
          name: test.name, eventKind: nil, outcome: nil, reason: nil, microseconds: nil,
          mismatches: [error.mismatch])
      }
    }
  }
}

extension TestCommand {
  /// Returns the run that sends events to a function.
  ///
  /// - Parameter count: the number of events, for the progress.
  func eventRun(
    of function: FunctionOptions, by rules: AnswerRules, count: Int, on machine: Machine
  ) -> EventRun {
    let done = Mutex(0)
    var run = EventRun(options: function, rules: rules, machine: machine, concurrency: concurrency)
    run.onAnswer = {
      let number = done.withLock { done in
        done += 1
        return done
      }
      machine.terminal.progress(number, of: count)
    }
    return run
  }

  /// Prints a report, and writes that of `--junit`.
  func show(_ report: ContractReport, on machine: Machine) throws(CommandFailure) {
    if let junit { try machine.files.write(Array(report.junit.utf8), to: junit) }
    let details = report.details
    machine.terminal.answer(
      json: report.json, if: json,
      else: report.table.lines + (details.isEmpty ? [] : [""] + details + [""]) + [report.summary])
  }
}
