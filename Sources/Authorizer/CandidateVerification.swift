package import JOSE

/// Why a candidate was not verified: for what it is, or because its issuer's keys cannot be had.
package enum VerificationFailure: Error {
  /// What the token is refused for.
  case rejected(TokenRejection)
  /// Nothing can be said about it.
  case keysUnavailable
}

extension KeyCache {
  /// Verifies a candidate with its issuer's key; where the signature is not that key's, and the issuer has published new
  /// material under the same identifier, with that.
  ///
  /// - Parameters:
  ///   - issuer: the place of the issuer's keys in this cache.
  ///   - now: Unix seconds.
  ///   - budget: how long both fetches together may take, where any is needed.
  package mutating func verify(
    _ candidate: CandidateToken, by verifier: inout TokenVerifier, issuer: Int, at now: Int64,
    budget: FetchBudget
  ) throws(VerificationFailure) -> (token: VerifiedToken, key: VerificationKey) {
    let header = candidate.token.header
    let key: VerificationKey
    do throws(KeyLookupFailure) {
      key = try self.key(issuer: issuer, header, at: now, budget: budget)
    } catch {
      throw error == .unavailable ? .keysUnavailable : .rejected(.unknownKey)
    }
    do throws(TokenRejection) {
      return (try verifier.verify(candidate, with: key, at: now), key)
    } catch {
      guard error == .signatureMismatch else { throw .rejected(error) }
    }
    let other: VerificationKey?
    do throws(KeyLookupFailure) {
      other = try keyAfterMismatch(issuer: issuer, header, key, at: now, budget: budget)
    } catch {
      throw .keysUnavailable
    }
    guard let other else { throw .rejected(.signatureMismatch) }
    do throws(TokenRejection) {
      return (try verifier.verify(candidate, with: other, at: now), other)
    } catch {
      throw .rejected(error)
    }
  }
}
