extension Span<UInt8> {
  /// Eight bytes from `index` on as an integer; the first byte is the lowest.
  @inline(__always)
  package func word(at index: Int) -> UInt64 {
    precondition(index >= 0 && index <= count - 8)
    // Safe: the eight bytes are within the span, and every bit pattern is a valid integer.
    let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
    return UInt64(littleEndian: word)
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
  /// Whether all eight bytes of this word are visible ASCII or spaces. A sum or difference of one byte can change others,
  /// but then the high bit of that byte is set.
  @inline(__always)
  package var isPrintable: Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    return ((self &- ones &* 0x20) | (self &+ ones) | self) & (ones &* 0x80) == 0
  }
}
