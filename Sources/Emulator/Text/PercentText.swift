import Bytes

/// Percent-encoding (RFC 3986 section 2.1).
enum PercentText {
  /// Decodes percent-encoding; invalid sequences remain unchanged.
  static func decoded(_ text: some StringProtocol, plusIsBlank: Bool = false) -> String {
    var bytes: [UInt8] = []
    let source = Array(text.utf8)
    var index = 0
    while index < source.count {
      if source[index] == .percent, index + 2 < source.count, let high = digit(source[index + 1]),
        let low = digit(source[index + 2])
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(plusIsBlank && source[index] == .plus ? 0x20 : source[index])
        index += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Percent-encodes all characters except unreserved ones (RFC 3986 section 2.3) and those in `reserved`.
  static func encoded(_ text: String, keeping reserved: String) -> String {
    var result = ""
    for byte in text.utf8 {
      let scalar = Unicode.Scalar(byte)
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: result.unicodeScalars.append(scalar)
      default:
        if byte < 0x80, reserved.unicodeScalars.contains(scalar) {
          result.unicodeScalars.append(scalar)
        } else {
          result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }
      }
    }
    return result
  }

  /// Encodes a text as a form field, as `URLEncoder` of Java does.
  static func encodedForm(_ text: String) -> String {
    encoded(text, keeping: "* ").replacing(" ", with: "+").replacing("~", with: "%7E")
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
