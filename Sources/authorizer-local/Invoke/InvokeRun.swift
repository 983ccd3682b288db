internal import AuthorizerContract
internal import Text

/// One run of `invoke`: sends events to a function, and prints how API Gateway treats its answers.
struct InvokeRun {
  let command: InvokeCommand
  let function: FunctionOptions
  /// The outcome that every event must have.
  let expected: Outcome?
  let answers: AnswerOptions
  let lint: LintArguments
  let machine: Machine

  /// - Throws: `CommandFailure` if an event cannot be sent, and `CommandExit` if an outcome is not as it should be.
  func run() async throws {
    let rules = try answers.rules(on: machine)
    let outcomes = try await EventRun(options: function, rules: rules, machine: machine)
      .outcomes(of: try events())
    machine.terminal.answer(
      json: OutcomeText.json(outcomes), if: command.json, else: OutcomeText.lines(of: outcomes))
    try judge(outcomes)
  }

  /// Reads the events, each with its configuration.
  func events() throws(CommandFailure) -> [PreparedEvent] {
    let source = EventSource(options: function, machine: machine, isRaw: command.raw)
    var prepared: [PreparedEvent] = []
    for path in command.events {
      if machine.files.isDirectory(path) {
        throw CommandFailure(
          .usage, "\(path) is a folder",
          hint:
            "run all of its events with authorizer-local test \(ShellWord.path(path, or: "FOLDER")), or send them with invoke"
            + " \(ShellWord.path(path, or: "FOLDER"))/*.json"
        )
      }
      let body = try source.body(at: path, name: path)
      prepared.append(
        PreparedEvent(name: path, bytes: body.bytes, configuration: try source.configuration(for: path)))
    }
    return prepared
  }

  /// Prints what is notable about the outcomes.
  ///
  /// - Throws: the exit code of the worst one.
  func judge(_ outcomes: [EventOutcome]) throws(CommandExit) {
    if !function.verbose {
      var failedStarts: Set<FunctionConfiguration> = []
      for outcome in outcomes where outcome.exit != nil {
        outcome.showLog(besides: &failedStarts, on: machine.terminal)
      }
    }
    function.noteRealKeys(outcomes, on: machine)
    function.noteHints(outcomes, on: machine)
    ProxyEvents.note(outcomes, on: machine.terminal)
    let hasFindings = lint.note(outcomes, on: machine.terminal)
    if let exit = exit(for: outcomes) { throw exit }
    if command.strict, hasFindings { throw .unmet }
  }

  private func exit(for outcomes: [EventOutcome]) -> CommandExit? {
    guard let expected else { return outcomes.compactMap(\.exit).worst }
    let unmet = outcomes.filter { $0.evaluation.outcome != expected }
    for outcome in unmet {
      machine.terminal.error(
        "\(outcome.event.name): expected \(expected.rawValue), found \(outcome.evaluation.outcome.rawValue)",
        hint: outcome.evaluation.explanation)
    }
    return unmet.map(\.exitWhenUnmet).worst
  }
}
