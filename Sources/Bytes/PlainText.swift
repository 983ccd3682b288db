/// Finds the end of plain text: ASCII without quotes, backslashes and control characters, which needs no escape in a
/// JSON string.
package enum PlainText {
  /// The index of the first byte at or after `start` that is not plain; the count of the text if there is none.
  ///
  /// Checks eight bytes, in which most names of members end, and then sixteen at a time. The borrow of a subtraction can
  /// wrongly mark bytes above a marked byte, but never bytes below, so the lowest mark is always correct (Warren,
  /// "Hacker's Delight", section 6-1).
  @inline(__always)
  package static func end(in text: Span<UInt8>, from start: Int) -> Int {
    precondition(start >= 0)
    guard start <= text.count &- 8 else { return longEnd(in: text, from: start) }
    let marks = marks(of: text.word(at: start))
    return marks != 0 ? start &+ marks.lowestMark : longEnd(in: text, from: start &+ 8)
  }

  @inline(never)
  private static func longEnd(in text: Span<UInt8>, from start: Int) -> Int {
    text.firstIndex(from: start) { marks(of: $0) }
  }

  /// The high bit of each byte that is not plain, and possibly of bytes above it.
  private static func marks(of word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // Without the high bit, which is marked in any case, a difference has it only if the byte was smaller.
    // Exchanging 0x20 and 0x22 moves the quote next to the control characters, so that one difference finds both.
    let controlOrQuote = (word ^ ones &* 0x02) &- ones &* 0x21
    let backslash = (word ^ ones &* 0x5C) &- ones
    return (controlOrQuote | backslash | word) & (ones &* 0x80)
  }
}
