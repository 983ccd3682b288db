/// Base64url without padding (RFC 7515 section 2, RFC 4648 section 5), canonical in both directions.
enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The index of a character in the alphabet.
  static func value(of character: UInt8) -> UInt8? { values[Int(character)] }

  private static let values: [UInt8?] = (UInt8.min...UInt8.max).map { character in
    alphabet.firstIndex(of: character).map { UInt8($0) }
  }

  /// The character at an index of the alphabet; uses only the lower six bits.
  static func character(for value: UInt8) -> UInt8 { alphabet[Int(value & 0x3F)] }

  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity((bytes.count * 4 + 2) / 3)
    var pending: UInt32 = 0
    var pendingBits = 0
    for byte in bytes {
      pending = pending << 8 | UInt32(byte)
      pendingBits += 8
      while pendingBits >= 6 {
        pendingBits -= 6
        output.append(character(for: UInt8(truncatingIfNeeded: pending >> UInt32(pendingBits))))
      }
    }
    if pendingBits > 0 {
      output.append(character(for: UInt8(truncatingIfNeeded: pending << UInt32(6 - pendingBits))))
    }
    return output
  }

  static func text(_ bytes: [UInt8]) -> String { String(decoding: encode(bytes), as: UTF8.self) }

  /// The bytes; `nil` if the text has an invalid character, an impossible length or unused bits that are set.
  static func decode(_ text: [UInt8]) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var output: [UInt8] = []
    output.reserveCapacity(text.count * 3 / 4)
    var pending: UInt32 = 0
    var pendingBits = 0
    for character in text {
      guard let value = value(of: character) else { return nil }
      pending = pending << 6 | UInt32(value)
      pendingBits += 6
      if pendingBits >= 8 {
        pendingBits -= 8
        output.append(UInt8(truncatingIfNeeded: pending >> UInt32(pendingBits)))
      }
    }
    let unusedBits = pending & (1 << UInt32(pendingBits) - 1)
    return unusedBits == 0 ? output : nil
  }
}
