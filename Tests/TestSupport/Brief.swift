/// A wrapper for a large value in an expectation: a failure shows one short line of it.
///
///     #expect(Brief(received) == Brief(sent))
package struct Brief<Value: Equatable>: Equatable, CustomStringConvertible, CustomReflectable {
  package let value: Value

  package init(_ value: Value) { self.value = value }

  /// The number of characters of a value's description that are shown.
  package static var shownCharacters: Int { 200 }

  package var description: String {
    let text = String(describing: value)
    let shown = text.prefix(Self.shownCharacters)
    guard shown.endIndex < text.endIndex else { return text }
    return "\(shown)… (\(text.utf8.count) bytes as text)"
  }

  /// Without children: a failed expectation would show them.
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension Brief: Sendable where Value: Sendable {}
