import Bytes

/// The URL of a key set, strictly validated before any request.
///
/// It consists of `https://`, a host with an optional port, a path and an optional query (RFC 3986). The scheme must
/// be in lower case, so that each URL has one spelling. Plain `http://` is allowed only for the loopback host, and
/// loopback only for development. The host is compared after parsing, never as text: `127.0.0.1@evil.example`
/// contains userinfo and is refused, `127.0.0.1.evil.example` is a name, and `0x7f.1`, `0177.0.0.1` and `2130706433`
/// are refused.
package struct KeyAddress: Equatable, Sendable {
  /// The scheme of a URL.
  package enum Scheme: Equatable, Sendable {
    /// HTTP over TLS, with the host's certificate verified.
    case https
    /// Plain HTTP, only to the loopback host.
    case http
  }

  /// The original text: visible ASCII, at most ``byteLimit`` bytes.
  package let text: String
  package let scheme: Scheme
  /// Whether the host is `127.0.0.0/8`, `[::1]` or `localhost` (in any case).
  package let isLoopback: Bool

  /// The maximum length in bytes. RFC 9110 §4.1 recommends 8,000; no known issuer needs 200.
  package static let byteLimit = 2048

  /// Parses an address.
  ///
  /// - Parameters:
  ///   - text: the address as configured.
  ///   - development: whether the loopback host is allowed, also with plain `http://`.
  /// - Throws: the first error from the left.
  package init(parsing text: String, development: Bool) throws(KeyAddressError) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= Self.byteLimit else { throw .tooLong(byteCount: bytes.count) }
    if let offset = bytes.firstIndex(where: { !$0.isAllowedInURL }) {
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
    for (offset, byte) in zip(path.indices, path) where byte == .percent {
      let digits = path.dropFirst(offset - path.startIndex + 1).prefix(2)
      guard digits.count == 2, digits.allSatisfy({ $0.isHexadecimalDigit }) else {
        throw .malformedPath(offset: offset)
      }
    }
    // RFC 3986 §3.3: brackets are allowed only around IPv6 addresses.
    if let offset = path.firstIndex(where: { $0 == .openingBracket || $0 == .closingBracket }) {
      throw .malformedPath(offset: offset)
    }
  }
}

/// The reason why an address is refused. It contains at most the host, because a query may contain a secret.
package enum KeyAddressError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The text is empty.
  case empty
  /// It has more than ``KeyAddress/byteLimit`` bytes.
  case tooLong(byteCount: Int)
  /// A space, a control character, a backslash, a byte outside ASCII, or another byte that RFC 3986 §2 does not allow.
  case forbiddenByte(offset: Int)
  /// It does not begin with `https://` or `http://` in lower case.
  case unsupportedScheme
  /// It contains userinfo before the host.
  case userinfo
  /// The host is neither a name nor an address in the form of RFC 3986 §3.2.2.
  case malformedHost(String)
  /// The port is not a number from 1 to 65535 without leading zeros.
  case malformedPort
  case missingPath
  /// A percent sign without two hexadecimal digits, or a bracket.
  case malformedPath(offset: Int)
  /// It has a fragment, which is never sent to a server.
  case fragment
  /// Plain `http://` to a host that is not loopback.
  case httpBeyondLoopback(host: String)
  case loopbackOutsideDevelopment(host: String)

  /// The stable name of this error, for logs and tests.
  package var code: String {
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

  /// A description of the error, in some cases with a line with a hint.
  package var description: String {
    switch self {
    case .empty: "the address is empty"
    case .tooLong(let count): "the address has \(count) bytes, more than \(KeyAddress.byteLimit)"
    case .forbiddenByte(let offset):
      "byte \(offset) of the address is not allowed in a URL\nhint: percent-encode it (RFC 3986)"
    case .unsupportedScheme: "the address does not begin with https://\nhint: write the scheme in lower case"
    case .userinfo: "the address contains a user name before the host\nhint: remove everything up to the @"
    case .malformedHost(let host):
      "the address has no usable host: \(host)\n"
        + "hint: a host is a name, four decimal numbers such as 192.0.2.1, or IPv6 in brackets"
    case .malformedPort: "the port of the address is not a number from 1 to 65535"
    case .missingPath: "the address has no path\nhint: add a path, such as https://id.example.com/jwks"
    case .malformedPath(let offset):
      "byte \(offset) of the address is not allowed in a path\nhint: percent-encode it (RFC 3986 §3.3)"
    case .fragment: "the address has a fragment\nhint: remove the # and everything after it"
    case .httpBeyondLoopback(let host):
      "plain http to \(host) is not allowed: others on the network could replace the keys\nhint: write https://"
    case .loopbackOutsideDevelopment(let host):
      "the address refers to this machine: \(host)\nhint: this is allowed only with AUTHORIZER_DEVELOPMENT=1"
    }
  }
}
