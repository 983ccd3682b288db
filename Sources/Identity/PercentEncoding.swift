import Bytes

/// Percent-encoding of a path segment (RFC 3986 section 2.1).
enum PercentEncoding {
  /// The decoded bytes of a segment; `nil` if a percent sign begins no encoded byte.
  static func decode(_ segment: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var index = 0
    while index < segment.count {
      guard segment[index] == .percent else {
        bytes.append(segment[index])
        index += 1
        continue
      }
      guard index + 2 < segment.count, let high = segment[index + 1].hexadecimalValue,
        let low = segment[index + 2].hexadecimalValue
      else { return nil }
      bytes.append(high << 4 | low)
      index += 3
    }
    return bytes
  }
}
