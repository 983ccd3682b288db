internal import ArgumentParser
internal import Authorizer
internal import JOSE

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Says what the authorizer makes of a token, check by check, and what to do about it.",
    discussion: """
      Takes a token, `Bearer` and a token, an event file (its {{token NAME}} are filled), or - for standard input with any \
      of these. Each check stands in the order in which it is made, with what was expected and what was found; those \
      behind the first failure are made too. For a good token each rule follows: whether the token meets it, and which \
      scope or claim is missing. What is printed holds what the token says: mind where you paste it.

      Development tokens are checked with the development keys, all others with the seeds of the configuration, or with \
      --jwks FILE.

      Examples:
        authorizer-local explain events/rest-token-expired.json
        authorizer-local token good | authorizer-local explain - --now +2d
        authorizer-local explain "$TOKEN" --config authorizer.json --jwks apple.json
        AUTHORIZER_ISSUER=apple AUTHORIZER_AUDIENCE=com.example.app authorizer-local explain "$TOKEN"

      Exit codes: 0 the token is good, and an event's route may be reached with it; 1 not; 64 usage.
      """)

  @Argument(help: ArgumentHelp("Token, event file, or - for standard input.", valueName: "token|event.json"))
  var subject: String

  @OptionGroup var options: ConfigurationOptions

  @Option(help: ArgumentHelp("Key set to check with, in the place of each issuer's own.", valueName: "file"))
  var jwks: String?

  @Option(
    help: ArgumentHelp(
      "Looks at it as at this time: 2026-11-21T10:00:00Z, or from now: +10m, -1h, +90s, +2d.",
      valueName: "time"))
  var now: String?

  @Flag(help: "Answers in JSON.")
  var json = false

  func validate() throws {
    if let now, Moment.parse(now) == nil {
      throw ValidationError(Moment.problem("--now", now))
    }
    if jwks != nil, options.realKeys { throw ValidationError("give --jwks or --real-keys, not both") }
  }

  func run() throws {
    let report = try ExplanationReport(
      subject: try ExplainedSubject(subject, tokens: options.tokens),
      configuration: ExplainedConfiguration(
        source: try source(), jwks: jwks, realKeys: options.realKeys),
      now: now.flatMap { Moment.parse($0) } ?? Moment.now)
    if json {
      Terminal.answer(json: report.json)
    } else {
      report.lines.forEach { Terminal.answer($0) }
    }
    if !report.isAccepted { throw CommandExit.unmet.exit }
  }

  /// The configuration as it is; whose keys are taken is decided when the token is known.
  private func source() throws(CommandFailure) -> LocalSource {
    let directory =
      ExplainedSubject.file(subject).map { FileSystem.directory(of: $0) } ?? FileSystem.currentDirectory
    return try FunctionConfiguration.forEvent(
      in: directory, options: options, realKeys: true, isOurs: true
    ).source(options)
  }
}
