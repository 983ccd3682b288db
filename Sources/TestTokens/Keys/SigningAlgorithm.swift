/// A JWS algorithm of development keys (RFC 7518 section 3.1, RFC 8037 section 3.1).
///
/// The raw value is the registered name. `none` is not included: a recipe sets it in the header.
package enum SigningAlgorithm: String, CaseIterable, Sendable {
  // RSASSA-PKCS1-v1_5.
  case rs256 = "RS256"
  case rs384 = "RS384"
  case rs512 = "RS512"
  // RSASSA-PSS, whose salt is as long as the hash; MGF1 uses the same hash.
  case ps256 = "PS256"
  case ps384 = "PS384"
  case ps512 = "PS512"
  // ECDSA on P-256, P-384 and P-521.
  case es256 = "ES256"
  case es384 = "ES384"
  case es512 = "ES512"
  /// Ed25519 (RFC 8032) with the name of RFC 8037.
  case edDSA = "EdDSA"
  // HMAC.
  case hs256 = "HS256"
  case hs384 = "HS384"
  case hs512 = "HS512"

  /// The kind of key that the algorithm needs.
  enum KeyKind: Equatable, Sendable {
    case rsa
    case ellipticCurve(EllipticCurve)
    case ed25519
    case secret
  }

  /// The hash that the algorithm applies to the signing input; Ed25519 uses its own internally.
  enum Hash: Sendable {
    case sha256, sha384, sha512

    /// The length of the hash in bytes, which is also the minimum length of an HMAC secret (RFC 7518 section 3.2).
    var byteCount: Int {
      switch self {
      case .sha256: 32
      case .sha384: 48
      case .sha512: 64
      }
    }
  }

  var keyKind: KeyKind { scheme.keyKind }

  var hash: Hash? { scheme.hash }

  var isPSS: Bool { scheme.isPSS }

  /// The table of all algorithms.
  private var scheme: (keyKind: KeyKind, hash: Hash?, isPSS: Bool) {
    switch self {
    case .rs256: (.rsa, .sha256, false)
    case .rs384: (.rsa, .sha384, false)
    case .rs512: (.rsa, .sha512, false)
    case .ps256: (.rsa, .sha256, true)
    case .ps384: (.rsa, .sha384, true)
    case .ps512: (.rsa, .sha512, true)
    case .es256: (.ellipticCurve(.p256), .sha256, false)
    case .es384: (.ellipticCurve(.p384), .sha384, false)
    case .es512: (.ellipticCurve(.p521), .sha512, false)
    case .edDSA: (.ed25519, nil, false)
    case .hs256: (.secret, .sha256, false)
    case .hs384: (.secret, .sha384, false)
    case .hs512: (.secret, .sha512, false)
    }
  }
}

/// A curve of RFC 7518 section 6.2.1.1; the raw value is both the `crv` of a JWK and OpenSSL's group name.
enum EllipticCurve: String, CaseIterable, Sendable {
  case p256 = "P-256"
  case p384 = "P-384"
  case p521 = "P-521"

  /// Length in bytes of a coordinate, of `d`, and of each half of a signature (RFC 7518 sections 3.4 and 6.2).
  var coordinateByteCount: Int { (bitCount + 7) / 8 }

  /// The only algorithm for this curve (RFC 7518 section 3.4).
  var algorithm: SigningAlgorithm {
    switch self {
    case .p256: .es256
    case .p384: .es384
    case .p521: .es512
    }
  }

  /// The size of the group's order in bits.
  var bitCount: Int {
    switch self {
    case .p256: 256
    case .p384: 384
    case .p521: 521
    }
  }
}
