internal import Bytes

/// Percent-encoding (RFC 3986 section 2.1).
package enum PercentText {
  /// Decodes percent-encoding; invalid sequences remain unchanged.
  package static func decoded(_ text: some StringProtocol, plusIsBlank: Bool = false) -> String {
    var bytes: [UInt8] = []
    let source = Array(text.utf8)
    var index = 0
    while index < source.count {
      if source[index] == .percent, index + 2 < source.count, let high = source[index + 1].hexadecimalValue,
        let low = source[index + 2].hexadecimalValue
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(plusIsBlank && source[index] == .plus ? 0x20 : source[index])
        index += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Percent-encodes all characters except unreserved ones (RFC 3986 section 2.3) and those in `reserved`.
  package static func encoded(_ text: String, keeping reserved: String) -> String {
    let kept = Array(reserved.utf8)
    return encoded(text.utf8) { isUnreserved($0) || kept.contains($0) ? $0 : nil }
  }

  /// Percent-encodes all bytes except unreserved characters. They need not be UTF-8.
  package static func encoded(_ bytes: [UInt8]) -> String { encoded(bytes) { isUnreserved($0) ? $0 : nil } }

  /// Encodes a text as a form field, as `URLEncoder` of Java does.
  package static func encodedForm(_ text: String) -> String {
    encoded(text.utf8) { byte in
      switch byte {
      case .space: .plus
      case .tilde: nil
      default: isUnreserved(byte) || byte == UInt8(ascii: "*") ? byte : nil
      }
    }
  }

  /// Encodes the bytes for which there is no byte to write.
  private static func encoded(_ text: some Collection<UInt8>, _ written: (UInt8) -> UInt8?) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    for byte in text {
      if let byte = written(byte) {
        bytes.append(byte)
      } else {
        bytes += [.percent, digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a character is never encoded (RFC 3986 section 2.3).
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || byte == .hyphen || byte == .dot || byte == .underscore || byte == .tilde
  }
}
