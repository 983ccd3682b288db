internal import GatewayModel
internal import Text
internal import Bytes

/// A redirect URI of a native app or of a page on this machine (RFC 8252 section 7).
///
/// Requests are compared with registered URIs byte by byte, except for the port of a loopback URI: a native app gets
/// its port from the operating system (RFC 8252 section 7.3, RFC 9700 section 2.1).
struct RedirectURI: Equatable, Sendable {
  /// The URI as registered or requested.
  let text: String
  /// The URI without the port of a loopback URI.
  private let portless: String

  /// Parses a URI.
  ///
  /// - Throws: `invalid_redirect_uri` for anything but `http` or `https` to a loopback name, or a private-use scheme with
  ///   a period (RFC 8252 sections 7.1 and 8.4). A fragment is not allowed (RFC 6749 section 3.1.2), and neither are
  ///   names, passwords, characters that RFC 3986 does not have, and the parameters of a response in the query: the
  ///   client would read them instead of this server's.
  init(_ text: String) throws(OAuthError) {
    let bytes = Array(text.utf8)
    guard bytes.count <= OAuthLimits.addressBytes, bytes.allSatisfy(Self.isAllowed),
      let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
    else { throw Self.refused }
    let query = String(decoding: bytes.drop { $0 != .questionMark }.dropFirst(), as: UTF8.self)
    guard OAuthParameters(query).names.allSatisfy({ !Self.responseNames.contains($0) }) else {
      throw OAuthError(
        .invalidRedirectURI,
        "a redirect URI must not have \(Self.responseNames.joined(separator: ", ")) in its query: the response adds them"
      )
    }
    let scheme = bytes[..<colon]
    let rest = bytes[(colon + 1)...]
    self.text = text
    if scheme.elementsEqual("http".utf8) || scheme.elementsEqual("https".utf8) {
      guard rest.starts(with: "//".utf8) else { throw Self.refused }
      let authority = rest.dropFirst(2).prefix { $0 != .slash && $0 != .questionMark }
      let tail = rest.dropFirst(2 + authority.count)
      let host = String(decoding: authority, as: UTF8.self)
      guard LoopbackHost.isLoopback(host), let name = LoopbackHost.name(of: host) else {
        throw Self.refused
      }
      let start = String(decoding: scheme, as: UTF8.self) + "://"
      portless = start + name + String(decoding: tail, as: UTF8.self)
    } else {
      guard Self.isScheme(scheme), !rest.isEmpty else { throw Self.refused }
      guard scheme.contains(.dot) else {
        throw OAuthError(
          .invalidRedirectURI,
          "a private-use scheme must have a period, like a reversed domain name (RFC 8252 section 7.1), so that two apps"
            + " do not have the same; or register http://127.0.0.1/callback, which counts with any port (section 7.3)"
        )
      }
      portless = text
    }
  }

  /// Whether it leads to an app of the machine, and not to an address of the loopback.
  var hasPrivateScheme: Bool { !text.hasBytePrefix("http://") && !text.hasBytePrefix("https://") }

  /// Whether a request may name this URI, if `other` is registered.
  func isRegistered(as other: RedirectURI) -> Bool { portless.hasSameBytes(as: other.portless) }

  /// Returns the address of a redirect with these parameters, which follow a query that the URI has already (RFC 6749
  /// section 3.1.2).
  func adding(_ parameters: [(name: String, value: String)]) -> String {
    let query = parameters.map { PercentText.encodedForm($0.name) + "=" + PercentText.encodedForm($0.value) }
    return text + (text.utf8.contains(.questionMark) ? "&" : "?") + query.joined(separator: "&")
  }

  private static let refused = OAuthError(
    .invalidRedirectURI,
    "each redirect URI must be http or https to a loopback name, or have a private-use scheme with a period"
      + " (RFC 8252), and no fragment")

  /// The parameters of a response (RFC 6749 sections 4.1.2 and 4.1.2.1, RFC 9207 section 2).
  private static let responseNames = ["code", "state", "iss", "error", "error_description", "error_uri"]

  /// The characters of a URI (RFC 3986 section 2) without `#`, and without those that have a meaning in a header of ours.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || "-._~:/?[]@!$&()*+=%".utf8.contains(byte)
  }

  /// RFC 3986 section 3.1.
  private static func isScheme(_ scheme: ArraySlice<UInt8>) -> Bool {
    guard let first = scheme.first, first.isLetterOrDigit, !first.isDecimalDigit else { return false }
    return scheme.allSatisfy { $0.isLetterOrDigit || "+-.".utf8.contains($0) }
  }
}
