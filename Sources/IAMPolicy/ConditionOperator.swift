internal import Text

/// A condition operator (IAM User Guide, "IAM JSON policy elements: Condition operators").
package struct ConditionOperator: Equatable, Sendable {
  /// The name as in the policy, such as `ForAnyValue:StringNotLikeIfExists`.
  let name: String
  let test: Test
  /// Whether none of the policy's values may match.
  let isNegated: Bool
  let isIfExists: Bool
  let qualifier: Qualifier?

  /// How a value of the request is compared with one of the policy.
  enum Test: Equatable, Sendable {
    case string(isPattern: Bool, ignoresCase: Bool)
    case number(Order), date(Order)
    case boolean, address, arn
    case null
  }

  enum Order: Equatable, Sendable {
    case equal, less, lessOrEqual, greater, greaterOrEqual

    func holds<Value: Comparable>(_ one: Value, _ other: Value) -> Bool {
      switch self {
      case .equal: one == other
      case .less: one < other
      case .lessOrEqual: one <= other
      case .greater: one > other
      case .greaterOrEqual: one >= other
      }
    }
  }

  /// The set operators of multivalued keys.
  enum Qualifier: String, CaseIterable, Sendable {
    case forAllValues = "ForAllValues:"
    case forAnyValue = "ForAnyValue:"
  }

  /// Creates the operator of this name.
  ///
  /// - Throws: `unknownOperator` with the nearest known spelling; `contradiction` for operators that AWS does not
  ///   define.
  init(_ name: String) throws(PolicyError.Problem) {
    var base = name[...]
    let qualifier = Qualifier.allCases.first { base.hasBytePrefix($0.rawValue) }
    if let qualifier { base = base.dropFirst(bytes: qualifier.rawValue.utf8.count) }
    let isIfExists = base.hasByteSuffix(Self.ifExists)
    if isIfExists { base = base.dropLast(bytes: Self.ifExists.utf8.count) }
    guard let row = Self.table.first(where: { $0.name == base }) else {
      throw .unknownOperator(name, nearest: Self.spelling(of: name))
    }
    if row.test == .null, isIfExists || qualifier != nil {
      throw .contradiction("Null tests the presence of a key, so \(name) has no meaning; write Null")
    }
    self.name = name
    self.qualifier = qualifier
    self.isIfExists = isIfExists
    test = row.test
    isNegated = row.isNegated
  }

  private static let ifExists = "IfExists"

  /// Whether the operator applies to keys of this type.
  func fits(_ kind: ConditionKey.Kind) -> Bool {
    switch test {
    case .null, .string: true
    case .number: kind == .number || kind == .epoch
    case .date: kind == .date || kind == .epoch
    case .boolean: kind == .boolean
    case .address: kind == .address
    case .arn: kind == .arn
    }
  }

  private static let table: [(name: String, test: Test, isNegated: Bool)] = [
    ("StringEquals", .string(isPattern: false, ignoresCase: false), false),
    ("StringNotEquals", .string(isPattern: false, ignoresCase: false), true),
    ("StringEqualsIgnoreCase", .string(isPattern: false, ignoresCase: true), false),
    ("StringNotEqualsIgnoreCase", .string(isPattern: false, ignoresCase: true), true),
    ("StringLike", .string(isPattern: true, ignoresCase: false), false),
    ("StringNotLike", .string(isPattern: true, ignoresCase: false), true),
    ("NumericEquals", .number(.equal), false), ("NumericNotEquals", .number(.equal), true),
    ("NumericLessThan", .number(.less), false), ("NumericLessThanEquals", .number(.lessOrEqual), false),
    ("NumericGreaterThan", .number(.greater), false),
    ("NumericGreaterThanEquals", .number(.greaterOrEqual), false),
    ("DateEquals", .date(.equal), false), ("DateNotEquals", .date(.equal), true),
    ("DateLessThan", .date(.less), false), ("DateLessThanEquals", .date(.lessOrEqual), false),
    ("DateGreaterThan", .date(.greater), false), ("DateGreaterThanEquals", .date(.greaterOrEqual), false),
    ("Bool", .boolean, false), ("IpAddress", .address, false), ("NotIpAddress", .address, true),
    // The two pairs of ARN operators are the same ("Amazon Resource Name (ARN) condition operators").
    ("ArnEquals", .arn, false), ("ArnLike", .arn, false), ("ArnNotEquals", .arn, true),
    ("ArnNotLike", .arn, true), ("Null", .null, false),
  ]

  /// Returns the correct spelling of a name in another case.
  private static func spelling(of name: String) -> String? {
    let lower = name.lowercased()
    for qualifier in ["", Qualifier.forAllValues.rawValue, Qualifier.forAnyValue.rawValue] {
      for row in table {
        for suffix in ["", ifExists] where (qualifier + row.name + suffix).lowercased() == lower {
          return qualifier + row.name + suffix
        }
      }
    }
    return nil
  }
}
