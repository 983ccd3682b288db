import Foundation

/// UTF-8 with a zero at its end, as functions of the C library need it. Their loops are as fast in a debug build.
struct ZeroTerminatedText {
  private(set) var bytes: [UInt8]
  /// The number of bytes before the zero.
  let count: Int

  init(_ text: String) {
    bytes = Array(text.utf8) + [0]
    count = bytes.count - 1
  }

  var text: String { String(decoding: bytes[..<count], as: UTF8.self) }

  func holds(_ text: String, at position: Int) -> Bool {
    // Safe: the zero ends the comparison.
    unsafe withCString(from: position) { unsafe strncmp($0, text, text.utf8.count) == 0 }
  }

  /// The position of the next one of these characters; the end if there is none.
  func next(_ characters: String, from start: Int) -> Int {
    var position = start
    while position < count {
      // Safe: the zero ends the search.
      position += unsafe withCString(from: position) { unsafe strcspn($0, characters) }
      // Another zero is not the end.
      guard position < count, bytes[position] == 0 else { break }
      position += 1
    }
    return position
  }

  /// The number of line ends between two positions.
  func lineEndCount(_ range: Range<Int>) -> Int {
    var count = 0
    var position = next("\n", from: range.lowerBound)
    while position < range.upperBound {
      count += 1
      position = next("\n", from: position + 1)
    }
    return count
  }

  /// Replaces bytes by spaces, except line ends.
  mutating func blank(_ range: Range<Int>) {
    var start = range.lowerBound
    while start < range.upperBound {
      let end = min(next("\n", from: start), range.upperBound)
      unsafe bytes.withUnsafeMutableBytes { bytes in
        // Safe: the range is within the bytes.
        _ = unsafe memset(bytes.baseAddress.unsafelyUnwrapped + start, Int32(UInt8(ascii: " ")), end - start)
      }
      start = end + 1
    }
  }

  /// Lends the text from a position on.
  private func withCString<Value>(from position: Int, _ body: (UnsafePointer<CChar>) -> Value) -> Value {
    unsafe bytes.withUnsafeBytes { bytes in
      // Safe: there is at least the zero.
      unsafe body(bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: CChar.self) + position)
    }
  }
}
