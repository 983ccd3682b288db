package import IAMPolicy
package import LambdaEmulator

/// The four outcomes of an authorizer's answer.
package enum Outcome: String, CaseIterable, Sendable {
  /// The request is passed to the backend.
  case allowed
  /// 403.
  case forbidden
  /// 401.
  case unauthorized
  /// 5xx: no verdict about the caller.
  case failure
}

/// What an authorizer's answer means for one request.
package enum Evaluation: Equatable, Sendable {
  /// A policy decided.
  case policy(PolicyEvaluator.Decision)
  /// A simple answer decided; whether the authorizer is known to have `EnableSimpleResponses: true`.
  case simple(isAuthorized: Bool, isEnabled: Bool)
  /// 401.
  case unauthorized
  /// 500.
  case failure(Failure)

  /// Evaluates an answer for the method or route of an event.
  ///
  /// - Parameters:
  ///   - answer: how the invocation ended.
  ///   - event: the function's event.
  ///   - rules: the settings of the authorizer, and the assumptions.
  ///   - unixSeconds: the time of the request. Without it, a policy with time conditions cannot be evaluated.
  package init(
    of answer: InvocationAnswer, to event: [UInt8], by rules: AnswerRules = AnswerRules(),
    at unixSeconds: Int64? = nil
  ) {
    guard let known = AuthorizerEvent(event) else {
      // Without an authorizer event there is no caller who could be unauthorized.
      self = .failure(answer.failure ?? .notAuthorizerEvent)
      return
    }
    do throws(Failure) {
      self = try AuthorizerAnswer(answer, for: known.kind, by: rules)
        .evaluation(for: [known.resource], in: ConditionContext(event: event, at: unixSeconds))
    } catch {
      self = .failure(error)
    }
  }

  package var outcome: Outcome {
    switch self {
    case .policy(let decision): decision.isAllowed ? .allowed : .forbidden
    case .simple(let isAuthorized, _): isAuthorized ? .allowed : .forbidden
    case .unauthorized: .unauthorized
    case .failure: .failure
    }
  }

  /// The statement that decided, if a policy was evaluated.
  package var decision: PolicyEvaluator.Decision? {
    if case .policy(let decision) = self { decision } else { nil }
  }

  /// The reason, if the outcome is `failure`.
  package var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }

  /// The explanation in one line: the statement that decided, or the failure.
  package var explanation: String {
    switch self {
    case .policy(let decision): decision.description
    case .simple(let isAuthorized, let isEnabled):
      "isAuthorized is \(isAuthorized)" + (isEnabled ? "" : ", which needs EnableSimpleResponses: true")
    case .unauthorized: "errorMessage is Unauthorized"
    case .failure(let failure): failure.description
    }
  }
}
