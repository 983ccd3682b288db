/// The reason why a key cannot be generated, read or used.
package enum SigningKeyError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The requested modulus is outside `SigningKey.modulusBits`.
  case modulusOutOfRange(bits: Int)
  /// The algorithm needs a secret from the caller; a secret cannot be generated.
  case secretNeeded(SigningAlgorithm)
  /// The algorithm needs another kind of key.
  case algorithmDoesNotFitKey(SigningAlgorithm)
  /// A member of a private JWK is missing, of the wrong type, of the wrong length or not canonical.
  case malformedJWK(member: String)
  /// The private and the public half of a JWK do not match.
  case inconsistentJWK
  /// A function of libcrypto failed; `detail` is the library's error line.
  case libcrypto(function: String, detail: String)

  /// A description of the error, without key material.
  package var description: String {
    switch self {
    case .modulusOutOfRange(let bits):
      "an RSA modulus has \(SigningKey.modulusBits.lowerBound) to \(SigningKey.modulusBits.upperBound) bits, "
        + "not \(bits)"
    case .secretNeeded(let algorithm): "\(algorithm.rawValue) needs a secret, which cannot be generated"
    case .algorithmDoesNotFitKey(let algorithm): "\(algorithm.rawValue) needs another kind of key"
    case .malformedJWK(let member): "the member \(member) of a private JWK is missing or malformed"
    case .inconsistentJWK: "the public and private members of a private JWK do not match"
    case .libcrypto(let function, let detail): "\(function) failed: \(detail)"
    }
  }
}
