internal import JSON

extension JSONTree {
  /// Returns an object of the members that have a value.
  static func members(_ members: KeyValuePairs<String, JSONTree?>) -> JSONTree {
    .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
  }

  static func integer(_ number: Int64) -> JSONTree { .number(String(number)) }

  /// Returns an object of strings, sorted by name.
  static func texts(_ map: [String: String]) -> JSONTree {
    .object(map.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: .string($0.value)) })
  }

  /// The object or array, or `nil` if it is empty.
  var unlessEmpty: JSONTree? {
    switch self {
    case .object(let members): members.isEmpty ? nil : self
    case .array(let elements): elements.isEmpty ? nil : self
    default: self
    }
  }

  var nullIfEmpty: JSONTree { unlessEmpty ?? .null }
}
