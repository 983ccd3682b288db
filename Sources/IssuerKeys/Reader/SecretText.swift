import Bytes

/// The text of a configured secret, which may be a reference or a placeholder.
///
/// Every search is linear in the length of the text.
struct SecretText {
  /// The text without spaces, control characters and quotation marks at both ends.
  let bytes: [UInt8]

  /// Whether the bytes may be text: no control characters except white space, and no bytes that never occur in UTF-8
  /// (RFC 3629 section 3). 32 random bytes look like text once in 250.
  let isText: Bool

  /// Whether the text is a file in UTF-16: it begins with a byte order mark, and at least half of the characters are
  /// ASCII. Random bytes may begin with such a mark too.
  let isUTF16: Bool

  /// Whether each byte value occurs.
  private let isThere: [Bool]

  init(trimming text: [UInt8]) {
    isUTF16 = Self.isUTF16(text)
    let trimmed = Self.trimmed(text[...])
    // UTF-16 without a byte order mark, less the first or the last zero.
    let zeros = stride(from: 1, to: trimmed.count, by: 2)
    if trimmed.count >= 3, zeros.allSatisfy({ trimmed[$0] == 0 }) {
      bytes = Self.trimmed(stride(from: 0, to: trimmed.count, by: 2).map { trimmed[$0] }[...])
    } else {
      bytes = trimmed
    }
    var isThere = [Bool](repeating: false, count: 256)
    for byte in bytes { isThere[Int(byte)] = true }
    self.isThere = isThere
    isText = bytes.allSatisfy { byte in
      switch byte {
      case 0x00...0x08, 0x0E...0x1F, 0x7F, 0xC0, 0xC1, 0xF5...0xFF: false
      default: true
      }
    }
  }

  // MARK: Search

  func begins(_ text: String) -> Bool { bytes.starts(with: text.utf8) }

  func holds(_ text: String) -> Bool { position(of: text) != nil }

  /// Returns the first index of a text. Most secrets lack the punctuation with which references begin, so that is
  /// checked first.
  func position(of text: String) -> Int? {
    guard let first = text.utf8.first, isThere[Int(first)] else { return nil }
    return Self.position(of: text, in: bytes)
  }

  /// Whether the text is a reference between `open` and `close`, or contains one that consists of words and spaces.
  func encloses(_ open: String, _ close: String, by isName: (ArraySlice<UInt8>) -> Bool) -> Bool {
    isText && (inner(open, close) != nil || refers(open, close, by: isName))
  }

  /// Whether the text contains a reference between `open` and `close`.
  ///
  /// Random punctuation may contain both. So either the text around the reference must look written by a person, or
  /// its content must consist of words and spaces and be a name.
  func refers(_ open: String, _ close: String, by isName: (ArraySlice<UInt8>) -> Bool) -> Bool {
    guard isText, var start = position(of: open),
      let end = Self.lastPosition(of: close, in: bytes), start + open.utf8.count < end
    else { return false }
    if bytes[..<start].allSatisfy(Self.isWritten),
      bytes[(end + close.utf8.count)...].allSatisfy(Self.isWritten)
    {
      return true
    }
    while true {
      let rest = bytes[(start + open.utf8.count)...]
      let name = rest.prefix { Self.isWord($0) || $0 <= 0x20 || $0 == 0x3C }
      if rest.dropFirst(name.count).starts(with: close.utf8), isName(name) { return true }
      guard let next = Self.position(of: open, in: bytes, from: rest.startIndex) else { return false }
      start = next
    }
  }

  static func position(of text: String, in bytes: [UInt8], from start: Int = 0) -> Int? {
    let text = Array(text.utf8)
    var index = start
    while index + text.count <= bytes.count {
      if bytes[index] == text[0], bytes[index..<(index + text.count)].elementsEqual(text) { return index }
      index += 1
    }
    return nil
  }

  private static func lastPosition(of text: String, in bytes: [UInt8]) -> Int? {
    var index = bytes.count - text.utf8.count
    while index >= 0 {
      if bytes[index...].starts(with: text.utf8) { return index }
      index -= 1
    }
    return nil
  }

  /// Returns the bytes between both ends, at least one; `nil` if the text does not begin and end with them.
  func inner(_ open: String, _ close: String) -> ArraySlice<UInt8>? {
    let count = open.utf8.count + close.utf8.count
    guard bytes.count > count, begins(open), bytes.suffix(close.utf8.count).elementsEqual(close.utf8) else {
      return nil
    }
    return bytes[open.utf8.count..<(bytes.count - close.utf8.count)]
  }

  // MARK: Bytes

  private static func isUTF16(_ text: [UInt8]) -> Bool {
    let isLittleEndian = text.starts(with: [0xFF, 0xFE])
    guard isLittleEndian || text.starts(with: [0xFE, 0xFF]) else { return false }
    let zeros = stride(from: isLittleEndian ? 3 : 2, to: text.count, by: 2).count { text[$0] == 0 }
    return zeros > 0 && 4 * zeros >= text.count - 2
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var rest = text
    while let count = leading(rest) { rest = rest.dropFirst(count) }
    while let count = trailing(rest) { rest = rest.dropLast(count) }
    return Array(rest)
  }

  /// Returns the length of the space, control character or quotation mark at the beginning; `nil` if there is none.
  private static func leading(_ rest: ArraySlice<UInt8>) -> Int? {
    if let byte = rest.first, isAround(byte) { return 1 }
    return blanks.first { rest.starts(with: $0) }?.count
  }

  private static func trailing(_ rest: ArraySlice<UInt8>) -> Int? {
    if let byte = rest.last, isAround(byte) { return 1 }
    return blanks.first { rest.suffix($0.count).elementsEqual($0) }?.count
  }

  private static func isAround(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == .quote || byte == 0x27 }

  /// Unicode spaces in UTF-8: next line, no-break space, U+2000 to U+200F, U+2028, U+2029, U+202F, U+2060,
  /// ideographic space, byte order mark.
  private static let blanks: [[UInt8]] =
    [[0xC2, 0x85], [0xC2, 0xA0], [0xE2, 0x81, 0xA0], [0xE3, 0x80, 0x80], [0xEF, 0xBB, 0xBF]]
    + (Array(0x80...0x8F) + [0xA8, 0xA9, 0xAF]).map { [0xE2, 0x80, $0] }

  /// Whether the text consists of letters, digits, `_`, `-` and dots, at least one.
  static func isName(_ text: ArraySlice<UInt8>) -> Bool {
    !text.isEmpty
      && text.allSatisfy { $0.isLetterOrDigit || $0 == .underscore || $0 == .hyphen || $0 == .dot }
  }

  /// Whether names and paths of references may contain this byte.
  static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x5F, 0x2D...0x3A, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }

  /// Whether people write this byte around a reference: in words, spaces, escapes and other references. 28 random
  /// printable characters consist of such bytes once in 500.
  static func isWritten(_ byte: UInt8) -> Bool {
    isWord(byte) || byte <= 0x20 || byte >= 0x80 || "$\\,=@{}\"".utf8.contains(byte)
  }

  /// Whether a sentence may contain this byte.
  static func isProse(_ byte: UInt8) -> Bool {
    isWord(byte) || byte <= 0x20 || byte >= 0x80 || ",;!?'\"()+#".utf8.contains(byte)
  }
}
