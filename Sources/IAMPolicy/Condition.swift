internal import Text
package import JSON

/// The `Condition` of a statement; it holds if every line holds.
package struct Condition: Equatable, Sendable {
  package let lines: [Line]

  /// One key under one operator, with the policy's values.
  package struct Line: Equatable, Sendable {
    package let comparison: ConditionOperator
    package let key: ConditionKey
    let operands: [Operand]
    /// The values as written in the policy, for messages.
    package let text: String
  }

  /// A value of the policy, parsed for its operator.
  enum Operand: Equatable, Sendable {
    case text(PolicyPattern)
    case number(ConditionNumber)
    case date(ConditionDate)
    case boolean(Bool)
    case network(ConditionNetwork)
    /// The components of an ARN, each a pattern. With fewer than six it matches no ARN.
    case arn([PolicyPattern])
  }

  package static let none = Condition(lines: [])

  private init(lines: [Line]) { self.lines = lines }

  /// Reads the element.
  ///
  /// - Throws: `PolicyError` for anything that is not supported completely.
  package init(_ value: JSONValue, at path: String, version: PolicyDocument.Version) throws(PolicyError) {
    if value.kind == .null { throw PolicyError(path, .nullElement) }
    guard value.kind == .object else { throw PolicyError(path, .wrongType("an object", found: value)) }
    var lines: [Line] = []
    for (name, keys) in value.members {
      let name = name.text ?? ""
      let place = "\(path).\(name)"
      let comparison: ConditionOperator
      do throws(PolicyError.Problem) {
        comparison = try ConditionOperator(name)
      } catch {
        throw PolicyError(place, error)
      }
      guard keys.kind == .object else { throw PolicyError(place, .wrongType("an object", found: keys)) }
      var isEmpty = true
      for (key, values) in keys.members {
        isEmpty = false
        lines.append(
          try Self.line(comparison, key: key.text ?? "", values: values, at: place, version: version))
      }
      if isEmpty { throw PolicyError(place, .empty) }
    }
    self.init(lines: lines)
  }

  private static func line(
    _ comparison: ConditionOperator, key name: String, values value: JSONValue, at path: String,
    version: PolicyDocument.Version
  ) throws(PolicyError) -> Line {
    let place = "\(path).\(name)"
    guard let key = ConditionKey(name) else { throw PolicyError(place, .unknownKey(name)) }
    guard comparison.fits(key.kind) else { throw PolicyError(place, .misfit(comparison.name, key.name)) }
    if key.isMultivalued, comparison.qualifier == nil, comparison.test != .null {
      throw PolicyError(place, .needsSetOperator(key.name))
    }
    var values = [value]
    if value.kind == .array { values = Array(value.elements) }
    guard !values.isEmpty else { throw PolicyError(place, .empty) }
    var operands: [Operand] = []
    var texts: [String] = []
    for value in values {
      guard let text = Self.text(of: value) else {
        throw PolicyError(place, .wrongType("a string, a number or a boolean", found: value))
      }
      do throws(PolicyError.Problem) {
        operands.append(try Operand(text, for: comparison.test, version))
      } catch {
        throw PolicyError(place, error)
      }
      texts.append(text)
    }
    if comparison.test == .null, texts.count > 1 {
      throw PolicyError(place, .wrongValue("one of true and false", found: texts.joined(separator: ", ")))
    }
    return Line(comparison: comparison, key: key, operands: operands, text: texts.joined(separator: " or "))
  }

  /// The text of a string, number or boolean; numbers and booleans may be written with or without quotation marks
  /// ("Grammar of the IAM JSON policy language").
  private static func text(of value: JSONValue) -> String? {
    switch value.kind {
    case .string: value.text
    case .number: value.number?.text
    case .boolean: value.boolean.map(String.init)
    case .object, .array, .null: nil
    }
  }
}

extension Condition.Operand {
  fileprivate init(
    _ text: String, for test: ConditionOperator.Test, _ version: PolicyDocument.Version
  ) throws(PolicyError.Problem) {
    switch test {
    case .string(let isPattern, let ignoresCase):
      self = .text(
        try PolicyPattern(text, version: version, ignoringCase: ignoresCase, isExact: !isPattern))
    case .arn: self = .arn(try Self.components(text, version))
    case .number:
      self = .number(try Self.value(ConditionNumber(text), "a number such as 10 or 2.5", in: text, version))
    case .date:
      self = .date(
        try Self.value(
          ConditionDate(text), "a date such as 2026-11-21T10:00:00Z, or Unix seconds", in: text, version))
    case .boolean, .null:
      self = .boolean(
        try Self.value(
          text == "true" ? true : text == "false" ? false : nil, "true or false", in: text, version))
    case .address:
      self = .network(
        try Self.value(
          ConditionNetwork(text), "an address or a network such as 203.0.113.0/24", in: text, version))
    }
  }

  /// Returns the value, or throws. Variables are allowed in strings and ARNs only ("Where you can use policy
  /// variables").
  private static func value<Value>(
    _ value: Value?, _ expected: String, in text: String, _ version: PolicyDocument.Version
  ) throws(PolicyError.Problem) -> Value {
    if let value { return value }
    if version.hasVariables, text.containsBytes(of: "${") { throw .variable(text) }
    throw .wrongValue(expected, found: text)
  }

  private static func components(
    _ text: String, _ version: PolicyDocument.Version
  ) throws(PolicyError.Problem) -> [PolicyPattern] {
    // Colons inside a variable's name do not separate components of the ARN.
    var depth = 0
    var parts = [""]
    for character in text {
      if character == "{" { depth += 1 } else if character == "}" { depth = max(0, depth - 1) }
      if character == ":", depth == 0, parts.count < ConditionARN.components {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    var patterns: [PolicyPattern] = []
    for part in parts { patterns.append(try PolicyPattern(part, version: version)) }
    return patterns
  }
}

/// ARNs in conditions. Each of the six parts is compared separately, so a wildcard does not match across parts.
enum ConditionARN {
  static let components = 6

  static func split(_ text: String) -> [String] {
    text.splitBytes(at: ":", maxSplits: components - 1, omittingEmptySubsequences: false).map(String.init)
  }
}
