/// What `test` is told on the command line.
struct TestOptions: Sendable {
  /// The folder with the events.
  var directory = "events"
  var function = FunctionOptions()
  /// How often every event is sent.
  var repetitions = 1
  /// Number of parallel function processes.
  var concurrency = 1
  /// Writes expectations that are missing or failed.
  var updates = false
  var answers = AnswerOptions()
  var lint = LintOptions()
  /// Treats findings about an answer as failures.
  var isStrict = false
  var isJSON = false
  /// The file for a JUnit report.
  var junit: String?
}
