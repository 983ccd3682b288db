internal import POSIX
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
    // A zero byte would end the text for libc. An IPv4 address is also the end of one of IPv6 (RFC 4291 section 2.5.5.2).
    guard !text.utf8.contains(0) else { return nil }
    if text.containsBytes(of: ":") { return SystemCalls.ipv6Address(String(text)) }
    guard text.containsBytes(of: ".") else { return nil }
    return SystemCalls.ipv6Address("::ffff:" + text).map { Array($0.suffix(4)) }
  }
}
