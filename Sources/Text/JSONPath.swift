package import JSON

/// A path into a JSON value as API Gateway's templates and parameter mappings write it ("JSONPath for Java").
///
/// Filters `?(…)` and functions such as `.length()` are not supported.
package struct JSONPath: Equatable, Sendable {
  private let steps: [Step]

  private enum Step: Equatable, Sendable {
    case member(String)
    case members([String])
    /// From the end if it is negative.
    case element(Int)
    case slice(Int?, Int?)
    case every
    /// This value and all within it.
    case descend
  }

  /// A path that is invalid or not supported.
  package struct Unknown: Error, Equatable {
    /// The problem, in lower case.
    package let problem: String
  }

  /// Maximum number of values that a path may select, also on the way: our limit, so that `$..*..*` ends.
  package static let maximumValues = 100_000

  /// Maximum work of one selection: our limit, about a second.
  package static let maximumUnits = 10_000_000

  /// Reads a path; `$.` may be left out.
  package init(_ text: String) throws(Unknown) {
    var reader = Reader(bytes: Array((text.hasBytePrefix("$") ? text : "$." + text).utf8), text: text)
    steps = try reader.steps()
  }

  /// Whether it may select several values, so that its result is an array.
  var isIndefinite: Bool {
    steps.contains { step in
      switch step {
      case .members, .slice, .every, .descend: true
      case .member, .element: false
      }
    }
  }

  /// Returns the selected value, or an array of all selected values if the path is indefinite.
  ///
  /// - Returns: `nil` if a definite path selects nothing, or if an indefinite one selects too many values.
  package func value(in root: JSONTree) -> JSONTree? {
    var units = Self.maximumUnits
    return value(in: root, &units)
  }

  /// Returns the same, and takes its work from the remaining units.
  ///
  /// - Returns: also `nil` if they are used up.
  package func value(in root: JSONTree, _ units: inout Int) -> JSONTree? {
    var found = [root]
    for step in steps {
      var next: [JSONTree] = []
      for value in found {
        units -= Self.work(of: step, on: value)
        guard units > 0 else { return nil }
        let count = next.count
        Self.append(step, of: value, to: &next)
        units -= next.count - count
        guard next.count <= Self.maximumValues, units > 0 else { return nil }
      }
      found = next
    }
    guard isIndefinite else { return found.first }
    // A value and all within it may both be selected, so the whole can be far larger than the root.
    for value in found {
      Self.measure(value, &units)
      guard units > 0 else { return nil }
    }
    return .array(found)
  }

  /// The names that a step compares: eight take about as long as one other step.
  private static func work(of step: Step, on value: JSONTree) -> Int {
    guard case .object(let members) = value else { return 1 }
    return switch step {
    case .member: 1 + members.count / 8
    case .members(let names): 1 + names.count * (1 + members.count / 8)
    default: 1
    }
  }

  private static func measure(_ value: JSONTree, _ units: inout Int) {
    units -= 1
    guard units > 0 else { return }
    switch value {
    case .string(let text), .number(let text): units -= text.utf8.count / 16
    case .array(let elements): for element in elements { measure(element, &units) }
    case .object(let members):
      for member in members {
        units -= member.name.utf8.count / 16
        measure(member.value, &units)
      }
    case .boolean, .null: break
    }
  }

  private static func append(_ step: Step, of value: JSONTree, to found: inout [JSONTree]) {
    switch (step, value) {
    case (.member(let name), .object):
      if let member = value[name] { found.append(member) }
    case (.members(let names), .object): found += names.compactMap { value[$0] }
    case (.element(let index), .array(let elements)):
      let place = index < 0 ? elements.count + index : index
      if elements.indices.contains(place) { found.append(elements[place]) }
    case (.slice(let start, let end), .array(let elements)):
      let places = [start ?? 0, end ?? elements.count].map {
        min(max($0 < 0 ? elements.count + $0 : $0, 0), elements.count)
      }
      if places[0] < places[1] { found += elements[places[0]..<places[1]] }
    case (.every, .array(let elements)): found += elements
    case (.every, .object(let members)): found += members.map(\.value)
    case (.descend, _): descend(into: value, &found)
    default: break
    }
  }

  private static func descend(into value: JSONTree, _ found: inout [JSONTree]) {
    guard found.count <= maximumValues else { return }
    found.append(value)
    switch value {
    case .array(let elements): for element in elements { descend(into: element, &found) }
    case .object(let members): for member in members { descend(into: member.value, &found) }
    default: break
    }
  }

  /// A reader of the text after its `$`.
  private struct Reader {
    let bytes: [UInt8]
    let text: String
    var index = 1

    mutating func steps() throws(Unknown) -> [Step] {
      var steps: [Step] = []
      while let byte = next() {
        switch byte {
        case UInt8(ascii: "."):
          if peek == UInt8(ascii: ".") {
            index += 1
            steps.append(.descend)
            if peek == UInt8(ascii: "[") { continue }
          }
          steps.append(try name())
        case UInt8(ascii: "["): steps.append(try bracket())
        default: throw unknown("a name must follow a period")
        }
      }
      return steps
    }

    private mutating func name() throws(Unknown) -> Step {
      let start = index
      while let byte = peek, byte != UInt8(ascii: "."), byte != UInt8(ascii: "[") { index += 1 }
      let name = String(decoding: bytes[start..<index], as: UTF8.self)
      if name == "*" { return .every }
      guard !name.isEmpty else { throw unknown("a name is empty") }
      guard !name.contains(where: { "()?@' ".contains($0) }) else { throw unknown("\(name) is not known") }
      return .member(name)
    }

    /// Reads `'a']`, `'a','b']`, `0]`, `1:3]` or `*]`.
    private mutating func bracket() throws(Unknown) -> Step {
      var names: [String] = []
      while let quote = peek, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
        index += 1
        guard let end = bytes[index...].firstIndex(of: quote) else {
          throw unknown("a quotation mark is missing")
        }
        names.append(String(decoding: bytes[index..<end], as: UTF8.self))
        index = end + 1
        if peek == UInt8(ascii: ",") { index += 1 }
      }
      guard let end = bytes[index...].firstIndex(of: UInt8(ascii: "]")) else {
        throw unknown("a ] is missing")
      }
      let content = String(decoding: bytes[index..<end], as: UTF8.self)
      index = end + 1
      if let first = names.first, content.isEmpty {
        return names.count == 1 ? .member(first) : .members(names)
      }
      if content == "*" { return .every }
      if let number = Int(content) { return .element(number) }
      let parts = content.splitBytes(at: ":", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, parts.allSatisfy({ $0.isEmpty || Int($0) != nil }) else {
        throw unknown("[\(content)] is not known")
      }
      return .slice(Int(parts[0]), Int(parts[1]))
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func next() -> UInt8? {
      guard let byte = peek else { return nil }
      index += 1
      return byte
    }

    private func unknown(_ problem: String) -> Unknown {
      Unknown(problem: "the path \(text): \(problem)")
    }
  }
}
