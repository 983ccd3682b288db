internal import AuthorizerContract
internal import GatewayEmulator
internal import ArgumentParser

struct InvokeCommand: LocalCommand {
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
        authorizer-local invoke --template template.yaml pets.json
        authorizer-local invoke --function 'python3 -m awslambdaric app.handler' event.json
        cat event.json | authorizer-local invoke -

      Exit codes: 0 decided, or as expected; 1 another outcome than expected; 2 the function failed; 3 it died or \
      timed out.
      """)

  @Argument(
    help: ArgumentHelp("Event files; - reads standard input.", valueName: "event.json"), completion: .file())
  var events: [String] = []

  @OptionGroup var function: FunctionArguments

  @OptionGroup var configuration: ConfigurationArguments

  @OptionGroup var tokens: TokenArguments

  @Option(
    help: "Fails unless every outcome is this: allowed, forbidden, unauthorized or failure.",
    completion: .list(Outcome.allCases.map(\.rawValue)))
  var expect: String?

  @OptionGroup var answers: AnswerArguments

  @OptionGroup var values: TemplateArguments

  @OptionGroup var assumed: AssumptionArguments

  @OptionGroup var lint: LintArguments

  @Flag(help: "Treats warnings about an answer as failures.")
  var strict = false

  @Flag(help: "Sends the files unchecked and unchanged, placeholders included.")
  var raw = false

  @Flag(help: "Prints JSON instead of text.")
  var json = false

  func run(on machine: Machine) async throws {
    let function = try function.options(configuration.options(tokens))
    let answers = try answers.options(values, assumed)
    guard !events.isEmpty else {
      throw CommandFailure(options: "name an event file, or - for standard input")
    }
    let expected = expect.flatMap(Outcome.init)
    if expect != nil, expected == nil {
      let known = Outcome.allCases.map(\.rawValue).joined(separator: ", ")
      throw CommandFailure(options: "--expect must be one of \(known)")
    }
    try await InvokeRun(
      command: self, function: function, expected: expected, answers: answers, lint: lint, machine: machine
    ).run()
  }
}
