/// One run of `explain`: prints how the authorizer decides about a token.
struct ExplainRun {
  let command: ExplainCommand
  let configuration: ConfigurationOptions
  /// The time of the checks in Unix seconds; `nil` for the time after the tokens of the event are signed.
  let now: Int64?
  let machine: Machine

  /// - Throws: `CommandFailure` if there is nothing to explain, and `CommandExit` if the token is refused.
  func run() throws {
    let subject = try ExplainedSubject(command.subject, tokens: configuration.tokens, on: machine)
    let report = try ExplanationReport(
      subject: subject,
      configuration: ExplainedConfiguration(
        source: try source(), jwks: command.jwks, realKeys: configuration.realKeys, machine: machine),
      now: now ?? machine.now())
    machine.terminal.answer(json: report.json, if: command.json, else: report.lines)
    if !report.isAccepted { throw CommandExit.unmet }
  }

  /// Returns the configuration unchanged; its keys are chosen when the token is known.
  private func source() throws(CommandFailure) -> LocalSource {
    let file = ExplainedSubject.file(command.subject, machine.files)
    let directory = file.map { machine.files.directory(of: $0) } ?? machine.files.currentDirectory
    return try FunctionConfiguration.forEvent(
      in: directory, options: configuration, realKeys: true, isOurs: true, on: machine
    ).source(configuration, on: machine)
  }
}
