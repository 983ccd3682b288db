/// Percent-encoding of a path segment (RFC 3986 section 2.1).
enum PercentEncoding {
  /// The decoded bytes of a segment; `nil` if a percent sign begins no encoded byte.
  static func decode(_ segment: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var index = 0
    while index < segment.count {
      guard segment[index] == 0x25 else {
        bytes.append(segment[index])
        index += 1
        continue
      }
      guard index + 2 < segment.count, let high = digit(segment[index + 1]),
        let low = digit(segment[index + 2])
      else { return nil }
      bytes.append(high << 4 | low)
      index += 3
    }
    return bytes
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
