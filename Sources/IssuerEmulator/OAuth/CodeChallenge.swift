internal import Text
internal import Bytes
internal import JOSE

/// A challenge of Proof Key for Code Exchange with the method S256 (RFC 7636 section 4.2).
struct CodeChallenge: Equatable, Sendable {
  private let text: [UInt8]

  /// Parses the challenge of an authorization request.
  ///
  /// - Throws: `invalid_request` if it is missing, if the method is not `S256` (without a method, `plain` would count), or
  ///   for other than 43 characters of base64url (RFC 7636 section 4.4.1, OAuth 2.1 section 7.5).
  init(_ challenge: String?, method: String?) throws(OAuthError) {
    guard let challenge else {
      throw OAuthError(.invalidRequest, "code_challenge is missing: PKCE is required")
    }
    guard method == "S256" else {
      throw OAuthError(.invalidRequest, "code_challenge_method must be S256")
    }
    guard Self.isDigest(challenge) else {
      throw OAuthError(.invalidRequest, "code_challenge must be a SHA-256 in base64url")
    }
    text = Array(challenge.utf8)
  }

  /// Whether a text has the form of a SHA-256 in base64url: 43 characters.
  static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 43
      && text.utf8.allSatisfy { $0.isLetterOrDigit || $0 == .hyphen || $0 == .underscore }
  }

  /// Whether this is the challenge of a verifier, which has 43 to 128 unreserved characters (RFC 7636 section 4.1).
  func isMet(by verifier: String) -> Bool {
    let bytes = Array(verifier.utf8)
    guard 43...128 ~= bytes.count,
      bytes.allSatisfy({ $0.isLetterOrDigit || "-._~".utf8.contains($0) })
    else { return false }
    // Both are public, so the time of the comparison reveals nothing.
    return Base64URL.encode(SHA256Digest.of(bytes)) == text
  }
}
