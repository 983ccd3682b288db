/// A member of `cnf` (RFC 7800 section 3.1) that binds a token to a key. The caller must prove possession of that key.
package enum TokenBinding: String, CaseIterable, Sendable {
  /// The thumbprint of a public key; RFC 9449 section 6.1.
  case key = "jkt"
  /// The SHA-256 of a certificate; RFC 8705 section 3.1.
  case certificate = "x5t#S256"
}
