extension Span<UInt8> {
  /// Eight bytes from `index` on as an integer; the first byte is the lowest.
  @inline(__always)
  package func word(at index: Int) -> UInt64 {
    precondition(index >= 0 && index <= count - 8)
    // Safe: the eight bytes are within the span.
    return unsafe uncheckedWord(at: index)
  }

  /// Eight bytes from `index` on, which the caller has checked, as an integer; the first byte is the lowest.
  @unsafe @inline(__always)
  private func uncheckedWord(at index: Int) -> UInt64 {
    // Every bit pattern is a valid integer.
    let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
    return UInt64(littleEndian: word)
  }

  /// The index of the first such byte at or after `start`; the count, or `start` if that is larger, if there is none.
  package func firstIndex(of byte: UInt8, from start: Int) -> Int {
    firstIndex(from: start) { $0.marks(of: byte) }
  }

  /// The index of the first byte at or after `start` that `marks` marks; the count, or `start` if that is larger, if
  /// there is none.
  ///
  /// Reads sixteen bytes at a time.
  ///
  /// - Parameter marks: the high bit of each byte of a word that is searched for, and possibly of bytes above it: the
  ///   lowest mark counts.
  @inline(__always)
  package func firstIndex(from start: Int, _ marks: (UInt64) -> UInt64) -> Int {
    precondition(start >= 0)
    let count = count
    var index = start
    while index <= count &- 16 {
      // Safe: the sixteen bytes are within the span.
      let first = marks(unsafe uncheckedWord(at: index))
      let second = marks(unsafe uncheckedWord(at: index &+ 8))
      if first | second != 0 {
        return index &+ (first != 0 ? first.lowestMark : 8 &+ second.lowestMark)
      }
      index &+= 16
    }
    if index <= count &- 8 {
      // Safe: the eight bytes are within the span.
      let marks = marks(unsafe uncheckedWord(at: index))
      if marks != 0 { return index &+ marks.lowestMark }
      index &+= 8
    }
    guard index < count else { return max(index, count) }
    if count >= 8 {
      // The last bytes, and zeros behind them, which may be marked. Safe: the span's last eight bytes.
      let rest = marks(unsafe uncheckedWord(at: count &- 8) >> (UInt64(8 &+ index &- count) &* 8))
      return rest == 0 ? count : min(index &+ rest.lowestMark, count)
    }
    while index < count, marks(UInt64(self[index])) & 0x80 == 0 { index &+= 1 }
    return index
  }

  package func contains(_ byte: UInt8) -> Bool { firstIndex(of: byte, from: 0) < count }

  /// Whether both have the same bytes.
  package func equals(_ other: Span<UInt8>) -> Bool { equals(other) { _ in 0 } }

  /// Whether these bytes, ASCII without capital letters, are those of the other text with ASCII letters in any case.
  package func equals(ignoringASCIICase other: Span<UInt8>) -> Bool {
    // A mark is 0x80. A capital letter differs from the small one by 0x20, two bits lower.
    equals(other) { $0.marksOfSmallLetters >> 2 }
  }

  /// Whether both have the same bytes, except for some bits.
  ///
  /// - Parameter ignoredBits: the bits of a word of this text that may differ.
  @inline(__always)
  private func equals(_ other: Span<UInt8>, ignoredBits: (UInt64) -> UInt64) -> Bool {
    guard count == other.count else { return false }
    guard count >= 8 else {
      var difference: UInt64 = 0
      for index in indices {
        let byte = UInt64(self[index])
        difference |= (byte ^ UInt64(other[index])) & ~ignoredBits(byte)
      }
      return difference == 0
    }
    var index = 0
    while true {
      // Safe: both have `count` bytes, and `index` is at most eight before the end.
      let word = unsafe uncheckedWord(at: index)
      guard unsafe (word ^ other.uncheckedWord(at: index)) & ~ignoredBits(word) == 0 else { return false }
      if index == count &- 8 { return true }
      // The last word may overlap the one before it.
      index = min(index &+ 8, count &- 8)
    }
  }
}

extension MutableSpan<UInt8> {
  /// Stores an integer as eight bytes from `index` on; its highest byte is the first.
  @inline(__always)
  package mutating func store(bigEndian word: UInt64, at index: Int) {
    precondition(index >= 0 && index <= count - 8)
    // Safe: the eight bytes are within the span, and every bit pattern is eight valid bytes.
    var bytes = unsafe mutableBytes
    bytes.storeBytes(of: word.bigEndian, toByteOffset: index, as: UInt64.self)
  }
}

extension UInt64 {
  /// Whether all eight bytes of this word are visible ASCII or spaces.
  @inline(__always)
  package var isPrintable: Bool { marksOfUnprintable == 0 }

  /// The high bit of each byte that is neither visible ASCII nor a space, and possibly of bytes above it: a sum or
  /// difference of one byte can change others, but then the high bit of that byte is set. The lowest mark is correct.
  @inline(__always)
  package var marksOfUnprintable: UInt64 {
    ((self &- Self.ones &* 0x20) | (self &+ Self.ones) | self) & Self.highBits
  }

  /// The high bit of each byte that is neither a letter, a digit nor a hyphen, and of no other byte.
  @inline(__always)
  package var marksOfOtherThanLettersDigitsAndHyphens: UInt64 {
    // Without its high bit, a byte plus 0x80 - n has the high bit if it is at least n, and no carry.
    let low = self & ~Self.highBits
    let letter = low | Self.ones &* 0x20
    let letters = (letter &+ Self.ones &* 0x1F) & ~(letter &+ Self.ones &* 0x05)
    let digits = (low &+ Self.ones &* 0x50) & ~(low &+ Self.ones &* 0x46)
    let hyphens = ~((low ^ Self.ones &* 0x2D) &+ Self.ones &* 0x7F)
    return (~(letters | digits | hyphens) | self) & Self.highBits
  }

  /// The high bit of each byte that is a small letter of ASCII; bytes have no high bit.
  @inline(__always)
  fileprivate var marksOfSmallLetters: UInt64 {
    (self &+ Self.ones &* 0x1F) & ~(self &+ Self.ones &* 0x05) & Self.highBits
  }

  /// Whether all eight bytes of this word are hexadecimal digits, in either case.
  package var isHexadecimal: Bool {
    let low = self & ~Self.highBits
    let letter = low | Self.ones &* 0x20
    let letters = (letter &+ Self.ones &* 0x1F) & ~(letter &+ Self.ones &* 0x19)
    let digits = (low &+ Self.ones &* 0x50) & ~(low &+ Self.ones &* 0x46)
    return (~(letters | digits) | self) & Self.highBits == 0
  }

  /// The high bit of each byte that equals `byte`, and possibly of bytes above it. The lowest mark is correct.
  @inline(__always)
  package func marks(of byte: UInt8) -> UInt64 {
    let zeros = self ^ Self.ones &* UInt64(byte)
    return (zeros &- Self.ones) & ~zeros & Self.highBits
  }

  /// The index of the byte with the lowest mark.
  @inline(__always)
  package var lowestMark: Int { trailingZeroBitCount / 8 }

  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
  private static var highBits: UInt64 { 0x8080_8080_8080_8080 }
}
