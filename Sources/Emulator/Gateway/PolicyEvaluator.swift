/// IAM's evaluation of one policy for one call, as API Gateway does it with an authorizer's answer.
///
/// An explicit Deny wins over every Allow, and what no statement allows is denied (IAM User Guide, "Policy evaluation
/// logic").
public struct PolicyEvaluator: Sendable {
  /// The action that API Gateway asks for.
  public static let invoke = "execute-api:Invoke"

  private let document: PolicyDocument

  /// An evaluator of this document.
  public init(_ document: PolicyDocument) {
    self.document = document
  }

  /// What the policy says about a call.
  public enum Decision: Equatable, Sendable {
    /// The statement at this place, counted from 0, allows it and none denies it.
    case allowed(statement: Int)
    /// The statement at this place, counted from 0, denies it.
    case explicitlyDenied(statement: Int)
    /// No statement speaks about it.
    case implicitlyDenied

    /// Whether the call may go on.
    public var isAllowed: Bool { if case .allowed = self { true } else { false } }

    /// The statement that decided, counted from 0.
    public var statement: Int? {
      switch self {
      case .allowed(let index), .explicitlyDenied(let index): index
      case .implicitlyDenied: nil
      }
    }

    /// For people: which statement decided.
    public var description: String {
      switch self {
      case .allowed(let index): "allowed by Statement[\(index)]"
      case .explicitlyDenied(let index): "denied by Statement[\(index)]"
      case .implicitlyDenied: "denied: no statement allows it"
      }
    }
  }

  /// What became of one statement.
  public struct Finding: Equatable, Sendable {
    /// The statement's place, counted from 0.
    public let statement: Int
    /// `Sid`, where it has one.
    public let identifier: String?
    /// `Effect`.
    public let effect: PolicyDocument.Effect
    /// Whether the statement speaks about the call.
    public let applies: Bool
    /// For people, in lower case: what matched, or the first thing that did not.
    public let reason: String
  }

  /// Decides about one call.
  ///
  /// - Parameters:
  ///   - resource: the ARN of the method or route asked for.
  ///   - action: compared without regard to case.
  ///   - context: what is known of the request.
  /// - Throws: `UndecidedPolicy` where a statement for this action and resource asks for what is not known.
  public func decision(
    for resource: String, action: String = invoke, in context: ConditionContext = .unknown
  ) throws(UndecidedPolicy) -> Decision {
    var allowing: Int?
    for (index, statement) in document.statements.enumerated() {
      guard case .applies = try reading(index, action, resource, context) else { continue }
      switch statement.effect {
      case .deny: return .explicitlyDenied(statement: index)
      case .allow: allowing = allowing ?? index
      }
    }
    return allowing.map { .allowed(statement: $0) } ?? .implicitlyDenied
  }

  /// What becomes of each statement, those behind the deciding one too.
  ///
  /// - Throws: as `decision(for:action:in:)`, and for any statement.
  public func findings(
    for resource: String, action: String = invoke, in context: ConditionContext = .unknown
  ) throws(UndecidedPolicy) -> [Finding] {
    var findings: [Finding] = []
    for (index, statement) in document.statements.enumerated() {
      let reading = try reading(index, action, resource, context)
      var applies = false
      if case .applies = reading { applies = true }
      findings.append(
        Finding(
          statement: index, identifier: statement.identifier, effect: statement.effect, applies: applies,
          reason: Self.words(reading, statement, resource, action)))
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
    _ index: Int, _ action: String, _ resource: String, _ context: ConditionContext
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
    _ reading: Reading, _ statement: PolicyDocument.Statement, _ resource: String, _ action: String
  ) -> String {
    switch reading {
    case .actionDiffers(nil): "no Action is like \(action)"
    case .actionDiffers(let pattern?): "NotAction \(pattern) leaves \(action) out"
    case .resourceDiffers(nil): "no Resource is like the one asked for"
    case .resourceDiffers(let pattern?): "NotResource \(pattern) leaves it out"
    case .conditionUnmet(let line): "its Condition is not met: \(line.description)"
    case .applies(let action, let resource):
      (action.map { "Action \($0)" } ?? "nothing in NotAction") + " and "
        + (resource.map { "Resource \($0)" } ?? "nothing in NotResource") + " match"
        + (statement.condition.lines.isEmpty ? "" : ", and its Condition is met")
    }
  }
}

extension PolicyDocument.Matcher {
  /// The first pattern that is like the text, as it was written.
  fileprivate func match(
    _ text: String, in context: ConditionContext
  ) throws(UndecidedPolicy.Problem) -> String? {
    for pattern in patterns {
      switch try pattern.resolved(in: context) {
      case .pattern(let wildcards): if wildcards.matches(text) { return pattern.text }
      case .withoutValue(let name): if isInverted { throw .variableWithoutValue(name) }
      }
    }
    return nil
  }
}
