import Foundation

/// Searches text as bytes, with functions of the C library: their loops are as fast in a debug build.
extension StringProtocol {
  /// Whether the text is a part of it.
  func holds(_ part: String) -> Bool { part.isEmpty || !offsets(of: part, atMost: 1).isEmpty }

  /// Where in its UTF-8 the text begins each time.
  func offsets(of part: String, atMost limit: Int = .max) -> [Int] {
    let count = utf8.count
    let step = part.utf8.count
    return unsafe withCString { text in
      var offsets: [Int] = []
      var position = 0
      while offsets.count < limit, position < count {
        // Safe: both texts end with a zero.
        if let found = unsafe strstr(text + position, part) {
          unsafe offsets.append(UnsafePointer(found) - text)
          position = offsets[offsets.count - 1] + step
        } else {
          // Another zero is not the end.
          position += unsafe strlen(text + position) + 1
        }
      }
      return offsets
    }
  }

  /// Whether the text contains the word, not as part of a longer name.
  func holdsWord(_ word: String) -> Bool { offsets(of: word).contains { isWord(word, at: $0) } }

  /// Whether neither a letter, digit nor underscore is next to the word.
  func isWord(_ word: String, at offset: Int) -> Bool {
    let start = index(atOffset: offset)
    let before = self[..<start].last
    let after = self[utf8.index(start, offsetBy: word.utf8.count)...].first
    return before?.isPartOfName != true && after?.isPartOfName != true
  }

  /// The number of line ends.
  var lineEndCount: Int { offsets(of: "\n").count }

  /// Its lines, also empty ones.
  var allLines: [SubSequence] {
    var lines: [SubSequence] = []
    var start = startIndex
    for offset in offsets(of: "\n") {
      let end = index(atOffset: offset)
      lines.append(self[start..<end])
      start = utf8.index(after: end)
    }
    return lines + [self[start...]]
  }

  /// The lines that contain one of the texts, with their numbers from 1.
  func lines(holding parts: [String]) -> [(number: Int, line: SubSequence)] {
    let offsets = parts.flatMap { self.offsets(of: $0) }.sorted()
    guard !offsets.isEmpty else { return [] }
    let ends = self.offsets(of: "\n")
    var lines: [(number: Int, line: SubSequence)] = []
    var number = 0
    for offset in offsets where lines.isEmpty || number < ends.count && offset > ends[number] {
      while number < ends.count, ends[number] < offset { number += 1 }
      let start = number == 0 ? startIndex : index(atOffset: ends[number - 1] + 1)
      let end = number == ends.count ? endIndex : index(atOffset: ends[number])
      lines.append((number + 1, self[start..<end]))
    }
    return lines
  }

  func lines(holding part: String) -> [(number: Int, line: SubSequence)] { lines(holding: [part]) }

  func index(atOffset offset: Int) -> Index { utf8.index(startIndex, offsetBy: offset) }
}

extension Character {
  fileprivate var isPartOfName: Bool { isLetter || isNumber || self == "_" }
}
