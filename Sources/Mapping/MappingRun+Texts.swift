internal import Text

/// The texts of values, and the methods of texts and numbers.
extension MappingRun {
  /// Returns the text as Java prints the value.
  package mutating func text(of value: MappingValue) throws(MappingFailure) -> String {
    switch value {
    case .text(let text): return text
    case .integer(let value): return String(value)
    case .decimal(let value): return Self.javaText(value)
    case .boolean(let value): return value ? "true" : "false"
    case .null: return "null"
    case .block(let nodes): return try text(of: nodes)
    case .object, .entry:
      let text = try printed(value, depth: 0)
      try charge(text: text)
      return text
    }
  }

  private mutating func printed(_ value: MappingValue, depth: Int) throws(MappingFailure) -> String {
    try charge(1)
    guard depth < Self.maximumValueDepth else {
      throw MappingFailure(problem: "a list or map contains itself, or is too deep")
    }
    switch value {
    case .object(let index):
      let object = heap[index]
      switch object.kind {
      case .jsonList: return try json(value, depth: depth)
      case .list:
        var parts: [String] = []
        for element in object.elements { parts.append(try printed(element, depth: depth + 1)) }
        return "[" + parts.joined(separator: ", ") + "]"
      case .map:
        var parts: [String] = []
        for key in object.keys {
          try charge(text: key)
          parts.append("\(key)=\(try printed(object[key] ?? .null, depth: depth + 1))")
        }
        return "{" + parts.joined(separator: ", ") + "}"
      }
    case .entry(let index, let key):
      try charge(text: key)
      return "\(key)=\(try printed(heap[index][key] ?? .null, depth: depth + 1))"
    default:
      let text = try text(of: value)
      try charge(text: text)
      return text
    }
  }

  /// Returns a number as `Double.toString` of Java.
  static func javaText(_ value: Double) -> String {
    let magnitude = value.magnitude
    guard magnitude != 0, magnitude < 1e-3 || magnitude >= 1e7 else { return "\(value)" }
    // The shortest digits, with one before the period.
    var digits = "\(magnitude)"
    var exponent = 0
    if let mark = digits.unicodeScalars.firstIndex(of: "e") {
      exponent = Int(digits[mark...].dropFirst(bytes: 1)) ?? 0
      digits = String(digits[..<mark])
    }
    let parts = digits.splitBytes(at: ".", omittingEmptySubsequences: false).map(String.init)
    let fraction = parts.count > 1 ? parts[1] : ""
    let all = parts[0] + fraction
    let significant = String(all.drop { $0 == "0" })
    exponent += parts[0].count - 1 - (all.count - significant.count)
    var rest = String(significant.dropFirst())
    while rest.hasByteSuffix("0") { rest.removeLast() }
    return (value < 0 ? "-" : "") + significant.prefix(1) + "." + (rest.isEmpty ? "0" : rest) + "E\(exponent)"
  }

  // MARK: Methods

  /// Calls a method. As in Velocity, one that the value does not have yields nothing.
  package mutating func call(
    _ name: String, _ arguments: [MappingValue], on value: MappingValue
  ) throws(MappingFailure) -> MappingValue? {
    if name == "toString" { return .text(try text(of: value)) }
    switch value {
    case .text(let text): return try call(name, arguments, onText: text)
    case .integer, .decimal: return try call(name, arguments, onNumber: value)
    case .object(let index):
      return heap[index].isMap
        ? try call(name, arguments, onMap: index) : try call(name, arguments, onList: index)
    case .entry(let index, let key):
      switch name {
      case "getKey": return .text(key)
      case "getValue": return heap[index][key]
      default: return nil
      }
    case .boolean(let flag):
      guard name == "equals", case .boolean(let other) = arguments[0] else { return .boolean(false) }
      return .boolean(flag == other)
    case .null, .block: return nil
    }
  }

  private func call(
    _ name: String, _ arguments: [MappingValue], onNumber value: MappingValue
  ) throws(MappingFailure) -> MappingValue? {
    let number = value.number ?? 0
    switch (name, arguments.first) {
    case ("intValue", nil), ("longValue", nil):
      if case .integer = value { return value }
      return Int64(exactly: number.rounded(.towardZero)).map { .integer($0) }
    case ("doubleValue", nil): return .decimal(number)
    case ("equals", let other?):
      switch (value, other) {
      case (.integer(let one), .integer(let two)): return .boolean(one == two)
      case (.decimal(let one), .decimal(let two)): return .boolean(one == two)
      default: return .boolean(false)
      }
    case ("compareTo", let other?):
      return other.number.map { .integer(number < $0 ? -1 : number > $0 ? 1 : 0) }
    case ("parseInt", .text(let text)?):
      guard let parsed = Int32(text) else {
        throw MappingFailure(problem: "parseInt of a text that is no number")
      }
      return .integer(Int64(parsed))
    default: return nil
    }
  }

  private mutating func call(
    _ name: String, _ arguments: [MappingValue], onText text: String
  ) throws(MappingFailure) -> MappingValue? {
    try charge(text: text)
    try charge(reading: text.utf8.count)
    let result = try changed(text, name, arguments)
    if let result {
      try charge(text: result)
      return .text(result)
    }
    // Java counts units of UTF-16.
    let units = Array(text.utf16)
    var other: [UInt16] = []
    if let first = arguments.first { other = Array(try self.text(of: first).utf16) }
    try charge(reading: units.count + other.count)
    switch name {
    case "length": return .integer(Int64(units.count))
    case "isEmpty": return .boolean(units.isEmpty)
    case "contains": return .boolean(TextSearch(other).first(in: units) != nil)
    case "startsWith": return .boolean(units.starts(with: other))
    case "endsWith":
      return .boolean(units.suffix(other.count).elementsEqual(other) && other.count <= units.count)
    case "equals":
      guard case .text = arguments[0] else { return .boolean(false) }
      return .boolean(units == other)
    case "equalsIgnoreCase":
      return .boolean(text.lowercased() == String(decoding: other, as: UTF16.self).lowercased())
    case "compareTo":
      for (one, two) in zip(units, other) where one != two { return .integer(Int64(one) - Int64(two)) }
      return .integer(Int64(units.count - other.count))
    case "indexOf":
      var start = 0
      if arguments.count == 2, case .integer(let number) = arguments[1] {
        start = Int(clamping: max(number, 0))
      }
      return .integer(Int64(TextSearch(other).first(in: units, from: start) ?? -1))
    case "lastIndexOf":
      let place = TextSearch(other.reversed()).first(in: units.reversed())
      return .integer(Int64(place.map { units.count - $0 - other.count } ?? -1))
    case "matches": return .boolean(try matches(try pattern(arguments[0]), text))
    case "split": return try split(text, arguments)
    default: return nil
    }
  }

  /// Returns the result of a method that makes a text from a text, or `nil` for another method.
  private mutating func changed(
    _ text: String, _ name: String, _ arguments: [MappingValue]
  ) throws(MappingFailure) -> String? {
    switch name {
    case "toLowerCase": return text.lowercased()
    case "toUpperCase": return text.uppercased()
    case "trim": return Self.trimmed(text)
    case "concat": return text + (try self.text(of: arguments[0]))
    case "replace":
      let (old, new) = (try self.text(of: arguments[0]), try self.text(of: arguments[1]))
      return try replaced(text, old, new)
    case "replaceAll", "replaceFirst":
      let pattern = try pattern(arguments[0])
      let new = try self.text(of: arguments[1])
      if name == "replaceAll", let old = pattern.literal, !new.containsBytes(of: "\\"),
        !new.containsBytes(of: "$")
      {
        return try replaced(text, old, new)
      }
      return try replaced(text, pattern, new, isAll: name == "replaceAll")
    case "substring", "charAt":
      let units = Array(text.utf16)
      guard case .integer(let start) = arguments[0] else { return nil }
      var end = name == "charAt" ? start.addingReportingOverflow(1).partialValue : Int64(units.count)
      if arguments.count == 2 {
        guard case .integer(let number) = arguments[1] else { return nil }
        end = number
      }
      guard start >= 0, start <= end, end <= units.count else {
        throw MappingFailure(problem: "\(name)(\(start)) is outside of a text of \(units.count) characters")
      }
      return String(decoding: units[Int(start)..<Int(end)], as: UTF16.self)
    default: return nil
    }
  }

  /// Java's `trim` removes all characters up to the space.
  private static func trimmed(_ text: String) -> String {
    var scalars = text.unicodeScalars[...]
    while let first = scalars.first, first.value <= 0x20 { scalars.removeFirst() }
    while let last = scalars.last, last.value <= 0x20 { scalars.removeLast() }
    return String(scalars)
  }
}
