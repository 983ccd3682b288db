/// The reason why a text is refused.
///
/// `offset` is the offset in bytes of the first invalid byte.
package enum JSONError: Error, Equatable, Sendable {
  /// The text is larger than `limit` bytes.
  case tooLarge(bytes: Int, limit: Int)
  /// Arrays and objects are nested more than `limit` deep.
  case tooDeep(limit: Int, offset: Int)
  /// An object has more than `limit` members.
  case tooManyMembers(limit: Int, offset: Int)
  /// The text has more than `limit` values.
  case tooManyValues(limit: Int, offset: Int)
  /// The text ends before the value does; an empty text ends at offset 0.
  case unexpectedEnd(offset: Int)
  /// A byte that RFC 8259 does not allow at this offset.
  case unexpectedByte(UInt8, offset: Int)
  /// Two members of one object have the same name (compared after unescaping).
  case duplicateName(offset: Int)
  /// The bytes are not UTF-8 (RFC 3629): overlong, surrogate, truncated or beyond U+10FFFF.
  case invalidUTF8(offset: Int)
  /// A byte below 0x20 inside a string.
  case controlCharacter(offset: Int)
  /// A backslash sequence that RFC 8259 section 7 does not define.
  case invalidEscape(offset: Int)
  /// A `\u` escape of one half of a surrogate pair without the other half.
  case loneSurrogate(offset: Int)
  /// A number that does not match the grammar of RFC 8259 section 6.
  case invalidNumber(offset: Int)
  /// The text begins with a byte order mark, which RFC 8259 section 8.1 forbids.
  case byteOrderMark
  /// Something other than white space follows the value.
  case trailingBytes(offset: Int)

  /// A stable name for logs and tests.
  package var code: String {
    switch self {
    case .tooLarge: "tooLarge"
    case .tooDeep: "tooDeep"
    case .tooManyMembers: "tooManyMembers"
    case .tooManyValues: "tooManyValues"
    case .unexpectedEnd: "unexpectedEnd"
    case .unexpectedByte: "unexpectedByte"
    case .duplicateName: "duplicateName"
    case .invalidUTF8: "invalidUTF8"
    case .controlCharacter: "controlCharacter"
    case .invalidEscape: "invalidEscape"
    case .loneSurrogate: "loneSurrogate"
    case .invalidNumber: "invalidNumber"
    case .byteOrderMark: "byteOrderMark"
    case .trailingBytes: "trailingBytes"
    }
  }

  /// The offset in bytes of the first invalid byte.
  package var offset: Int {
    switch self {
    case .tooLarge(_, let limit): limit
    case .tooDeep(_, let offset), .tooManyMembers(_, let offset), .tooManyValues(_, let offset),
      .unexpectedEnd(let offset),
      .unexpectedByte(_, let offset), .duplicateName(let offset), .invalidUTF8(let offset),
      .controlCharacter(let offset), .invalidEscape(let offset), .loneSurrogate(let offset),
      .invalidNumber(let offset), .trailingBytes(let offset):
      offset
    case .byteOrderMark: 0
    }
  }

  /// A description of the error with the offset. It never quotes the text, which may contain a secret.
  package var description: String { sentence { "byte \($0)" } }

  /// A description of the error with line and column, both counted from 1, and what to change if that is known. A
  /// column is a Unicode scalar. It quotes at most one character of the text.
  ///
  /// - Parameter text: the parsed text.
  package func description(in text: [UInt8]) -> String {
    let position = { (offset: Int) -> String in
      let before = text.prefix(offset)
      let line = before.count { $0 == 0x0A } + 1
      let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      // Bytes that continue a character begin with the bits 10 (RFC 3629 section 3).
      let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
      return "line \(line), column \(column)"
    }
    var sentence = sentence(position)
    if case .unexpectedByte(let byte, let offset) = self, 0x21...0x7E ~= byte {
      sentence = "an unexpected \(String(decoding: [byte], as: UTF8.self)) at \(position(offset))"
    }
    return cure(in: text).map { sentence + ": " + $0 } ?? sentence
  }

  private func cure(in text: [UInt8]) -> String? {
    switch self {
    case .byteOrderMark: return "save it as UTF-8 without one"
    case .invalidUTF8: return "save it as UTF-8"
    case .unexpectedByte(let byte, let offset):
      let before = text.prefix(offset).last { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
      let followsStart = before == 0x7B || before == 0x5B || before == 0x2C
      switch byte {
      // In UTF-16, one of the first two bytes is zero, or both are a byte order mark.
      case 0x00 where offset <= 1, 0xFE where offset == 0, 0xFF where offset == 0:
        return "the text is UTF-16; save it as UTF-8"
      case 0x5D where before == 0x2C: return "remove the comma before ]"
      case 0x7D where before == 0x2C: return "remove the comma before }"
      case 0x2C where followsStart: return "remove the comma"
      case 0x22, 0x7B: return "a comma or a colon is missing before it"
      case 0x23, 0x2F: return "JSON has no comments"
      // Typographic quotes begin with E2 80.
      case 0x27, 0xE2: return "use double quotes"
      case 0x41...0x5A where before == 0x7B, 0x61...0x7A where before == 0x7B: return "use double quotes"
      default: return nil
      }
    default: return nil
    }
  }

  private func sentence(_ position: (Int) -> String) -> String {
    switch self {
    case .tooLarge(let bytes, let limit): "\(bytes) bytes are more than the \(limit) allowed"
    case .tooDeep(let limit, let offset): "nested more than \(limit) deep at \(position(offset))"
    case .tooManyMembers(let limit, let offset):
      "an object has more than \(limit) members at \(position(offset))"
    case .tooManyValues(let limit, let offset): "more than \(limit) values at \(position(offset))"
    case .unexpectedEnd(let offset): "the text ends too early at \(position(offset))"
    case .unexpectedByte(_, let offset): "a byte that JSON does not allow here, at \(position(offset))"
    case .duplicateName(let offset): "a member name occurs twice in one object, at \(position(offset))"
    case .invalidUTF8(let offset): "not UTF-8 at \(position(offset))"
    case .controlCharacter(let offset): "a raw control character in a string at \(position(offset))"
    case .invalidEscape(let offset): "an unknown escape at \(position(offset))"
    case .loneSurrogate(let offset): "half of a surrogate pair at \(position(offset))"
    case .invalidNumber(let offset): "a malformed number at \(position(offset))"
    case .byteOrderMark: "the text begins with a byte order mark"
    case .trailingBytes(let offset): "more text after the value at \(position(offset))"
    }
  }
}

extension JSONError: CustomStringConvertible {}
