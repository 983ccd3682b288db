// Constants and strings as bytes. Every `unsafe` lends a buffer for one call: that of a constant, which is always in
// memory, or a text's own, while the text is in memory.

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
  package func equals(_ bytes: Span<UInt8>) -> Bool { withBytes { $0.equals(bytes) } }

  /// Whether these are the bytes of this constant, which is in lower case, with ASCII letters in any case.
  package func equals(ignoringASCIICase bytes: Span<UInt8>) -> Bool {
    withBytes { $0.equals(ignoringASCIICase: bytes) }
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
