import Bytes

/// Writes JSON text. All JSON output of the project uses its string escaping.
///
/// The writer adds commas and colons. The text is valid JSON in UTF-8 for any input, if the caller closes every
/// object and array, if names that are constants have nothing to escape, and if the texts of `members` and `name(json:)`
/// are JSON.
package struct JSONWriter: Sendable {
  private var output: ByteBuffer
  /// One bit per level, the lowest for the innermost: set if the level has a member or element.
  private var filled: UInt64 = 0
  private var followsName = false

  /// Creates an empty text with a capacity of `capacity` bytes.
  package init(capacity: Int = 256) { output = ByteBuffer(capacity: capacity) }

  /// A copy of the text so far.
  package var bytes: [UInt8] { output.bytes }

  /// The number of bytes so far.
  package var count: Int { output.count }

  /// Returns the whole text without a copy and leaves an empty one.
  package mutating func takeBytes() -> [UInt8] {
    (filled, followsName) = (0, false)
    return output.takeBytes()
  }

  /// Opens an object; up to 63 levels may be open.
  package mutating func beginObject() { open(0x7B) }

  /// Closes the innermost object.
  package mutating func endObject() { close(0x7D) }

  /// Opens an array; up to 63 levels may be open.
  package mutating func beginArray() { open(0x5B) }

  /// Closes the innermost array.
  package mutating func endArray() { close(0x5D) }

  /// Writes a member's name; its value must follow. The constant has nothing to escape.
  package mutating func name(_ name: StaticString) {
    output.append(name: name, afterComma: filled & 1 == 1)
    filled |= 1
    followsName = true
  }

  /// Writes a member's name; its value must follow. Literals choose the other method.
  @_disfavoredOverload
  package mutating func name(_ name: String) {
    string(name)
    endName()
  }

  /// Writes a member's name; its value must follow.
  package mutating func name(utf8: [UInt8]) {
    string(utf8: utf8)
    endName()
  }

  /// Writes members that never change: one or more names with their values, as JSON without braces.
  package mutating func members(_ json: StaticString) {
    separate()
    output.append(json)
  }

  /// Writes a member's name from its JSON, quotes and colon included; its value must follow.
  package mutating func name(json: [UInt8]) {
    separate()
    output.append(json)
    followsName = true
  }

  /// The JSON of a member's name, quotes and colon included.
  package static func json(ofName name: String) -> [UInt8] {
    var writer = JSONWriter(capacity: name.utf8.count + 3)
    writer.name(name)
    return writer.takeBytes()
  }

  /// Writes a string.
  package mutating func string(_ text: StaticString) {
    text.withBytes { string($0) }
  }

  /// Writes a string. Literals choose the other method.
  @_disfavoredOverload
  package mutating func string(_ text: String) {
    text.withBytes { string($0) }
  }

  /// Writes a string from UTF-8; ill-formed sequences become U+FFFD.
  package mutating func string(utf8: [UInt8]) { string(utf8.span) }

  /// Writes a string of two parts in UTF-8; ill-formed sequences become U+FFFD.
  package mutating func string(utf8 first: [UInt8], then second: [UInt8]) {
    separate()
    output.append(.quote)
    let start = output.count
    output.append(first)
    output.append(second)
    endString(from: start)
  }

  /// Writes a string from UTF-8; ill-formed sequences become U+FFFD.
  package mutating func string(_ utf8: Span<UInt8>) {
    separate()
    guard PlainText.end(in: utf8, from: 0) < utf8.count else { return output.append(quoted: utf8) }
    output.append(.quote)
    let start = output.count
    output.append(utf8)
    endString(from: start)
  }

  /// Writes a whole number.
  package mutating func integer(_ value: Int64) {
    separate()
    output.append(decimal: value)
  }

  /// Writes a number in its original spelling.
  package mutating func number(_ number: JSONNumber) {
    separate()
    output.append(number.source)
  }

  /// Writes a boolean.
  package mutating func boolean(_ value: Bool) {
    separate()
    output.append(value ? "true" : "false")
  }

  /// Writes `null`.
  package mutating func null() {
    separate()
    output.append("null")
  }

  /// Copies a value of another text, with new escapes and without its white space.
  package mutating func value(_ value: JSONValue) {
    switch value.kind {
    case .object:
      beginObject()
      for (name, member) in value.members {
        self.value(name)
        endName()
        self.value(member)
      }
      endObject()
    case .array:
      beginArray()
      for element in value.elements { self.value(element) }
      endArray()
    case .string:
      if let text = value.unescapedUTF8 { string(text.span) } else { string(utf8: value.utf8 ?? []) }
    case .number, .boolean, .null:
      separate()
      output.append(value.source)
    }
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    output.append(bracket)
    filled <<= 1
  }

  private mutating func close(_ bracket: UInt8) {
    filled >>= 1
    output.append(bracket)
  }

  @inline(__always)
  private mutating func separate() {
    if followsName {
      followsName = false
      return
    }
    if filled & 1 == 1 { output.append(.comma) }
    filled |= 1
  }

  @inline(__always)
  private mutating func endName() {
    output.append(.colon)
    followsName = true
  }

  private mutating func endString(from start: Int) {
    let end = output.plainEnd(from: start)
    if end < output.count { output.append(Self.escaped(output.cut(from: end))) }
    output.append(.quote)
  }

  /// The bytes with escapes, and with U+FFFD for ill-formed sequences; valid text does not change.
  private static func escaped(_ raw: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(raw.count + 16)
    var isASCII = true
    for byte in raw {
      switch byte {
      case 0x22, 0x5C:
        bytes.append(0x5C)
        bytes.append(byte)
      case ..<0x20: escapeControl(byte, to: &bytes)
      default:
        if byte >= 0x80 { isASCII = false }
        bytes.append(byte)
      }
    }
    return isASCII ? bytes : Array(String(decoding: bytes, as: UTF8.self).utf8)
  }

  private static func escapeControl(_ byte: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case 0x0A: bytes.append("\\n")
    case 0x0D: bytes.append("\\r")
    case 0x09: bytes.append("\\t")
    default:
      bytes.append("\\u00")
      bytes.append(0x30 + byte >> 4)
      let low = byte & 0x0F
      bytes.append(low < 10 ? 0x30 + low : 0x61 + low - 10)
    }
  }
}
