/// A JWS algorithm this library verifies; `none` cannot be represented.
///
/// Names are compared byte for byte: "rs256" and "noNE" are not algorithms (RFC 8725 section 3.1).
package enum Algorithm: String, CaseIterable, Sendable {
  case rs256 = "RS256", rs384 = "RS384", rs512 = "RS512"
  case ps256 = "PS256", ps384 = "PS384", ps512 = "PS512"
  case es256 = "ES256", es384 = "ES384", es512 = "ES512"
  case edDSA = "EdDSA", ed25519 = "Ed25519"
  case hs256 = "HS256", hs384 = "HS384", hs512 = "HS512"

  /// The algorithm with this name; `nil` for every other name.
  init?(utf8: some Collection<UInt8>) {
    guard let match = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(utf8) }) else { return nil }
    self = match
  }

  /// Whether the same secret creates and verifies signatures.
  package var isSymmetric: Bool { scheme.keyType == .oct }

  /// Whether both names mean the same signature: `EdDSA` with the only curve accepted here is `Ed25519`
  /// (RFC 9864 section 2.2).
  package func isSameSignature(as other: Algorithm) -> Bool {
    self == other || scheme.keyType == .okp && other.scheme.keyType == .okp
  }

  /// The shortest secret in bytes (RFC 7518 section 3.2), of an algorithm with a secret.
  package var minimumSecretBytes: Int { scheme.digest.bytes }

  /// The names of all algorithms with a secret, in a sentence.
  package static var symmetricNames: String {
    var names = allCases.filter { $0.isSymmetric }.map { $0.rawValue }
    let last = names.removeLast()
    return names.joined(separator: ", ") + " or " + last
  }

  /// The table of all algorithms. Schema, help and messages have no other list.
  var scheme: SignatureScheme {
    switch self {
    // RFC 7518 section 3.3.
    case .rs256: SignatureScheme(.rsa, .sha256, .pkcs1)
    case .rs384: SignatureScheme(.rsa, .sha384, .pkcs1)
    case .rs512: SignatureScheme(.rsa, .sha512, .pkcs1)
    // RFC 7518 section 3.5.
    case .ps256: SignatureScheme(.rsa, .sha256, .pss)
    case .ps384: SignatureScheme(.rsa, .sha384, .pss)
    case .ps512: SignatureScheme(.rsa, .sha512, .pss)
    // RFC 7518 section 3.4.
    case .es256: SignatureScheme(.ec(.p256), .sha256, .ecdsa)
    case .es384: SignatureScheme(.ec(.p384), .sha384, .ecdsa)
    case .es512: SignatureScheme(.ec(.p521), .sha512, .ecdsa)
    // RFC 8037 section 3.1 and RFC 9864 section 2.2.
    case .edDSA, .ed25519: SignatureScheme(.okp, .sha512, .edDSA)
    // RFC 7518 section 3.2.
    case .hs256: SignatureScheme(.oct, .sha256, .hmac)
    case .hs384: SignatureScheme(.oct, .sha384, .hmac)
    case .hs512: SignatureScheme(.oct, .sha512, .hmac)
    }
  }
}

/// The properties of one algorithm's signatures.
struct SignatureScheme: Sendable {
  let keyType: KeyType
  let digest: DigestAlgorithm
  let padding: Padding

  enum Padding: Sendable { case pkcs1, pss, ecdsa, edDSA, hmac }

  init(_ keyType: KeyType, _ digest: DigestAlgorithm, _ padding: Padding) {
    self.keyType = keyType
    self.digest = digest
    self.padding = padding
  }

  /// The exact length in bytes of a signature by a key of this modulus length; every other length is rejected.
  func signatureBytes(modulusBytes: Int) -> Int {
    switch keyType {
    case .rsa: modulusBytes
    case .ec(let curve): 2 * curve.coordinateBytes
    case .okp: 64
    case .oct: digest.bytes
    }
  }
}

/// The key types of RFC 7518 section 6.1 and RFC 8037, with the curve if the algorithm defines it.
enum KeyType: Equatable, Sendable {
  case rsa
  case ec(Curve)
  /// Octet key pair on Ed25519, the only curve accepted.
  case okp
  case oct
}

/// The curves of RFC 7518 section 6.2.1.1.
enum Curve: String, CaseIterable, Sendable {
  case p256 = "P-256", p384 = "P-384", p521 = "P-521"

  /// Length of one coordinate, and of r and s, in bytes (RFC 7518 sections 3.4 and 6.2.1.2).
  var coordinateBytes: Int {
    switch self {
    case .p256: 32
    case .p384: 48
    case .p521: 66
    }
  }

  /// The group order n, big-endian in `coordinateBytes` bytes (SP 800-186 section 3.2.1).
  var order: [UInt8] {
    switch self {
    case .p256: Self.p256Order
    case .p384: Self.p384Order
    case .p521: Self.p521Order
    }
  }

  private static let p256Order = hexadecimal(
    "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
  private static let p384Order = hexadecimal(
    "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973")
  private static let p521Order = hexadecimal(
    "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa"
      + "51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409")

  private static func hexadecimal(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    for character in text.utf8 {
      let value = character < 0x40 ? character - 0x30 : character - 0x61 + 10
      if let digit = high {
        bytes.append(digit << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return bytes
  }
}

/// The hash functions of RFC 7518 section 3.1.
enum DigestAlgorithm: CaseIterable, Sendable {
  case sha256, sha384, sha512

  /// Length of the digest in bytes.
  var bytes: Int {
    switch self {
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }
}
