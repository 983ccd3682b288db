import Bytes
import POSIX

/// A host and an optional port (RFC 3986 §3.2), without userinfo.
package struct Authority: Equatable, Sendable {
  package enum Host: Equatable, Sendable {
    /// Labels of letters, digits and hyphens (RFC 1123 §2.1), in lower case.
    case name([UInt8])
    case ipv4([UInt8])
    case ipv6([UInt8])

    /// Whether this is a loopback host, the only kind allowed for plain HTTP.
    package var isLoopback: Bool {
      switch self {
      // RFC 6761 §6.3. Names below `localhost.` are excluded, because resolvers handle them differently.
      case .name(let name): name.elementsEqual("localhost".utf8)
      case .ipv4(let bytes): bytes.first == 127
      case .ipv6(let bytes): bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
      }
    }

    /// Whether this may be the machine itself, in any form that systems accept, or its local link. Not allowed for a
    /// deployed function.
    package var isLocal: Bool {
      switch self {
      case .name(let name):
        // RFC 6761 §6.3: `localhost` and every name below it.
        name.elementsEqual("localhost".utf8) || name.suffix(10).elementsEqual(".localhost".utf8)
      case .ipv4(let bytes): Self.isLocal(bytes[...])
      case .ipv6(let bytes): Self.isLocal(ipv6: bytes)
      }
    }

    /// 127.0.0.0/8; 0.0.0.0/8, which Linux routes to itself; 169.254.0.0/16, link-local (RFC 6890 §2.2.2).
    private static func isLocal(_ bytes: ArraySlice<UInt8>) -> Bool {
      bytes.first == 127 || bytes.first == 0 || bytes.starts(with: [169, 254])
    }

    /// `::`, `::1`, fe80::/10, and IPv4 addresses of this kind in ::/96, ::ffff:0:0/96 and 64:ff9b::/96
    /// (RFC 4291 §2.5, RFC 6052 §2.1).
    private static func isLocal(ipv6 bytes: [UInt8]) -> Bool {
      guard bytes.count == 16 else { return true }
      if bytes[0] == 0xFE, bytes[1] & 0xC0 == 0x80 { return true }
      let prefix = bytes.prefix(12)
      let isEmbedded =
        prefix.dropLast(2).allSatisfy { $0 == 0 } && (prefix[10] == prefix[11])
        || prefix.elementsEqual([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0])
      return isEmbedded && isLocal(bytes.suffix(4))
    }
  }

  package let host: Host
  package let hostText: String
  package let port: UInt16?

  /// The limit of RFC 1035 §2.3.4, without the root.
  private static let nameByteLimit = 253
  private static let labelByteLimit = 63

  package init(parsing bytes: ArraySlice<UInt8>) throws(KeyAddressError) {
    guard !bytes.contains(UInt8(ascii: "@")) else { throw .userinfo }
    let hostEnd: Int
    if bytes.first == .openingBracket {
      guard let bracket = bytes.firstIndex(of: .closingBracket) else {
        throw .malformedHost(String(decoding: bytes, as: UTF8.self))
      }
      hostEnd = bracket + 1
    } else {
      hostEnd = bytes.firstIndex(of: .colon) ?? bytes.endIndex
    }
    hostText = String(decoding: bytes[..<hostEnd], as: UTF8.self)
    guard let host = Self.host(bytes[..<hostEnd]) else { throw .malformedHost(hostText) }
    self.host = host
    guard hostEnd < bytes.endIndex else {
      port = nil
      return
    }
    guard bytes[hostEnd] == .colon else { throw .malformedHost(String(decoding: bytes, as: UTF8.self)) }
    guard let number = Self.decimal(bytes[(hostEnd + 1)...], limit: 65535), number > 0 else {
      throw .malformedPort
    }
    port = UInt16(number)
  }

  private static func host(_ bytes: ArraySlice<UInt8>) -> Host? {
    if bytes.first == .openingBracket {
      return SystemCalls.ipv6Address(String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)).map(
        Host.ipv6)
    }
    guard bytes.count <= nameByteLimit else { return nil }
    let labels = bytes.split(separator: .dot, omittingEmptySubsequences: false)
    guard let last = labels.last, labels.allSatisfy(isLabel) else { return nil }
    // No DNS name ends in a label that begins with a digit (RFC 3696 §2), so this must be an IPv4 address. Only one
    // form is accepted: inet_aton(3) would also accept octal, hexadecimal and short forms.
    if last.first?.isDecimalDigit == true {
      let parts = labels.compactMap { decimal($0, limit: 255) }
      return labels.count == 4 && parts.count == 4 ? .ipv4(parts.map { UInt8($0) }) : nil
    }
    return .name(bytes.lowercase)
  }

  private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
    !label.isEmpty && label.count <= labelByteLimit && label.first != .hyphen && label.last != .hyphen
      && label.allSatisfy { $0.isLetter || $0.isDecimalDigit || $0 == .hyphen }
  }

  /// Parses a decimal number without sign and leading zeros, at most `limit`.
  private static func decimal(_ digits: ArraySlice<UInt8>, limit: Int) -> Int? {
    guard !digits.isEmpty, digits.count <= 5, digits.allSatisfy({ $0.isDecimalDigit }) else { return nil }
    guard digits.count == 1 || digits.first != .digitZero else { return nil }
    let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8.digitZero) }
    return number <= limit ? number : nil
  }
}

/// The character classes of RFC 3986.
extension UInt8 {
  /// Whether this is an unreserved or reserved character of RFC 3986 §2, or the percent sign.
  var isAllowedInURL: Bool {
    if isLetter || isDecimalDigit { return true }
    switch self {
    case .hyphen, .dot, .underscore, .tilde, .percent, .colon, .slash,
      .questionMark, .numberSign, .openingBracket, .closingBracket, UInt8(ascii: "@"), UInt8(ascii: "!"),
      .dollar, UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"),
      .asterisk, .plus, .comma, .semicolon, .equalsSign:
      return true
    default:
      return false
    }
  }
}

extension [UInt8] {
  /// The bytes after this prefix; nil if the array does not begin with it.
  package func after(_ prefix: String) -> ArraySlice<UInt8>? {
    var rest = self[...]
    for byte in prefix.utf8 {
      guard rest.popFirst() == byte else { return nil }
    }
    return rest
  }
}
