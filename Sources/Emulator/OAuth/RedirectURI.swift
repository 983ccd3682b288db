internal import Bytes

/// A redirect URI of a native app or of a page on this machine (RFC 8252 section 7).
///
/// Requests are compared with registered URIs byte by byte, except for the port of a loopback URI: a native app gets
/// its port from the operating system (RFC 8252 section 7.3, RFC 9700 section 2.1).
public struct RedirectURI: Equatable, Sendable {
  /// The URI as registered or requested.
  public let text: String
  /// The URI without the port of a loopback URI.
  private let portless: String
  /// The source of this URI in a Content Security Policy: scheme, host and port, or the scheme alone.
  let source: String

  /// Parses a URI; `nil` for anything but `http` or `https` to a loopback name, or a private-use scheme with a period
  /// (RFC 8252 sections 7.1 and 8.4). A fragment is not allowed (RFC 6749 section 3.1.2), and neither are names,
  /// passwords and characters that RFC 3986 does not have.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count <= OAuthLimits.addressBytes, bytes.allSatisfy(Self.isAllowed),
      let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    let scheme = bytes[..<colon]
    let rest = bytes[(colon + 1)...]
    self.text = text
    if scheme.elementsEqual("http".utf8) || scheme.elementsEqual("https".utf8) {
      guard rest.starts(with: "//".utf8) else { return nil }
      let authority = rest.dropFirst(2).prefix { $0 != .slash && $0 != .questionMark }
      let tail = rest.dropFirst(2 + authority.count)
      let host = String(decoding: authority, as: UTF8.self)
      guard LoopbackHost.isLoopback(host), let name = LoopbackHost.name(of: host) else { return nil }
      let start = String(decoding: scheme, as: UTF8.self) + "://"
      portless = start + name + String(decoding: tail, as: UTF8.self)
      source = start + host
    } else {
      guard Self.isPrivateUse(scheme), !rest.isEmpty else { return nil }
      portless = text
      source = String(decoding: scheme, as: UTF8.self) + ":"
    }
  }

  /// Whether a request may name this URI, if `other` is registered.
  func isRegistered(as other: RedirectURI) -> Bool { portless.hasSameBytes(as: other.portless) }

  /// Returns the address of a redirect with these parameters, which follow a query that the URI has already (RFC 6749
  /// section 3.1.2).
  func adding(_ parameters: [(name: String, value: String)]) -> String {
    let query = parameters.map { PercentText.encodedForm($0.name) + "=" + PercentText.encodedForm($0.value) }
    return text + (text.utf8.contains(.questionMark) ? "&" : "?") + query.joined(separator: "&")
  }

  /// The characters of a URI (RFC 3986 section 2) without `#`, and without those that have a meaning in a header of ours.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || "-._~:/?[]@!$&()*+=%".utf8.contains(byte)
  }

  /// RFC 3986 section 3.1, with the period that the reverse of a domain name has.
  private static func isPrivateUse(_ scheme: ArraySlice<UInt8>) -> Bool {
    guard let first = scheme.first, first.isLetterOrDigit, !first.isDecimalDigit, scheme.contains(.dot) else {
      return false
    }
    return scheme.allSatisfy { $0.isLetterOrDigit || "+-.".utf8.contains($0) }
  }
}
