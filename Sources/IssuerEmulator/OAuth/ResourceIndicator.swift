internal import Text
internal import Bytes

/// The resource that a token is for (RFC 8707 section 2): an absolute `http` or `https` URI without a user and a fragment. It
/// becomes the `aud` of the token as it is.
struct ResourceIndicator: Equatable, Sendable {
  /// The URI as requested.
  let text: String

  /// Parses the only `resource` of a request.
  ///
  /// - Throws: `invalid_target` for none, several, or another form.
  init(_ values: [String]) throws(OAuthError) {
    guard let text = values.first else {
      throw OAuthError(.invalidTarget, "resource is missing: name the URL of the server (RFC 8707)")
    }
    guard values.count == 1 else { throw OAuthError(.invalidTarget, "a token is for one resource") }
    let bytes = Array(text.utf8)
    let scheme = ["https://", "http://"].first { bytes.starts(with: $0.utf8) }
    let authority = scheme.map { bytes[$0.utf8.count...].prefix { $0 != .slash && $0 != .questionMark } }
    // RFC 3986 section 3.2: a name before the port, and neither user nor password.
    guard bytes.count <= OAuthLimits.addressBytes, let authority, let first = authority.first,
      first != UInt8(ascii: ":"), !authority.contains(UInt8(ascii: "@")),
      bytes.allSatisfy({ $0.isVisible && !"\"<>\\^`{|}#".utf8.contains($0) })
    else {
      throw OAuthError(
        .invalidTarget, "resource must be an absolute http or https URL without a user and a fragment")
    }
    self.text = text
  }

  static func == (left: Self, right: Self) -> Bool { left.text.hasSameBytes(as: right.text) }
}

/// A set of scopes in the order of the request (RFC 6749 section 3.3).
struct ScopeList: Equatable, Sendable {
  /// The scopes, without repetitions.
  let names: [String]

  private init(names: [String]) { self.names = names }

  /// Parses a list that is separated by single spaces.
  ///
  /// - Throws: `invalid_scope` for other characters than `scope-token` has, or if it is too long.
  init(_ text: String) throws(OAuthError) {
    guard text.utf8.count <= OAuthLimits.scopeBytes,
      text.utf8.allSatisfy({ $0 == .space || $0.isVisible && $0 != UInt8(ascii: "\"") && $0 != .backslash })
    else { throw OAuthError(.invalidScope, "scope has characters that RFC 6749 section 3.3 does not allow") }
    var names: [String] = []
    for name in text.splitBytes(at: " ") where !names.contains(String(name)) { names.append(String(name)) }
    self.names = names
  }

  /// The scopes that `chosen` has too.
  func limited(to chosen: [String]) -> ScopeList { ScopeList(names: names.filter(chosen.contains)) }

  func isContained(in other: ScopeList) -> Bool { names.allSatisfy(other.names.contains) }

  /// The scopes separated by spaces.
  var text: String { names.joined(separator: " ") }
}
