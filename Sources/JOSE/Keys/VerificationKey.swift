/// A validated public key, bound to the algorithms it may be used with.
package final class VerificationKey: Sendable {
  /// The key's `kid` in the key set, if it has one.
  package let keyID: [UInt8]?
  /// The allowed algorithms: the JWK's `alg` if it has one, else all algorithms of its type.
  package let algorithms: [Algorithm]
  /// The size of the modulus or curve in bits.
  package let bits: Int
  /// Unusual encodings of the key in the key set.
  package let deviations: [EncodingDeviation]
  /// The numbers that distinguish the key from other keys.
  let material: KeyMaterial
  let handle: PublicKeyHandle

  /// The length in bytes of an RSA modulus, and therefore of its signatures; 0 for other types.
  var modulusBytes: Int {
    if case .rsa(let modulus, _) = material { modulus.count } else { 0 }
  }

  /// The key type, with the curve if it has one: `RSA`, `EC P-256`, `OKP Ed25519`.
  package var type: String {
    switch algorithms.first?.scheme.keyType {
    case .rsa: "RSA"
    case .ec(let curve): "EC " + curve.rawValue
    case .okp: "OKP Ed25519"
    case .oct, nil: ""
    }
  }

  init(
    keyID: [UInt8]?, algorithms: [Algorithm], bits: Int, material: KeyMaterial,
    deviations: [EncodingDeviation],
    handle: PublicKeyHandle
  ) {
    self.keyID = keyID
    self.algorithms = algorithms
    self.bits = bits
    self.material = material
    self.deviations = deviations
    self.handle = handle
  }

  /// Returns the key, limited to these algorithms.
  func limited(to algorithms: [Algorithm]) -> VerificationKey {
    VerificationKey(
      keyID: keyID, algorithms: self.algorithms.filter { algorithms.contains($0) }, bits: bits,
      material: material, deviations: deviations, handle: handle)
  }

  /// Returns the key with the algorithms of another member that has the same identifier and material.
  func merged(with other: VerificationKey) -> VerificationKey {
    VerificationKey(
      keyID: keyID,
      algorithms: algorithms + other.algorithms.filter { !algorithms.contains($0) }, bits: bits,
      material: material, deviations: deviations + other.deviations.filter { !deviations.contains($0) },
      handle: handle)
  }
}

/// A secret shared with an issuer, for HMAC. It comes from the configuration, never from a key set.
package struct SharedSecret: Sendable {
  /// The algorithms that the secret is long enough for.
  package let algorithms: [Algorithm]
  package let bytes: [UInt8]

  /// The reason why a secret is refused.
  package enum Flaw: Error, Equatable, Sendable {
    /// Shorter than the digest of `algorithm` (RFC 7518 section 3.2).
    case tooShort(algorithm: Algorithm, bytes: Int, minimum: Int)
    /// The text of a PEM file. A public key used as a secret would allow algorithm confusion.
    case looksLikePEM
    /// No algorithm, or one that is not HMAC.
    case notHMAC

    /// A description of the error. It never contains a part of the secret.
    package var description: String {
      switch self {
      case .tooShort(let algorithm, let bytes, let minimum):
        "\(bytes) bytes are too few for \(algorithm.rawValue), which needs \(minimum)"
      case .looksLikePEM: "a PEM file is a public or private key, not a secret"
      case .notHMAC: "a secret can be used only with " + Algorithm.symmetricNames
      }
    }
  }

  /// Creates a secret for these algorithms.
  ///
  /// - Throws: `Flaw`.
  package init(_ bytes: [UInt8], for algorithms: [Algorithm]) throws(Flaw) {
    guard !algorithms.isEmpty, algorithms.allSatisfy({ $0.isSymmetric }) else { throw .notHMAC }
    let text = bytes.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if text.starts(with: "-----BEGIN".utf8) { throw .looksLikePEM }
    for algorithm in algorithms where bytes.count < algorithm.minimumSecretBytes {
      throw .tooShort(algorithm: algorithm, bytes: bytes.count, minimum: algorithm.minimumSecretBytes)
    }
    self.bytes = bytes
    self.algorithms = algorithms
  }
}
