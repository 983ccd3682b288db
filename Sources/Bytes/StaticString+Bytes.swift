// Constants and strings as bytes. Every `unsafe` reads the buffer of a constant within its bounds, which it checks, or
// lends a text's own buffer for a call during which the text is in memory.

/// A text of the program, such as the name of a claim or of a header field.
///
/// Its bytes are in the program's memory. Those of a `String` are behind an interface that takes some 40 instructions for
/// each byte in Embedded Swift 6.3.
extension StaticString {
  /// The result of a call with the bytes of this constant.
  @inline(__always)
  package func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = unsafe UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    return try unsafe body(bytes.span)
  }

  /// Whether these are exactly the bytes of this constant.
  package func equals(_ bytes: Span<UInt8>) -> Bool { equals(bytes, ignoringASCIICase: false) }

  /// Whether these are the bytes of this constant, which is in lower case, with ASCII letters in any case.
  package func equals(_ bytes: Span<UInt8>, ignoringASCIICase: Bool) -> Bool {
    let count = utf8CodeUnitCount
    guard bytes.count == count else { return false }
    let constant = unsafe UnsafeRawPointer(utf8Start)
    guard count >= 8 else {
      for index in bytes.indices {
        let byte = ignoringASCIICase ? bytes[index].lowercase : bytes[index]
        guard unsafe constant.load(fromByteOffset: index, as: UInt8.self) == byte else { return false }
      }
      return true
    }
    var index = 0
    while true {
      let expected = unsafe UInt64(
        littleEndian: constant.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      var difference = bytes.word(at: index) ^ expected
      // A capital letter differs from the small one by this bit.
      if ignoringASCIICase { difference &= ~expected.smallLetterCaseBits }
      guard difference == 0 else { return false }
      if index == count - 8 { return true }
      // The last word may overlap the one before it.
      index = min(index + 8, count - 8)
    }
  }
}

extension UInt64 {
  /// The bit 0x20 of each byte that is a small letter of ASCII; bytes have no high bit.
  fileprivate var smallLetterCaseBits: UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    return ((self &+ ones &* 0x1F) & ~(self &+ ones &* 0x05) & (ones &* 0x80)) >> 2
  }
}

extension [UInt8] {
  /// Appends the bytes of a constant.
  package mutating func append(_ constant: StaticString) {
    constant.withBytes { append(copying: $0) }
  }
}

extension String {
  /// The result of a call with the UTF-8 of this text.
  @inline(__always)
  package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    var text = self
    return text.withUTF8 { unsafe body($0.span) }
  }
}
