internal import AuthorizerContract

/// What `invoke` is told on the command line.
struct InvokeOptions: Sendable {
  /// Event files; `-` is standard input.
  var events: [String]
  var function = FunctionOptions()
  /// The outcome that every event must have.
  var expected: Outcome?
  var answers = AnswerOptions()
  var lint = LintOptions()
  /// Treats findings about an answer as failures.
  var isStrict = false
  /// Sends the files unchanged.
  var isRaw = false
  var isJSON = false
}
