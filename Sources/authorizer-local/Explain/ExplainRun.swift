/// What `explain` is told on the command line.
struct ExplainOptions: Sendable {
  /// A token, an event file, or `-` for standard input.
  var subject: String
  var configuration = ConfigurationOptions()
  /// The key set to verify with, instead of each issuer's own.
  var jwks: String?
  /// The time of the checks in Unix seconds; nil for the time after the tokens of the event are signed.
  var now: Int64?
  var isJSON = false
}

/// One run of `explain`: prints how the authorizer decides about a token.
struct ExplainRun {
  let options: ExplainOptions
  let machine: Machine

  /// - Throws: `CommandFailure` if there is nothing to explain, and `CommandExit` if the token is refused.
  func run() throws {
    let subject = try ExplainedSubject(options.subject, tokens: options.configuration.tokens, on: machine)
    let report = try ExplanationReport(
      subject: subject,
      configuration: ExplainedConfiguration(
        source: try source(), jwks: options.jwks, realKeys: options.configuration.realKeys, machine: machine),
      now: options.now ?? machine.now())
    if options.isJSON {
      machine.terminal.answer(json: report.json)
    } else {
      report.lines.forEach { machine.terminal.answer($0) }
    }
    if !report.isAccepted { throw CommandExit.unmet }
  }

  /// Returns the configuration unchanged; its keys are chosen when the token is known.
  private func source() throws(CommandFailure) -> LocalSource {
    let file = ExplainedSubject.file(options.subject, machine.files)
    let directory = file.map { machine.files.directory(of: $0) } ?? machine.files.currentDirectory
    return try FunctionConfiguration.forEvent(
      in: directory, options: options.configuration, realKeys: true, isOurs: true, on: machine
    ).source(options.configuration, on: machine)
  }
}
