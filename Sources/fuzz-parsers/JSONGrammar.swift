internal import Bytes
internal import JSON

/// A second JSON parser (RFC 8259), written differently from the `JSON` module: recursive, over Unicode scalars, with
/// decoded names in a set. Slow and simple; it decides only whether a text is accepted.
struct JSONGrammar {
  /// The size of a text, for comparison with a parser's limits.
  struct Extent {
    /// Nesting levels of arrays and objects.
    var depth = 0
    /// Members of the largest object.
    var members = 0
    /// Values in the whole text, including member names.
    var values = 0

    /// Whether a parser with these limits must accept a text of this extent.
    func fits(_ limits: JSONLimits) -> Bool {
      depth <= limits.depth && members <= limits.membersPerObject && values <= limits.values
    }
  }

  private let scalars: [Unicode.Scalar]
  private let deepest: Int
  private var position = 0
  private var extent = Extent()

  /// The extent of a JSON text without duplicate names; `nil` for invalid JSON, or more than `deepest` levels.
  static func extent(of bytes: [UInt8], deepest: Int) -> Extent? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    var grammar = JSONGrammar(scalars: Array(text.unicodeScalars), deepest: deepest)
    grammar.skipBlanks()
    guard grammar.value(level: 0) else { return nil }
    grammar.skipBlanks()
    return grammar.position == grammar.scalars.count ? grammar.extent : nil
  }

  private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    position += 1
    return true
  }

  private mutating func skipBlanks() {
    while let next, next == " " || next == "\n" || next == "\r" || next == "\t" { position += 1 }
  }

  private mutating func enter(level: Int) -> Bool {
    extent.depth = max(extent.depth, level + 1)
    return level < deepest
  }

  private mutating func value(level: Int) -> Bool {
    extent.values += 1
    return switch next {
    case "{": object(level: level)
    case "[": array(level: level)
    case "\"": string() != nil
    case "t": word("true")
    case "f": word("false")
    case "n": word("null")
    default: number()
    }
  }

  private mutating func word(_ word: String) -> Bool { word.unicodeScalars.allSatisfy { take($0) } }

  private mutating func object(level: Int) -> Bool {
    guard enter(level: level), take("{") else { return false }
    skipBlanks()
    if take("}") { return true }
    var names: Set<[UInt32]> = []
    repeat {
      skipBlanks()
      guard let name = string(), names.insert(name).inserted else { return false }
      extent.values += 1
      skipBlanks()
      guard take(":") else { return false }
      skipBlanks()
      guard value(level: level + 1) else { return false }
      skipBlanks()
    } while take(",")
    extent.members = max(extent.members, names.count)
    return take("}")
  }

  private mutating func array(level: Int) -> Bool {
    guard enter(level: level), take("[") else { return false }
    skipBlanks()
    if take("]") { return true }
    repeat {
      skipBlanks()
      guard value(level: level + 1) else { return false }
      skipBlanks()
    } while take(",")
    return take("]")
  }

  /// The decoded scalars; `nil` if the string is malformed.
  private mutating func string() -> [UInt32]? {
    guard take("\"") else { return nil }
    var decoded: [UInt32] = []
    while let next, next.value >= 0x20 {
      position += 1
      if next == "\"" { return decoded }
      if next != "\\" {
        decoded.append(next.value)
      } else if let scalar = escape() {
        decoded.append(scalar)
      } else {
        return nil
      }
    }
    return nil
  }

  private static let shortEscapes: [Unicode.Scalar: UInt32] = [
    "\"": 0x22, "\\": 0x5C, "/": 0x2F, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9,
  ]

  private mutating func escape() -> UInt32? {
    guard let kind = next else { return nil }
    position += 1
    guard kind == "u" else { return Self.shortEscapes[kind] }
    guard let first = codeUnit() else { return nil }
    if let scalar = Unicode.Scalar(first) { return scalar.value }
    guard UTF16.isLeadSurrogate(first), take("\\"), take("u"), let second = codeUnit(),
      UTF16.isTrailSurrogate(second)
    else { return nil }
    return String(decoding: [first, second], as: UTF16.self).unicodeScalars.first?.value
  }

  private mutating func codeUnit() -> UInt16? {
    guard position + 4 <= scalars.count else { return nil }
    let text = String(
      String.UnicodeScalarView(scalars[position..<position + 4]))
    // `UInt16(_:radix:)` would accept a sign.
    guard text.utf8.count == 4, text.utf8.first != .plus, text.utf8.first != .hyphen else { return nil }
    position += 4
    return UInt16(text, radix: 16)
  }

  private mutating func number() -> Bool {
    _ = take("-")
    if !take("0") {
      guard digits() > 0 else { return false }
    }
    if take(".") {
      guard digits() > 0 else { return false }
    }
    guard take("e") || take("E") else { return true }
    if !take("+") { _ = take("-") }
    return digits() > 0
  }

  private mutating func digits() -> Int {
    let start = position
    while let next, ("0"..."9").contains(next) { position += 1 }
    return position - start
  }
}
