internal import JSON

/// Why a policy cannot be evaluated.
public struct PolicyError: Error, Equatable, Sendable {
  /// The element, such as `Statement[1].Effect`.
  public let path: String
  /// What is wrong with it.
  public let problem: Problem

  /// What can be wrong.
  public enum Problem: Error, Equatable, Sendable {
    /// The element is needed.
    case missing
    /// It has no content.
    case empty
    /// It is there under another spelling; IAM's names are case-sensitive.
    case wrongCase(expected: String)
    /// It is `null`, which API Gateway answers with a configuration error.
    case nullElement
    /// It is not `expected`.
    case wrongType(String, found: String)
    /// Of two elements only one may stand.
    case both(String, String)
    /// It is longer than API Gateway takes.
    case tooLong(characters: Int, limit: Int)
    /// It has a meaning in IAM that this evaluator does not know.
    case notEvaluated
    /// It holds a policy variable (`${…}`) where IAM has none, or one that API Gateway does not document.
    case variable(String)
    /// No condition operator has this name.
    case unknownOperator(String, nearest: String?)
    /// API Gateway does not document this condition key.
    case unknownKey(String)
    /// The operator cannot be asked of this key.
    case misfit(String, String)
    /// The key has several values, so `ForAnyValue:` or `ForAllValues:` must stand before the operator.
    case needsSetOperator(String)
    /// A value of a condition that its operator cannot read.
    case wrongValue(String, found: String)
    /// AWS does not say what it means.
    case contradiction(String)

    static func wrongType(_ expected: String, found: JSONValue) -> Problem {
      .wrongType(expected, found: String(decoding: found.source.prefix(80), as: UTF8.self))
    }
  }

  init(_ path: String, _ problem: Problem) {
    self.path = path
    self.problem = problem
  }

  /// A stable name of the problem.
  public var code: String {
    switch problem {
    case .missing: "missing"
    case .empty: "empty"
    case .wrongCase: "wrongCase"
    case .nullElement: "nullElement"
    case .wrongType: "wrongType"
    case .both: "both"
    case .tooLong: "tooLong"
    case .notEvaluated: "notEvaluated"
    case .variable: "variable"
    case .unknownOperator: "unknownOperator"
    case .unknownKey: "unknownKey"
    case .misfit: "misfit"
    case .needsSetOperator: "needsSetOperator"
    case .wrongValue: "wrongValue"
    case .contradiction: "contradiction"
    }
  }

  /// For people, in lower case.
  public var description: String {
    switch problem {
    case .missing: "\(path) is missing"
    case .empty: "\(path) is empty"
    case .wrongCase(let expected): "\(path) must be spelled \(expected)"
    case .nullElement: "\(path) is null: leave it out, API Gateway refuses it"
    case .wrongType(let expected, let found): "\(path) must be \(expected), found \(found)"
    case .both(let one, let other): "\(path): \(one) and \(other) exclude each other"
    case .tooLong(let count, let limit): "\(path) has \(count) characters, API Gateway takes \(limit)"
    case .notEvaluated: "\(path) is not evaluated here, so no verdict can be given"
    case .variable(let text): "\(path): no policy variable can stand there, or none of this name: \(text)"
    case .unknownOperator(let name, nil): "\(path): \(name) is no condition operator known here"
    case .unknownOperator(_, let nearest?): "\(path) must be spelled \(nearest)"
    case .unknownKey(let name): "\(path): \(name) is no condition key that API Gateway documents"
    case .misfit(let name, let key): "\(path): \(name) cannot be asked of \(key)"
    case .needsSetOperator(let key):
      "\(path): \(key) has several values: write ForAnyValue: or ForAllValues: before the operator"
    case .wrongValue(let expected, let found): "\(path) must be \(expected), found \(found)"
    case .contradiction(let text): "\(path): \(text)"
    }
  }
}

/// A policy that is sound, and yet no verdict can be given: something about the request would have to be known.
public struct UndecidedPolicy: Error, Equatable, Sendable {
  /// The statement's place, counted from 0.
  public let statement: Int
  /// What is missing.
  public let problem: Problem

  /// What can be missing.
  public enum Problem: Error, Equatable, Sendable {
    /// The value of this condition key.
    case unknownValue(String)
    /// A variable's value holds `*` or `?`, and AWS does not say whether they are wildcards there.
    case wildcardInValue(String)
    /// A variable without a value stands where the statement speaks about everything else.
    case variableWithoutValue(String)
  }

  /// A stable name of the problem.
  public var code: String {
    switch problem {
    case .unknownValue: "unknownValue"
    case .wildcardInValue: "wildcardInValue"
    case .variableWithoutValue: "variableWithoutValue"
    }
  }

  /// The condition key that it is about.
  public var key: String {
    switch problem {
    case .unknownValue(let key), .wildcardInValue(let key), .variableWithoutValue(let key): key
    }
  }

  /// For people, in lower case.
  public var description: String {
    let place = "Statement[\(statement)]"
    return switch problem {
    case .unknownValue(let key): "\(place) asks for \(key), which is not known of this request"
    case .wildcardInValue(let key):
      "\(place): the value of \(key) holds a wildcard, and AWS does not say whether it counts as one"
    case .variableWithoutValue(let key):
      "\(place) holds ${\(key)} under a negation, and this request has no \(key)"
    }
  }
}
