package import GatewayModel
package import IAMPolicy
package import JSON
package import LambdaEmulator
internal import Text

/// What an answer means for the request that was asked for, and for those that API Gateway may decide with it later.
package struct ComparedAnswer: Sendable {
  /// For the request that was asked for.
  package let evaluation: Evaluation
  /// Why, in a sentence.
  let why: String
  /// What the backend gets, by the names of the answer: `principalId`, `usageIdentifierKey`, `context.…`.
  let passedOn: [JSONTree.Member]
  private let scope: Scope

  /// The requests that an answer decides.
  private enum Scope: Sendable {
    case policy(PolicyEvaluator)
    /// Every request if it is cached, else one.
    case simple(isAuthorized: Bool)
    /// The caller is refused, and nothing is cached.
    case refusal
    /// One request: API Gateway decided it, without a function.
    case request
  }

  /// Interprets the answer of a function.
  ///
  /// - Parameters:
  ///   - evaluation: what the same answer means for the request that was asked for.
  ///   - kind: the kind of the event; `nil` if API Gateway sends it to no authorizer.
  ///   - why: the reason, if the function has told a better one than its policy.
  package init(
    of answer: InvocationAnswer, _ evaluation: Evaluation, for kind: EventKind?, by rules: AnswerRules,
    why: String? = nil
  ) {
    self.evaluation = evaluation
    self.why = why ?? evaluation.explanation
    let read = kind.flatMap { try? AuthorizerAnswer(answer, for: $0, by: rules) }
    switch read?.form {
    case .policy(let document)?: scope = .policy(PolicyEvaluator(document))
    case .simple(let isAuthorized, _)?: scope = .simple(isAuthorized: isAuthorized)
    case .unauthorized?, nil: scope = .refusal
    }
    passedOn =
      JSONTree.pairs([
        "principalId": read?.principal.map { .string($0) },
        "usageIdentifierKey": read?.usageIdentifierKey.map { .string($0) },
      ]) + Self.context(read?.context ?? [])
  }

  /// A decision of API Gateway itself.
  ///
  /// - Parameter claims: what the backend gets of the token.
  package init(ofGateway evaluation: Evaluation, why: String, claims: [JSONTree.Member]) {
    self.evaluation = evaluation
    self.why = why
    passedOn = Self.context(claims)
    scope = .request
  }

  private static func context(_ members: [JSONTree.Member]) -> [JSONTree.Member] {
    members.map { .init(name: "context." + $0.name, value: $0.value) }
  }

  var isAllowed: Bool { evaluation.outcome == .allowed }

  /// Returns whether the answer allows another request of the same caller; `nil` if it says nothing about it.
  ///
  /// - Parameter ttl: the time for which answers are cached in seconds, if it is known. A policy is written for a cache,
  ///   a simple answer is not.
  func allows(_ request: ComparedRequest, ttl: Int?) -> Bool? {
    switch scope {
    case .refusal: return false
    case .request: return nil
    case .simple(let isAuthorized): return (ttl ?? 0) > 0 ? isAuthorized : nil
    case .policy(let evaluator):
      return ttl == 0 ? nil : (try? evaluator.decision(for: request.arn, in: request.context))?.isAllowed
    }
  }
}

/// A request for which answers are evaluated.
package struct ComparedRequest: Sendable {
  package let arn: String
  package let context: ConditionContext

  /// The method and the path, such as `GET /pets`, or the route key of a WebSocket API.
  var name: String {
    let parts = arn.splitBytes(at: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count < 3 ? arn : parts[2] + (parts.count == 3 ? "" : " /" + parts[3])
  }

  /// The beginning of the ARN, with API and stage: an authorizer's answers are cached for one stage.
  static func stage(of arn: String) -> String {
    arn.splitBytes(at: "/", maxSplits: 2, omittingEmptySubsequences: false).prefix(2).joined(separator: "/")
  }
}
