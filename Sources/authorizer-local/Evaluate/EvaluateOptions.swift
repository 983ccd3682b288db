internal import AuthorizerContract
internal import IAMPolicy

/// What `evaluate` is told on the command line.
struct EvaluateOptions: Sendable {
  /// The file with the policy; `-` is standard input.
  var policy: String
  /// The requested methods and routes.
  var arns: [String] = []
  var action = PolicyEvaluator.invoke
  /// The condition keys of the request, as KEY=VALUE, or KEY for a key that it does not have.
  var context: [String] = []
  /// The time of the request in Unix seconds.
  var time: Int64
  /// The lint to make; `nil` for none.
  var lint: PolicyLint?
  /// Shows for each statement why it applies or not.
  var isVerbose = false
  var isJSON = false
}
