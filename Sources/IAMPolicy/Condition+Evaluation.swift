extension Condition {
  /// Returns the first line that does not hold, or `nil` where all hold.
  ///
  /// - Throws: what is unknown about the request.
  func firstUnmet(in context: ConditionContext) throws(UndecidedPolicy.Problem) -> Line? {
    for line in lines where try !line.holds(in: context) { return line }
    return nil
  }
}

extension Condition.Line {
  /// Whether this line holds for the request.
  ///
  /// The policy's values are alternatives; none of them may match if the operator is negated. For a key that the
  /// request does not have, only negated operators, `…IfExists` and `ForAllValues` hold.
  package func holds(in context: ConditionContext) throws(UndecidedPolicy.Problem) -> Bool {
    let knowledge = context.knowledge(of: key)
    if knowledge == .unknown { throw .unknownValue(key.name) }
    guard case .values(let values) = knowledge else {
      if comparison.test == .null { return operands == [.boolean(true)] }
      // `ForAnyValue:…IfExists` without the key does not match: the set operator decides before the suffix, as measured
      // by iam.cloudcopilot.io.
      switch comparison.qualifier {
      case .forAllValues: return true
      case .forAnyValue: return false
      case nil: return comparison.isIfExists || comparison.isNegated
      }
    }
    if comparison.test == .null { return operands == [.boolean(false)] }
    // Each value is compared separately, because a set operator applies to the negated comparison.
    var results: [Bool] = []
    for value in values { results.append(try matches(value, context) != comparison.isNegated) }
    return comparison.qualifier == .forAnyValue ? results.contains(true) : !results.contains(false)
  }

  /// The text for messages: the operator, the key and the policy's values.
  package var description: String { "\(comparison.name) \(key.name) \(text)" }

  private func matches(
    _ value: String, _ context: ConditionContext
  ) throws(UndecidedPolicy.Problem) -> Bool {
    for operand in operands where try matches(value, operand, context) { return true }
    return false
  }

  private func matches(
    _ value: String, _ operand: Condition.Operand, _ context: ConditionContext
  ) throws(UndecidedPolicy.Problem) -> Bool {
    switch operand {
    case .text(let pattern): return try matches(value, pattern, context)
    case .arn(let patterns):
      let parts = ConditionARN.split(value)
      // A pattern with fewer parts is no ARN and matches none (IAM User Guide, "ARN condition operators").
      guard parts.count == ConditionARN.components, patterns.count == parts.count else { return false }
      for (part, pattern) in zip(parts, patterns) where try !matches(part, pattern, context) { return false }
      return true
    case .number(let number):
      guard case .number(let order) = comparison.test, let value = ConditionNumber(value) else {
        return false
      }
      return order.holds(value, number)
    case .date(let date):
      guard case .date(let order) = comparison.test, let value = ConditionDate(value) else { return false }
      return order.holds(value, date)
    case .boolean(let boolean): return value == String(boolean)
    case .network(let network): return ConditionNetwork(address: value).map(network.contains) ?? false
    }
  }

  private func matches(
    _ value: String, _ pattern: PolicyPattern, _ context: ConditionContext
  ) throws(UndecidedPolicy.Problem) -> Bool {
    switch try pattern.resolved(in: context) {
    case .pattern(let pattern): return pattern.matches(value)
    case .withoutValue(let name):
      // A variable without a value equals nothing, so a negated operator would match by accident.
      if comparison.isNegated { throw .variableWithoutValue(name) }
      return false
    }
  }
}
