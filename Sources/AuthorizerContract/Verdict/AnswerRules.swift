package import GatewayModel

/// What decides, beside the answer and the kind of event, how API Gateway interprets an answer.
package struct AnswerRules: Equatable, Sendable {
  /// `EnableSimpleResponses` of the authorizer, for payload format 2.0; `nil` if it is unknown: both forms are accepted.
  package var takesSimpleAnswers: Bool?
  /// How AWS is assumed to behave where it documents nothing.
  package var assumptions: Assumptions

  /// Creates the rules for the answers of one authorizer.
  package init(takesSimpleAnswers: Bool? = nil, assumptions: Assumptions = Assumptions()) {
    self.takesSimpleAnswers = takesSimpleAnswers
    self.assumptions = assumptions
  }
}
