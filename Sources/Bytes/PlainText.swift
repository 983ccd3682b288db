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
    let marks = marks(of: unsafe text.uncheckedWord(at: start))
    return marks != 0 ? start &+ index(ofLowest: marks) : longEnd(in: text, from: start &+ 8)
  }

  @inline(never)
  private static func longEnd(in text: Span<UInt8>, from start: Int) -> Int {
    let count = text.count
    var index = start
    while index <= count &- 16 {
      let first = marks(of: unsafe text.uncheckedWord(at: index))
      let second = marks(of: unsafe text.uncheckedWord(at: index &+ 8))
      if first | second != 0 {
        return index &+ (first != 0 ? Self.index(ofLowest: first) : 8 &+ Self.index(ofLowest: second))
      }
      index &+= 16
    }
    if index <= count &- 8 {
      let marks = marks(of: unsafe text.uncheckedWord(at: index))
      if marks != 0 { return index &+ Self.index(ofLowest: marks) }
      index &+= 8
    }
    if index < count, count >= 8 {
      // The last bytes, and zeros behind them, which are marked.
      let rest = unsafe text.uncheckedWord(at: count &- 8) >> (UInt64(8 &+ index &- count) &* 8)
      return index &+ Self.index(ofLowest: marks(of: rest))
    }
    while index < count, isPlain(text[index]) { index &+= 1 }
    return index
  }

  /// The index in its word of the byte with the lowest mark.
  private static func index(ofLowest marks: UInt64) -> Int { marks.trailingZeroBitCount / 8 }

  /// The high bit of each byte that is not plain, and possibly of bytes above it.
  private static func marks(of word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // Without the high bit, which is marked in any case, a difference has it only if the byte was smaller.
    let control = word &- ones &* 0x20
    let quote = (word ^ ones &* 0x22) &- ones
    let backslash = (word ^ ones &* 0x5C) &- ones
    return (control | quote | backslash | word) & (ones &* 0x80)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x80 && byte != .quote && byte != .backslash
  }
}
