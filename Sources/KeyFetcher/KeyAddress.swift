/// Where a key set is fetched from: an address that was read strictly, once, before anything is asked of it.
///
/// `https://` and a host with an optional port, a path and an optional query, of RFC 3986. The scheme is written in
/// small letters: one address has one spelling. Plain `http://` goes to the loopback host alone, and loopback is for
/// development alone. The host is compared as parsed, never as a piece of text: `127.0.0.1@evil.example` is userinfo
/// and refused, `127.0.0.1.evil.example` is a name, and `0x7f.1`, `0177.0.0.1` or `2130706433` are nothing.
public struct KeyAddress: Equatable, Sendable {
  /// How the host is spoken to.
  public enum Scheme: Equatable, Sendable {
    /// HTTP over TLS, with the host's certificate verified.
    case https
    /// Plain HTTP; to the loopback host only.
    case http
  }

  /// The address as it was written: visible ASCII, at most ``byteLimit`` bytes.
  public let text: String
  /// How the host is spoken to.
  public let scheme: Scheme
  /// Whether the host is `127.0.0.0/8`, `[::1]` or `localhost` (in any case).
  public let isLoopback: Bool

  /// The most bytes of an address. RFC 9110 §4.1 asks for 8,000; no issuer is known to need 200.
  public static let byteLimit = 2048

  /// Reads an address.
  ///
  /// - Parameters:
  ///   - text: the address as configured.
  ///   - development: whether the loopback host may be named, and plain `http://` with it.
  /// - Throws: what is wrong with it; of several things the first from the left.
  public init(parsing text: String, development: Bool) throws(KeyAddressError) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= Self.byteLimit else { throw .tooLong(byteCount: bytes.count) }
    if let offset = bytes.firstIndex(where: { !$0.mayStandInAddress }) {
      throw .forbiddenByte(offset: offset)
    }

    let rest: ArraySlice<UInt8>
    if let after = bytes.after("https://") {
      (scheme, rest) = (.https, after)
    } else if let after = bytes.after("http://") {
      (scheme, rest) = (.http, after)
    } else {
      throw .unsupportedScheme
    }
    let pathStart =
      rest.firstIndex { $0 == .slash || $0 == .questionMark || $0 == .numberSign } ?? rest.endIndex
    let authority = try Authority(parsing: rest[..<pathStart])
    try Self.check(path: rest[pathStart...])

    isLoopback = authority.host.isLoopback
    if scheme == .http, !isLoopback { throw .httpBeyondLoopback(host: authority.hostText) }
    if authority.host.isLocal, !development { throw .loopbackOutsideDevelopment(host: authority.hostText) }
    self.text = text
  }

  private static func check(path: ArraySlice<UInt8>) throws(KeyAddressError) {
    guard path.first == .slash else { throw .missingPath }
    guard !path.contains(.numberSign) else { throw .fragment }
    for (offset, byte) in zip(path.indices, path) where byte == UInt8(ascii: "%") {
      let digits = path.dropFirst(offset - path.startIndex + 1).prefix(2)
      guard digits.count == 2, digits.allSatisfy({ $0.isHexadecimalDigit }) else {
        throw .malformedPath(offset: offset)
      }
    }
    // RFC 3986 §3.3: brackets stand around IPv6 addresses only.
    if let offset = path.firstIndex(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }) {
      throw .malformedPath(offset: offset)
    }
  }
}

/// Why a text is no address of a key set. None carries more of the text than the host: a query may hold a secret.
public enum KeyAddressError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is nothing.
  case empty
  /// It has more than ``KeyAddress/byteLimit`` bytes.
  case tooLong(byteCount: Int)
  /// A blank, a control character, a backslash, a byte beyond ASCII, or another that RFC 3986 §2 does not know.
  case forbiddenByte(offset: Int)
  /// It does not begin with `https://` or `http://`, in small letters.
  case unsupportedScheme
  /// It names a user before the host.
  case userinfo
  /// The host is neither a name nor an address as RFC 3986 §3.2.2 writes it.
  case malformedHost(String)
  /// The port is not a number from 1 to 65535 without leading zeros.
  case malformedPort
  /// Nothing says what is asked of the host.
  case missingPath
  /// A percent sign without two hexadecimal digits, or a bracket.
  case malformedPath(offset: Int)
  /// It has a fragment, which no server would see.
  case fragment
  /// Plain `http://` to a host that is not loopback.
  case httpBeyondLoopback(host: String)
  /// The loopback host, and this is not development.
  case loopbackOutsideDevelopment(host: String)

  /// The stable name of this error, for logs and tests.
  public var code: String {
    switch self {
    case .empty: "keyAddressEmpty"
    case .tooLong: "keyAddressTooLong"
    case .forbiddenByte: "keyAddressByte"
    case .unsupportedScheme: "keyAddressScheme"
    case .userinfo: "keyAddressUserinfo"
    case .malformedHost: "keyAddressHost"
    case .malformedPort: "keyAddressPort"
    case .missingPath, .malformedPath: "keyAddressPath"
    case .fragment: "keyAddressFragment"
    case .httpBeyondLoopback: "keyAddressPlainHTTP"
    case .loopbackOutsideDevelopment: "keyAddressLoopback"
    }
  }

  /// One sentence with the evidence and, where there is more to say, a line with a hint.
  public var description: String {
    switch self {
    case .empty: "the address is empty"
    case .tooLong(let count): "the address has \(count) bytes, more than \(KeyAddress.byteLimit)"
    case .forbiddenByte(let offset):
      "byte \(offset) of the address cannot stand in a URL\nhint: percent-encode it (RFC 3986)"
    case .unsupportedScheme: "the address does not begin with https://\nhint: the scheme is in small letters"
    case .userinfo: "the address names a user before the host\nhint: remove everything up to the @"
    case .malformedHost(let host):
      "the address has no usable host: \(host)\n"
        + "hint: a host is a name, four decimal numbers such as 192.0.2.1, or IPv6 in brackets"
    case .malformedPort: "the port of the address is no number from 1 to 65535"
    case .missingPath: "the address has no path\nhint: write it out, such as https://id.example.com/jwks"
    case .malformedPath(let offset): "byte \(offset) of the address is no part of a path\nhint: RFC 3986 §3.3"
    case .fragment: "the address has a fragment\nhint: remove everything from the # on"
    case .httpBeyondLoopback(let host):
      "plain http to \(host): anyone on the way could put in keys of their own\nhint: write https://"
    case .loopbackOutsideDevelopment(let host):
      "the address names this machine: \(host)\nhint: only with AUTHORIZER_DEVELOPMENT=1"
    }
  }
}
