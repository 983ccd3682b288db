/// The numbers of a private key, big-endian, independent of any library.
enum KeyMaterial: Equatable, Sendable {
  case rsa(RSAKeyMaterial)
  case ellipticCurve(EllipticCurveKeyMaterial)
  case ed25519(Ed25519KeyMaterial)
  case secret([UInt8])

  var kind: SigningAlgorithm.KeyKind {
    switch self {
    case .rsa: .rsa
    case .ellipticCurve(let key): .ellipticCurve(key.curve)
    case .ed25519: .ed25519
    case .secret: .secret
    }
  }
}

/// A number of an RSA private key with two primes; the raw value is its JWK member (RFC 7518 section 6.3).
enum RSAComponent: String, CaseIterable, Sendable {
  case n, e, d, p, q, dp, dq, qi

  static let publicComponents: [RSAComponent] = [.n, .e]

  /// The name in OpenSSL's key parameters, EVP_PKEY-RSA(7).
  var parameterName: StaticString {
    switch self {
    case .n: "n"
    case .e: "e"
    case .d: "d"
    case .p: "rsa-factor1"
    case .q: "rsa-factor2"
    case .dp: "rsa-exponent1"
    case .dq: "rsa-exponent2"
    case .qi: "rsa-coefficient1"
    }
  }
}

/// All eight numbers of an RSA private key, each without leading zero bytes (Base64urlUInt, RFC 7518 section 2).
struct RSAKeyMaterial: Equatable, Sendable {
  private let numbers: [RSAComponent: [UInt8]]

  /// Calls `number` once for each component.
  init(_ number: (RSAComponent) throws(SigningKeyError) -> [UInt8]) throws(SigningKeyError) {
    var numbers: [RSAComponent: [UInt8]] = [:]
    for component in RSAComponent.allCases { numbers[component] = try number(component) }
    self.numbers = numbers
  }

  subscript(_ component: RSAComponent) -> [UInt8] { numbers[component, default: []] }
}

/// A point and its private number, each exactly `curve.coordinateByteCount` bytes long.
struct EllipticCurveKeyMaterial: Equatable, Sendable {
  let curve: EllipticCurve
  let x: [UInt8]
  let y: [UInt8]
  let d: [UInt8]
}

/// Both halves of an Ed25519 key (RFC 8032 section 5.1.5).
struct Ed25519KeyMaterial: Equatable, Sendable {
  /// Length of each half in bytes.
  static let byteCount = 32

  let x: [UInt8]
  let d: [UInt8]
}
