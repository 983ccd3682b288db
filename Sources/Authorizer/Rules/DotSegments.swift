import Bytes

/// The path segments `.` and `..`, in every spelling that some server resolves.
///
/// A policy can refuse two dots in a row and a few encodings, but not a single dot: it has no pattern for the end of a
/// segment. The answer to a guest is not cached, so the path itself is examined.
enum DotSegments {
  /// A dot: as it is, percent-encoded (RFC 3986 section 2.1), overlong (RFC 3629 section 3), as `%u` of old servers, and
  /// full-width (U+FF0E).
  private static let dots: [StaticString] = [
    ".", "%2e", "%c0%ae", "%u002e", "%uff0e", "%ef%bc%8e", "\u{FF0E}",
  ]
  /// A slash or backslash in the same spellings.
  private static let separators: [StaticString] = [
    "/", "\\", "%2f", "%5c", "%c0%af", "%c1%9c", "%u002f", "%u005c", "%uff0f", "%uff3c", "%ef%bc%8f",
    "%ef%bc%bc",
    "\u{FF0F}", "\u{FF3C}",
  ]

  /// Whether any segment consists of one or more dots and nothing else.
  static func occur(in path: [UInt8]) -> Bool {
    var hasDot = false
    var hasOther = false
    var index = 0
    while index < path.count {
      if let count = length(of: separators, in: path, at: index) {
        if hasDot, !hasOther { return true }
        hasDot = false
        hasOther = false
        index += count
      } else if let count = length(of: dots, in: path, at: index) {
        hasDot = true
        index += count
      } else {
        hasOther = true
        index += 1
      }
    }
    return hasDot && !hasOther
  }

  /// The length of the spelling that begins here; `nil` if none does.
  private static func length(of spellings: [StaticString], in path: [UInt8], at index: Int) -> Int? {
    let text = path.span
    for spelling in spellings {
      let count = spelling.utf8CodeUnitCount
      if index + count <= text.count,
        spelling.equals(text.extracting(index..<index + count), ignoringASCIICase: true)
      {
        return count
      }
    }
    return nil
  }
}
