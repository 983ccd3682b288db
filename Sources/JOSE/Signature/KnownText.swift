/// A text that a caller must know, such as the value of a header. Compared in constant time.
package struct KnownText: Sendable {
  private let text: [UInt8]

  /// Creates the expected text.
  package init(_ text: [UInt8]) { self.text = text }

  /// Whether another text has the same bytes.
  package func equals(_ other: [UInt8]) -> Bool { Libcrypto.areEqualInConstantTime(text, other) }
}
