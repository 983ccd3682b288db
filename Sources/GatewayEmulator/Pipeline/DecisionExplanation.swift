internal import GatewayModel

/// Why this project's authorizer allows or refuses a request, as `explain` says it. It repeats claims of the token.
package struct DecisionExplanation: Equatable, Sendable {
  /// Who decided and why, in one sentence, which names the rule.
  package let sentence: String
  /// What to do about a refusal, if that is known.
  package let hint: String?
  /// The reason code of a refusal.
  package let reason: String?
  /// The index of the rule that decided; `nil` where no rule did.
  package let rule: Int?
  /// The names of the scopes and claims that the rule requires and the token lacks.
  package let needs: [String]
  /// What a valid token has of all that the rules read.
  package let has: String?
  /// The checks in their order.
  package let checks: [DecisionCheck]

  package init(
    sentence: String, hint: String? = nil, reason: String?, rule: Int? = nil, needs: [String] = [],
    has: String? = nil, checks: [DecisionCheck] = []
  ) {
    self.sentence = sentence
    self.hint = hint
    self.reason = reason
    self.rule = rule
    self.needs = needs
    self.has = has
    self.checks = checks
  }
}

/// Explains decisions of this project's authorizer.
package protocol DecisionExplaining: Sendable {
  /// Returns the explanation of an event, or `nil` for a function of another author.
  ///
  /// - Parameters:
  ///   - function: the name of the function's resource.
  ///   - unixSeconds: the time of the decision.
  func explanation(of event: [UInt8], by function: String, at unixSeconds: Int64) -> DecisionExplanation?
}

extension CompletedRequest {
  /// Adds to the record why the authorizer refused the request; nothing to one that it allowed or never saw.
  mutating func explain(with explainer: any DecisionExplaining) {
    switch refusal {
    case .accessDenied?, .unauthorized?: break
    default: return
    }
    guard let explanation = explanation(by: explainer), explanation.reason != nil else { return }
    record.explain(explanation)
  }

  /// The explanation of the decision; `nil` if no function of ours decided.
  package func explanation(by explainer: any DecisionExplaining) -> DecisionExplanation? {
    guard let evidence = exchange?.evidence, let event = evidence.call?.event,
      let function = evidence.authorizer?.function
    else { return nil }
    return explainer.explanation(of: event, by: function, at: identity.unixMilliseconds / 1000)
  }
}

/// One check of a decision, as `explain` shows it.
package struct DecisionCheck: Equatable, Sendable {
  package enum Result: String, Sendable {
    case passed
    case failed
    /// A check before it failed, so it had no input.
    case skipped
  }

  /// The name, such as `expiry`.
  package let name: String
  package let result: Result
  package let reason: String?
  /// What it expects, for people.
  package let expected: String
  /// What it found: text of the caller.
  package let found: String

  package init(name: String, result: Result, reason: String?, expected: String, found: String) {
    self.name = name
    self.result = result
    self.reason = reason
    self.expected = expected
    self.found = found
  }
}
