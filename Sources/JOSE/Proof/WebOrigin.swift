import Bytes

/// The origin of an API: scheme, host and port, in the normal form of RFC 3986 sections 6.2.2.1 and 6.2.3.
package struct WebOrigin: Equatable, Sendable {
  /// `https://host` or `https://host:port`: small letters, without the default port.
  package let text: [UInt8]
  /// Whether the scheme is `https`.
  package let isSecure: Bool

  /// Parses an origin: scheme, host and port, and nothing else; `nil` for anything else.
  package init?(parsing text: [UInt8]) {
    guard let (origin, end) = Self.prefix(of: text), end == text.count else { return nil }
    self = origin
  }

  /// The https origin of a host, or of a host and a port.
  package init?(host authority: [UInt8]) {
    guard let normal = Self.normal(authority[...], defaultPort: Self.securePort) else { return nil }
    self.init(isSecure: true, authority: normal)
  }

  private init(isSecure: Bool, authority: [UInt8]) {
    self.isSecure = isSecure
    text = Array((isSecure ? "https://" : "http://").utf8) + authority
  }

  /// Whether the host is this machine: `localhost`, 127.0.0.1 or ::1.
  package var isLoopback: Bool {
    let authority = text.dropFirst(isSecure ? 8 : 7)
    return ["localhost", "127.0.0.1", "[::1]"].contains { host in
      authority.starts(with: host.utf8)
        && (authority.count == host.utf8.count || authority.dropFirst(host.utf8.count).first == .colon)
    }
  }

  /// The origin at the beginning of a URL, and the index after it.
  static func prefix(of url: [UInt8]) -> (origin: WebOrigin, end: Int)? {
    guard let colon = url.firstIndex(of: .colon), url[colon...].starts(with: "://".utf8) else { return nil }
    let scheme = url[..<colon].lowercase
    let isSecure = scheme.elementsEqual("https".utf8)
    guard isSecure || scheme.elementsEqual("http".utf8) else { return nil }
    let start = colon + 3
    let end =
      url[start...].firstIndex { $0 == .slash || $0 == .questionMark || $0 == .numberSign } ?? url.endIndex
    let port = isSecure ? securePort : plainPort
    guard let authority = normal(url[start..<end], defaultPort: port) else { return nil }
    return (WebOrigin(isSecure: isSecure, authority: authority), end)
  }

  /// RFC 9110 sections 4.2.1 and 4.2.2.
  private static let securePort = 443
  private static let plainPort = 80

  /// Returns host and port in normal form; `nil` for user information, percent-encoding, a name that no API has, or an
  /// invalid port.
  private static func normal(_ authority: ArraySlice<UInt8>, defaultPort: Int) -> [UInt8]? {
    let hostEnd: Int
    if authority.first == .openingBracket {
      guard let bracket = authority.firstIndex(of: .closingBracket) else { return nil }
      let address = authority[(authority.startIndex + 1)..<bracket]
      guard address.count >= 2, address.allSatisfy({ $0.isHexadecimalDigit || $0 == .colon || $0 == .dot })
      else { return nil }
      hostEnd = bracket + 1
    } else {
      hostEnd = authority.firstIndex(of: .colon) ?? authority.endIndex
      guard isName(authority[..<hostEnd]) else { return nil }
    }
    var normal = authority[..<hostEnd].lowercase
    let rest = authority[hostEnd...]
    guard let colon = rest.first else { return normal }
    guard colon == .colon else { return nil }
    let digits = rest.dropFirst()
    // An empty port is the default port (RFC 3986 section 6.2.3).
    if digits.isEmpty { return normal }
    guard digits.count <= 5, digits.first != .digitZero, digits.allSatisfy({ $0.isDecimalDigit }) else {
      return nil
    }
    let port = digits.reduce(0) { $0 * 10 + Int($1 - .digitZero) }
    guard port <= 65_535 else { return nil }
    if port != defaultPort {
      normal.append(.colon)
      normal += digits
    }
    return normal
  }

  /// Whether this is a host name or an IPv4 address: labels of letters, digits, hyphens and underscores. A dot at the
  /// end would be a second spelling.
  private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
    guard 1...253 ~= name.count else { return false }
    return name.split(separator: .dot, omittingEmptySubsequences: false).allSatisfy { label in
      !label.isEmpty && label.allSatisfy { $0.isLetterOrDigit || $0 == .hyphen || $0 == .underscore }
    }
  }
}
