package import JSON

extension JSONTree {
  /// Returns an object of strings, sorted by name.
  package static func texts(_ map: [String: String]) -> JSONTree {
    .object(map.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: .string($0.value)) })
  }

  package var nullIfEmpty: JSONTree { unlessEmpty ?? .null }
}
