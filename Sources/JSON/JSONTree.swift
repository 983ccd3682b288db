/// A mutable JSON value; members keep their order.
///
/// For tools and tests. The function itself uses `JSONDocument` and `JSONWriter`.
package indirect enum JSONTree: Equatable, Sendable {
  case object([Member])
  case array([JSONTree])
  case string(String)
  /// A number as written.
  case number(String)
  case boolean(Bool)
  case null

  /// One member of an object.
  package struct Member: Equatable, Sendable {
    /// The name, unescaped.
    package var name: String
    /// The value.
    package var value: JSONTree

    /// Creates a member.
    package init(name: String, value: JSONTree) {
      self.name = name
      self.value = value
    }
  }

  /// Creates a tree from a value of a document.
  package init(_ value: JSONValue) {
    switch value.kind {
    case .object:
      self = .object(
        value.members.map { Member(name: $0.name.text ?? "", value: JSONTree($0.value)) })
    case .array: self = .array(value.elements.map { JSONTree($0) })
    case .string: self = .string(value.text ?? "")
    case .number: self = .number(value.number?.text ?? "0")
    case .boolean: self = .boolean(value.boolean ?? false)
    case .null: self = .null
    }
  }

  /// Parses a whole text, as strictly as `JSONDocument`.
  package init(parsing bytes: [UInt8], limits: JSONLimits = .event) throws(JSONError) {
    self.init(try JSONDocument(parsing: bytes, limits: limits).root)
  }

  /// The member with this name. Setting `nil` removes it; setting a new name appends it. No effect if this is not an
  /// object.
  package subscript(_ name: String) -> JSONTree? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
    set {
      guard case .object(var members) = self else { return }
      let index = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (nil, nil): break
      }
      self = .object(members)
    }
  }

  /// Returns the text of this value: on one line, or indented with one member or element per line.
  package func bytes(indentedBy spaces: Int? = nil) -> [UInt8] {
    var output: [UInt8] = []
    write(into: &output, indentation: spaces, level: 0)
    return output
  }

  /// Whether both values are equal, ignoring the order of members. Numbers are equal if they have the same text or
  /// are the same whole number.
  package func equalsIgnoringOrder(_ other: JSONTree) -> Bool {
    switch (self, other) {
    case (.object(let left), .object(let right)):
      left.count == right.count
        && left.allSatisfy { member in
          other[member.name].map { member.value.equalsIgnoringOrder($0) } ?? false
        }
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.equalsIgnoringOrder($1) }
    case (.number(let left), .number(let right)):
      left == right || Self.wholeNumber(left).map { $0 == Self.wholeNumber(right) } ?? false
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    default: self == other
    }
  }

  private static func wholeNumber(_ text: String) -> Int64? { JSONNumber(Array(text.utf8)).integer }

  private func write(into output: inout [UInt8], indentation: Int?, level: Int) {
    func newLine(_ level: Int) {
      guard let indentation else { return }
      output.append(0x0A)
      output.append(contentsOf: repeatElement(0x20, count: indentation * level))
    }
    func list(_ open: UInt8, _ close: UInt8, count: Int, _ item: (Int, inout [UInt8]) -> Void) {
      output.append(open)
      for index in 0..<count {
        if index > 0 { output.append(0x2C) }
        newLine(level + 1)
        item(index, &output)
      }
      if count > 0 { newLine(level) }
      output.append(close)
    }
    switch self {
    case .object(let members):
      list(0x7B, 0x7D, count: members.count) { index, output in
        output.append(contentsOf: Self.quoted(members[index].name))
        output.append(contentsOf: (indentation == nil ? ":" : ": ").utf8)
        members[index].value.write(into: &output, indentation: indentation, level: level + 1)
      }
    case .array(let elements):
      list(0x5B, 0x5D, count: elements.count) { index, output in
        elements[index].write(into: &output, indentation: indentation, level: level + 1)
      }
    case .string(let text): output.append(contentsOf: Self.quoted(text))
    case .number(let text): output.append(contentsOf: text.utf8)
    case .boolean(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .null: output.append(contentsOf: "null".utf8)
    }
  }

  private static func quoted(_ text: String) -> [UInt8] {
    var writer = JSONWriter(capacity: text.utf8.count + 2)
    writer.string(text)
    return writer.takeBytes()
  }
}
