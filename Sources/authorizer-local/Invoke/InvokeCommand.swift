internal import ArgumentParser
internal import Emulator
internal import JSON

struct InvokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invoke",
    abstract: "Sends events to the function and shows how API Gateway treats its answers.",
    discussion: """
      Starts the function under a local Runtime API, sends each event, and evaluates the answer for the method or \
      route of the event. The outcome depends on the answer alone; the reason comes from the function's log.

      This command is for authorizers. Other functions, such as identity, answer requests: use authorizer-local serve.

      Examples:
        authorizer-local invoke events/rest-token-good.json
        authorizer-local invoke --expect unauthorized expired.json
        authorizer-local invoke --function 'python3 -m awslambdaric app.handler' event.json
        cat event.json | authorizer-local invoke -

      Exit codes: 0 decided, or as expected; 1 another outcome than expected; 2 the function failed; 3 it died or \
      timed out.
      """)

  @Argument(help: ArgumentHelp("Event files; - reads standard input.", valueName: "event.json"))
  var events: [String] = []

  @OptionGroup var options: FunctionOptions

  @Option(help: "Fails unless every outcome is the given one: allowed, forbidden, unauthorized or failure.")
  var expect: String?

  @OptionGroup var lintOptions: LintOptions

  @Flag(help: "Treats findings about an answer as failures.")
  var strict = false

  @Flag(help: "Sends the files unchanged: not checked, placeholders not filled in.")
  var raw = false

  @Flag(help: "Prints JSON instead of text.")
  var json = false

  func validate() throws {
    guard !events.isEmpty else {
      throw ValidationError("name an event file, or - for standard input")
    }
    if let expect, Outcome(rawValue: expect) == nil {
      throw ValidationError(
        "--expect must be one of \(Outcome.allCases.map(\.rawValue).joined(separator: ", "))")
    }
  }

  func run() async throws {
    let source = EventSource(options: options, isRaw: raw)
    var prepared: [PreparedEvent] = []
    for path in events {
      if FileSystem.isDirectory(path) {
        throw CommandFailure(
          .usage, "\(path) is a folder",
          hint:
            "run all of its events with authorizer-local test \(path), or send them with invoke \(path)/*.json"
        )
      }
      let body = try source.body(at: path, name: path)
      prepared.append(
        PreparedEvent(name: path, bytes: body.bytes, configuration: try source.configuration(for: path)))
    }
    let outcomes = try await EventRun(options: options).outcomes(of: prepared)
    if json {
      Terminal.answer(json: OutcomeText.json(outcomes))
    } else if outcomes.count == 1, let only = outcomes.first {
      OutcomeText.lines(of: only).forEach { Terminal.answer($0) }
    } else {
      OutcomeText.table(of: outcomes).lines.forEach { Terminal.answer($0) }
    }
    if !options.verbose {
      var failedStarts: Set<FunctionConfiguration> = []
      for outcome in outcomes where outcome.exit != nil { outcome.showLog(besides: &failedStarts) }
    }
    options.noteRealKeys(outcomes)
    ProxyEvents.note(outcomes)
    let hasFindings = lintOptions.note(outcomes)
    if let exit = exit(for: outcomes) { throw exit.exit }
    if strict, hasFindings { throw CommandExit.unmet.exit }
  }

  private func exit(for outcomes: [EventOutcome]) -> CommandExit? {
    guard let expect else { return outcomes.compactMap(\.exit).max { $0.rawValue < $1.rawValue } }
    let unmet = outcomes.filter { $0.verdict.outcome.rawValue != expect }
    for outcome in unmet {
      Terminal.error(
        "\(outcome.event.name): expected \(expect), found \(outcome.verdict.outcome.rawValue)",
        hint: outcome.verdict.explanation)
    }
    return unmet.map(\.exitWhenUnmet).max { $0.rawValue < $1.rawValue }
  }
}
