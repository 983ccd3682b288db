import Bytes

/// Base64url without padding (RFC 4648 section 5, RFC 7515 section 2), canonical form only.
///
/// Padding, white space, the `+/` alphabet, a length of 1 modulo 4 and nonzero trailing bits are refused, because
/// each of them would allow several encodings of one token.
package enum Base64URL {
  /// Decodes a range of a text; `nil` if the text is not canonical.
  package static func decode(_ text: [UInt8], in range: Range<Int>) -> [UInt8]? {
    let remainder = range.count & 3
    guard remainder != 1 else { return nil }
    let (text, groups) = (text.span.extracting(range), groups.span)
    // After this check the compiler can omit the bounds checks of the table.
    guard groups.count == 4 * 256 else { return nil }
    var bytes = [UInt8](repeating: 0, count: text.count / 4 * 3 + max(remainder - 1, 0))
    var (index, end) = (0, 0)
    // `outside` is set if any byte is outside the alphabet.
    var wrong: UInt32 = 0
    var output = bytes.mutableSpan
    // Eight bytes are written for six, and the next ones overwrite the last two.
    while text.count - index >= 8, output.count - end >= 8 {
      let word = text.word(at: index)
      let (first, second) = (bits(word, groups), bits(word >> 32, groups))
      wrong |= first | second
      output.store(bigEndian: UInt64(first) << 40 | UInt64(second) << 16, at: end)
      index += 8
      end += 6
    }
    // The groups that are left: at most two. A loop over their characters would take some 20 instructions for each.
    while text.count - index >= 4 {
      let group =
        groups[Int(text[index])] | groups[0x100 + Int(text[index + 1])]
        | groups[0x200 + Int(text[index + 2])] | groups[0x300 + Int(text[index + 3])]
      wrong |= group
      output[end] = UInt8(truncatingIfNeeded: group >> 16)
      output[end + 1] = UInt8(truncatingIfNeeded: group >> 8)
      output[end + 2] = UInt8(truncatingIfNeeded: group)
      index += 4
      end += 3
    }
    if remainder > 0 {
      var group = groups[Int(text[index])] | groups[0x100 + Int(text[index + 1])]
      output[end] = UInt8(truncatingIfNeeded: group >> 16)
      if remainder == 3 {
        group |= groups[0x200 + Int(text[index + 2])]
        output[end + 1] = UInt8(truncatingIfNeeded: group >> 8)
      }
      wrong |= group
      // Nonzero trailing bits would be dropped silently (RFC 4648 section 3.5).
      if group & (remainder == 2 ? 0xFFFF : 0xFF) != 0 { wrong |= outside }
    }
    return wrong & outside == 0 ? bytes : nil
  }

  /// Decodes a whole text; `nil` if it is not canonical.
  package static func decode(_ text: [UInt8]) -> [UInt8]? { decode(text, in: 0..<text.count) }

  /// The index of the first byte at or after `start` that is not in the alphabet; the count of the text if there is
  /// none.
  static func end(in text: [UInt8], from start: Int) -> Int {
    let (text, groups) = (text.span, groups.span)
    // After this check the compiler can omit the bounds checks of the table.
    guard groups.count == 4 * 256 else { return start }
    var index = start
    while text.count - index >= 8 {
      let word = text.word(at: index)
      guard (bits(word, groups) | bits(word >> 32, groups)) & outside == 0 else { break }
      index += 8
    }
    while index < text.count, groups[Int(text[index])] & outside == 0 { index += 1 }
    return index
  }

  /// The 24 bits of the four lowest bytes, the lowest first; `outside` if one of them is not in the alphabet.
  @inline(__always)
  private static func bits(_ word: UInt64, _ groups: Span<UInt32>) -> UInt32 {
    groups[Int(word & 0xFF)] | groups[0x100 + Int(word >> 8 & 0xFF)]
      | groups[0x200 + Int(word >> 16 & 0xFF)] | groups[0x300 + Int(word >> 24 & 0xFF)]
  }

  private static let outside: UInt32 = 1 << 24

  /// For each of the four places in a group: the bits of each byte of the alphabet in that place, and `outside` for
  /// every other byte.
  private static let groups: [UInt32] = {
    var groups = [UInt32](repeating: outside, count: 4 * 256)
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    var value: UInt32 = 0
    for character in alphabet.utf8 {
      for place in 0..<4 { groups[place * 256 + Int(character)] = value << UInt32(18 - 6 * place) }
      value += 1
    }
    return groups
  }()
}

extension Base64URL {
  /// Returns the canonical text of these bytes, without padding.
  package static func encode(_ bytes: [UInt8]) -> [UInt8] {
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
