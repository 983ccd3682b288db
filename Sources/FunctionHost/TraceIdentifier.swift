import Bytes

/// The X-Ray trace of an invocation: the `Root` of its trace header.
///
/// API Gateway passes on the trace of a caller who sends the header. Text of another form is no trace identifier, so no
/// log line contains it.
package struct TraceIdentifier {
  /// `1-`, 8 hexadecimal digits, `-`, 24 hexadecimal digits; a part of the header, not a copy.
  package let utf8: Substring.UTF8View

  /// Reads `Root=…;Parent=…;Sampled=…` with its fields in any order (AWS X-Ray, "Tracing header").
  ///
  /// Returns `nil` if there is no root, more than one, or one of another form.
  package init?(header: String) {
    let bytes = header.utf8
    var root: Substring.UTF8View?
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let end = bytes[start...].firstIndex(of: .semicolon) ?? bytes.endIndex
      let field = bytes[start..<end]
      if field.starts(with: Self.name.utf8) {
        guard root == nil else { return nil }
        root = field.dropFirst(Self.name.utf8.count)
      }
      start = end < bytes.endIndex ? bytes.index(after: end) : end
    }
    guard let root, Self.isIdentifier(root) else { return nil }
    utf8 = root
  }

  private static let name = "Root="

  private static func isIdentifier(_ text: Substring.UTF8View) -> Bool {
    var position = 0
    for byte in text {
      switch position {
      case 0: guard byte == 0x31 else { return false }
      case 1, 10: guard byte == .hyphen else { return false }
      default: guard byte.isHexadecimalDigit else { return false }
      }
      position += 1
    }
    return position == 35
  }
}
