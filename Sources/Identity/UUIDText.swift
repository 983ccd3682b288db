import Bytes

/// A UUID of version 4 (RFC 9562 section 5.4).
enum UUIDText {
  /// The UUID of these 16 random bytes as lower-case text; `nil` for any other number of bytes.
  static func bytes(random: [UInt8]) -> [UInt8]? {
    guard random.count == 16 else { return nil }
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for (index, byte) in random.enumerated() {
      let byte = index == 6 ? byte & 0x0F | 0x40 : index == 8 ? byte & 0x3F | 0x80 : byte
      if [4, 6, 8, 10].contains(index) { text.append(.hyphen) }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 0x0F)])
    }
    return text
  }
}
