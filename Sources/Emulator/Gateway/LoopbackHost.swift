/// The names under which a machine calls itself.
///
/// A web page can make its own name point to 127.0.0.1 and then speak to servers there (DNS rebinding); its requests
/// carry that name in `Host`.
enum LoopbackHost {
  /// Whether a `Host` header's value, with or without a port, names this machine.
  static func isLoopback(_ host: String) -> Bool {
    let name = name(of: host).lowercased()
    if name == "localhost" || name.hasSuffix(".localhost") || name == "[::1]" { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Whether an `Origin` header's value is a page of this machine.
  static func isLoopback(origin: String) -> Bool {
    guard let start = origin.firstRange(of: "://") else { return false }
    return isLoopback(String(origin[start.upperBound...]))
  }

  /// The name before the port.
  static func name(of host: String) -> String {
    if host.hasPrefix("[") { return String(host.prefix { $0 != "]" }) + "]" }
    return String(host.prefix { $0 != ":" })
  }
}
