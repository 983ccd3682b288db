package import LambdaEmulator

/// The outcome of one call of a function.
package struct FunctionOutcome: Sendable {
  package let answer: InvocationAnswer
  /// The function's reason code for its decision or refusal.
  package var reason: String?
  /// Whether the function logged its decision, as only the authorizer of this project does.
  package var hasDecisionLine = false
}
