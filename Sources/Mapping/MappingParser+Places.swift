/// The characters of a template.
extension MappingParser {
  package var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

  package func starts(with text: String) -> Bool { bytes[place...].starts(with: text.utf8) }

  package mutating func expect(_ character: Character) throws(MappingTemplate.Unknown) {
    guard let byte = character.asciiValue, peek == byte else { throw unknown("\(character) is missing") }
    place += 1
  }

  /// Passes a word that ends here.
  mutating func passWord(_ word: String) -> Bool {
    let end = place + word.utf8.count
    guard starts(with: word), end == bytes.count || !Self.isNameByte(bytes[end]) else { return false }
    place = end
    return true
  }

  package mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || (0x09...0x0D).contains(byte) { place += 1 }
  }

  mutating func skipBlanks() {
    while let byte = peek, byte == 0x20 || byte == 0x09 { place += 1 }
  }

  /// Passes the blanks and the line break behind a directive; blanks without a line break stay.
  mutating func gobble() {
    let start = place
    skipBlanks()
    if starts(with: "\r\n") {
      place += 2
    } else if peek == UInt8(ascii: "\n") || peek == UInt8(ascii: "\r") {
      place += 1
    } else {
      place = start
    }
  }

  /// Passes everything up to a mark and the mark itself; returns what is before it.
  package mutating func passed(_ mark: String, from start: Int) throws(MappingTemplate.Unknown) -> [UInt8] {
    let mark = Array(mark.utf8)
    var end = start
    while end + mark.count <= bytes.count {
      if bytes[end...].starts(with: mark) {
        place = end + mark.count
        return Array(bytes[start..<end])
      }
      end += 1
    }
    throw unknown("\(String(decoding: mark, as: UTF8.self)) is missing")
  }

  /// Returns the place of the bracket that closes one before `start`, outside of strings.
  func closingBracket(from start: Int) -> Int? {
    var open = 1
    var quote: UInt8?
    for place in start..<bytes.count {
      let byte = bytes[place]
      if let mark = quote {
        if byte == mark { quote = nil }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
      } else if byte == UInt8(ascii: "(") {
        open += 1
      } else if byte == UInt8(ascii: ")") {
        open -= 1
        if open == 0 { return place }
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
    if place + 1 == bytes.count, !isString {
      throw unknown("\(mark) ends the template, for which API Gateway returns a 500")
    }
  }

  package mutating func enter() throws(MappingTemplate.Unknown) {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw unknown("it is nested more than \(Self.maximumDepth) deep")
    }
  }

  package var line: Int { firstLine + bytes[..<min(place, bytes.count)].count { $0 == UInt8(ascii: "\n") } }

  package func unknown(_ problem: String) -> MappingTemplate.Unknown {
    MappingTemplate.Unknown(lineOffset: line, problem: problem)
  }

  package static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  static func isNameStart(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
  }

  package static func isNameByte(_ byte: UInt8) -> Bool {
    isNameStart(byte) || isDigit(byte) || byte == UInt8(ascii: "-")
  }
}
