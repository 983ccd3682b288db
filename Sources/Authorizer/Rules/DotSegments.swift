import Bytes

/// The path segments `.` and `..`, in every spelling that some server resolves.
///
/// A policy can refuse two dots in a row and a few encodings, but not a single dot: it has no pattern for the end of a
/// segment. The answer to a guest is not cached, so the path itself is examined.
package enum DotSegments {
  /// Whether any segment may consist of dots and nothing else.
  ///
  /// True too for bytes that are not UTF-8 (RFC 3629) after percent-decoding, overlong forms of any length among them:
  /// servers differ in the characters that they make of those.
  ///
  /// - Parameter isURI: whether the text is a URI, whose path begins after a colon and ends at `?` and `#` (RFC 3986
  ///   section 3).
  package static func mayOccur(in path: [UInt8], isURI: Bool = false) -> Bool {
    var hasDot = false
    var hasOther = false
    var index = 0
    while index < path.count {
      guard let character = character(in: path, &index) else { return true }
      switch kind(of: character, isURI: isURI) {
      case .end:
        if hasDot, !hasOther { return true }
        hasDot = false
        hasOther = false
      case .dot: hasDot = true
      case .blank: break
      case .other: hasOther = true
      }
    }
    return hasDot && !hasOther
  }

  /// Returns a path, percent-decoded once.
  static func decoded(_ path: [UInt8]) -> [UInt8] {
    var decoded: [UInt8] = []
    var index = 0
    while index < path.count { decoded.append(byte(in: path, &index)) }
    return decoded
  }

  private enum Kind { case dot, end, blank, other }

  /// The kind of a character: compatible ones count as the ASCII characters that servers replace them by (Unicode
  /// normalization form NFKC, and the best fit of Windows code pages).
  private static func kind(of character: UInt32, isURI: Bool) -> Kind {
    switch character {
    case 0x23, 0x3A, 0x3F: isURI ? .end : .other
    // Full stop, one to three dot leaders, small and full-width full stop.
    case 0x2E, 0x2024...0x2026, 0xFE52, 0xFF0E: .dot
    // Slash, backslash, fraction and division slash, set minus, small reverse solidus, both full-width.
    case 0x2F, 0x5C, 0x2044, 0x2215, 0x2216, 0xFE68, 0xFF0F, 0xFF3C: .end
    // Some servers end a path at NUL, and a segment at the `;` of its parameters (RFC 3986 section 3.3).
    case 0x00, 0x3B: .end
    // Windows strips blanks at the end of a name.
    case 0x09...0x0D, 0x20: .blank
    default: .other
    }
  }

  /// Returns the character at the index and moves the index behind it; `nil` if the bytes there are not UTF-8.
  private static func character(in path: [UInt8], _ index: inout Int) -> UInt32? {
    if let unit = unit(in: path, &index) { return unit }
    let first = byte(in: path, &index)
    let count: Int
    let least: UInt32
    switch first {
    case 0x00...0x7F: return UInt32(first)
    case 0xC2...0xDF: (count, least) = (1, 0x80)
    case 0xE0...0xEF: (count, least) = (2, 0x800)
    case 0xF0...0xF4: (count, least) = (3, 0x10000)
    default: return nil
    }
    // A first byte with n more bytes has 6 - n bits of the character.
    var character = UInt32(first) & (0x3F >> UInt32(count))
    for _ in 0..<count {
      guard index < path.count else { return nil }
      let next = byte(in: path, &index)
      guard next & 0xC0 == 0x80 else { return nil }
      character = character << 6 | UInt32(next & 0x3F)
    }
    let isSurrogate = 0xD800...0xDFFF ~= character
    return character < least || character > 0x10FFFF || isSurrogate ? nil : character
  }

  /// Returns the UTF-16 code unit that `%u002e` stands for in old servers; `nil` without moving if there is none.
  private static func unit(in path: [UInt8], _ index: inout Int) -> UInt32? {
    guard index + 5 < path.count, path[index] == .percent, path[index + 1] | 0x20 == 0x75 else { return nil }
    var unit: UInt32 = 0
    for position in index + 2..<index + 6 {
      guard let digit = path[position].hexadecimalValue else { return nil }
      unit = unit << 4 | UInt32(digit)
    }
    index += 6
    return unit
  }

  /// Returns the byte at the index, percent-decoded (RFC 3986 section 2.1), and moves the index behind it.
  private static func byte(in path: [UInt8], _ index: inout Int) -> UInt8 {
    let byte = path[index]
    index += 1
    guard byte == .percent, index + 1 < path.count, let high = path[index].hexadecimalValue,
      let low = path[index + 1].hexadecimalValue
    else { return byte }
    index += 2
    return high << 4 | low
  }
}
