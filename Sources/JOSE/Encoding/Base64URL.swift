/// Base64url without padding (RFC 4648 section 5, RFC 7515 section 2), canonical form only.
///
/// Padding, white space, the `+/` alphabet, a length of 1 modulo 4 and nonzero trailing bits are refused, because
/// each of them would allow several encodings of one token.
public enum Base64URL {
  /// Decodes a range of a text; `nil` if the text is not canonical.
  public static func decode(_ text: [UInt8], in range: Range<Int>) -> [UInt8]? {
    let remainder = range.count & 3
    guard remainder != 1 else { return nil }
    let (text, values) = (text.span, table.span)
    // After this check the compiler can omit the bounds checks of the table.
    guard values.count == 256, range.lowerBound >= 0, range.upperBound <= text.count else { return nil }
    let wholeEnd = range.upperBound - remainder
    let capacity = range.count / 4 * 3 + max(remainder - 1, 0)
    // Bits 6 and 7 are set if any byte is outside the alphabet.
    var wrong: UInt8 = 0
    let bytes = [UInt8](capacity: capacity) { output in
      var index = range.lowerBound
      while index < wholeEnd {
        let (a, b) = (values[Int(text[index])], values[Int(text[index + 1])])
        let (c, d) = (values[Int(text[index + 2])], values[Int(text[index + 3])])
        wrong |= a | b | c | d
        output.append(a << 2 | b >> 4)
        output.append(b << 4 | c >> 2)
        output.append(c << 6 | d)
        index &+= 4
      }
      guard remainder > 0 else { return }
      let (a, b) = (values[Int(text[index])], values[Int(text[index + 1])])
      let c = remainder == 3 ? values[Int(text[index + 2])] : 0
      wrong |= a | b | c
      // Nonzero trailing bits would be dropped silently (RFC 4648 section 3.5).
      if remainder == 2 ? b & 0x0F != 0 : c & 0x03 != 0 { wrong |= outside }
      output.append(a << 2 | b >> 4)
      if remainder == 3 { output.append(b << 4 | c >> 2) }
    }
    return wrong & outside == 0 ? bytes : nil
  }

  /// Decodes a whole text; `nil` if it is not canonical.
  public static func decode(_ text: [UInt8]) -> [UInt8]? { decode(text, in: 0..<text.count) }

  /// The index of the first byte at or after `start` that is not in the alphabet; the count of the text if there is
  /// none.
  static func end(in text: [UInt8], from start: Int) -> Int {
    let (text, values) = (text.span, table.span)
    // After this check the compiler can omit the bounds checks of the table.
    guard values.count == 256 else { return start }
    var index = start
    while index < text.count, values[Int(text[index])] & outside == 0 { index += 1 }
    return index
  }

  private static let outside: UInt8 = 0xC0

  /// Six bits for each byte of the alphabet; `outside` for every other byte.
  private static let table: [UInt8] = {
    var table = [UInt8](repeating: outside, count: 256)
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for (value, character) in alphabet.utf8.enumerated() { table[Int(character)] = UInt8(value) }
    return table
  }()
}

extension Base64URL {
  /// Returns the canonical text of these bytes, without padding.
  public static func encode(_ bytes: [UInt8]) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(alphabet[Int(bits >> count & 0x3F)])
      }
    }
    if count > 0 { text.append(alphabet[Int(bits << (6 - count) & 0x3F)]) }
    return text
  }
}
