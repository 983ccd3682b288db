// Constants as bytes. Every `unsafe` reads the buffer of a constant within its bounds, which it checks.

/// A text of the program, such as the name of a claim or of a header field.
///
/// Its bytes are in the program's memory. Those of a `String` are behind an interface that takes some 40 instructions for
/// each byte in Embedded Swift 6.3.
extension StaticString {
  /// Whether these are exactly the bytes of this constant.
  package func equals(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count == utf8CodeUnitCount else { return false }
    return withUTF8Buffer { constant in
      // Without an early exit, so that several bytes are compared at once.
      var difference: UInt8 = 0
      for index in bytes.indices { unsafe difference |= constant[index] ^ bytes[index] }
      return difference == 0
    }
  }

  /// Whether these are the bytes of this constant, which is in lower case, with ASCII letters in any case.
  package func equals(_ bytes: Span<UInt8>, ignoringASCIICase: Bool) -> Bool {
    guard ignoringASCIICase else { return equals(bytes) }
    guard bytes.count == utf8CodeUnitCount else { return false }
    return withUTF8Buffer { constant in
      var difference: UInt8 = 0
      for index in bytes.indices { unsafe difference |= constant[index] ^ bytes[index].lowercase }
      return difference == 0
    }
  }
}

extension [UInt8] {
  /// Appends the bytes of a constant.
  package mutating func append(_ constant: StaticString) {
    constant.withUTF8Buffer { bytes in
      append(addingCapacity: bytes.count) { output in
        for index in 0..<bytes.count { unsafe output.append(bytes[index]) }
      }
    }
  }
}
