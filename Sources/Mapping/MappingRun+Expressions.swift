internal import Text

/// Values, references and operators.
extension MappingRun {
  package mutating func value(of expression: MappingExpression) throws(MappingFailure) -> MappingValue {
    try charge(10)
    switch expression {
    case .text(let text): return .text(text)
    case .integer(let value): return .integer(value)
    case .decimal(let value): return .decimal(value)
    case .boolean(let value): return .boolean(value)
    case .reference(let reference): return try value(of: reference)
    case .interpolated(let nodes): return .text(try text(of: nodes))
    case .list(let elements):
      var values: [MappingValue] = []
      for element in elements { values.append(try value(of: element)) }
      return try newList(values)
    case .map(let members):
      try charge(20)
      let index = new(.map)
      for member in members {
        let key = try text(of: try value(of: member.key))
        try set(key, of: index, to: try value(of: member.value))
      }
      return .object(index)
    case .range(let first, let last): return try range(first, last)
    case .not(let inner): return .boolean(!(try isTrue(inner)))
    case .chain(let first, let rest):
      var result = try value(of: first)
      for (op, operand) in rest {
        switch op {
        case .or: result = .boolean(isTrue(result) ? true : try isTrue(operand))
        case .and: result = .boolean(isTrue(result) ? try isTrue(operand) : false)
        default: result = try combined(result, op, try value(of: operand))
        }
      }
      return result
    }
  }

  package mutating func isTrue(_ expression: MappingExpression) throws(MappingFailure) -> Bool {
    isTrue(try value(of: expression))
  }

  /// Everything but false is true, the empty text too.
  private func isTrue(_ value: MappingValue) -> Bool {
    if case .boolean(false) = value { false } else { true }
  }

  private mutating func range(_ first: Int64, _ last: Int64) throws(MappingFailure) -> MappingValue {
    // At most the magnitude of two 64-bit numbers, which the limit of the work refuses before the list is made.
    let (distance, overflow) = last.subtractingReportingOverflow(first)
    let isTooLong = overflow || distance.magnitude > UInt64(Self.maximumUnits)
    try charge(isTooLong ? Self.maximumUnits : 4 * Int(distance.magnitude))
    if first <= last { return try newList((first...last).map { .integer($0) }) }
    return try newList((last...first).reversed().map { .integer($0) })
  }

  // MARK: Operators

  private mutating func combined(
    _ left: MappingValue, _ op: MappingExpression.Operator, _ right: MappingValue
  ) throws(MappingFailure) -> MappingValue {
    switch op {
    case .equal: return .boolean(try isEqual(left, right))
    case .unequal: return .boolean(!(try isEqual(left, right)))
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      // Velocity compares numbers only; all else is false.
      guard let one = left.number, let other = right.number else { return .boolean(false) }
      switch op {
      case .less: return .boolean(one < other)
      case .lessOrEqual: return .boolean(one <= other)
      case .greater: return .boolean(one > other)
      default: return .boolean(one >= other)
      }
    case .plus where left.number == nil || right.number == nil:
      let text = try self.text(of: left) + (try self.text(of: right))
      try charge(text: text)
      return .text(text)
    case .plus, .minus, .times, .divided, .remainder, .or, .and: return try calculated(left, op, right)
    }
  }

  /// Returns the result of arithmetic; the empty text where an operand is no number or the divisor is zero.
  private func calculated(
    _ left: MappingValue, _ op: MappingExpression.Operator, _ right: MappingValue
  ) throws(MappingFailure) -> MappingValue {
    if case .integer(let one) = left, case .integer(let other) = right {
      if other == 0, op == .divided || op == .remainder { return .empty }
      let (value, overflow) =
        switch op {
        case .plus: one.addingReportingOverflow(other)
        case .minus: one.subtractingReportingOverflow(other)
        case .times: one.multipliedReportingOverflow(by: other)
        case .divided: one.dividedReportingOverflow(by: other)
        default: one.remainderReportingOverflow(dividingBy: other)
        }
      if overflow { throw MappingFailure(problem: "a number is larger than 64 bits") }
      return .integer(value)
    }
    guard let one = left.number, let other = right.number else { return .empty }
    switch op {
    case .plus: return .decimal(one + other)
    case .minus: return .decimal(one - other)
    case .times: return .decimal(one * other)
    case .divided: return other == 0 ? .empty : .decimal(one / other)
    default: return other == 0 ? .empty : .decimal(one.truncatingRemainder(dividingBy: other))
    }
  }

  /// Compares as `==` does: numbers by their value, values of different kinds by their text.
  package mutating func isEqual(_ left: MappingValue, _ right: MappingValue) throws(MappingFailure) -> Bool {
    if let one = left.number, let other = right.number { return one == other }
    let (one, other) = (try text(of: left), try text(of: right))
    try charge(reading: min(one.utf8.count, other.utf8.count))
    return one.hasSameBytes(as: other)
  }

  // MARK: References

  /// Returns the value; the empty text for none.
  package mutating func value(of reference: MappingReference) throws(MappingFailure) -> MappingValue {
    let found = try self.found(reference, upTo: reference.steps.count)
    switch found {
    case nil, .null?: return .empty
    // "Calling $context.authorizer.claims returns null".
    case .object?
    where reference.root == "context" && reference.names == ["authorizer", "claims"]
      && reference.steps.count == 2:
      return .empty
    case .block(let nodes)?: return .text(try text(of: nodes))
    case let value?: return value
    }
  }

  private mutating func found(
    _ reference: MappingReference, upTo end: Int
  ) throws(MappingFailure) -> MappingValue? {
    var (value, next) = try start(of: reference)
    while next < end, let current = value {
      try charge(10)
      switch reference.steps[next] {
      case .property(let name): value = property(name, of: current)
      case .index(let expression): value = try element(try self.value(of: expression), of: current)
      case .call(let name, let expressions):
        var arguments: [MappingValue] = []
        for expression in expressions { arguments.append(try self.value(of: expression)) }
        value = try call(name, arguments, on: current)
      }
      if case .null? = value { value = nil }
      next += 1
    }
    return value
  }

  /// Returns the value of the root, with the steps that belong to it.
  private mutating func start(
    of reference: MappingReference
  ) throws(MappingFailure) -> (value: MappingValue?, next: Int) {
    switch reference.root {
    case "input", "util":
      guard case .call(let name, let expressions)? = reference.steps.first else {
        return (.text(bodyText), 1)
      }
      var arguments: [MappingValue] = []
      for expression in expressions { arguments.append(try value(of: expression)) }
      return (
        reference.root == "input"
          ? try inputValue(name, arguments) : try utility(name, try text(of: arguments[0])),
        1
      )
    case "context": return (contextValue, 0)
    case "stageVariables": return (stageValue, 0)
    case "velocityCount": return (loops.last.map { .integer(Int64($0.index) + 1) }, 0)
    case "velocityHasNext": return (loops.last.map { .boolean($0.index + 1 < $0.count) }, 0)
    case "foreach": return (loopValue(reference.steps), reference.steps.count)
    default: return (variables[reference.root], 0)
    }
  }

  private mutating func loopValue(_ steps: [MappingReference.Step]) -> MappingValue? {
    var depth = loops.count - 1
    for step in steps {
      guard loops.indices.contains(depth) else { return nil }
      let loop = loops[depth]
      switch step {
      case .property("parent"): depth -= 1
      case .property("index"): return .integer(Int64(loop.index))
      case .property("count"): return .integer(Int64(loop.index) + 1)
      case .property("hasNext"), .call("hasNext", _): return .boolean(loop.index + 1 < loop.count)
      case .property("first"): return .boolean(loop.index == 0)
      case .property("last"): return .boolean(loop.index + 1 == loop.count)
      case .call("stop", _):
        loops[depth].isStopped = true
        return nil
      default: return nil
      }
    }
    return nil
  }

  private func property(_ name: String, of value: MappingValue) -> MappingValue? {
    switch value {
    case .object(let index) where heap[index].isMap: return heap[index][name]
    case .object(let index): return name == "empty" ? .boolean(heap[index].count == 0) : nil
    case .text(let text): return name == "empty" ? .boolean(text.isEmpty) : nil
    case .entry(let index, let key):
      return name == "key" ? .text(key) : name == "value" ? heap[index][key] : nil
    default: return nil
    }
  }

  package mutating func element(
    _ index: MappingValue, of value: MappingValue
  ) throws(MappingFailure) -> MappingValue? {
    guard case .object(let object) = value else { return nil }
    if heap[object].isMap {
      let key = try text(of: index)
      return heap[object][key]
    }
    guard case .integer(let place) = index else { return nil }
    return heap[object].elements[try self.place(place, in: object)]
  }

  /// Returns the place of an index, which counts from the end if it is negative.
  package func place(_ index: Int64, in object: Int, orBehind: Bool = false) throws(MappingFailure) -> Int {
    let count = heap[object].count
    let place = index < 0 ? Int64(count) + index : index
    guard (0..<Int64(count + (orBehind ? 1 : 0))).contains(place) else {
      throw MappingFailure(problem: "the index \(index) is outside of a list of \(count)")
    }
    return Int(place)
  }

  // MARK: Set

  package mutating func set(_ target: MappingReference, to value: MappingValue) throws(MappingFailure) {
    guard let last = target.steps.last else {
      variables[target.root] = value
      return
    }
    guard case .object(let object)? = try found(target, upTo: target.steps.count - 1) else {
      throw MappingFailure(problem: "a member of something that is no map is set")
    }
    switch last {
    case .property(let name) where heap[object].isMap: try set(name, of: object, to: value)
    case .index(let expression):
      let index = try self.value(of: expression)
      if heap[object].isMap {
        try set(try text(of: index), of: object, to: value)
      } else if case .integer(let number) = index {
        let place = try place(number, in: object)
        change(object) { $0[place] = value }
      } else {
        throw MappingFailure(problem: "an index of a list is no number")
      }
    default: throw MappingFailure(problem: "a member of a list is set")
    }
  }
}
