extension JSONTree {
  /// Returns an object of the members that have a value.
  package static func members(_ members: KeyValuePairs<String, JSONTree?>) -> JSONTree {
    .object(pairs(members))
  }

  /// Returns the members that have a value.
  package static func pairs(_ members: KeyValuePairs<String, JSONTree?>) -> [Member] {
    members.compactMap { name, value in value.map { Member(name: name, value: $0) } }
  }

  package static func integer(_ number: Int64) -> JSONTree { .number(String(number)) }

  /// The object or array, or `nil` if it is empty.
  package var unlessEmpty: JSONTree? {
    switch self {
    case .object(let members): members.isEmpty ? nil : self
    case .array(let elements): elements.isEmpty ? nil : self
    default: self
    }
  }
}
