import Bytes

/// Base64 of RFC 4648 section 4, with or without padding, for secrets in the configuration. Line breaks are skipped,
/// since openssl writes 64 bytes on two lines.
package enum Base64 {
  /// Returns the decoded bytes; `nil` if the text is not base64.
  package static func decode(_ text: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    var characters = 0
    var padding = 0
    for character in text where character != .lineFeed && character != .carriageReturn {
      characters += 1
      if character == .equalsSign {
        padding += 1
        continue
      }
      guard padding == 0, let value = value(of: character) else { return nil }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    // The remaining bits must be fewer than one character has and zero; otherwise characters are missing.
    let rest = bits & (1 << UInt32(count) - 1)
    let isPadded = padding == 0 || padding <= 2 && characters % 4 == 0
    return isPadded && count < 6 && rest == 0 ? bytes : nil
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case 0x41...0x5A: UInt32(character - 0x41)
    case 0x61...0x7A: UInt32(character - 0x61 + 26)
    case 0x30...0x39: UInt32(character - 0x30 + 52)
    case 0x2B: 62
    case 0x2F: 63
    default: nil
    }
  }
}
