/// Finds where a text stops being plain: ASCII without quotes, backslashes and control characters, which stands in a JSON
/// string as it is.
enum PlainText {
  /// The index of the first byte at or after `start` that is not plain; the count where all are.
  ///
  /// Eight bytes at a time: most strings of events and tokens are plain from the first byte to the quote. The borrow of a
  /// subtraction may mark bytes above a marked one wrongly, never those below, so the lowest mark is always right
  /// (Warren, "Hacker's Delight", section 6-1).
  static func end(in text: Span<UInt8>, from start: Int) -> Int {
    let count = text.count
    var index = start
    while count - index >= 8 {
      let marks = marks(of: word(at: index, in: text))
      if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < count, isPlain(text[index]) { index += 1 }
    return index
  }

  /// The high bit of each byte that is not plain, and perhaps of some above it.
  private static func marks(of word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ 0x2222_2222_2222_2222
    let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
    let control = (word &- ones &* 0x20) & ~word
    let marked = control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash | word
    return marked & (ones &* 0x80)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x80 && byte != 0x22 && byte != 0x5C
  }

  /// Eight bytes, the first one lowest.
  private static func word(at index: Int, in text: Span<UInt8>) -> UInt64 {
    // The one caller has seen that eight bytes follow; every pattern of bits is an integer.
    let word = unsafe text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
    return UInt64(littleEndian: word)
  }
}
