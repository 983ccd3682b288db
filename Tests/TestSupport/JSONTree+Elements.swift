package import JSON

extension JSONTree {
  /// Empty for a value of another kind too.
  package var elements: [JSONTree] { if case .array(let elements) = self { elements } else { [] } }
  package var plain: String? { if case .string(let text) = self { text } else { nil } }
}
