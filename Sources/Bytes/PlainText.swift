/// Finds the end of plain text: ASCII without quotes, backslashes and control characters, which needs no escape in a
/// JSON string.
package enum PlainText {
  /// The index of the first byte at or after `start` that is not plain; the count of the text if there is none.
  ///
  /// Checks eight bytes at a time: most strings of events and tokens are plain up to the quote. The borrow of a
  /// subtraction can wrongly mark bytes above a marked byte, but never bytes below, so the lowest mark is always
  /// correct (Warren, "Hacker's Delight", section 6-1).
  package static func end(in text: Span<UInt8>, from start: Int) -> Int {
    let count = text.count
    var index = start
    while count - index >= 8 {
      let marks = marks(of: text.word(at: index))
      if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
      index += 8
    }
    if index < count, count >= 8 {
      // The last bytes, and zeros behind them, which are marked.
      let rest = text.word(at: count - 8) >> (UInt64(8 + index - count) * 8)
      return index + marks(of: rest).trailingZeroBitCount / 8
    }
    while index < count, isPlain(text[index]) { index += 1 }
    return index
  }

  /// The high bit of each byte that is not plain, and possibly of bytes above it.
  private static func marks(of word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ 0x2222_2222_2222_2222
    let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
    let control = (word &- ones &* 0x20) & ~word
    let marked = control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash | word
    return marked & (ones &* 0x80)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x80 && byte != .quote && byte != .backslash
  }
}
