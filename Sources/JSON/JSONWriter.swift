import Bytes

/// Writes JSON text. All JSON output of the project uses its string escaping.
///
/// The writer adds commas and colons. The text is valid JSON in UTF-8 for any input, if the caller closes every
/// object and array.
public struct JSONWriter: Sendable {
  /// The text so far.
  public private(set) var bytes: [UInt8] = []
  /// One bit per level, the lowest for the innermost: set if the level has a member or element.
  private var filled: UInt64 = 0
  private var followsName = false

  /// Creates an empty text with a capacity of `capacity` bytes.
  public init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

  /// Opens an object; up to 63 levels may be open.
  public mutating func beginObject() { open(0x7B) }

  /// Closes the innermost object.
  public mutating func endObject() { close(0x7D) }

  /// Opens an array; up to 63 levels may be open.
  public mutating func beginArray() { open(0x5B) }

  /// Closes the innermost array.
  public mutating func endArray() { close(0x5D) }

  /// Writes a member's name; its value must follow.
  public mutating func name(_ name: StaticString) {
    self.name { $0.append(name) }
  }

  /// Writes a member's name; its value must follow. Literals choose the other method.
  @_disfavoredOverload
  public mutating func name(_ name: String) {
    self.name { $0.append(contentsOf: name.utf8) }
  }

  /// Writes a member's name; its value must follow.
  public mutating func name(utf8: [UInt8]) {
    name { $0.append(copying: utf8) }
  }

  /// Writes a string.
  public mutating func string(_ text: StaticString) {
    separate()
    quote { $0.append(text) }
  }

  /// Writes a string. Literals choose the other method.
  @_disfavoredOverload
  public mutating func string(_ text: String) {
    separate()
    quote { $0.append(contentsOf: text.utf8) }
  }

  /// Writes a string from UTF-8; ill-formed sequences become U+FFFD.
  public mutating func string(utf8: [UInt8]) {
    separate()
    quote { $0.append(copying: utf8) }
  }

  /// Writes a whole number.
  public mutating func integer(_ value: Int64) {
    separate()
    bytes.append(contentsOf: value.description.utf8)
  }

  /// Writes a number in its original spelling.
  public mutating func number(_ number: JSONNumber) {
    separate()
    bytes.append(copying: number.source)
  }

  /// Writes a boolean.
  public mutating func boolean(_ value: Bool) {
    separate()
    bytes.append(value ? "true" : "false")
  }

  /// Writes `null`.
  public mutating func null() {
    separate()
    bytes.append("null")
  }

  /// Copies a value of another text, with new escapes and without its white space.
  public mutating func value(_ value: JSONValue) {
    switch value.kind {
    case .object:
      beginObject()
      for (name, member) in value.members {
        self.name(utf8: name.utf8 ?? [])
        self.value(member)
      }
      endObject()
    case .array:
      beginArray()
      for element in value.elements { self.value(element) }
      endArray()
    case .string: string(utf8: value.utf8 ?? [])
    case .number, .boolean, .null:
      separate()
      bytes.append(copying: value.source)
    }
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    filled <<= 1
  }

  private mutating func close(_ bracket: UInt8) {
    filled >>= 1
    bytes.append(bracket)
  }

  private mutating func separate() {
    if followsName {
      followsName = false
      return
    }
    if filled & 1 == 1 { bytes.append(0x2C) }
    filled |= 1
  }

  private mutating func name(_ appendName: (inout [UInt8]) -> Void) {
    separate()
    quote(appendName)
    bytes.append(0x3A)
    followsName = true
  }

  private mutating func quote(_ appendText: (inout [UInt8]) -> Void) {
    bytes.append(0x22)
    let start = bytes.count
    appendText(&bytes)
    let end = PlainText.end(in: bytes.span, from: start)
    if end < bytes.count { escape(from: end) }
    bytes.append(0x22)
  }

  /// Escapes the bytes written since `start`.
  private mutating func escape(from start: Int) {
    let raw = Array(bytes[start...])
    bytes.removeSubrange(start...)
    var isASCII = true
    for byte in raw {
      switch byte {
      case 0x22, 0x5C:
        bytes.append(0x5C)
        bytes.append(byte)
      case ..<0x20: escapeControl(byte)
      default:
        if byte >= 0x80 { isASCII = false }
        bytes.append(byte)
      }
    }
    if !isASCII { repair(from: start) }
  }

  private mutating func escapeControl(_ byte: UInt8) {
    switch byte {
    case 0x0A: bytes.append(contentsOf: "\\n".utf8)
    case 0x0D: bytes.append(contentsOf: "\\r".utf8)
    case 0x09: bytes.append(contentsOf: "\\t".utf8)
    default:
      bytes.append(contentsOf: "\\u00".utf8)
      bytes.append(0x30 + byte >> 4)
      let low = byte & 0x0F
      bytes.append(low < 10 ? 0x30 + low : 0x61 + low - 10)
    }
  }

  /// Replaces ill-formed sequences written since `start`; valid text does not change.
  private mutating func repair(from start: Int) {
    let repaired = String(decoding: bytes[start...], as: UTF8.self)
    bytes.removeSubrange(start...)
    bytes.append(contentsOf: repaired.utf8)
  }
}
