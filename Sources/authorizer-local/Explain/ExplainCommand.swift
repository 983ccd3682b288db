internal import LambdaEmulator
internal import ArgumentParser

struct ExplainCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explains how the authorizer decides about a token, check by check, and how to fix problems.",
    discussion: """
      Takes a token, `Bearer` and a token, an event file (its {{token NAME}} are filled in), or - to read any of \
      these from standard input. Checks are listed in the order in which they run, with what was expected and what \
      was found; checks after the first failure run too. For a valid token each rule follows: whether the token \
      meets it, and which scope or claim is missing. The output contains claims of the token: take care where you \
      paste it.

      Development tokens are verified with the development keys, all others with the seeds of the configuration, or \
      with --jwks FILE.

      Examples:
        authorizer-local explain events/rest-token-expired.json
        authorizer-local token good | authorizer-local explain - --clock +2d
        authorizer-local explain "$TOKEN" --config authorizer.json --jwks apple.json
        AUTHORIZER_ISSUER=apple AUTHORIZER_AUDIENCE=com.example.app authorizer-local explain "$TOKEN"

      Exit codes: 0 the token is valid and, for an event, its route is allowed; 1 not; 64 usage error.
      """)

  @Argument(
    help: ArgumentHelp("Token, event file, or - for standard input.", valueName: "token|event.json"),
    completion: .file())
  var subject: String

  @OptionGroup var configurationArguments: ConfigurationArguments

  @OptionGroup var tokens: TokenArguments

  @Option(
    help: ArgumentHelp("Key set to verify with. Overrides each issuer's own.", valueName: "file"),
    completion: .file())
  var jwks: String?

  @OptionGroup var clock: ClockArguments

  @Flag(help: "Prints JSON instead of text.")
  var json = false

  func run(on machine: Machine) throws {
    let configuration = try configurationArguments.options(tokens)
    // A wrong --clock is told before the input is read.
    _ = try clock.moment(at: machine.now())
    if jwks != nil, configuration.realKeys {
      throw CommandFailure(options: "give --jwks or --real-keys, not both")
    }
    // From here on, after waiting for standard input, the clock stands: the token of a placeholder and its explanation
    // have one time.
    let machine = machine.stopping
    let subject = try ExplainedSubject(subject, tokens: configuration.tokens, on: machine)
    let now = machine.now()
    let report = try ExplanationReport(
      subject: subject,
      configuration: ExplainedConfiguration(
        source: try source(configuration, on: machine), jwks: jwks, realKeys: configuration.realKeys,
        machine: machine),
      now: try clock.moment(at: now) ?? now)
    machine.terminal.answer(json: report.json, if: json, else: report.lines)
    if !report.isAccepted { throw CommandExit.unmet }
  }

  /// Returns the configuration unchanged; its keys are chosen when the token is known.
  private func source(
    _ options: ConfigurationOptions, on machine: Machine
  ) throws(CommandFailure) -> LocalSource {
    let file = ExplainedSubject.file(subject, machine.files)
    let directory = file.map { machine.files.directory(of: $0) } ?? machine.files.currentDirectory
    return try FunctionConfiguration.forEvent(
      in: directory, options: options, realKeys: true, isOurs: true, on: machine
    ).source(options, on: machine)
  }
}
