import Bytes

/// The character classes of the grammars that this module reads and writes.
extension UInt8 {
  /// Whether this is a `pchar` of RFC 3986 §3.3 without percent encoding: allowed in a path segment as it is.
  var isPathCharacter: Bool {
    if isLetterOrDigit { return true }
    switch self {
    case .hyphen, .dot, .underscore, .tilde,
      UInt8(ascii: "!"), .dollar, UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
      UInt8(ascii: ")"), .asterisk, .plus, .comma, .semicolon,
      .equalsSign, .colon, UInt8(ascii: "@"):
      return true
    default:
      return false
    }
  }

  /// Whether this is a `tchar` of RFC 9110 §5.6.2, the characters of field names.
  var isTokenCharacter: Bool {
    if isLetterOrDigit { return true }
    switch self {
    case UInt8(ascii: "!"), .numberSign, .dollar, .percent, UInt8(ascii: "&"),
      UInt8(ascii: "'"), .asterisk, .plus, .hyphen, .dot,
      UInt8(ascii: "^"), .underscore, UInt8(ascii: "`"), UInt8(ascii: "|"), .tilde:
      return true
    default:
      return false
    }
  }

  /// Whether this byte is allowed in a field value (RFC 9110 §5.5): no control characters except the tab. CR and LF
  /// would begin a new line.
  var isFieldCharacter: Bool { self >= .space ? self != .delete : self == .tab }
}
