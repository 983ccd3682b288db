/// A private key or a secret, with its `kid` and its algorithm.
///
/// Copies share one key of libcrypto, which does not change after its creation.
package struct SigningKey: Sendable {
  /// The `kid` of the token header and of the JWK.
  package let id: String
  /// The algorithm of the JWK, and the default algorithm of signatures.
  package let algorithm: SigningAlgorithm
  let material: KeyMaterial
  private let signer: LibcryptoKey?

  /// The allowed sizes of RSA keys in bits: from a size that every verifier must refuse (RFC 7518 section 3.3 requires
  /// 2048) to the largest size in use.
  package static let modulusBits = 1024...8192

  /// Generates a new key.
  ///
  /// - Parameters:
  ///   - algorithm: any but HS256, HS384 and HS512.
  ///   - id: the `kid`.
  ///   - modulusBits: the size of an RSA modulus in bits, within `SigningKey.modulusBits`; ignored for other
  ///     algorithms.
  /// - Throws: `modulusOutOfRange`, `secretNeeded`, or `libcrypto`.
  package static func generate(
    _ algorithm: SigningAlgorithm, id: String, modulusBits: Int = 2048
  ) throws(SigningKeyError) -> SigningKey {
    let key: LibcryptoKey
    switch algorithm.keyKind {
    case .rsa:
      guard Self.modulusBits.contains(modulusBits) else { throw .modulusOutOfRange(bits: modulusBits) }
      key = try LibcryptoKey.generateRSA(modulusBits: modulusBits)
    case .ellipticCurve(let curve): key = try LibcryptoKey.generate(on: curve)
    case .ed25519: key = try LibcryptoKey.generateEd25519()
    case .secret: throw .secretNeeded(algorithm)
    }
    return SigningKey(id: id, algorithm: algorithm, material: try key.material(), signer: key)
  }

  /// The JWS signature of a signing input (RFC 7515 section 5.1): raw `r‖s` for ES* (RFC 7518 section 3.4).
  ///
  /// - Parameters:
  ///   - bytes: `header.payload` in ASCII.
  ///   - algorithm: another algorithm for the same kind of key, such as PS256 with a key for RS256.
  /// - Throws: `algorithmDoesNotFitKey`, or `libcrypto` if the modulus is too small for the algorithm.
  package func signature(
    over bytes: [UInt8], using algorithm: SigningAlgorithm? = nil
  ) throws(SigningKeyError) -> [UInt8] {
    let algorithm = algorithm ?? self.algorithm
    switch (material, signer, algorithm.hash) {
    case (.secret(let secret), _, let hash?) where algorithm.keyKind == .secret:
      return try Libcrypto.authenticationCode(of: bytes, secret: secret, hash: hash)
    case (.ellipticCurve(let key), let signer?, _) where algorithm.keyKind == material.kind:
      return try signer.signature(over: bytes, algorithm, coordinateByteCount: key.curve.coordinateByteCount)
    case (_, let signer?, _) where algorithm.keyKind == material.kind:
      return try signer.signature(over: bytes, algorithm)
    default:
      throw .algorithmDoesNotFitKey(algorithm)
    }
  }

  /// The public key as PEM (`SubjectPublicKeyInfo`, RFC 5280 section 4.1), for other verifiers and for the attack
  /// that uses it as a secret; `nil` for a secret.
  ///
  /// - Throws: `libcrypto`.
  package func publicKeyPEM() throws(SigningKeyError) -> String? {
    guard let signer else { return nil }
    return String(decoding: try signer.publicKeyPEM(), as: UTF8.self)
  }

  /// The bytes of a secret; `nil` for a key pair.
  package var secret: [UInt8]? {
    guard case .secret(let bytes) = material else { return nil }
    return bytes
  }
}

extension SigningKey {
  /// Creates a key from a secret. Any length is allowed, since verifiers must be tested with secrets that are too
  /// short.
  ///
  /// - Throws: `algorithmDoesNotFitKey` unless the algorithm is HS256, HS384 or HS512.
  package init(secret: [UInt8], algorithm: SigningAlgorithm, id: String) throws(SigningKeyError) {
    try self.init(id: id, algorithm: algorithm, material: .secret(secret))
  }

  init(id: String, algorithm: SigningAlgorithm, material: KeyMaterial) throws(SigningKeyError) {
    guard material.kind == algorithm.keyKind else { throw .algorithmDoesNotFitKey(algorithm) }
    self.init(id: id, algorithm: algorithm, material: material, signer: try LibcryptoKey(material))
  }
}
