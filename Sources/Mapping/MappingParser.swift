internal import Bytes

/// A parser of mapping templates: the Velocity Template Language as API Gateway has it.
///
/// White space is kept as recordings of API Gateway show it: the line break behind a directive goes, the blanks
/// before it stay.
struct MappingParser {
  let bytes: [UInt8]
  var index = 0
  var depth: Int
  /// The lines before this text.
  let firstLine: Int
  /// Whether this is the text of a string.
  let isString: Bool

  /// Maximum nesting of directives, strings, calls and brackets: our limit, more than any readable template has.
  static let maximumDepth = 32

  init(_ bytes: [UInt8], firstLine: Int = 0, depth: Int = 0, isString: Bool = false) {
    self.bytes = bytes
    self.firstLine = firstLine
    self.depth = depth
    self.isString = isString
  }

  mutating func template() throws(MappingTemplate.Unknown) -> [MappingNode] {
    let (nodes, end) = try block()
    guard end == .text else { throw unknown("\(end.rawValue) has no directive before it") }
    return nodes
  }

  enum End: String {
    case text = "the end of the text", end = "#end", otherwise = "#else", otherwiseIf = "#elseif"
  }

  mutating func block() throws(MappingTemplate.Unknown) -> ([MappingNode], End) {
    try enter()
    defer { depth -= 1 }
    var nodes: [MappingNode] = []
    var text: [UInt8] = []
    func flush() {
      if !text.isEmpty { nodes.append(.text(String(decoding: text, as: UTF8.self))) }
      text = []
    }
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "#"):
        switch try directive() {
        case .text(let found): text += found
        case .node(let node):
          flush()
          nodes.append(node)
        case .end(let end):
          flush()
          return (nodes, end)
        }
      case UInt8(ascii: "$"):
        guard isReference(at: index) else {
          try refuseAtEnd("$")
          text.append(byte)
          index += 1
          continue
        }
        flush()
        nodes.append(.output(try reference()))
      case UInt8(ascii: "\\"):
        let count = bytes[index...].prefix { $0 == byte }.count
        if let node = try escaped(count) {
          flush()
          nodes.append(node)
        } else {
          text += escapedDirective(count)
        }
      default:
        text.append(byte)
        index += 1
      }
    }
    flush()
    return (nodes, .text)
  }

  // MARK: Escapes

  /// Returns the reference behind backslashes, or `nil`.
  private mutating func escaped(_ count: Int) throws(MappingTemplate.Unknown) -> MappingNode? {
    guard isReference(at: index + count) else { return nil }
    index += count
    let start = index
    let found = try reference()
    return .escaped(count, found, source: String(decoding: bytes[start..<index], as: UTF8.self))
  }

  /// Passes backslashes and, where they escape it, the name of a directive; returns the text that remains.
  private mutating func escapedDirective(_ count: Int) -> [UInt8] {
    index += count
    var rest = self
    guard peek == UInt8(ascii: "#"), let word = rest.word(), Self.directives.contains(word) else {
      return [UInt8](repeating: UInt8(ascii: "\\"), count: count)
    }
    let kept = [UInt8](repeating: UInt8(ascii: "\\"), count: count / 2)
    guard count % 2 == 1 else { return kept }
    defer { index = rest.index }
    return kept + bytes[index..<rest.index]
  }

  // MARK: Directives

  private enum Found {
    case text([UInt8])
    case node(MappingNode)
    case end(End)
  }

  private static let directives: Set<String> = [
    "set", "if", "elseif", "else", "end", "foreach", "define", "macro", "break", "stop", "parse", "include",
  ]

  private mutating func directive() throws(MappingTemplate.Unknown) -> Found {
    if starts(with: "##") {
      while let byte = peek, byte != UInt8(ascii: "\n") { index += 1 }
      index = min(index + 1, bytes.count)
      return .text([])
    }
    if starts(with: "#*") || starts(with: "#[[") {
      let isComment = starts(with: "#*")
      let content = try passed(isComment ? "*#" : "]]#", from: index + (isComment ? 2 : 3))
      return .text(isComment ? [] : content)
    }
    let start = index
    guard let word = word() else {
      try refuseAtEnd("#")
      index += 1
      return .text([UInt8(ascii: "#")])
    }
    switch word {
    case "set": return .node(try set())
    case "if": return .node(try condition())
    case "foreach": return .node(try loop())
    case "define": return .node(try define())
    case "macro":
      // API Gateway accepts a macro and ignores it; its calls remain as text.
      try openBracket(of: "#macro")
      guard let end = closingBracket(from: index) else { throw unknown("#macro( has no )") }
      index = end + 1
      gobble()
      _ = try body(of: "#macro")
      return .text([])
    case "end", "else", "elseif":
      if word != "elseif" { gobble() }
      return .end(word == "end" ? .end : word == "else" ? .otherwise : .otherwiseIf)
    case "break": return .node(.leaveLoop)
    case "stop": return .node(.stop)
    case "parse", "include": throw unknown("#\(word) is not supported")
    default:
      // The call of a macro that does not exist is text, with its arguments as written.
      skipBlanks()
      if peek == UInt8(ascii: "("), let end = closingBracket(from: index + 1) {
        index = end + 1
      } else {
        index = start + 1 + word.utf8.count + (bytes[start + 1] == UInt8(ascii: "{") ? 2 : 0)
      }
      return .text(Array(bytes[start..<index]))
    }
  }

  /// Passes `#word` or `#{word}` and returns the word.
  private mutating func word() -> String? {
    var end = index + 1
    let isBraced = end < bytes.count && bytes[end] == UInt8(ascii: "{")
    if isBraced { end += 1 }
    let start = end
    while end < bytes.count, Self.isNameByte(bytes[end]), bytes[end] != UInt8(ascii: "-") { end += 1 }
    guard end > start, !bytes[start].isDecimalDigit else { return nil }
    let word = String(decoding: bytes[start..<end], as: UTF8.self)
    if isBraced {
      guard end < bytes.count, bytes[end] == UInt8(ascii: "}") else { return nil }
      end += 1
    }
    index = end
    return word
  }

  private mutating func set() throws(MappingTemplate.Unknown) -> MappingNode {
    try openBracket(of: "#set")
    guard isReference(at: index) else { throw unknown("#set needs a variable") }
    let target = try reference()
    skipSpace()
    try expect("=")
    let value = try expression()
    skipSpace()
    try expect(")")
    gobble()
    try checkTarget(target)
    return .set(target, value)
  }

  private func checkTarget(_ target: MappingReference) throws(MappingTemplate.Unknown) {
    switch target.root {
    case "context":
      guard let first = target.names.first, first == "requestOverride" || first == "responseOverride" else {
        throw unknown("of $context only requestOverride and responseOverride can be set")
      }
    case "input", "util", "stageVariables", "foreach":
      throw unknown("$\(target.root) cannot be set")
    default: break
    }
    if case .call? = target.steps.last { throw unknown("a call cannot be set") }
  }

  private mutating func condition() throws(MappingTemplate.Unknown) -> MappingNode {
    var branches: [MappingNode.Branch] = []
    while true {
      try openBracket(of: "#if")
      let condition = try expression()
      skipSpace()
      try expect(")")
      gobble()
      let (nodes, end) = try block()
      branches.append(MappingNode.Branch(condition: condition, nodes: nodes))
      switch end {
      case .end: return .condition(branches, otherwise: [])
      case .otherwiseIf: continue
      case .otherwise: return .condition(branches, otherwise: try body(of: "#else"))
      case .text: throw unknown("#if has no #end")
      }
    }
  }

  private mutating func loop() throws(MappingTemplate.Unknown) -> MappingNode {
    try openBracket(of: "#foreach")
    guard isReference(at: index) else { throw unknown("#foreach needs a variable") }
    let variable = try reference()
    skipSpace()
    guard variable.steps.isEmpty, passWord("in") else { throw unknown("#foreach needs $NAME in VALUES") }
    let values = try expression()
    skipSpace()
    try expect(")")
    gobble()
    return .loop(variable: variable.root, values, try body(of: "#foreach"))
  }

  private mutating func define() throws(MappingTemplate.Unknown) -> MappingNode {
    try openBracket(of: "#define")
    guard isReference(at: index) else { throw unknown("#define needs a variable") }
    let variable = try reference()
    skipSpace()
    guard variable.steps.isEmpty, peek == UInt8(ascii: ")") else { throw unknown("#define needs ($NAME)") }
    index += 1
    gobble()
    return .define(variable.root, try body(of: "#define"))
  }

  private mutating func body(of directive: String) throws(MappingTemplate.Unknown) -> [MappingNode] {
    let (nodes, end) = try block()
    guard end == .end else { throw unknown("\(directive) has no #end") }
    return nodes
  }

  private mutating func openBracket(of directive: String) throws(MappingTemplate.Unknown) {
    skipBlanks()
    guard peek == UInt8(ascii: "(") else { throw unknown("\(directive) needs a (") }
    index += 1
    skipSpace()
  }
}
