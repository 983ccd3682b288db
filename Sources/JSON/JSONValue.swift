/// One value of a `JSONDocument`.
///
/// Accessors answer `nil` where the value is of another kind, so that "absent", "of the wrong type" and "good" stay
/// three different things for the caller: absent is a missing member, wrong type is a member whose accessor is `nil`.
public struct JSONValue: Sendable {
  let storage: JSONStorage
  let index: Int

  /// The seven kinds of RFC 8259 section 3, the two booleans taken together.
  public enum Kind: Sendable { case object, array, string, number, boolean, null }

  /// What kind of value this is.
  public var kind: Kind {
    switch node.kind {
    case .object: .object
    case .array: .array
    case .string, .escapedString: .string
    case .number: .number
    case .yes, .no: .boolean
    case .null: .null
    }
  }

  /// The member of this object whose name has exactly these bytes; `nil` too where this is no object.
  public subscript(_ name: String) -> JSONValue? { member(named: name.utf8) }

  /// The member of this object whose name has exactly these bytes; `nil` too where this is no object.
  public func member(named name: some Collection<UInt8>) -> JSONValue? {
    guard node.kind == .object else { return nil }
    let nodes = storage.nodes
    let bytes = storage.text
    let text = bytes.span
    let end = Int(node.next)
    var candidate = index + 1
    while candidate < end {
      if JSONString.isEqual(text, nodes[candidate], to: name) {
        return JSONValue(storage: storage, index: candidate + 1)
      }
      candidate = Int(nodes[candidate + 1].next)
    }
    return nil
  }

  /// The members of this object in the order of the text; empty where this is no object.
  public var members: JSONMembers { JSONMembers(elements: children(of: .object)) }

  /// The elements of this array in the order of the text; empty where this is no array.
  public var elements: JSONElements { children(of: .array) }

  /// The decoded bytes of this string, always valid UTF-8.
  public var utf8: [UInt8]? {
    let (bytes, node) = (storage.text, node)
    switch node.kind {
    case .string:
      // Appending copies faster than Array.init of a slice in Embedded Swift.
      var copy: [UInt8] = []
      copy.append(contentsOf: bytes[Int(node.start)..<Int(node.end)])
      return copy
    case .escapedString: return JSONString.decoded(bytes.span, node)
    default: return nil
    }
  }

  /// This string as a `String`, for people: verdicts compare `utf8` or use `equals`.
  public var text: String? { utf8.map { String(decoding: $0, as: UTF8.self) } }

  /// Whether this is a string of exactly these bytes; decodes nothing.
  public func equals(_ literal: String) -> Bool { equals(utf8: literal.utf8) }

  /// Whether this is a string of exactly these bytes; decodes nothing.
  public func equals(utf8: some Collection<UInt8>) -> Bool {
    guard isString else { return false }
    let bytes = storage.text
    return JSONString.isEqual(bytes.span, node, to: utf8)
  }

  /// Whether this is a string of these bytes, which hold no upper-case letter, but for the case of its ASCII letters;
  /// decodes nothing.
  public func equals(ignoringASCIICase lowerCase: String) -> Bool {
    guard isString else { return false }
    let bytes = storage.text
    return JSONString.isEqual(bytes.span, node, ignoringASCIICaseTo: lowerCase.utf8)
  }

  /// This boolean.
  public var boolean: Bool? {
    switch node.kind {
    case .yes: true
    case .no: false
    default: nil
    }
  }

  /// This number.
  public var number: JSONNumber? { node.kind == .number ? JSONNumber(source) : nil }

  /// The bytes of this value as they were written, quotes included.
  public var source: [UInt8] {
    let quotes = isString ? 1 : 0
    return Array(storage.text[Int(node.start) - quotes..<Int(node.end) + quotes])
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
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
  let storage: JSONStorage
  var position: Int
  let end: Int

  /// The next element, `nil` after the last.
  public mutating func next() -> JSONValue? {
    guard position < end else { return nil }
    defer { position = Int(storage.nodes[position].next) }
    return JSONValue(storage: storage, index: position)
  }
}

/// The members of an object in the order of the text.
public struct JSONMembers: Sequence, IteratorProtocol, Sendable {
  var elements: JSONElements

  /// The next member, its name (a string value) and its value; `nil` after the last.
  public mutating func next() -> (name: JSONValue, value: JSONValue)? {
    guard let name = elements.next(), let value = elements.next() else { return nil }
    return (name, value)
  }
}
