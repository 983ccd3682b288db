import JSON

/// A member of `cnf` (RFC 7800 section 3.1) that binds a token to a key: a caller has to prove possession of that key.
public enum TokenBinding: String, CaseIterable, Sendable {
  /// The thumbprint of a public key; RFC 9449 section 6.1.
  case key = "jkt"
  /// The SHA-256 of a certificate; RFC 8705 section 3.1.
  case certificate = "x5t#S256"

  /// Both members are a SHA-256 of 32 bytes in base64url without padding.
  static let thumbprintCharacters = 43
}

/// What an issuer's configuration does with bound tokens.
public enum ProofOfPossession: String, CaseIterable, Sendable {
  /// A bound token is rejected with `boundToken`.
  case refuse
  /// `cnf` is not read: a bound token is accepted like any other.
  case ignore
}

extension ClaimReader {
  /// The bindings of a token, none where it is not bound. Other members of `cnf` are ignored.
  ///
  /// - Throws: `malformedClaim` where `cnf` is no object, or a binding is not 43 base64url characters.
  func bindings() throws(TokenRejection) -> [TokenBinding] {
    guard let confirmation = claims["cnf"] else { return [] }
    guard confirmation.kind == .object else { throw .malformedClaim("cnf") }
    var bindings: [TokenBinding] = []
    for binding in TokenBinding.allCases {
      guard let value = confirmation[binding.rawValue] else { continue }
      guard let text = value.utf8, text.count == TokenBinding.thumbprintCharacters,
        text.allSatisfy(Self.isBase64URL)
      else { throw .malformedClaim("cnf." + binding.rawValue) }
      bindings.append(binding)
    }
    return bindings
  }

  /// RFC 4648 section 5.
  private static func isBase64URL(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
    default: false
    }
  }
}
