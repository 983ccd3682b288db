import Bytes

/// Reads a text in one pass and writes a node for each of its values. It uses no recursion, so deep nesting cannot
/// exhaust the stack.
struct JSONParser {
  private let limits: JSONLimits
  private var position = 0
  /// The number of nodes so far.
  private var count = 0
  /// The innermost open container.
  private var current = Container(node: 0, isObject: false)
  /// The containers around it.
  private var outer: [Container] = []
  private var depth = 0
  /// The number of compared pairs of names.
  private(set) var comparisons = 0

  private struct Container {
    let node: Int
    let isObject: Bool
    var names = MemberNames()
  }

  init(limits: JSONLimits) { self.limits = limits }

  /// Parses a whole text.
  ///
  /// - Returns: its nodes, and unused ones behind them.
  mutating func parse(_ text: Span<UInt8>) throws(JSONError) -> [JSONNode] {
    if text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF { throw .byteOrderMark }
    // Real events have a name or a value about every 20 bytes, and claims about every 12: they fit up to 768
    // bytes.
    let node = JSONNode(start: 0, end: 0, next: 0, kind: .null)
    var nodes = [JSONNode](repeating: node, count: min(text.count / 16 + 16, 4096))
    skipWhiteSpace(text)
    while true {
      var span = nodes.mutableSpan
      if try parseValues(text, &span) { break }
      nodes += nodes
    }
    skipWhiteSpace(text)
    guard position == text.count else { throw .trailingBytes(offset: position) }
    return nodes
  }

  /// Parses until the text is complete or there is no room for a name and a value. Returns whether it is complete.
  private mutating func parseValues(
    _ text: Span<UInt8>, _ nodes: inout MutableSpan<JSONNode>
  ) throws(JSONError) -> Bool {
    if count == 0 { try parseValue(text, &nodes) }
    while depth > 0 {
      if nodes.count - count < 2 { return false }
      try parseNext(text, &nodes)
    }
    return true
  }

  /// Parses the end of a container, or its next member or element.
  private mutating func parseNext(
    _ text: Span<UInt8>, _ nodes: inout MutableSpan<JSONNode>
  ) throws(JSONError) {
    skipWhiteSpace(text)
    let isFirst = count == current.node + 1
    let byte = try byte(text)
    if byte == (current.isObject ? 0x7D : 0x5D) {
      position += 1
      try close(text, &nodes)
      return
    }
    if !isFirst {
      guard byte == 0x2C else { throw .unexpectedByte(byte, offset: position) }
      position += 1
      skipWhiteSpace(text)
    }
    // A member counts as two values: its name and its value.
    guard count + (current.isObject ? 1 : 0) < limits.values else {
      throw .tooManyValues(limit: limits.values, offset: position)
    }
    guard current.isObject else { return try parseValue(text, &nodes) }
    let name = count
    try parseName(text, &nodes)
    try parseValue(text, &nodes)
    // An object or array sets it at its end.
    nodes[name].next = UInt32(count)
  }

  private mutating func close(_ text: Span<UInt8>, _ nodes: inout MutableSpan<JSONNode>) throws(JSONError) {
    let node = current.node
    nodes[node].end = UInt32(position)
    nodes[node].next = UInt32(count)
    if current.isObject {
      try current.names.finish(nodes, node, until: count, text)
      comparisons += current.names.comparisons
    }
    depth -= 1
    guard let parent = outer.popLast() else { return }
    current = parent
    if current.isObject { nodes[node - 1].next = UInt32(count) }
  }

  private mutating func parseName(
    _ text: Span<UInt8>, _ nodes: inout MutableSpan<JSONNode>
  ) throws(JSONError) {
    let first = try byte(text)
    guard first == 0x22 else { throw .unexpectedByte(first, offset: position) }
    let offset = position
    let name = count
    try parseString(text, &nodes)
    guard current.names.count < limits.membersPerObject else {
      throw .tooManyMembers(limit: limits.membersPerObject, offset: offset)
    }
    try current.names.append(&nodes, name, of: current.node, text)
    skipWhiteSpace(text)
    let colon = try byte(text)
    guard colon == 0x3A else { throw .unexpectedByte(colon, offset: position) }
    position += 1
    skipWhiteSpace(text)
  }

  private mutating func parseValue(
    _ text: Span<UInt8>, _ nodes: inout MutableSpan<JSONNode>
  ) throws(JSONError) {
    let first = try byte(text)
    switch first {
    case 0x7B: try openContainer(&nodes, isObject: true)
    case 0x5B: try openContainer(&nodes, isObject: false)
    case 0x22: try parseString(text, &nodes)
    case 0x2D, 0x30...0x39: try parseNumber(text, &nodes)
    case 0x74: try parseWord(text, &nodes, "true", as: .yes)
    case 0x66: try parseWord(text, &nodes, "false", as: .no)
    case 0x6E: try parseWord(text, &nodes, "null", as: .null)
    default: throw .unexpectedByte(first, offset: position)
    }
  }

  private mutating func openContainer(
    _ nodes: inout MutableSpan<JSONNode>, isObject: Bool
  ) throws(JSONError) {
    guard depth < limits.depth else { throw .tooDeep(limit: limits.depth, offset: position) }
    if depth > 0 {
      // Real events have few levels.
      if outer.isEmpty { outer.reserveCapacity(min(limits.depth, 8)) }
      outer.append(current)
    }
    depth += 1
    current = Container(node: count, isObject: isObject)
    append(isObject ? .object : .array, start: position, end: position, to: &nodes)
    position += 1
  }

  private mutating func parseWord(
    _ text: Span<UInt8>, _ nodes: inout MutableSpan<JSONNode>, _ word: StaticString, as kind: JSONNode.Kind
  ) throws(JSONError) {
    let length = word.utf8CodeUnitCount
    if text.count - position >= length, word.equals(text.extracting(position..<position + length)) {
      append(kind, start: position, end: position + length, to: &nodes)
      position += length
      return
    }
    for expected in word.description.utf8 {
      let found = try byte(text)
      guard found == expected else { throw .unexpectedByte(found, offset: position) }
      position += 1
    }
  }

  private mutating func parseString(
    _ text: Span<UInt8>, _ nodes: inout MutableSpan<JSONNode>
  ) throws(JSONError) {
    let start = position + 1
    var index = start
    var hasEscapes = false
    let count = text.count
    while true {
      index = PlainText.end(in: text, from: index)
      guard index < count else { throw .unexpectedEnd(offset: count) }
      let byte = text[index]
      if byte == 0x22 {
        append(hasEscapes ? .escapedString : .string, start: start, end: index, to: &nodes)
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
  private mutating func parseNumber(
    _ text: Span<UInt8>, _ nodes: inout MutableSpan<JSONNode>
  ) throws(JSONError) {
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
    append(.number, start: start, end: position, to: &nodes)
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

  private mutating func append(
    _ kind: JSONNode.Kind, start: Int, end: Int, to nodes: inout MutableSpan<JSONNode>
  ) {
    nodes[count] = JSONNode(
      start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end),
      next: UInt32(truncatingIfNeeded: count + 1), kind: kind)
    count += 1
  }
}
