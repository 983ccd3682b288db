/// A public key that has passed the gate: of sound size and shape, and bound to the algorithms it may be used with.
public final class VerificationKey: Sendable {
  /// The identifier under which the key set publishes it, if it does.
  public let keyID: [UInt8]?
  /// What it may be used with: the JWK's `alg` alone where it has one, else what fits its type.
  public let algorithms: [Algorithm]
  /// Bits of the modulus or of the curve.
  public let bits: Int
  /// What is unusual about how the key set writes it.
  public let spellings: [KeySpelling]
  /// What tells it from other keys.
  let material: KeyMaterial
  let handle: PublicKeyHandle

  /// Length of an RSA modulus, and so of its signatures, in bytes; 0 for other types.
  var modulusBytes: Int {
    if case .rsa(let modulus, _) = material { modulus.count } else { 0 }
  }

  /// Its key type, with the curve where it has one: `RSA`, `EC P-256`, `OKP Ed25519`.
  public var type: String {
    switch algorithms.first?.scheme.keyType {
    case .rsa: "RSA"
    case .ec(let curve): "EC " + curve.rawValue
    case .okp: "OKP Ed25519"
    case .oct, nil: ""
    }
  }

  init(
    keyID: [UInt8]?, algorithms: [Algorithm], bits: Int, material: KeyMaterial, spellings: [KeySpelling],
    handle: PublicKeyHandle
  ) {
    self.keyID = keyID
    self.algorithms = algorithms
    self.bits = bits
    self.material = material
    self.spellings = spellings
    self.handle = handle
  }

  /// The same key for some of its algorithms.
  func limited(to algorithms: [Algorithm]) -> VerificationKey {
    VerificationKey(
      keyID: keyID, algorithms: self.algorithms.filter { algorithms.contains($0) }, bits: bits,
      material: material, spellings: spellings, handle: handle)
  }

  /// The same key for the algorithms of another member with its identifier and material too.
  func merged(with other: VerificationKey) -> VerificationKey {
    VerificationKey(
      keyID: keyID,
      algorithms: algorithms + other.algorithms.filter { !algorithms.contains($0) }, bits: bits,
      material: material, spellings: spellings + other.spellings.filter { !spellings.contains($0) },
      handle: handle)
  }
}

/// A secret shared with an issuer, for HMAC; it comes from configuration and can never come from a key set.
public struct SharedSecret: Sendable {
  /// The algorithms that the secret is long enough for.
  public let algorithms: [Algorithm]
  package let bytes: [UInt8]

  /// Why a secret is not used.
  public enum Flaw: Error, Equatable, Sendable {
    /// Shorter than the digest of `algorithm` (RFC 7518 section 3.2).
    case tooShort(algorithm: Algorithm, bytes: Int, minimum: Int)
    /// The text of a PEM file: a public key used as a secret is how algorithm confusion begins.
    case looksLikePEM
    /// No algorithm, or one that is not HMAC.
    case notHMAC

    /// What is wrong, for a person; never a part of the secret.
    public var description: String {
      switch self {
      case .tooShort(let algorithm, let bytes, let minimum):
        "\(bytes) bytes are too few for \(algorithm.rawValue), which needs \(minimum)"
      case .looksLikePEM: "a PEM file is a public or private key, not a secret"
      case .notHMAC: "a secret goes with HS256, HS384 or HS512 alone"
      }
    }
  }

  /// A secret for these algorithms.
  ///
  /// - Throws: `Flaw`.
  public init(_ bytes: [UInt8], for algorithms: [Algorithm]) throws(Flaw) {
    guard !algorithms.isEmpty, algorithms.allSatisfy({ $0.isSymmetric }) else { throw .notHMAC }
    let text = bytes.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if text.starts(with: "-----BEGIN".utf8) { throw .looksLikePEM }
    for algorithm in algorithms where bytes.count < algorithm.scheme.digest.bytes {
      throw .tooShort(algorithm: algorithm, bytes: bytes.count, minimum: algorithm.scheme.digest.bytes)
    }
    self.bytes = bytes
    self.algorithms = algorithms
  }
}
