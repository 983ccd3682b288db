internal import Text
import Bytes

/// The host names of the loopback interface.
///
/// A web page can let its name resolve to 127.0.0.1 and then call servers there (DNS rebinding); its requests have
/// that name in `Host`. So the whole value is parsed: a name that only begins like a loopback name is refused.
package enum LoopbackHost {
  /// Whether a `Host` header's value, with or without a port, names this machine.
  package static func isLoopback(_ host: String) -> Bool {
    guard let name = name(of: host) else { return false }
    if name == "localhost" || name == "[::1]" { return true }
    let labels = name.splitBytes(at: ".", omittingEmptySubsequences: false)
    if labels.count > 1, labels.last == "localhost" { return true }
    return labels.count == 4 && labels[0] == "127" && labels.allSatisfy(isOctet)
  }

  /// Whether an `Origin` header's value is a page of this machine: `http` or `https`, a host and a port, and nothing
  /// else (RFC 6454 section 6.2).
  package static func isLoopback(origin: String) -> Bool {
    for scheme in ["http://", "https://"] where origin.hasBytePrefix(scheme) {
      return isLoopback(String(origin.dropFirst(bytes: scheme.utf8.count)))
    }
    return false
  }

  /// The name before the port, in lower case; `nil` for anything but a host with or without a port (RFC 9110 section
  /// 7.2, RFC 3986 section 3.2.2). The only address accepted in brackets is the loopback address.
  package static func name(of host: String) -> String? {
    let bytes = Array(host.utf8)
    let name: ArraySlice<UInt8>
    if bytes.starts(with: loopbackAddress) {
      name = bytes[..<loopbackAddress.count]
    } else {
      name = bytes.prefix { $0 != UInt8(ascii: ":") }
      let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard labels.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isOfLabel) }) else { return nil }
    }
    let rest = bytes[name.endIndex...]
    guard rest.isEmpty || rest.first == UInt8(ascii: ":") && isPort(rest.dropFirst()) else { return nil }
    return String(decoding: name, as: UTF8.self).lowercased()
  }

  private static let loopbackAddress = Array("[::1]".utf8)

  private static func isOfLabel(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || byte == .hyphen || byte == .underscore
  }

  private static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
    digits.count <= 5 && digits.allSatisfy { $0.isDecimalDigit }
      && UInt16(String(decoding: digits, as: UTF8.self)) != nil
  }

  /// Whether the label is 0 to 255 without leading zeros: some parsers read `010` as 8 (RFC 3986 section 7.4).
  private static func isOctet(_ label: Substring) -> Bool {
    guard let number = UInt8(label) else { return false }
    return label.utf8.elementsEqual(String(number).utf8)
  }
}
