/// A Swift file with comments and string literals replaced by spaces, so that rules about code see only code.
/// Interpolations stay code. Lines keep their numbers. Regex literals are not recognized.
struct SwiftCode: Sendable {
  let text: String

  init(_ text: String) {
    var reader = Reader(text)
    self.text = reader.code()
  }

  /// The numbers (from 1) of the lines with `word`, without a letter, digit or underscore next to it.
  func lineNumbers(withWord word: String) -> [Int] {
    text.lines(holding: word).filter { $0.line.holdsWord(word) }.map(\.number)
  }

  /// The first line and the number of lines of each function, initializer and subscript with a body.
  var functions: [(line: Int, lineCount: Int)] {
    let bytes = ZeroTerminatedText(text)
    let keywords = ["func ", "init(", "init?(", "init<", "deinit ", "subscript(", "subscript<"]
    return text.lines(holding: keywords).compactMap { number, line in
      guard let offset = line.offset(ofKeyword: keywords) else { return nil }
      let start = text.utf8.distance(from: text.startIndex, to: line.startIndex)
      return bytes.bodyEnd(from: start + offset).map { (number, bytes.lineEndCount(start..<$0) + 1) }
    }
  }
}

extension ZeroTerminatedText {
  /// The end of the body that begins after this position; `nil` for a protocol requirement.
  fileprivate func bodyEnd(from start: Int) -> Int? {
    var parentheses = 0
    var position = start
    while true {
      position = next("([)]{}\n", from: position)
      guard position < count else { return nil }
      switch bytes[position] {
      case UInt8(ascii: "("), UInt8(ascii: "["): parentheses += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"): parentheses -= 1
      case UInt8(ascii: "{") where parentheses == 0: return blockEnd(from: position)
      case UInt8(ascii: "}") where parentheses == 0: return nil
      case UInt8(ascii: "\n") where parentheses == 0 && beginsOtherDeclaration(at: position + 1): return nil
      default: break
      }
      position += 1
    }
  }

  /// The closing brace of the block that begins here.
  private func blockEnd(from start: Int) -> Int? {
    var braces = 0
    var position = start
    while position < count {
      braces += bytes[position] == UInt8(ascii: "{") ? 1 : -1
      if braces == 0 { return position }
      position = next("{}", from: position + 1)
    }
    return nil
  }

  private func beginsOtherDeclaration(at start: Int) -> Bool {
    var position = start
    while bytes[position] == UInt8(ascii: " ") { position += 1 }
    return [0, UInt8(ascii: "\n")].contains(bytes[position])
      || ["func ", "var ", "let ", "init", "static ", "mutating ", "@"].contains { holds($0, at: position) }
  }
}

extension Substring {
  /// Where in its UTF-8 the first of the keywords is that begins the line or follows a space.
  fileprivate func offset(ofKeyword keywords: [String]) -> Int? {
    for keyword in keywords {
      guard let offset = offsets(of: keyword, atMost: 1).first else { continue }
      if offset == 0 || self[..<index(atOffset: offset)].last == " " { return offset }
    }
    return nil
  }
}

/// Replaces all but code by spaces, in a copy of the bytes: the relevant characters are ASCII.
private struct Reader {
  private var text: ZeroTerminatedText
  private var position = 0

  init(_ text: String) { self.text = ZeroTerminatedText(text) }

  mutating func code() -> String {
    readCode(isInterpolation: false)
    return text.text
  }

  /// Reads code up to the end of an interpolation or of the file.
  private mutating func readCode(isInterpolation: Bool) {
    var depth = 0
    while true {
      position = text.next(isInterpolation ? "/\"#()" : "/\"#", from: position)
      guard position < text.count else { return }
      switch text.bytes[position] {
      case UInt8(ascii: "/") where at("//"):
        blank(to: "\n")
        continue
      case UInt8(ascii: "/") where at("/*"):
        readBlockComment()
        continue
      case UInt8(ascii: "\""), UInt8(ascii: "#"):
        if let hashes = stringOpening() {
          readString(hashes: hashes)
          continue
        }
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")") where depth == 0: return
      case UInt8(ascii: ")"): depth -= 1
      default: break
      }
      position += 1
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
        blank(1)
      }
      if depth > 0 { blank(to: "/*") }
    } while depth > 0 && position < text.count
  }

  private mutating func readString(hashes: Int) {
    blank(hashes)
    let quotes = at(#"""""#) ? 3 : 1
    let end = String(repeating: "\"", count: quotes) + String(repeating: "#", count: hashes)
    let escape = "\\" + String(repeating: "#", count: hashes)
    blank(quotes)
    blank(to: "\"\\")
    while position < text.count, !at(end) {
      if at(escape + "(") {
        blank(escape.utf8.count + 1)
        readCode(isInterpolation: true)
        blank(1)
      } else {
        blank(at(escape) ? escape.utf8.count + 1 : 1)
      }
      blank(to: "\"\\")
    }
    blank(end.utf8.count)
  }

  /// The number of `#` before the quote of a string literal that begins here; `nil` if none begins.
  private func stringOpening() -> Int? {
    var end = position
    while text.bytes[end] == UInt8(ascii: "#") { end += 1 }
    return text.bytes[end] == UInt8(ascii: "\"") ? end - position : nil
  }

  private func at(_ other: String) -> Bool { text.holds(other, at: position) }

  /// Blanks what is before the next one of these characters.
  private mutating func blank(to characters: String) {
    blank(text.next(characters, from: position) - position)
  }

  private mutating func blank(_ count: Int) {
    let end = min(position + count, text.count)
    text.blank(position..<end)
    position = end
  }
}
