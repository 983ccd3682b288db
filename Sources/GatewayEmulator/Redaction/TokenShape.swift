internal import Text
internal import Bytes
internal import JSON

/// Finds JWTs in a text by their form: parts of base64url with periods between them, of which the first is a JSON
/// object.
///
/// They are found also if characters are percent-encoded, and if the token is in base64 once more.
package enum TokenShape {
  /// Returns the bytes with a mark in place of each token.
  package static func replaced(in bytes: [UInt8], with mark: String) -> [UInt8] {
    guard bytes.count >= minimumBytes else { return bytes }
    var output: [UInt8] = []
    var (written, start) = (0, 0)
    while start < bytes.count {
      let run = Run(in: bytes, at: start)
      if let token = token(in: run.bytes, isOuter: true) {
        output += bytes[written..<run.indices[token]] + Array(mark.utf8)
        written = run.end
      }
      // A run is empty where no character of a token begins.
      start = max(run.end, start + 1)
    }
    return written == 0 ? bytes : output + bytes[written...]
  }

  /// The shortest text of base64url and periods that counts as a token: our choice.
  private static let minimumBytes = 16
  /// The beginning of most JWTs: `{"` in base64url.
  private static let usualStart = Array("eyJ".utf8)

  /// A run of characters of base64url and periods.
  private struct Run {
    /// The decoded run; empty for one that is too short for a token, as most are.
    private(set) var bytes: [UInt8] = []
    private(set) var indices: [Int] = []
    private(set) var end: Int

    init(in source: [UInt8], at start: Int) {
      end = start
      while let (byte, count) = Self.next(source, end), TokenShape.isOfToken(byte) { end += count }
      guard end - start >= TokenShape.minimumBytes else { return }
      var index = start
      while index < end, let (byte, count) = Self.next(source, index) {
        bytes.append(byte)
        indices.append(index)
        index += count
      }
    }

    /// The character at this index and its length, percent-encoded once or twice.
    private static func next(_ source: [UInt8], _ index: Int) -> (UInt8, Int)? {
      guard index < source.count else { return nil }
      guard source[index] == .percent else { return (source[index], 1) }
      let isTwice =
        index + 4 < source.count && source[index + 1] == UInt8(ascii: "2")
        && source[index + 2] == UInt8(ascii: "5")
      let first = index + (isTwice ? 3 : 1)
      guard first + 1 < source.count, let high = source[first].hexadecimalValue,
        let low = source[first + 1].hexadecimalValue
      else { return nil }
      return (high << 4 | low, isTwice ? 5 : 3)
    }
  }

  /// Returns where a token begins in a run; `nil` without one.
  private static func token(in run: [UInt8], isOuter: Bool) -> Int? {
    guard run.count >= minimumBytes else { return nil }
    if let found = run.firstIndex(of: usualStart, from: 0), run.count - found >= minimumBytes,
      run[found...].contains(.dot)
    {
      return found
    }
    var start = 0
    for part in run.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == .dot || $0 == UInt8(ascii: "=") })
    {
      defer { start += part.count + 1 }
      guard part.count >= minimumBytes, let decoded = Base64Text.decodedForURL(part) else { continue }
      if let tree = object(decoded) {
        // A list may have the parts of a token one by one.
        if tree["alg"] != nil || run[start...].count(where: { $0 == .dot }) >= 2 { return start }
      } else if isOuter, contains(decoded) {
        return start
      }
    }
    return nil
  }

  private static func contains(_ bytes: [UInt8]) -> Bool {
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex { !isOfToken($0) } ?? bytes.count
      if token(in: Array(bytes[start..<end]), isOuter: false) != nil { return true }
      start = end + 1
    }
    return false
  }

  /// Whether a text is one part of a token: a JSON object in base64url.
  static func isPart(_ text: String) -> Bool {
    Base64Text.decodedForURL(text.utf8).flatMap(object) != nil
  }

  private static func object(_ bytes: [UInt8]) -> JSONTree? {
    guard bytes.first(where: { $0 > 0x20 }) == .openingBrace, let tree = try? JSONTree(parsing: bytes),
      case .object = tree
    else { return nil }
    return tree
  }

  fileprivate static func isOfToken(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || byte == .hyphen || byte == .underscore || byte == .dot || byte == .equalsSign
  }
}
