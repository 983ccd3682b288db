internal import Bytes
internal import Text

/// The values in directives, and references.
extension MappingParser {
  private typealias Operator = MappingExpression.Operator

  /// The operators by precedence, the weakest first; longer ones before those that they begin with.
  private static let operators: [[(text: String, value: Operator)]] = [
    [("||", .or), ("or", .or)],
    [("&&", .and), ("and", .and)],
    [("==", .equal), ("!=", .unequal), ("eq", .equal), ("ne", .unequal)],
    [
      ("<=", .lessOrEqual), (">=", .greaterOrEqual), ("<", .less), (">", .greater), ("lt", .less),
      ("le", .lessOrEqual), ("gt", .greater), ("ge", .greaterOrEqual),
    ],
    [("+", .plus), ("-", .minus)],
    [("*", .times), ("/", .divided), ("%", .remainder)],
  ]

  package mutating func expression(_ level: Int = 0) throws(MappingTemplate.Unknown) -> MappingExpression {
    guard level < Self.operators.count else { return try unary() }
    let first = try expression(level + 1)
    var rest: [(sign: Operator, operand: MappingExpression)] = []
    while let found = passOperator(level) { rest.append((found, try expression(level + 1))) }
    return rest.isEmpty ? first : .chain(first, rest)
  }

  private mutating func passOperator(_ level: Int) -> Operator? {
    skipSpace()
    for (text, value) in Self.operators[level] {
      if text.first?.isLetter == true {
        if passWord(text) { return value }
      } else if starts(with: text) {
        index += text.utf8.count
        return value
      }
    }
    return nil
  }

  private mutating func unary() throws(MappingTemplate.Unknown) -> MappingExpression {
    try enter()
    defer { depth -= 1 }
    skipSpace()
    if peek == UInt8(ascii: "!") {
      index += 1
      return .not(try unary())
    }
    if passWord("not") { return .not(try unary()) }
    return try primary()
  }

  private mutating func primary() throws(MappingTemplate.Unknown) -> MappingExpression {
    guard let byte = peek else { throw unknown("a value is missing") }
    switch byte {
    case UInt8(ascii: "("):
      index += 1
      let value = try expression()
      skipSpace()
      try expect(")")
      return value
    case UInt8(ascii: "'"): return .text(String(decoding: try string(byte), as: UTF8.self))
    case UInt8(ascii: "\""):
      let first = line
      let content = try string(byte)
      var parser = MappingParser(content, firstLine: first, depth: depth, isString: true)
      return .interpolated(try parser.template())
    case UInt8(ascii: "["): return try list()
    case UInt8(ascii: "{"): return try map()
    case UInt8(ascii: "$") where isReference(at: index): return .reference(try reference())
    case UInt8(ascii: "-"), UInt8(ascii: "."), 0x30...0x39: return try number()
    default:
      if passWord("true") { return .boolean(true) }
      if passWord("false") { return .boolean(false) }
      throw unknown("a value must begin with $, a quotation mark, a digit, [, { or (")
    }
  }

  /// Passes a string and returns its text, in which a doubled quotation mark stands for one. A backslash is an
  /// ordinary character.
  private mutating func string(_ quote: UInt8) throws(MappingTemplate.Unknown) -> [UInt8] {
    index += 1
    var content: [UInt8] = []
    while let byte = peek {
      index += 1
      if byte == quote {
        guard peek == quote else { return content }
        index += 1
      }
      content.append(byte)
    }
    throw unknown("a quotation mark is missing")
  }

  private mutating func number() throws(MappingTemplate.Unknown) -> MappingExpression {
    let start = index
    if peek == UInt8(ascii: "-") { index += 1 }
    while let byte = peek, byte.isDecimalDigit || isFraction { index += 1 }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if let whole = Int64(text) { return .integer(whole) }
    guard
      let value = Double(text.hasBytePrefix(".") ? "0" + text : text.replacingBytes(of: "-.", with: "-0.")),
      value.isFinite
    else { throw unknown("\(text) is not a number") }
    return .decimal(value)
  }

  /// Whether a period with a digit behind it is here; two periods are a range.
  private var isFraction: Bool {
    peek == UInt8(ascii: ".") && index + 1 < bytes.count && bytes[index + 1].isDecimalDigit
  }

  private mutating func list() throws(MappingTemplate.Unknown) -> MappingExpression {
    index += 1
    skipSpace()
    if peek == UInt8(ascii: "]") {
      index += 1
      return .list([])
    }
    let first = try expression()
    skipSpace()
    if starts(with: "..") {
      index += 2
      let last = try expression()
      skipSpace()
      try expect("]")
      guard case .integer(let lower) = first, case .integer(let upper) = last else {
        throw unknown("API Gateway supports ranges of whole numbers only, such as [1..5]")
      }
      return .range(lower, upper)
    }
    var elements = [first]
    while peek == UInt8(ascii: ",") {
      index += 1
      elements.append(try expression())
      skipSpace()
    }
    try expect("]")
    return .list(elements)
  }

  private mutating func map() throws(MappingTemplate.Unknown) -> MappingExpression {
    index += 1
    skipSpace()
    var members: [(key: MappingExpression, value: MappingExpression)] = []
    while peek != UInt8(ascii: "}") {
      let key = try expression()
      skipSpace()
      try expect(":")
      members.append((key, try expression()))
      skipSpace()
      guard peek == UInt8(ascii: ",") else {
        break
      }
      index += 1
      skipSpace()
    }
    try expect("}")
    return .map(members)
  }

  // MARK: References

  /// Passes a reference; the caller has checked that one begins here.
  package mutating func reference() throws(MappingTemplate.Unknown) -> MappingReference {
    try enter()
    defer { depth -= 1 }
    index += 1
    if peek == UInt8(ascii: "!") { index += 1 }
    let isBraced = peek == UInt8(ascii: "{")
    if isBraced { index += 1 }
    guard let first = peek, Self.isNameStart(first) else { throw unknown("a name is missing") }
    let root = identifier()
    var steps: [MappingReference.Step] = []
    while let byte = peek {
      if byte == UInt8(ascii: "."), index + 1 < bytes.count, Self.isNameStart(bytes[index + 1]) {
        index += 1
        let name = identifier()
        steps.append(peek == UInt8(ascii: "(") ? .call(name, try arguments()) : .property(name))
      } else if byte == UInt8(ascii: "[") {
        index += 1
        steps.append(.index(try expression()))
        skipSpace()
        try expect("]")
      } else {
        break
      }
    }
    if isBraced {
      if peek == UInt8(ascii: "|") { throw unknown("API Gateway does not support ${NAME|DEFAULT}") }
      try expect("}")
    }
    let reference = MappingReference(root: root, steps: steps)
    if let problem = MappingVocabulary.problem(of: reference) { throw unknown(problem) }
    return reference
  }

  private mutating func identifier() -> String {
    let start = index
    while let byte = peek, Self.isNameByte(byte) { index += 1 }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func arguments() throws(MappingTemplate.Unknown) -> [MappingExpression] {
    index += 1
    skipSpace()
    var arguments: [MappingExpression] = []
    while peek != UInt8(ascii: ")") {
      arguments.append(try expression())
      skipSpace()
      guard peek == UInt8(ascii: ",") else { break }
      index += 1
      skipSpace()
    }
    try expect(")")
    return arguments
  }
}
