/// A verified proof of a token request (RFC 9449 section 5): the sender has the key to which its tokens will be bound.
///
/// For authorization servers; the functions are none.
package struct TokenRequestProof: Sendable {
  /// The thumbprint of the key.
  package let thumbprint: Thumbprint
  /// The SHA-256 of thumbprint and `jti`: the same proof again has the same one.
  package let fingerprint: [UInt8]

  /// Verifies a proof, which has no `ath`. Makes at most one signature check.
  ///
  /// - Parameters:
  ///   - text: the value of the `DPoP` header.
  ///   - target: the token request.
  ///   - now: Unix seconds.
  /// - Throws: `ProofFlaw` for the first check that fails.
  package init(
    _ text: [UInt8], for target: ProofTarget?, _ policy: ProofPolicy, at now: Int64
  ) throws(ProofFlaw) {
    let proof = try DPoPProof(parsing: text, algorithms: policy.algorithms, hasToken: false)
    guard let target else { throw .requestUnknown }
    guard proof.method == target.method else { throw .wrongMethod }
    guard target.path.isPath(of: proof.url), target.origins.contains(proof.url.origin) else {
      throw .wrongURL
    }
    try proof.times.check(policy, at: now)
    var checks = 0
    try proof.key.checkSignature(of: proof.jws, &checks)
    guard let digester = Digester(), let thumbprint = proof.key.thumbprint(digester),
      let fingerprint = digester.digest(.sha256, of: (thumbprint.text + proof.identifier)[...])
    else { throw .signatureMismatch }
    self.thumbprint = thumbprint
    self.fingerprint = fingerprint
  }
}
