import Bytes

/// Builds the index of a text in one pass. It uses no recursion, so deep nesting cannot exhaust the stack.
struct JSONParser {
  private(set) var nodes: [JSONNode] = []
  private let limits: JSONLimits
  private var position = 0
  private var open: [Container] = []
  /// The names of all open objects; each container stores the index of its first name.
  private(set) var names = MemberNames()

  private struct Container {
    let node: Int
    let firstName: Int
    let isObject: Bool
  }

  init(limits: JSONLimits, textBytes: Int) {
    self.limits = limits
    // Real events and tokens have a value about every 20 bytes.
    nodes.reserveCapacity(min(textBytes / 16 + 4, 4096))
    open.reserveCapacity(min(limits.depth, 8))
  }

  mutating func parse(_ text: Span<UInt8>) throws(JSONError) {
    if text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF { throw .byteOrderMark }
    skipWhiteSpace(text)
    try parseValue(text)
    while let container = open.last {
      try parseNext(text, in: container)
    }
    skipWhiteSpace(text)
    guard position == text.count else { throw .trailingBytes(offset: position) }
  }

  /// Parses the end of a container, or its next member or element.
  private mutating func parseNext(_ text: Span<UInt8>, in container: Container) throws(JSONError) {
    skipWhiteSpace(text)
    let isFirst = nodes.count == container.node + 1
    let closing: UInt8 = container.isObject ? 0x7D : 0x5D
    let byte = try byte(text)
    if byte == closing {
      position += 1
      try close(container, text)
      return
    }
    if !isFirst {
      guard byte == 0x2C else { throw .unexpectedByte(byte, offset: position) }
      position += 1
      skipWhiteSpace(text)
    }
    // A member counts as two values: its name and its value.
    guard nodes.count + (container.isObject ? 1 : 0) < limits.values else {
      throw .tooManyValues(limit: limits.values, offset: position)
    }
    if container.isObject { try parseName(text, in: container) }
    try parseValue(text)
  }

  private mutating func close(_ container: Container, _ text: Span<UInt8>) throws(JSONError) {
    nodes[container.node].end = UInt32(position)
    nodes[container.node].next = UInt32(nodes.count)
    if container.isObject { try names.removeAll(from: container.firstName, text) }
    open.removeLast()
  }

  private mutating func parseName(_ text: Span<UInt8>, in object: Container) throws(JSONError) {
    let first = try byte(text)
    guard first == 0x22 else { throw .unexpectedByte(first, offset: position) }
    let offset = position
    let node = nodes.count
    try parseString(text)
    guard names.count - object.firstName < limits.membersPerObject else {
      throw .tooManyMembers(limit: limits.membersPerObject, offset: offset)
    }
    try names.append(nodes[node], first: object.firstName, text)
    skipWhiteSpace(text)
    let colon = try byte(text)
    guard colon == 0x3A else { throw .unexpectedByte(colon, offset: position) }
    position += 1
    skipWhiteSpace(text)
  }

  private mutating func parseValue(_ text: Span<UInt8>) throws(JSONError) {
    let first = try byte(text)
    switch first {
    case 0x7B: try openContainer(isObject: true)
    case 0x5B: try openContainer(isObject: false)
    case 0x22: try parseString(text)
    case 0x2D, 0x30...0x39: try parseNumber(text)
    case 0x74: try parseWord(text, "true", .yes)
    case 0x66: try parseWord(text, "false", .no)
    case 0x6E: try parseWord(text, "null", .null)
    default: throw .unexpectedByte(first, offset: position)
    }
  }

  private mutating func openContainer(isObject: Bool) throws(JSONError) {
    guard open.count < limits.depth else { throw .tooDeep(limit: limits.depth, offset: position) }
    open.append(Container(node: nodes.count, firstName: names.count, isObject: isObject))
    append(isObject ? .object : .array, start: position, end: position)
    position += 1
  }

  private mutating func parseWord(
    _ text: Span<UInt8>, _ word: StaticString, _ kind: JSONNode.Kind
  ) throws(JSONError) {
    let start = position
    for expected in word.description.utf8 {
      let found = try byte(text)
      guard found == expected else { throw .unexpectedByte(found, offset: position) }
      position += 1
    }
    append(kind, start: start, end: position)
  }

  private mutating func parseString(_ text: Span<UInt8>) throws(JSONError) {
    let start = position + 1
    var index = start
    var hasEscapes = false
    let count = text.count
    while true {
      index = PlainText.end(in: text, from: index)
      guard index < count else { throw .unexpectedEnd(offset: count) }
      let byte = text[index]
      if byte == 0x22 {
        append(hasEscapes ? .escapedString : .string, start: start, end: index)
        position = index + 1
        return
      }
      if byte >= 0x80 {
        index = try UTF8Scanner.end(ofScalarAt: index, in: text)
      } else if byte == 0x5C {
        hasEscapes = true
        index = try JSONString.end(ofEscapeAt: index, in: text)
      } else {
        throw .controlCharacter(offset: index)
      }
    }
  }

  /// RFC 8259 section 6: `[ minus ] int [ frac ] [ exp ]`.
  private mutating func parseNumber(_ text: Span<UInt8>) throws(JSONError) {
    let start = position
    if text[position] == 0x2D { position += 1 }
    let leading = position
    try skipDigits(text)
    if text[leading] == 0x30, position > leading + 1 { throw .invalidNumber(offset: leading) }
    if position < text.count, text[position] == 0x2E {
      position += 1
      try skipDigits(text)
    }
    if position < text.count, text[position] | 0x20 == 0x65 {
      position += 1
      if position < text.count, text[position] == 0x2B || text[position] == 0x2D { position += 1 }
      try skipDigits(text)
    }
    append(.number, start: start, end: position)
  }

  private mutating func skipDigits(_ text: Span<UInt8>) throws(JSONError) {
    let start = position
    while position < text.count, 0x30...0x39 ~= text[position] { position += 1 }
    guard position > start else { throw .invalidNumber(offset: start) }
  }

  private mutating func skipWhiteSpace(_ text: Span<UInt8>) {
    while position < text.count {
      switch text[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  private func byte(_ text: Span<UInt8>) throws(JSONError) -> UInt8 {
    guard position < text.count else { throw .unexpectedEnd(offset: text.count) }
    return text[position]
  }

  private mutating func append(_ kind: JSONNode.Kind, start: Int, end: Int) {
    let next = nodes.count + 1
    nodes.append(
      JSONNode(start: UInt32(start), end: UInt32(end), next: UInt32(next), kind: kind))
  }
}
