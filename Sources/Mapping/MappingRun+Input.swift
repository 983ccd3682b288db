internal import Text
internal import JSON

/// `$input` and `$util`, and JSON.
extension MappingRun {
  /// Limits for a body that a template reads: a body; the others are ours.
  static let bodyLimits = JSONLimits(
    bytes: GatewayQuota.payloadBytes, depth: 64, membersPerObject: 10_000, values: 500_000)

  mutating func inputValue(
    _ name: String, _ arguments: [MappingValue]
  ) throws(MappingFailure) -> MappingValue? {
    guard name != "params" else {
      guard let first = arguments.first else { return try allParameters() }
      let wanted = try text(of: first)
      for list in [input.path, input.query, input.headers] {
        try charge(reading: list.count)
        if let found = list.last(where: { $0.name.utf8.elementsEqual(wanted.utf8) }) {
          return .text(found.value)
        }
      }
      return nil
    }
    let pathText = try text(of: arguments[0])
    try charge(reading: pathText.utf8.count)
    let path: JSONPath
    do throws(JSONPath.Unknown) {
      path = try JSONPath(pathText)
    } catch {
      // The text may be the caller's, so it stays out of the log.
      throw MappingFailure(problem: "a JSONPath is invalid or not supported")
    }
    let tree = try parsedBody()
    let found = path.value(in: tree, &units)
    try charge(0)
    if name == "path" {
      guard let found else { return nil }
      return try value(of: found)
    }
    let selected = found ?? .string("")
    try charge(printing: selected)
    return .text(String(decoding: selected.bytes(), as: UTF8.self))
  }

  /// Charges a JSON text before it is made.
  private mutating func charge(printing tree: JSONTree) throws(MappingFailure) {
    try charge(1)
    switch tree {
    case .string(let text), .number(let text): try charge(text: text)
    case .array(let elements): for element in elements { try charge(printing: element) }
    case .object(let members):
      for member in members {
        try charge(text: member.name)
        try charge(printing: member.value)
      }
    case .boolean, .null: break
    }
  }

  private mutating func allParameters() throws(MappingFailure) -> MappingValue {
    try charge(20 * 4)
    let all = new(.map)
    let groups = [("path", input.path), ("querystring", input.query), ("header", input.headers)]
    for (name, values) in groups {
      let map = new(.map)
      for value in values { try set(value.name, of: map, to: .text(value.value)) }
      try set(name, of: all, to: .object(map))
    }
    return .object(all)
  }

  /// The body as JSON; a body that is not JSON is one text.
  private mutating func parsedBody() throws(MappingFailure) -> JSONTree {
    if let body { return body }
    try charge(parsing: bodyText)
    let tree: JSONTree
    do throws(JSONError) {
      tree = try JSONTree(parsing: Array(bodyText.utf8), limits: Self.bodyLimits)
    } catch {
      switch error {
      case .unexpectedEnd, .unexpectedByte, .controlCharacter, .invalidEscape, .invalidNumber, .trailingBytes:
        tree = .string(bodyText)
      default: throw MappingFailure(problem: "the body cannot be read: \(error.code)")
      }
    }
    body = tree
    return tree
  }

  mutating func utility(_ name: String, _ text: String) throws(MappingFailure) -> MappingValue? {
    try charge(text: text)
    try charge(reading: text.utf8.count)
    let result: String
    switch name {
    case "escapeJavaScript": result = MappingTemplate.escapedForJavaScript(text)
    case "urlEncode": result = PercentText.encodedForm(text)
    case "urlDecode": result = PercentText.decoded(text, plusIsBlank: true)
    case "base64Encode": result = Base64Text.encoded(Array(text.utf8))
    case "base64Decode":
      guard let bytes = Base64Text.decoded(text) else {
        throw MappingFailure(problem: "base64Decode of a text that is not base64")
      }
      result = String(decoding: bytes, as: UTF8.self)
    default:
      try charge(parsing: text)
      let tree: JSONTree
      do throws(JSONError) {
        tree = try JSONTree(parsing: Array(text.utf8), limits: Self.bodyLimits)
      } catch {
        throw MappingFailure(problem: "parseJson of a text that is not JSON: \(error.code)")
      }
      return try value(of: tree)
    }
    try charge(text: result)
    return .text(result)
  }

  // MARK: JSON

  private mutating func charge(parsing text: String) throws(MappingFailure) {
    try charge(text.utf8.count / 4 + 1)
  }

  /// Returns the value of JSON; its lists print as JSON.
  package mutating func value(of tree: JSONTree) throws(MappingFailure) -> MappingValue {
    try charge(1)
    switch tree {
    case .string(let text):
      try charge(text: text)
      return .text(text)
    case .boolean(let value): return .boolean(value)
    case .null: return .null
    case .number(let text):
      if let whole = Int64(text) { return .integer(whole) }
      guard text.contains(where: { ".eE".contains($0) }), let value = Double(text), value.isFinite else {
        return .text(text)
      }
      return .decimal(value)
    case .array(let elements):
      var values: [MappingValue] = []
      for element in elements { values.append(try value(of: element)) }
      return try newList(values, .jsonList)
    case .object(let members):
      try charge(20)
      let map = new(.map)
      for member in members { try set(member.name, of: map, to: try value(of: member.value)) }
      return .object(map)
    }
  }

  package mutating func json(_ value: MappingValue, depth: Int) throws(MappingFailure) -> String {
    let tree = try tree(value, depth: depth)
    try charge(printing: tree)
    return String(decoding: tree.bytes(), as: UTF8.self)
  }

  private mutating func tree(_ value: MappingValue, depth: Int) throws(MappingFailure) -> JSONTree {
    try charge(1)
    guard depth < Self.maximumValueDepth else {
      throw MappingFailure(problem: "a list or map contains itself, or is too deep")
    }
    switch value {
    case .text(let text): return .string(text)
    case .integer(let value): return .number(String(value))
    case .decimal(let value): return .number(Self.javaText(value))
    case .boolean(let value): return .boolean(value)
    case .null: return .null
    case .entry, .block: return .string(try text(of: value))
    case .object(let index):
      let object = heap[index]
      guard object.isMap else {
        var elements: [JSONTree] = []
        for element in object.elements { elements.append(try tree(element, depth: depth + 1)) }
        return .array(elements)
      }
      var members: [JSONTree.Member] = []
      for key in object.keys {
        members.append(.init(name: key, value: try tree(object[key] ?? .null, depth: depth + 1)))
      }
      return .object(members)
    }
  }
}
