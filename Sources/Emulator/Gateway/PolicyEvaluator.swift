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

    /// For people: which statement decided.
    public var description: String {
      switch self {
      case .allowed(let index): "allowed by Statement[\(index)]"
      case .explicitlyDenied(let index): "denied by Statement[\(index)]"
      case .implicitlyDenied: "denied: no statement allows it"
      }
    }
  }

  /// Decides about one call.
  ///
  /// - Parameters:
  ///   - resource: the ARN of the method or route asked for.
  ///   - action: compared without regard to case.
  public func decision(for resource: String, action: String = invoke) -> Decision {
    var allowing: Int?
    for (index, statement) in document.statements.enumerated()
    where statement.applies(action: action, resource: resource) {
      switch statement.effect {
      case .deny: return .explicitlyDenied(statement: index)
      case .allow: allowing = allowing ?? index
      }
    }
    return allowing.map { .allowed(statement: $0) } ?? .implicitlyDenied
  }
}
