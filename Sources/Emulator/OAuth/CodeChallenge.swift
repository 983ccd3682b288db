internal import Bytes

/// A challenge of Proof Key for Code Exchange with the method S256 (RFC 7636 section 4.2).
public struct CodeChallenge: Equatable, Sendable {
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
    let bytes = Array(challenge.utf8)
    guard bytes.count == 43, bytes.allSatisfy({ $0.isLetterOrDigit || $0 == .hyphen || $0 == .underscore })
    else { throw OAuthError(.invalidRequest, "code_challenge must be a SHA-256 in base64url") }
    text = bytes
  }

  /// Whether this is the challenge of a verifier, which has 43 to 128 unreserved characters (RFC 7636 section 4.1).
  func isMet(by verifier: String) -> Bool {
    let bytes = Array(verifier.utf8)
    guard 43...128 ~= bytes.count,
      bytes.allSatisfy({ $0.isLetterOrDigit || "-._~".utf8.contains($0) })
    else { return false }
    let digest = Base64Text.encoded(SHA256Digest.of(bytes)).replacing("+", with: "-")
      .replacing("/", with: "_").replacing("=", with: "")
    return SecretHash(of: digest) == SecretHash(of: String(decoding: text, as: UTF8.self))
  }
}
