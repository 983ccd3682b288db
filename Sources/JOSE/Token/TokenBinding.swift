import JSON

/// A member of `cnf` (RFC 7800 section 3.1) that binds a token to a key. The caller must prove possession of that key.
public enum TokenBinding: String, CaseIterable, Sendable {
  /// The thumbprint of a public key; RFC 9449 section 6.1.
  case key = "jkt"
  /// The SHA-256 of a certificate; RFC 8705 section 3.1.
  case certificate = "x5t#S256"

  /// Both members are a SHA-256 of 32 bytes in base64url without padding.
  static let thumbprintCharacters = 43
}

/// The handling of bound tokens, set in the issuer's configuration.
public enum ProofOfPossession: String, CaseIterable, Sendable {
  /// A bound token is rejected with `boundToken`.
  case refuse
  /// `cnf` is not read: a bound token is accepted like any other.
  case ignore
}

extension ClaimReader {
  /// The bindings of a token; empty if it is not bound. Other members of `cnf` are ignored.
  ///
  /// - Throws: `malformedClaim` if `cnf` is not an object, or if a binding is not 43 base64url characters.
  func bindings() throws(TokenRejection) -> [TokenBinding] {
    guard let confirmation = claims["cnf"] else { return [] }
    guard confirmation.kind == .object else { throw .malformedClaim("cnf") }
    var bindings: [TokenBinding] = []
    for binding in TokenBinding.allCases {
      guard let value = confirmation[binding.rawValue] else { continue }
      guard let text = value.utf8, text.count == TokenBinding.thumbprintCharacters,
        Base64URL.end(in: text, from: 0) == text.count
      else { throw .malformedClaim("cnf." + binding.rawValue) }
      bindings.append(binding)
    }
    return bindings
  }
}
