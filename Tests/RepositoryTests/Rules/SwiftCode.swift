import Foundation

/// A Swift file with comments and string literals replaced by spaces, so that rules about code see only code.
/// Interpolations stay code. Lines keep their numbers. Regex literals are not recognized.
struct SwiftCode: Sendable {
  let lines: [Substring]

  init(_ text: String) {
    var reader = Reader(bytes: Array(text.utf8))
    reader.readCode(isInterpolation: false)
    lines = String(decoding: reader.output, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
  }

  /// The numbers (from 1) of the lines with `word`, without a letter, digit or underscore next to it.
  func lineNumbers(withWord word: String) -> [Int] {
    lines.indices.filter { lines[$0].holdsWord(word) }.map { $0 + 1 }
  }

  /// The first line and the number of lines of each function, initializer and subscript with a body.
  var functions: [(line: Int, lineCount: Int)] {
    lines.indices.compactMap { index in
      guard let column = lines[index].columnOfFunctionKeyword else { return nil }
      return bodyEnd(fromLine: index, column: column).map { (index + 1, $0 - index + 1) }
    }
  }

  /// The last line of the body that begins after this position; `nil` for a protocol requirement.
  private func bodyEnd(fromLine start: Int, column: Int) -> Int? {
    var parentheses = 0
    var braces = 0
    for index in start..<lines.count {
      let line = index == start ? lines[index].dropFirst(column) : lines[index]
      if index > start, braces == 0, parentheses == 0, line.beginsOtherDeclaration { return nil }
      for character in line {
        switch character {
        case "(", "[": parentheses += 1
        case ")", "]": parentheses -= 1
        case "{" where parentheses == 0 || braces > 0: braces += 1
        case "}" where braces == 0 && parentheses == 0: return nil
        case "}" where braces > 0:
          braces -= 1
          if braces == 0 { return index }
        default: break
        }
      }
    }
    return nil
  }
}

extension StringProtocol {
  /// Whether the text is a part of it, as scalars: `contains` compares characters.
  func holds(_ text: String) -> Bool { range(of: text, options: .literal) != nil }

  /// Whether the text contains the word, not as part of a longer name.
  func holdsWord(_ word: String) -> Bool {
    var rest = startIndex..<endIndex
    while let found = range(of: word, options: .literal, range: rest) {
      let before = self[..<found.lowerBound].last
      let after = self[found.upperBound...].first
      if before?.isPartOfName != true, after?.isPartOfName != true { return true }
      rest = found.upperBound..<endIndex
    }
    return false
  }

  fileprivate var columnOfFunctionKeyword: Int? {
    for keyword in ["func ", "init(", "init?(", "init<", "deinit ", "subscript(", "subscript<"] {
      guard let found = range(of: keyword, options: .literal) else { continue }
      let before = self[..<found.lowerBound].last
      if before == nil || before == " " { return distance(from: startIndex, to: found.lowerBound) }
    }
    return nil
  }

  fileprivate var beginsOtherDeclaration: Bool {
    let text = drop { $0 == " " }
    return text.isEmpty
      || ["func ", "var ", "let ", "init", "static ", "mutating ", "@"].contains { text.hasPrefix($0) }
  }
}

extension Character {
  fileprivate var isPartOfName: Bool { isLetter || isNumber || self == "_" }
}

/// Copies code and replaces everything else by spaces, byte by byte, since the relevant characters are ASCII.
private struct Reader {
  let bytes: [UInt8]
  var position = 0
  var output: [UInt8] = []

  init(bytes: [UInt8]) {
    self.bytes = bytes
    output.reserveCapacity(bytes.count)
  }

  /// Reads code up to the end of an interpolation or of the file.
  mutating func readCode(isInterpolation: Bool) {
    var depth = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "/") where at("//"):
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { blank() }
      case UInt8(ascii: "/") where at("/*"):
        readBlockComment()
      case UInt8(ascii: "\""), UInt8(ascii: "#"):
        if let hashes = stringOpening() { readString(hashes: hashes) } else { copy() }
      case UInt8(ascii: ")") where isInterpolation && depth == 0:
        return
      case UInt8(ascii: "("):
        depth += 1
        copy()
      case UInt8(ascii: ")"):
        depth -= 1
        copy()
      default:
        copy()
      }
    }
  }

  private mutating func readBlockComment() {
    var depth = 0
    repeat {
      if at("/*") {
        depth += 1
        blank(2)
      } else if at("*/") {
        depth -= 1
        blank(2)
      } else {
        blank()
      }
    } while depth > 0 && position < bytes.count
  }

  private mutating func readString(hashes: Int) {
    blank(hashes)
    let quotes = at(#"""""#) ? 3 : 1
    let end = String(repeating: "\"", count: quotes) + String(repeating: "#", count: hashes)
    let escape = "\\" + String(repeating: "#", count: hashes)
    blank(quotes)
    while position < bytes.count, !at(end) {
      if at(escape + "(") {
        blank(escape.utf8.count + 1)
        readCode(isInterpolation: true)
        blank()
      } else if at(escape) {
        blank(escape.utf8.count + 1)
      } else {
        blank()
      }
    }
    blank(end.utf8.count)
  }

  /// The number of `#` before the quote of a string literal that begins here; `nil` if none begins.
  private func stringOpening() -> Int? {
    var hashes = 0
    while position + hashes < bytes.count, bytes[position + hashes] == UInt8(ascii: "#") { hashes += 1 }
    return position + hashes < bytes.count && bytes[position + hashes] == UInt8(ascii: "\"") ? hashes : nil
  }

  private func at(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

  private mutating func copy() {
    output.append(bytes[position])
    position += 1
  }

  private mutating func blank(_ count: Int = 1) {
    for _ in 0..<count where position < bytes.count {
      output.append(bytes[position] == UInt8(ascii: "\n") ? bytes[position] : UInt8(ascii: " "))
      position += 1
    }
  }
}
