/// The proofs of token requests that were used (RFC 9449 section 11.1).
struct UsedProofs: Sendable {
  /// The time in seconds since 1970 at which each expires.
  private var expiries: [[UInt8]: Int64] = [:]

  /// Marks a proof as used.
  ///
  /// - Throws: `invalid_dpop_proof` if it was used before, and `temporarily_unavailable` at the limit: to forget a proof
  ///   would let it be used again.
  mutating func add(_ proof: TokenRequest.Proof, at now: Int64) throws(OAuthError) {
    expiries = expiries.filter { now <= $0.value }
    guard expiries[proof.fingerprint] == nil else {
      throw OAuthError(.invalidProof, "the proof was used before")
    }
    guard expiries.count < OAuthLimits.proofs else {
      throw OAuthError(
        .temporarilyUnavailable,
        "\(OAuthLimits.proofs) proofs are remembered, which is the limit; try again later")
    }
    expiries[proof.fingerprint] = proof.expiry
  }
}
