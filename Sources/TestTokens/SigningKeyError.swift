/// Why a key cannot be made, read or used.
public enum SigningKeyError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The modulus asked for is outside of `SigningKey.modulusBits`.
  case modulusOutOfRange(bits: Int)
  /// The algorithm takes a secret that the caller gives; it cannot be generated.
  case secretNeeded(SigningAlgorithm)
  /// The key is not of the kind that the algorithm signs with.
  case algorithmDoesNotFitKey(SigningAlgorithm)
  /// A member of a private JWK is missing, of the wrong type, of the wrong length or not canonical.
  case malformedJWK(member: String)
  /// The private and the public half of a JWK do not belong together.
  case inconsistentJWK
  /// A function of libcrypto refused; `detail` is the library's own line.
  case libcrypto(function: String, detail: String)

  /// A stable name for tests and for `--json` output.
  public var code: String {
    switch self {
    case .modulusOutOfRange: "modulusOutOfRange"
    case .secretNeeded: "secretNeeded"
    case .algorithmDoesNotFitKey: "algorithmDoesNotFitKey"
    case .malformedJWK: "malformedJWK"
    case .inconsistentJWK: "inconsistentJWK"
    case .libcrypto: "libcrypto"
    }
  }

  /// One sentence for a person, without key material.
  public var description: String {
    switch self {
    case .modulusOutOfRange(let bits):
      "an RSA modulus of \(bits) bits is outside of \(SigningKey.modulusBits.lowerBound) to "
        + "\(SigningKey.modulusBits.upperBound)"
    case .secretNeeded(let algorithm): "\(algorithm.rawValue) signs with a secret that must be given"
    case .algorithmDoesNotFitKey(let algorithm): "the key is not one that \(algorithm.rawValue) signs with"
    case .malformedJWK(let member): "the member \(member) of a private JWK is missing or malformed"
    case .inconsistentJWK: "the halves of a private JWK do not belong together"
    case .libcrypto(let function, let detail): "\(function) failed: \(detail)"
    }
  }
}
