package import AuthorizerContract
internal import GatewayModel
package import IAMPolicy

/// The resource policy of a REST API.
extension Gateway {
  /// Returns the decision of the API's resource policy about a request; `nil` without a policy.
  ///
  /// - Throws: `UndecidedPolicy` if the policy depends on the VPC of a private API.
  func resourceDecision(about exchange: RequestContext) throws(UndecidedPolicy) -> PolicyEvaluator.Decision? {
    guard let policy = exchange.api.access.resourcePolicy else { return nil }
    return try PolicyEvaluator(policy).decision(
      forEach: exchange.spellings(of: exchange.resourceARN(concrete: true)), by: exchange.policyCaller,
      in: conditions(of: exchange, at: exchange.identity.unixMilliseconds / 1000))
  }

  /// Returns the evaluation of an authorizer's policy and a resource policy of the same account together: a Deny of
  /// either decides, else an Allow of either ("Policy evaluation outcome tables", table A).
  package func evaluation(of decision: PolicyEvaluator.Decision, for exchange: RequestContext) -> Evaluation {
    do throws(UndecidedPolicy) {
      guard let other = try resourceDecision(about: exchange) else { return .policy(decision) }
      if case .explicitlyDenied = decision { return .policy(decision) }
      if case .explicitlyDenied = other { return .policy(other) }
      return .policy(decision.isAllowed ? decision : other)
    } catch {
      return .failure(.undecided(error))
    }
  }

  /// Refuses a request before its authorizer is invoked: if the policy denies it explicitly, or if the route has no
  /// authorizer and the policy does not allow it ("How API Gateway resource policies affect authorization workflow").
  func refusedByResourcePolicyAlone(_ exchange: RequestContext) -> GatewayAnswer? {
    switch exchange.route.access {
    // API Gateway checks the token first, and AWS_IAM needs the name of the caller.
    case .token, .signature, .closed: nil
    case .open:
      refusedByResourcePolicy(exchange, .unused("the resource policy does not allow it"), needsAllow: true)
    case .lambda:
      refusedByResourcePolicy(exchange, .unused("the resource policy denies it"), needsAllow: false)
    }
  }

  /// Refuses a request whose caller is known, unless the resource policy permits it.
  ///
  /// Without an authorizer and with a Cognito authorizer the policy must allow the request. With AWS_IAM the identity's own
  /// policy allows it, so the resource policy must not deny it (table A: caller and API have the same account). For a
  /// Lambda authorizer `evaluation(of:for:)` has combined both policies.
  func refusedByResourcePolicy(_ request: AuthorizedRequest) -> GatewayAnswer? {
    let (exchange, use) = (request.exchange, request.use)
    switch exchange.route.access {
    case .open, .token: return refusedByResourcePolicy(exchange, use, needsAllow: true)
    case .signature:
      guard exchange.api.access.resourcePolicy == nil || exchange.policyCaller != .anonymous else {
        return refuse(
          .notEmulated(Self.unknownToPolicy("the principal of the request is unknown")), exchange, use)
      }
      return refusedByResourcePolicy(exchange, use, needsAllow: false)
    case .lambda, .closed: return nil
    }
  }

  private func refusedByResourcePolicy(
    _ exchange: RequestContext, _ use: AccessRecord.AuthorizerUse, needsAllow: Bool
  ) -> GatewayAnswer? {
    let decision: PolicyEvaluator.Decision?
    do throws(UndecidedPolicy) {
      decision = try resourceDecision(about: exchange)
    } catch {
      return refuse(.notEmulated(Self.unknownToPolicy(error.description)), exchange, use)
    }
    let isExplicit = if case .explicitlyDenied? = decision { true } else { false }
    // A private API must have a policy.
    let lacksPolicy = decision == nil && exchange.api.access.isPrivate
    guard isExplicit || lacksPolicy || needsAllow && decision?.isAllowed == false else { return nil }
    return refuse(
      .resourcePolicy(
        caller: exchange.policyCaller.name, arn: exchange.resourceARN(concrete: true), isExplicit: isExplicit),
      exchange, use)
  }

  private static func unknownToPolicy(_ problem: String) -> Diagnostic {
    Diagnostic(path: "the resource policy", problem: problem, cure: "test the API on AWS")
  }
}
