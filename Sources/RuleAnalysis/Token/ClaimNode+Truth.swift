internal import Authorizer
internal import Satisfiability

/// A condition's value as two literals: neither is true where it is unknown.
struct TruthLiterals {
  var met: Formula.Literal
  var isFalse: Formula.Literal

  var negated: TruthLiterals { TruthLiterals(met: isFalse, isFalse: met) }
}

extension ClaimNode {
  /// Notes what a condition compares the value with.
  mutating func note(_ condition: ClaimRequirement.Condition, acceptsBooleanText: Bool) {
    switch condition {
    case .exists: break
    case .prefix(let bytes): prefixes.insert(bytes)
    case .suffix(let bytes): suffixes.insert(bytes)
    case .oneOf(let scalars):
      for scalar in scalars {
        switch scalar {
        case .text(let text): literals.insert(text)
        case .integer(let integer): integers.insert(integer)
        case .boolean: if acceptsBooleanText { literals.formUnion(Self.booleanTexts) }
        }
      }
    case .contains(let scalars):
      elements.formUnion(scalars)
      let hasBoolean = scalars.contains { if case .boolean = $0 { true } else { false } }
      if acceptsBooleanText, hasBoolean { elements.formUnion(Self.booleanTexts.map { .text($0) }) }
    }
  }

  private static let booleanTexts = [true, false].map(booleanText)

  private static func booleanText(_ boolean: Bool) -> [UInt8] { Array((boolean ? "true" : "false").utf8) }

  /// Returns the value of a condition that was noted, for the value at this place.
  func truth(
    _ condition: ClaimRequirement.Condition, acceptsBooleanText: Bool, _ formula: inout Formula
  ) -> TruthLiterals {
    switch condition {
    case .exists(let isExpected):
      let missing = formula.or([self[.absent], self[.null]])
      return isExpected
        ? TruthLiterals(met: Formula.not(missing), isFalse: missing)
        : TruthLiterals(met: missing, isFalse: Formula.not(missing))
    case .prefix(let bytes): return ofText(starts[bytes], &formula)
    case .suffix(let bytes): return ofText(ends[bytes], &formula)
    case .oneOf(let scalars): return equality(scalars, acceptsBooleanText, &formula)
    case .contains(let scalars): return containment(scalars, acceptsBooleanText, &formula)
    }
  }

  private func ofText(_ met: Literal?, _ formula: inout Formula) -> TruthLiterals {
    let met = met ?? formula.never
    return TruthLiterals(met: met, isFalse: formula.and([self[.text], Formula.not(met)]))
  }

  private func equality(
    _ scalars: [Scalar], _ acceptsBooleanText: Bool, _ formula: inout Formula
  ) -> TruthLiterals {
    var equal: [Literal] = []
    // Where a value is of the kind of one of these.
    var comparable: [Literal] = []
    for scalar in scalars {
      switch scalar {
      case .text(let text):
        equal.append(texts[text] ?? formula.never)
        comparable.append(self[.text])
      case .integer(let integer):
        equal.append(values.first { $0.value == integer }?.literal ?? formula.never)
        comparable.append(self[.integer])
      case .boolean(let boolean):
        equal.append(self[boolean ? .yes : .no])
        comparable += [self[.yes], self[.no]]
        guard acceptsBooleanText else { continue }
        equal.append(texts[Self.booleanText(boolean)] ?? formula.never)
        comparable += Self.booleanTexts.compactMap { texts[$0] }
      }
    }
    let met = formula.or(equal)
    return TruthLiterals(met: met, isFalse: formula.and([formula.or(comparable), Formula.not(met)]))
  }

  private func containment(
    _ scalars: [Scalar], _ acceptsBooleanText: Bool, _ formula: inout Formula
  ) -> TruthLiterals {
    var equal: [Literal] = []
    var unknown: [Literal] = []
    for member in members {
      switch Self.compare(member.element, scalars, acceptsBooleanText) {
      case true?: equal.append(member.literal)
      case false?: break
      case nil: unknown.append(member.literal)
      }
    }
    let met = formula.or(equal)
    return TruthLiterals(
      met: met,
      isFalse: formula.and([self[.array], Formula.not(met), Formula.not(formula.or(unknown))]))
  }

  /// Whether an element equals one of the values; `nil` if it is of another kind than all of them.
  private static func compare(_ element: Element, _ scalars: [Scalar], _ acceptsBooleanText: Bool) -> Bool? {
    var result: Bool?
    for scalar in scalars {
      switch (element, scalar) {
      case (.scalar(let own), _) where own == scalar: return true
      case (.scalar(.text(let text)), .boolean(let boolean))
      where acceptsBooleanText && booleanTexts.contains(text):
        if text == booleanText(boolean) { return true }
        result = false
      case (.scalar(.text), .text), (.otherText, .text), (.scalar(.integer), .integer),
        (.otherInteger, .integer), (.scalar(.boolean), .boolean):
        result = false
      default: break
      }
    }
    return result
  }
}
