import JSON

/// The public key in the header of a proof, as far as it can be read without cryptography.
///
/// This is the only key that comes from a caller. It is a type of its own: no key cache and no token verifier accepts
/// it, and it proves nothing until its thumbprint equals the `cnf.jkt` of a verified token.
struct ProofKey: Sendable {
  private let value: JSONValue
  private let algorithm: Algorithm
  private let material: KeyMaterial

  /// Reads `jwk` (RFC 7515 section 4.1.3). Every number has its canonical form, as in a token: the thumbprint is a hash
  /// of that form.
  init(_ value: JSONValue?, for algorithm: Algorithm) throws(ProofFlaw) {
    guard let value, value.kind == .object else { throw .keyMissing }
    do throws(KeyFlaw) {
      if let flaw = JSONWebKey.privateFlaw(of: value) { throw flaw }
      var reader = KeyMaterialReader(value)
      material = try reader.material()
      if let deviation = reader.deviations.first { throw .malformedMember(deviation.member, .notBase64) }
      guard algorithm.scheme.keyType == material.type else { throw .algorithmMismatch }
    } catch {
      throw .keyRefused(error)
    }
    self.value = value
    self.algorithm = algorithm
  }

  /// The SHA-256 thumbprint of RFC 7638; `nil` if libcrypto fails.
  func thumbprint(_ digester: Digester) -> Thumbprint? {
    digester.digest(.sha256, of: material.thumbprintInput[...]).flatMap { Thumbprint(digest: $0) }
  }

  /// Checks the strength of the key, then the signature. The key and its context live as long as this call.
  ///
  /// - Parameter checks: is increased if libcrypto checks the signature.
  func checkSignature(of jws: CompactJWS, _ checks: inout Int) throws(ProofFlaw) {
    let key: VerificationKey
    do throws(KeyFlaw) {
      key = try JSONWebKey.key(value, policy: KeyPolicy())
    } catch {
      throw .keyUnusable(error)
    }
    var checker = SignatureChecker()
    defer { checks += checker.checks }
    guard checker.verifies(jws, with: .key(key)) else { throw .signatureMismatch }
  }
}

extension KeyMaterial {
  fileprivate var type: KeyType {
    switch self {
    case .rsa: .rsa
    case .ec(let curve, _, _): .ec(curve)
    case .ed25519: .okp
    }
  }
}
