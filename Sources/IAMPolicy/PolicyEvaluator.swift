/// IAM's evaluation of one policy for one request, as API Gateway evaluates an authorizer's answer.
///
/// An explicit Deny overrides every Allow, and a request that no statement allows is denied (IAM User Guide, "Policy
/// evaluation logic").
package struct PolicyEvaluator: Sendable {
  /// The action that API Gateway evaluates.
  package static let invoke = "execute-api:Invoke"

  private let document: PolicyDocument

  package init(_ document: PolicyDocument) {
    self.document = document
  }

  package enum Decision: Equatable, Sendable {
    /// The statement at this zero-based index allows it, and none denies it.
    case allowed(statement: Int)
    /// The statement at this zero-based index denies it.
    case explicitlyDenied(statement: Int)
    case implicitlyDenied

    package var isAllowed: Bool { if case .allowed = self { true } else { false } }

    /// The zero-based index of the statement that decided.
    package var statement: Int? {
      switch self {
      case .allowed(let index), .explicitlyDenied(let index): index
      case .implicitlyDenied: nil
      }
    }

    /// The message with the statement that decided.
    package var description: String {
      switch self {
      case .allowed(let index): "allowed by Statement[\(index)]"
      case .explicitlyDenied(let index): "denied by Statement[\(index)]"
      case .implicitlyDenied: "denied: no statement allows it"
      }
    }
  }

  package struct Finding: Equatable, Sendable {
    /// The zero-based index of the statement.
    package let statement: Int
    package let identifier: String?
    package let effect: PolicyDocument.Effect
    package let applies: Bool
    /// The message, in lower case: what matched, or the first element that did not.
    package let reason: String
  }

  /// Returns the decision about one request.
  ///
  /// - Parameters:
  ///   - resource: the ARN of the requested method or route.
  ///   - action: the action, not case-sensitive.
  ///   - caller: whom the principals of a resource policy are compared with.
  ///   - context: the known condition keys.
  /// - Throws: `UndecidedPolicy` if a statement for this action and resource depends on an unknown value.
  package func decision(
    for resource: String, action: String = invoke, by caller: PolicyCaller = .anonymous,
    in context: ConditionContext = .unknown
  ) throws(UndecidedPolicy) -> Decision {
    var allowing: Int?
    for (index, statement) in document.statements.enumerated() {
      guard document.statements[index].principals?.include(caller) != false,
        case .applies = try reading(ofStatement: index, action: action, resource: resource, in: context)
      else { continue }
      switch statement.effect {
      case .deny: return .explicitlyDenied(statement: index)
      case .allow: allowing = allowing ?? index
      }
    }
    return allowing.map { .allowed(statement: $0) } ?? .implicitlyDenied
  }

  /// Returns the decision about the first of these ARNs, which is that of the request as it was sent. A Deny of another
  /// spelling counts too: no document says which spelling API Gateway evaluates.
  package func decision(
    forEach arns: [String], by caller: PolicyCaller = .anonymous, in context: ConditionContext
  ) throws(UndecidedPolicy) -> Decision {
    var result: Decision?
    for arn in arns {
      let decision = try decision(for: arn, by: caller, in: context)
      if case .explicitlyDenied = decision { return decision }
      if result == nil { result = decision }
    }
    return result ?? .implicitlyDenied
  }

  /// Returns the result of each statement, including those after the deciding one.
  ///
  /// - Throws: like `decision(for:action:in:)`, for any statement.
  package func findings(
    for resource: String, action: String = invoke, in context: ConditionContext = .unknown
  ) throws(UndecidedPolicy) -> [Finding] {
    var findings: [Finding] = []
    for (index, statement) in document.statements.enumerated() {
      let reading = try reading(ofStatement: index, action: action, resource: resource, in: context)
      var applies = false
      if case .applies = reading { applies = true }
      findings.append(
        Finding(
          statement: index, identifier: statement.identifier, effect: statement.effect, applies: applies,
          reason: Self.words(reading, statement, action: action)))
    }
    return findings
  }

  // MARK: One statement

  private enum Reading {
    case applies(action: String?, resource: String?)
    case actionDiffers(String?)
    case resourceDiffers(String?)
    case conditionUnmet(Condition.Line)
  }

  private func reading(
    ofStatement index: Int, action: String, resource: String, in context: ConditionContext
  ) throws(UndecidedPolicy) -> Reading {
    let statement = document.statements[index]
    do throws(UndecidedPolicy.Problem) {
      let actionMatch = try statement.actions.match(action, in: context)
      guard (actionMatch != nil) != statement.actions.isInverted else { return .actionDiffers(actionMatch) }
      let resourceMatch = try statement.resources.match(resource, in: context)
      guard (resourceMatch != nil) != statement.resources.isInverted else {
        return .resourceDiffers(resourceMatch)
      }
      if let line = try statement.condition.firstUnmet(in: context) { return .conditionUnmet(line) }
      return .applies(action: actionMatch, resource: resourceMatch)
    } catch {
      throw UndecidedPolicy(statement: index, problem: error)
    }
  }

  private static func words(
    _ reading: Reading, _ statement: PolicyDocument.Statement, action: String
  ) -> String {
    switch reading {
    case .actionDiffers(nil): "no Action matches \(action)"
    case .actionDiffers(let pattern?): "NotAction \(pattern) excludes \(action)"
    case .resourceDiffers(nil): "no Resource matches the requested ARN"
    case .resourceDiffers(let pattern?): "NotResource \(pattern) excludes the requested ARN"
    case .conditionUnmet(let line): "its Condition is not met: \(line.description)"
    case .applies(let action, let resource):
      (action.map { "Action \($0)" } ?? "an action outside NotAction") + " and "
        + (resource.map { "Resource \($0)" } ?? "a resource outside NotResource") + " match"
        + (statement.condition.lines.isEmpty ? "" : ", and its Condition is met")
    }
  }
}

extension PolicyDocument.Matcher {
  /// Returns the first matching pattern as written in the policy.
  fileprivate func match(
    _ text: String, in context: ConditionContext
  ) throws(UndecidedPolicy.Problem) -> String? {
    for pattern in patterns where !pattern.hasWildcardService {
      switch try pattern.resolved(in: context) {
      case .pattern(let wildcards): if wildcards.matches(text) { return pattern.text }
      case .withoutValue(let name): if isInverted { throw .variableWithoutValue(name) }
      }
    }
    return nil
  }
}
