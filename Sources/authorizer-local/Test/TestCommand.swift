internal import ArgumentParser

struct TestCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Runs contract tests: every X.json of a folder with its X.expected.json.",
    discussion: """
      An expectation contains the outcome and optionally the reason, the response or the error, exact or with matchers:
        { "outcome": "unauthorized", "reason": "expired", "error": { "errorMessage": "Unauthorized" } }
        { "outcome": "allowed", "response": { "$includes": { "principalId": { "$regex": "user-[0-9]+" } } } }
      An event without an expectation fails; --update writes it. tokens.json and authorizer.json are not events.

      Examples:
        authorizer-local test
        authorizer-local test events/allowed.json
        authorizer-local test events --junit report.xml
        authorizer-local test events --function 'node runtime.mjs'
        authorizer-local test events --zip function.zip --repeat 100 --concurrency 4
        authorizer-local test events --update
        authorizer-local test events --handler old/index.mjs:handler --against-config authorizer.json

      Exit codes: 0 all passed, 1 a test failed (with --strict also a warning), 2 the function failed to initialize, \
      3 it died or timed out.

      With --against, --against-handler or --against-config, the same events go to a second function. Instead of \
      expectations, the answers of the first, A, and of the second, B, are compared by what they mean: the outcome; \
      which requests of the other events, and of --template, a cached answer allows; what the backend gets. What B \
      allows and A refuses comes first. \
      Exit codes: 0 B allows nothing that A refuses; 1 it does, an event cannot be read, or with --strict something \
      else differs; 2 and 3 as above, for either function.
      """)

  @Argument(help: "Folder with the events, or one event.", completion: .file())
  var directory = "events"

  @OptionGroup var function: FunctionArguments

  @OptionGroup var configuration: ConfigurationArguments

  @OptionGroup var tokens: TokenArguments

  @OptionGroup var against: AgainstArguments

  @Option(
    help: ArgumentHelp(
      "How often each event is sent; each answer must be as expected.", valueName: "count"))
  var `repeat` = 1

  @Option(help: ArgumentHelp("Number of parallel function processes.", valueName: "count"))
  var concurrency = 1

  @Flag(help: "Writes missing and failed expectations, and shows the changes. Matchers stay.")
  var update = false

  @OptionGroup var answers: AnswerArguments

  @OptionGroup var values: TemplateArguments

  @OptionGroup var assumed: AssumptionArguments

  @OptionGroup var lint: LintArguments

  @Flag(help: "Treats warnings about an answer, or every difference between two, as failures.")
  var strict = false

  @Flag(help: "Prints JSON instead of text.")
  var json = false

  @Option(help: ArgumentHelp("Also writes a JUnit report.", valueName: "file"), completion: .file())
  var junit: String?

  /// Our own limit: more processes would test the machine and not the function.
  private static let maximumConcurrency = 64

  func run(on machine: Machine) async throws {
    let function = try function.options(configuration.options(tokens), besides: against.againstHandler)
    let answers = try answers.options(values, assumed)
    guard self.repeat >= 1 else { throw CommandFailure(options: "--repeat must be at least 1") }
    guard (1...Self.maximumConcurrency).contains(concurrency) else {
      throw CommandFailure(options: "--concurrency must be between 1 and \(Self.maximumConcurrency)")
    }
    guard let other = try against.options(besides: function) else {
      try await TestRun(command: self, function: function, answers: answers, lint: lint, machine: machine)
        .run()
      return
    }
    guard !update, self.repeat == 1 else {
      throw CommandFailure(options: "--update and --repeat are for one function: omit them with --against")
    }
    if against.native, answers.template == nil {
      throw CommandFailure(options: "--native needs --template with the authorizers")
    }
    try await ComparisonRun(
      command: self, a: against.native ? nil : function, b: other, answers: answers, ttl: lint.ttl,
      machine: machine
    ).run()
  }
}
