import Bytes
import JSON

/// The value of an attribute, of the types that this project stores (DynamoDB, "AttributeValue").
package enum AttributeValue: Equatable, Sendable {
  /// `S`: text in UTF-8, may be empty.
  case string([UInt8])
  /// `N`: a whole number.
  case number(Int64)
  /// `BOOL`.
  case boolean(Bool)

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    switch self {
    case .string(let bytes):
      writer.name("S")
      writer.string(utf8: bytes)
    case .number(let number):
      writer.name("N")
      writer.string(number.description)
    case .boolean(let value):
      writer.name("BOOL")
      writer.boolean(value)
    }
    writer.endObject()
  }

  /// `nil` if this is not an AttributeValue, or has another type.
  init?(_ value: JSONValue) {
    var members = value.members
    guard let (name, content) = members.next(), members.next() == nil else { return nil }
    if name.equals("S"), let bytes = content.utf8 {
      self = .string(bytes)
    } else if name.equals("N"), let digits = content.utf8, let number = Self.wholeNumber(digits) {
      self = .number(number)
    } else if name.equals("BOOL"), let value = content.boolean {
      self = .boolean(value)
    } else {
      return nil
    }
  }

  /// DynamoDB returns whole numbers without exponent and leading zeros.
  private static func wholeNumber(_ text: [UInt8]) -> Int64? {
    let isNegative = text.first == .hyphen
    let digits = isNegative ? text[1...] : text[...]
    guard (1...19).contains(digits.count) else { return nil }
    var number: Int64 = 0
    for digit in digits {
      guard digit.isDecimalDigit else { return nil }
      let (tenfold, overflows) = number.multipliedReportingOverflow(by: 10)
      // Built from negative numbers, because the negative range has one number more.
      let (sum, overflowsToo) = tenfold.subtractingReportingOverflow(Int64(digit - .digitZero))
      guard !overflows, !overflowsToo else { return nil }
      number = sum
    }
    if isNegative { return number }
    return number == .min ? nil : -number
  }
}

/// An item of the table: attributes by name. Attributes of other types than ``AttributeValue`` are ignored.
package struct Item: Equatable, Sendable {
  /// The attributes, in the order in which they were set or read.
  package private(set) var attributes: [Attribute] = []

  package struct Attribute: Equatable, Sendable {
    package let name: [UInt8]
    package var value: AttributeValue
  }

  /// Creates an item without attributes.
  package init() {}

  /// Sets the attribute to this value; does nothing for `nil`.
  package mutating func set(_ name: String, _ value: AttributeValue?) {
    guard let value else { return }
    if let index = attributes.firstIndex(where: { $0.name.elementsEqual(name.utf8) }) {
      attributes[index].value = value
    } else {
      attributes.append(Attribute(name: Array(name.utf8), value: value))
    }
  }

  /// The value of this attribute.
  package subscript(_ name: String) -> AttributeValue? {
    attributes.first { $0.name.elementsEqual(name.utf8) }?.value
  }

  /// The bytes of a text; `nil` if it is absent or has another type.
  package func string(_ name: String) -> [UInt8]? {
    if case .string(let bytes) = self[name] { bytes } else { nil }
  }

  /// A whole number; `nil` if it is absent or has another type.
  package func number(_ name: String) -> Int64? {
    if case .number(let number) = self[name] { number } else { nil }
  }

  /// A boolean; `nil` if it is absent or has another type.
  package func boolean(_ name: String) -> Bool? {
    if case .boolean(let value) = self[name] { value } else { nil }
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    for attribute in attributes {
      writer.name(utf8: attribute.name)
      attribute.value.write(to: &writer)
    }
    writer.endObject()
  }

  /// `nil` if an attribute is not an object with one member.
  init?(_ value: JSONValue) {
    guard value.kind == .object else { return nil }
    for (name, content) in value.members {
      guard let name = name.utf8, content.kind == .object else { return nil }
      var members = content.members
      guard members.next() != nil, members.next() == nil else { return nil }
      guard let value = AttributeValue(content) else { continue }
      attributes.append(Attribute(name: name, value: value))
    }
  }
}
