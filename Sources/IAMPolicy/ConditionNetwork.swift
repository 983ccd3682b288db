internal import Text

/// Addresses in a condition: CIDR or one address (RFC 4632, RFC 4291 section 2.3). An IPv4 network contains no IPv6
/// address, and the reverse.
struct ConditionNetwork: Equatable, Sendable {
  /// 4 or 16 bytes.
  private let bytes: [UInt8]
  private let prefixBits: Int

  init?(_ text: String) {
    let parts = text.splitBytes(at: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let bytes = parts.first.flatMap(Self.addressBytes) else { return nil }
    var bits = bytes.count * 8
    if parts.count == 2 {
      guard parts[1].wholeMatch(of: /[0-9]{1,3}/) != nil, let given = Int(parts[1]), given <= bits else {
        return nil
      }
      bits = given
    }
    self.bytes = bytes
    prefixBits = bits
  }

  init?(address: String) {
    guard !address.containsBytes(of: "/") else { return nil }
    self.init(address)
  }

  func contains(_ address: ConditionNetwork) -> Bool {
    guard bytes.count == address.bytes.count, address.prefixBits >= prefixBits else { return false }
    return (0..<prefixBits).allSatisfy { bit in
      let mask = UInt8(0x80) >> UInt8(bit % 8)
      return bytes[bit / 8] & mask == address.bytes[bit / 8] & mask
    }
  }

  private static func addressBytes(_ text: Substring) -> [UInt8]? {
    text.containsBytes(of: ":") ? versionSix(text) : versionFour(text)
  }

  private static func versionFour(_ text: Substring) -> [UInt8]? {
    let parts = text.splitBytes(at: ".", omittingEmptySubsequences: false)
    // Some parsers read a leading zero as octal.
    let numbers = parts.compactMap { $0.wholeMatch(of: /0|[1-9][0-9]{0,2}/) == nil ? nil : UInt8($0) }
    return parts.count == 4 && numbers.count == 4 ? numbers : nil
  }

  private static func versionSix(_ text: Substring) -> [UInt8]? {
    let gap = text.firstByteRange(of: "::")
    guard let front = groups(gap.map { text[..<$0.lowerBound] } ?? text, mayEndInFour: gap == nil) else {
      return nil
    }
    guard let gap else { return front.count == 16 ? front : nil }
    guard let back = groups(text[gap.upperBound...], mayEndInFour: true), front.count + back.count <= 14
    else {
      return nil
    }
    return front + [UInt8](repeating: 0, count: 16 - front.count - back.count) + back
  }

  /// Returns the bytes of groups of four hexadecimal digits; the last group may be an IPv4 address.
  private static func groups(_ text: Substring, mayEndInFour: Bool) -> [UInt8]? {
    if text.isEmpty { return [] }
    let parts = text.splitBytes(at: ":", omittingEmptySubsequences: false)
    var bytes: [UInt8] = []
    for (index, part) in parts.enumerated() {
      if index == parts.count - 1, mayEndInFour, let four = versionFour(part) {
        bytes += four
      } else {
        guard part.wholeMatch(of: /[0-9A-Fa-f]{1,4}/) != nil, let group = UInt16(part, radix: 16) else {
          return nil
        }
        bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
      }
    }
    return bytes
  }
}
