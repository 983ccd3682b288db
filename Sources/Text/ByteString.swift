internal import Bytes

/// A text as a key: two of them are equal only if they have the same bytes.
///
/// `String` also takes texts as equal that differ in the composition of their characters, such as the two forms of `é`.
/// Another token than the cached one, or another name than that of the template, must not pass as the same.
package struct ByteString: Hashable, Sendable {
  @usableFromInline
  package let text: String

  package init(_ text: String) { self.text = text }

  /// The equality of `String` is not that of bytes.
  @inlinable
  package static func == (left: Self, right: Self) -> Bool { left.text.hasSameBytes(as: right.text) }

  /// Hashes the bytes: texts of one canonical form must not all have one hash.
  package func hash(into hasher: inout Hasher) {
    let text = Array(text.utf8)
    let bytes = text.span
    var index = 0
    while index <= bytes.count - 8 {
      hasher.combine(bytes.word(at: index))
      index += 8
    }
    while index < bytes.count {
      hasher.combine(bytes[index])
      index += 1
    }
    hasher.combine(0xFF as UInt8)
  }
}

extension Sequence where Element: StringProtocol {
  /// Whether one of the texts has the same bytes as this one.
  @inlinable
  package func containsText(_ text: some StringProtocol) -> Bool { contains { $0.hasSameBytes(as: text) } }
}

extension Dictionary<String, String> {
  /// The value of the key that has the bytes of this name.
  @inlinable
  package func value(named name: String) -> String? {
    guard let place = index(forKey: name), self[place].key.hasSameBytes(as: name) else { return nil }
    return self[place].value
  }
}
