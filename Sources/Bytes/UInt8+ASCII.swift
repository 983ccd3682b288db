/// The names and classes of ASCII bytes (RFC 20), for grammars that are read and written as bytes.
extension UInt8 {
  package static var tab: UInt8 { 0x09 }
  package static var lineFeed: UInt8 { 0x0A }
  package static var carriageReturn: UInt8 { 0x0D }
  package static var space: UInt8 { 0x20 }
  package static var quote: UInt8 { 0x22 }
  package static var numberSign: UInt8 { 0x23 }
  package static var dollar: UInt8 { 0x24 }
  package static var percent: UInt8 { 0x25 }
  package static var asterisk: UInt8 { 0x2A }
  package static var plus: UInt8 { 0x2B }
  package static var comma: UInt8 { 0x2C }
  package static var hyphen: UInt8 { 0x2D }
  package static var dot: UInt8 { 0x2E }
  package static var slash: UInt8 { 0x2F }
  package static var digitZero: UInt8 { 0x30 }
  package static var colon: UInt8 { 0x3A }
  package static var semicolon: UInt8 { 0x3B }
  package static var equalsSign: UInt8 { 0x3D }
  package static var questionMark: UInt8 { 0x3F }
  package static var openingBracket: UInt8 { 0x5B }
  package static var backslash: UInt8 { 0x5C }
  package static var closingBracket: UInt8 { 0x5D }
  package static var underscore: UInt8 { 0x5F }
  package static var openingBrace: UInt8 { 0x7B }
  package static var closingBrace: UInt8 { 0x7D }
  package static var tilde: UInt8 { 0x7E }
  /// DEL, the last control character of ASCII.
  package static var delete: UInt8 { 0x7F }

  package var isDecimalDigit: Bool { self &- .digitZero < 10 }

  package var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

  package var isUppercaseLetter: Bool { self &- 0x41 < 26 }

  package var isLetterOrDigit: Bool { isDecimalDigit || isLetter }

  package var isHexadecimalDigit: Bool { hexadecimalValue != nil }

  /// Whether this is a character with a shape: no space, no control character, ASCII.
  package var isVisible: Bool { self > .space && self < .delete }

  /// Whether this is a visible character or a space.
  package var isPrintable: Bool { self >= .space && self < .delete }

  /// The value of a hexadecimal digit, either case.
  package var hexadecimalValue: UInt8? {
    if isDecimalDigit { return self &- .digitZero }
    let letter = (self | 0x20) &- 0x61
    return letter < 6 ? letter + 10 : nil
  }

  /// The digit of a value below 16, in lower case.
  fileprivate var hexadecimalDigit: UInt8 { self < 10 ? .digitZero + self : 0x57 + self }

  /// The small letter of a capital letter of ASCII; any other byte as it is.
  package var lowercase: UInt8 { isUppercaseLetter ? self | 0x20 : self }
}

extension Sequence<UInt8> {
  /// The bytes with the capital letters of ASCII made small. Other bytes stay: Unicode's case folding never decides.
  package var lowercase: [UInt8] { map { $0.lowercase } }

  /// Two small hexadecimal digits for each byte.
  package var hexadecimal: [UInt8] { [UInt8](hexadecimal: Array(self).span) }
}

extension [UInt8] {
  /// Creates the text of these bytes: two small hexadecimal digits for each.
  package init(hexadecimal bytes: Span<UInt8>) {
    self.init(capacity: bytes.count * 2) { digits in
      for index in bytes.indices {
        digits.append((bytes[index] >> 4).hexadecimalDigit)
        digits.append((bytes[index] & 15).hexadecimalDigit)
      }
    }
  }
}
