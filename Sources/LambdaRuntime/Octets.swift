/// The character classes of the grammars that this module reads and writes.
extension UInt8 {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")

  var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  var isUppercaseLetter: Bool { self &- UInt8(ascii: "A") < 26 }

  var isLetterOrDigit: Bool { isDigit || isLetter }

  /// The value of a hexadecimal digit, either case.
  var hexadecimalValue: Int? {
    if isDigit { return Int(self &- UInt8(ascii: "0")) }
    let letter = (self | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? Int(letter) + 10 : nil
  }

  /// Whether this is a `pchar` of RFC 3986 §3.3 without percent encoding: allowed in a path segment as it is.
  var isPathCharacter: Bool {
    if isLetterOrDigit { return true }
    switch self {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
      UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
      UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"),
      UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "@"):
      return true
    default:
      return false
    }
  }

  /// Whether this is a `tchar` of RFC 9110 §5.6.2, the characters of field names.
  var isTokenCharacter: Bool {
    if isLetterOrDigit { return true }
    switch self {
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      return true
    default:
      return false
    }
  }

  /// Whether this byte is allowed in a field value (RFC 9110 §5.5): no control characters except the tab. CR and LF
  /// would begin a new line.
  var isFieldCharacter: Bool { self >= .space ? self != 0x7F : self == .tab }
}
