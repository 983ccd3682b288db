internal import Bytes

/// The characters of a template.
extension MappingParser {
  package var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  package func starts(with text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

  package mutating func expect(_ character: Character) throws(MappingTemplate.Unknown) {
    guard let byte = character.asciiValue, peek == byte else { throw unknown("\(character) is missing") }
    index += 1
  }

  /// Passes a word that ends here.
  mutating func passWord(_ word: String) -> Bool {
    let end = index + word.utf8.count
    guard starts(with: word), end == bytes.count || !Self.isNameByte(bytes[end]) else { return false }
    index = end
    return true
  }

  package mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || (0x09...0x0D).contains(byte) { index += 1 }
  }

  mutating func skipBlanks() {
    while let byte = peek, byte == 0x20 || byte == 0x09 { index += 1 }
  }

  /// Passes the blanks and the line break behind a directive; blanks without a line break stay.
  mutating func gobble() {
    let start = index
    skipBlanks()
    if starts(with: "\r\n") {
      index += 2
    } else if peek == UInt8(ascii: "\n") || peek == UInt8(ascii: "\r") {
      index += 1
    } else {
      index = start
    }
  }

  /// Passes everything up to a mark and the mark itself; returns what is before it.
  package mutating func passed(_ mark: String, from start: Int) throws(MappingTemplate.Unknown) -> [UInt8] {
    let mark = Array(mark.utf8)
    var end = start
    while end + mark.count <= bytes.count {
      if bytes[end...].starts(with: mark) {
        index = end + mark.count
        return Array(bytes[start..<end])
      }
      end += 1
    }
    throw unknown("\(String(decoding: mark, as: UTF8.self)) is missing")
  }

  /// Returns the index of the bracket that closes one before `start`, outside of strings.
  func closingBracket(from start: Int) -> Int? {
    var open = 1
    var quote: UInt8?
    for index in start..<bytes.count {
      let byte = bytes[index]
      if let mark = quote {
        if byte == mark { quote = nil }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
      } else if byte == UInt8(ascii: "(") {
        open += 1
      } else if byte == UInt8(ascii: ")") {
        open -= 1
        if open == 0 { return index }
      }
    }
    return nil
  }

  /// Whether a reference begins here: `$a`, `$!a`, `${a`, `$!{a`.
  package func isReference(at start: Int) -> Bool {
    guard start < bytes.count, bytes[start] == UInt8(ascii: "$") else { return false }
    var next = start + 1
    if next < bytes.count, bytes[next] == UInt8(ascii: "!") { next += 1 }
    guard next < bytes.count else { return false }
    return bytes[next] == UInt8(ascii: "{") || Self.isNameStart(bytes[next])
  }

  /// A single `$` or `#` at the end makes API Gateway fail.
  func refuseAtEnd(_ mark: String) throws(MappingTemplate.Unknown) {
    if index + 1 == bytes.count, !isString {
      throw unknown("\(mark) ends the template, for which API Gateway returns a 500")
    }
  }

  package mutating func enter() throws(MappingTemplate.Unknown) {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw unknown("it is nested more than \(Self.maximumDepth) deep")
    }
  }

  package var line: Int { firstLine + bytes[..<min(index, bytes.count)].count { $0 == UInt8(ascii: "\n") } }

  package func unknown(_ problem: String) -> MappingTemplate.Unknown {
    MappingTemplate.Unknown(lineOffset: line, problem: problem)
  }

  static func isNameStart(_ byte: UInt8) -> Bool { byte.isLetter || byte == .underscore }

  static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || byte == .underscore || byte == .hyphen
  }
}
