import Bytes

/// Builds the index of a text in one pass. It uses no recursion, so deep nesting cannot exhaust the stack.
struct JSONParser {
  /// The index; valid up to `count`.
  private(set) var nodes: [JSONNode]
  private var count = 0
  private let limits: JSONLimits
  private var position = 0
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

  init(limits: JSONLimits, textBytes: Int) {
    self.limits = limits
    // Real events and tokens have a name or a value about every 20 bytes.
    let node = JSONNode(start: 0, end: 0, next: 0, kind: .null)
    nodes = [JSONNode](repeating: node, count: min(textBytes / 16 + 4, 4096))
  }

  mutating func parse(_ text: Span<UInt8>) throws(JSONError) {
    if text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF { throw .byteOrderMark }
    var tape: [JSONNode] = []
    swap(&tape, &nodes)
    defer { swap(&tape, &nodes) }
    skipWhiteSpace(text)
    var isOpen = true
    try parseFirst(text, &tape)
    while isOpen {
      var span = tape.mutableSpan
      isOpen = try parseRest(text, &span)
      if isOpen { tape += tape }
    }
    skipWhiteSpace(text)
    guard position == text.count else { throw .trailingBytes(offset: position) }
  }

  private mutating func parseFirst(_ text: Span<UInt8>, _ tape: inout [JSONNode]) throws(JSONError) {
    var span = tape.mutableSpan
    try parseValue(text, &span)
  }

  /// Parses until the text is complete or the tape has no room for a name and a value. Returns whether the text goes on.
  private mutating func parseRest(
    _ text: Span<UInt8>, _ tape: inout MutableSpan<JSONNode>
  ) throws(JSONError) -> Bool {
    while depth > 0 {
      if tape.count - count < 2 { return true }
      try parseNext(text, &tape)
    }
    return false
  }

  /// Parses the end of a container, or its next member or element.
  private mutating func parseNext(
    _ text: Span<UInt8>, _ tape: inout MutableSpan<JSONNode>
  ) throws(JSONError) {
    skipWhiteSpace(text)
    let isFirst = count == current.node + 1
    let byte = try byte(text)
    if byte == (current.isObject ? 0x7D : 0x5D) {
      position += 1
      try close(text, &tape)
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
    guard current.isObject else { return try parseValue(text, &tape) }
    let name = count
    try parseName(text, &tape)
    try parseValue(text, &tape)
    // An object or array sets it at its end.
    tape[name].next = UInt32(count)
  }

  private mutating func close(_ text: Span<UInt8>, _ tape: inout MutableSpan<JSONNode>) throws(JSONError) {
    let node = current.node
    tape[node].end = UInt32(position)
    tape[node].next = UInt32(count)
    if current.isObject {
      try current.names.finish(tape, node, until: count, text)
      comparisons += current.names.comparisons
    }
    depth -= 1
    guard let parent = outer.popLast() else { return }
    current = parent
    if current.isObject { tape[node - 1].next = UInt32(count) }
  }

  private mutating func parseName(
    _ text: Span<UInt8>, _ tape: inout MutableSpan<JSONNode>
  ) throws(JSONError) {
    let first = try byte(text)
    guard first == 0x22 else { throw .unexpectedByte(first, offset: position) }
    let offset = position
    let name = count
    try parseString(text, &tape)
    guard current.names.count < limits.membersPerObject else {
      throw .tooManyMembers(limit: limits.membersPerObject, offset: offset)
    }
    try current.names.append(&tape, name, of: current.node, text)
    skipWhiteSpace(text)
    let colon = try byte(text)
    guard colon == 0x3A else { throw .unexpectedByte(colon, offset: position) }
    position += 1
    skipWhiteSpace(text)
  }

  private mutating func parseValue(
    _ text: Span<UInt8>, _ tape: inout MutableSpan<JSONNode>
  ) throws(JSONError) {
    let first = try byte(text)
    switch first {
    case 0x7B: try openContainer(&tape, isObject: true)
    case 0x5B: try openContainer(&tape, isObject: false)
    case 0x22: try parseString(text, &tape)
    case 0x2D, 0x30...0x39: try parseNumber(text, &tape)
    case 0x74: try parseWord(text, &tape, "true", .yes)
    case 0x66: try parseWord(text, &tape, "false", .no)
    case 0x6E: try parseWord(text, &tape, "null", .null)
    default: throw .unexpectedByte(first, offset: position)
    }
  }

  private mutating func openContainer(
    _ tape: inout MutableSpan<JSONNode>, isObject: Bool
  ) throws(JSONError) {
    guard depth < limits.depth else { throw .tooDeep(limit: limits.depth, offset: position) }
    if depth > 0 {
      // Real events have few levels.
      if outer.isEmpty { outer.reserveCapacity(min(limits.depth, 8)) }
      outer.append(current)
    }
    depth += 1
    current = Container(node: count, isObject: isObject)
    append(isObject ? .object : .array, start: position, end: position, to: &tape)
    position += 1
  }

  private mutating func parseWord(
    _ text: Span<UInt8>, _ tape: inout MutableSpan<JSONNode>, _ word: StaticString, _ kind: JSONNode.Kind
  ) throws(JSONError) {
    let length = word.utf8CodeUnitCount
    if text.count - position >= length, word.equals(text.extracting(position..<position + length)) {
      append(kind, start: position, end: position + length, to: &tape)
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
    _ text: Span<UInt8>, _ tape: inout MutableSpan<JSONNode>
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
        append(hasEscapes ? .escapedString : .string, start: start, end: index, to: &tape)
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
    _ text: Span<UInt8>, _ tape: inout MutableSpan<JSONNode>
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
    append(.number, start: start, end: position, to: &tape)
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
    _ kind: JSONNode.Kind, start: Int, end: Int, to tape: inout MutableSpan<JSONNode>
  ) {
    tape[count] = JSONNode(
      start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end),
      next: UInt32(truncatingIfNeeded: count + 1), kind: kind)
    count += 1
  }
}
