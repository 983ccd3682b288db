import Bytes

/// One value of a `JSONDocument`.
///
/// Accessors return `nil` for a value of another kind. Callers can therefore distinguish an absent member (no value)
/// from a member of the wrong type (a value whose accessor is `nil`).
package struct JSONValue: Sendable {
  let storage: JSONStorage
  let index: Int

  /// The kinds of RFC 8259 section 3, with one kind for both booleans.
  package enum Kind: Sendable { case object, array, string, number, boolean, null }

  package var kind: Kind {
    switch node.kind {
    case .object: .object
    case .array: .array
    case .string, .escapedString: .string
    case .number: .number
    case .yes, .no: .boolean
    case .null: .null
    }
  }

  /// The member with this name; `nil` if there is none, or if this is not an object.
  package subscript(_ name: StaticString) -> JSONValue? {
    name.withBytes { member(named: $0) }
  }

  /// The number of members of this object; 0 if this is not an object.
  package var memberCount: Int {
    let stored = storage.nodes
    let nodes = stored.span
    guard nodes[index].kind == .object else { return 0 }
    var (name, count) = (index + 1, 0)
    while name < Int(nodes[index].next) {
      count += 1
      name = Int(nodes[name].next)
    }
    return count
  }

  /// The member with this name; `nil` if there is none, or if this is not an object. Literals choose the other subscript.
  @_disfavoredOverload
  package subscript(_ name: String) -> JSONValue? {
    name.withBytes { member(named: $0) }
  }

  /// The member whose name has exactly these bytes; `nil` if there is none, or if this is not an object.
  package func member(named name: [UInt8]) -> JSONValue? { member(named: name.span) }

  private func member(named name: Span<UInt8>) -> JSONValue? {
    let (text, stored) = (storage.text, storage.nodes)
    let nodes = stored.span
    guard nodes[index].kind == .object else { return nil }
    let end = Int(nodes[index].next)
    let hash = JSONString.hash(name)
    var candidate = index + 1
    while candidate < end {
      if nodes[candidate].hash == hash, JSONString.isEqual(text.span, nodes[candidate], to: name) {
        return JSONValue(storage: storage, index: candidate + 1)
      }
      candidate = Int(nodes[candidate].next)
    }
    return nil
  }

  /// The members of this object in the order of the text; empty if this is not an object.
  package var members: JSONMembers { JSONMembers(elements: children(of: .object)) }

  /// The elements of this array in the order of the text; empty if this is not an array.
  package var elements: JSONElements { children(of: .array) }

  /// The decoded bytes of this string, always valid UTF-8.
  package var utf8: [UInt8]? {
    let (bytes, node) = (storage.text, node)
    switch node.kind {
    case .string:
      return Array(copying: bytes, in: Int(node.start)..<Int(node.end))
    case .escapedString: return JSONString.decoded(bytes.span, node)
    default: return nil
    }
  }

  /// The bytes of this string as a part of the text, without a copy; `nil` if the string has an escape. Keeps the text
  /// in memory.
  package var unescapedUTF8: ArraySlice<UInt8>? {
    let node = node
    guard node.kind == .string else { return nil }
    return storage.text[Int(node.start)..<Int(node.end)]
  }

  /// The decoded bytes of this string: a part of the text, or a copy if the string has an escape. Keeps the text in
  /// memory.
  package var utf8Slice: ArraySlice<UInt8>? { unescapedUTF8 ?? utf8?[...] }

  /// This string as a `String`, for display. To compare strings, use `utf8` or `equals`.
  package var text: String? { utf8.map { String(decoding: $0, as: UTF8.self) } }

  /// Whether this is a string of exactly these bytes.
  package func equals(_ literal: StaticString) -> Bool {
    literal.withBytes { equals($0) }
  }

  /// Whether this is a string of exactly these bytes. Literals choose the other method.
  @_disfavoredOverload
  package func equals(_ text: String) -> Bool {
    text.withBytes { equals($0) }
  }

  /// Whether this is a string of exactly these bytes.
  package func equals(utf8: [UInt8]) -> Bool { equals(utf8.span) }

  private func equals(_ utf8: Span<UInt8>) -> Bool {
    guard isString else { return false }
    let bytes = storage.text
    return JSONString.isEqual(bytes.span, node, to: utf8)
  }

  /// Whether this is a string that equals this lower-case text, ignoring the case of ASCII letters; does not allocate a
  /// decoded copy.
  package func equals(ignoringASCIICase lowerCase: String) -> Bool {
    guard isString else { return false }
    let bytes = storage.text
    return JSONString.isEqual(bytes.span, node, ignoringASCIICaseTo: lowerCase.utf8)
  }

  package var boolean: Bool? {
    switch node.kind {
    case .yes: true
    case .no: false
    default: nil
    }
  }

  package var number: JSONNumber? { node.kind == .number ? JSONNumber(source) : nil }

  /// The bounds of this number (`JSONNumber.bounds`); does not allocate a copy of a short one.
  package var bounds: (floor: Int64, ceiling: Int64)? {
    guard node.kind == .number else { return nil }
    let bytes = storage.text
    if let whole = JSONNumber.shortInteger(bytes.span.extracting(Int(node.start)..<Int(node.end))) {
      return (whole, whole)
    }
    return number?.bounds
  }

  /// The original bytes of this value, quotes included.
  package var source: [UInt8] {
    let quotes = isString ? 1 : 0
    return Array(copying: storage.text, in: Int(node.start) - quotes..<Int(node.end) + quotes)
  }

  private var isString: Bool { node.kind == .string || node.kind == .escapedString }

  private var node: JSONNode { storage.nodes[index] }

  private func children(of kind: JSONNode.Kind) -> JSONElements {
    let isKind = node.kind == kind
    return JSONElements(
      storage: storage, position: index + 1, end: isKind ? Int(node.next) : index + 1)
  }
}

/// The elements of an array in the order of the text.
package struct JSONElements: Sequence, IteratorProtocol, Sendable {
  let storage: JSONStorage
  var position: Int
  let end: Int

  /// The next element; `nil` after the last.
  package mutating func next() -> JSONValue? {
    guard position < end else { return nil }
    defer { position = Int(storage.nodes[position].next) }
    return JSONValue(storage: storage, index: position)
  }
}

/// The members of an object in the order of the text.
package struct JSONMembers: Sequence, IteratorProtocol, Sendable {
  var elements: JSONElements

  /// The next member, its name (a string value) and its value; `nil` after the last.
  package mutating func next() -> (name: JSONValue, value: JSONValue)? {
    let position = elements.position
    guard let name = elements.next() else { return nil }
    // After its name, a member is read as a whole.
    return (name, JSONValue(storage: name.storage, index: position + 1))
  }
}
