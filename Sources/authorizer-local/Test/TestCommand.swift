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

      Exit codes: 0 all passed, 1 a test failed (with --strict also a warning), 2 the function failed to initialize, \
      3 it died or timed out.
      """)

  @Argument(help: "Folder with the events, or one event.", completion: .file())
  var directory = "events"

  @OptionGroup var function: FunctionArguments

  @Option(
    help: ArgumentHelp(
      "How often each event is sent; each answer must be as expected.", valueName: "count"))
  var `repeat` = 1

  @Option(help: ArgumentHelp("Number of parallel function processes.", valueName: "count"))
  var concurrency = 1

  @Flag(help: "Writes missing and failed expectations, and shows the changes. Matchers stay.")
  var update = false

  @OptionGroup var answers: AnswerArguments

  @OptionGroup var lint: LintArguments

  @Flag(help: "Treats warnings about an answer as failures.")
  var strict = false

  @Flag(help: "Prints JSON instead of text.")
  var json = false

  @Option(help: ArgumentHelp("Also writes a JUnit report.", valueName: "file"), completion: .file())
  var junit: String?

  /// Our own limit: more processes would test the machine and not the function.
  private static let maximumConcurrency = 64

  func run(on machine: Machine) async throws {
    let function = try function.options()
    let answers = try answers.options()
    let lint = try lint.options()
    guard self.repeat >= 1 else { throw CommandFailure(options: "--repeat must be at least 1") }
    guard (1...Self.maximumConcurrency).contains(concurrency) else {
      throw CommandFailure(options: "--concurrency must be between 1 and \(Self.maximumConcurrency)")
    }
    try await TestRun(command: self, function: function, answers: answers, lint: lint, machine: machine).run()
  }
}
