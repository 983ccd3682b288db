enum MappingNode: Sendable {
  case text(String)
  case output(MappingReference)
  /// A reference behind this many backslashes, and its source.
  case escaped(Int, MappingReference, source: String)
  case set(MappingReference, MappingExpression)
  /// `#if` and its `#elseif`, then `#else`.
  case condition([Branch], otherwise: [MappingNode])
  case loop(variable: String, MappingExpression, [MappingNode])
  case define(String, [MappingNode])
  /// `#break`.
  case leaveLoop
  case stop

  struct Branch: Sendable {
    let condition: MappingExpression
    let nodes: [MappingNode]
  }
}

/// A reference such as `$input.path('$.a').size()`.
struct MappingReference: Sendable {
  let root: String
  let steps: [Step]

  enum Step: Sendable {
    case property(String)
    case call(String, [MappingExpression])
    case index(MappingExpression)
  }

  /// The names of the properties before the first call or index.
  var names: [String] {
    var names: [String] = []
    for case .property(let name) in steps.prefix(while: { if case .property = $0 { true } else { false } }) {
      names.append(name)
    }
    return names
  }
}

indirect enum MappingExpression: Sendable {
  case text(String)
  case integer(Int64)
  case decimal(Double)
  case boolean(Bool)
  case reference(MappingReference)
  /// A string in quotation marks, which is a template itself.
  case interpolated([MappingNode])
  case list([MappingExpression])
  case map([(key: MappingExpression, value: MappingExpression)])
  /// `[1..5]`.
  case range(Int64, Int64)
  case not(MappingExpression)
  /// Operands of equal precedence, from left to right.
  case chain(MappingExpression, [(sign: Operator, operand: MappingExpression)])

  enum Operator: Sendable {
    case or, and, equal, unequal, less, lessOrEqual, greater, greaterOrEqual
    case plus, minus, times, divided, remainder
  }
}
