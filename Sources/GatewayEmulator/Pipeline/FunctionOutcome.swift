package import LambdaEmulator

/// The outcome of one call of a function.
package struct FunctionOutcome: Sendable {
  package let answer: InvocationAnswer
  /// The function's reason code for its decision or refusal.
  package let reason: String?
  /// Whether the function logged its decision, as only the authorizer of this project does.
  package let hasDecisionLine: Bool

  package init(answer: InvocationAnswer, reason: String? = nil, hasDecisionLine: Bool = false) {
    self.answer = answer
    self.reason = reason
    self.hasDecisionLine = hasDecisionLine
  }
}
