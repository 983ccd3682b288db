import Bytes

/// The X-Ray trace of an invocation: the `Root` of its trace header.
///
/// API Gateway passes on the trace of a caller who sends the header. Text of another form is no trace identifier, so no
/// log line contains it.
package struct TraceIdentifier {
  /// `1-`, 8 hexadecimal digits, `-`, 24 hexadecimal digits.
  package let utf8: ArraySlice<UInt8>

  /// Reads `Root=…;Parent=…;Sampled=…` with its fields in any order (AWS X-Ray, "Tracing header").
  ///
  /// Returns `nil` if there is no root, more than one, or one of another form.
  package init?(header bytes: ArraySlice<UInt8>) {
    let text = bytes.span
    var root: Range<Int>?
    var start = 0
    while start < text.count {
      let end = text.firstIndex(of: .semicolon, from: start)
      if end - start >= Self.nameBytes, Self.name.equals(text.extracting(start..<start + Self.nameBytes)) {
        guard root == nil else { return nil }
        root = start + Self.nameBytes..<end
      }
      start = end + 1
    }
    guard let root, Self.isIdentifier(text.extracting(root)) else { return nil }
    // The range counts from the start of the slice.
    utf8 = bytes.dropFirst(root.lowerBound).prefix(root.count)
  }

  private static let name: StaticString = "Root="
  private static var nameBytes: Int { name.utf8CodeUnitCount }

  private static func isIdentifier(_ text: Span<UInt8>) -> Bool {
    guard text.count == 35 else { return false }
    guard text[0] == 0x31, text[1] == .hyphen, text.word(at: 2).isHexadecimal, text[10] == .hyphen else {
      return false
    }
    return text.word(at: 11).isHexadecimal && text.word(at: 19).isHexadecimal
      && text.word(at: 27).isHexadecimal
  }
}
