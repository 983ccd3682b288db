internal import Foundation
internal import JSON

/// Properties of the JSON parser and writer.
enum JSONProperties {
  /// Low enough that short inputs reach each limit.
  private static let tight = JSONLimits(bytes: 256, depth: 3, membersPerObject: 4, values: 12)

  static func check(_ bytes: [UInt8]) throws(Finding) {
    let extent = JSONGrammar.extent(of: bytes, deepest: JSONLimits.token.depth)
    for limits in [tight, .token] where bytes.count <= limits.bytes {
      try check(bytes, limits: limits, isExpected: extent?.fits(limits) ?? false)
    }
  }

  private static func check(_ bytes: [UInt8], limits: JSONLimits, isExpected: Bool) throws(Finding) {
    let root: JSONValue
    do throws(JSONError) {
      root = try JSONDocument(parsing: bytes, limits: limits).root
    } catch {
      try Finding.unless(!isExpected, "RFC 8259 text is accepted, but: \(error)")
      try Finding.unless(0...bytes.count ~= error.offset, "the offset lies in the text: \(error)")
      return
    }
    try Finding.unless(isExpected, "text that RFC 8259 or a limit forbids is refused")
    guard limits == .token else { return }
    try checkWriting(root, limits: limits)
    try checkFoundationAgrees(bytes)
  }

  /// Both serializers write the same text, which parses to the same value.
  private static func checkWriting(_ root: JSONValue, limits: JSONLimits) throws(Finding) {
    let tree = JSONTree(root)
    var writer = JSONWriter()
    writer.value(root)
    try Finding.unless(writer.bytes == tree.bytes(), "JSONWriter and JSONTree write the same")
    // Escapes and indentation may make the text longer.
    let roomy = JSONLimits(
      bytes: 1 << 20, depth: limits.depth, membersPerObject: limits.membersPerObject)
    let indented = tree.bytes(indentedBy: 2)
    guard let copy = try? JSONDocument(parsing: writer.bytes, limits: roomy).root,
      let indentedCopy = try? JSONTree(parsing: indented, limits: roomy)
    else { throw Finding(property: "written text can be parsed") }
    try checkSame(root, copy)
    try Finding.unless(
      indentedCopy == tree && indentedCopy.equalsIgnoringOrder(tree), "a value equals its copy")
  }

  private static func checkSame(_ left: JSONValue, _ right: JSONValue) throws(Finding) {
    try Finding.unless(left.kind == right.kind, "a copy is of the same kind")
    switch left.kind {
    case .object:
      try Finding.unless(Array(left.members).count == Array(right.members).count, "members are preserved")
      for (pair, copy) in zip(left.members, right.members) {
        try checkSame(pair.name, copy.name)
        try checkSame(pair.value, copy.value)
        let found = left.member(named: pair.name.utf8 ?? [])
        try Finding.unless(found?.source == pair.value.source, "a member is found by its name")
      }
    case .array:
      try Finding.unless(Array(left.elements).count == Array(right.elements).count, "elements are preserved")
      for (element, copy) in zip(left.elements, right.elements) { try checkSame(element, copy) }
    case .string: try checkString(left, right)
    case .number:
      try Finding.unless(left.source == right.source, "the text of a number is preserved")
      try checkNumber(left.number)
    case .boolean: try Finding.unless(left.boolean == right.boolean, "a boolean is preserved")
    case .null: break
    }
  }

  private static func checkString(_ left: JSONValue, _ right: JSONValue) throws(Finding) {
    guard let utf8 = left.utf8 else { throw Finding(property: "a string has bytes") }
    try Finding.unless(utf8 == right.utf8, "a string is preserved")
    try Finding.unless(String(validating: utf8, as: UTF8.self) != nil, "a decoded string is UTF-8")
    try Finding.unless(left.equals(utf8: utf8) && right.equals(utf8: utf8), "a string equals its own bytes")
    try Finding.unless(!left.equals(utf8: utf8 + [0x61]), "a string differs from a longer one")
    try Finding.unless(
      utf8.isEmpty || !left.equals(utf8: Array(utf8.dropLast())), "a string differs from a shorter one")
  }

  /// Rounding to a `Double` preserves order, so the rounded value lies between its bounds.
  private static func checkNumber(_ number: JSONNumber?) throws(Finding) {
    guard let number, let value = Double(number.text) else {
      throw Finding(property: "Swift parses the number too")
    }
    guard let (floor, ceiling) = number.bounds else {
      let limit = 0x1p63
      return try Finding.unless(
        value >= limit || value <= -limit, "a number in the range of Int64 has bounds: \(number.text)")
    }
    try Finding.unless(
      Double(floor) <= value && value <= Double(ceiling), "a number lies between its bounds: \(number.text)")
    try Finding.unless(
      ceiling == floor || ceiling == floor + 1, "bounds are adjacent or equal: \(number.text)")
    try Finding.unless(number.integer == (floor == ceiling ? floor : nil), "a whole number equals its bounds")
  }

  /// Foundation accepts all text that we accept, except numbers out of the range of `Double`.
  private static func checkFoundationAgrees(_ bytes: [UInt8]) throws(Finding) {
    // Only one accepted text in 16, because Foundation is slower than all the rest together.
    guard bytes.reduce(UInt8(0), { $0 &* 31 &+ $1 }) & 0x0F == 0 else { return }
    do {
      _ = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    } catch {
      let hasHugeNumber = "\(error)".utf8.firstRange(of: "Number".utf8) != nil
      try Finding.unless(hasHugeNumber, "Foundation accepts it too, but: \(error)")
    }
  }
}
