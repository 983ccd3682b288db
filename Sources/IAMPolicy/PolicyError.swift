package import JSON

package struct PolicyError: Error, Equatable, Sendable {
  /// The element, such as `Statement[1].Effect`.
  package let path: String
  package let problem: Problem

  package enum Problem: Error, Equatable, Sendable {
    case missing
    case empty
    /// The name is written in another case; IAM's names are case-sensitive.
    case wrongCase(expected: String)
    /// It is `null`, which API Gateway answers with a configuration error.
    case nullElement
    /// The element has another type than the expected one.
    case wrongType(String, found: String)
    /// Both elements are present, but they exclude each other.
    case both(String, String)
    /// It is longer than API Gateway accepts.
    case tooLong(characters: Int, limit: Int)
    /// It has a meaning in IAM, but this evaluator does not support it.
    case notEvaluated
    /// It contains a policy variable (`${…}`) where IAM allows none, or one that API Gateway does not document.
    case variable(String)
    case unknownOperator(String, nearest: String?)
    /// API Gateway does not document this condition key.
    case unknownKey(String)
    /// The operator does not apply to keys of this type.
    case misfit(String, String)
    /// The key can have several values, so the operator needs the prefix `ForAnyValue:` or `ForAllValues:`.
    case needsSetOperator(String)
    /// The operator cannot parse a value of the condition.
    case wrongValue(String, found: String)
    /// Another statement has the same `Sid`.
    case duplicate(String)
    /// AWS does not define what it means.
    case contradiction(String)

    package static func wrongType(_ expected: String, found: JSONValue) -> Problem {
      .wrongType(expected, found: String(decoding: found.source.prefix(80), as: UTF8.self))
    }
  }

  package init(_ path: String, _ problem: Problem) {
    self.path = path
    self.problem = problem
  }

  /// The message, in lower case.
  package var description: String {
    switch problem {
    case .missing: "\(path) is missing"
    case .empty: "\(path) is empty"
    case .wrongCase(let expected): "\(path) must be spelled \(expected)"
    case .nullElement: "\(path) is null, which API Gateway refuses; leave it out"
    case .wrongType(let expected, let found): "\(path) must be \(expected), found \(found)"
    case .both(let one, let other): "\(path): \(one) and \(other) exclude each other"
    case .tooLong(let count, let limit):
      "\(path) has \(count) characters; API Gateway accepts at most \(limit)"
    case .notEvaluated: "\(path) is not supported here, so the policy cannot be evaluated"
    case .variable(let text): "\(path): no policy variable is allowed here, or none has this name: \(text)"
    case .unknownOperator(let name, nil): "\(path): unknown condition operator \(name)"
    case .unknownOperator(_, let nearest?): "\(path) must be spelled \(nearest)"
    case .unknownKey(let name): "\(path): \(name) is not a condition key that API Gateway documents"
    case .misfit(let name, let key): "\(path): \(name) does not apply to \(key)"
    case .needsSetOperator(let key):
      "\(path): \(key) can have several values; write ForAnyValue: or ForAllValues: before the operator"
    case .wrongValue(let expected, let found): "\(path) must be \(expected), found \(found)"
    case .duplicate(let name): "\(path): another statement has the Sid \(name) too"
    case .contradiction(let text): "\(path): \(text)"
    }
  }
}

/// A valid policy that cannot be evaluated, because something about the request is unknown.
package struct UndecidedPolicy: Error, Equatable, Sendable {
  /// The zero-based index of the statement.
  package let statement: Int
  package let problem: Problem

  package enum Problem: Error, Equatable, Sendable {
    /// The value of this condition key is unknown.
    case unknownValue(String)
    /// The value of a variable contains `*` or `?`, and AWS does not define whether they are wildcards there.
    case wildcardInValue(String)
    /// A variable without a value is used in a negation.
    case variableWithoutValue(String)
  }

  package var key: String {
    switch problem {
    case .unknownValue(let key), .wildcardInValue(let key), .variableWithoutValue(let key): key
    }
  }

  /// The message, in lower case.
  package var description: String {
    let place = "Statement[\(statement)]"
    return switch problem {
    case .unknownValue(let key): "\(place) depends on \(key), which is unknown for this request"
    case .wildcardInValue(let key):
      "\(place): the value of \(key) contains * or ?, and AWS does not define whether they are wildcards"
    case .variableWithoutValue(let key):
      "\(place) uses ${\(key)} in a negation, and this request has no \(key)"
    }
  }
}
