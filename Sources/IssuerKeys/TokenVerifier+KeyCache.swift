package import JOSE

/// Why a candidate was not verified: the token was rejected, or its issuer's keys are unavailable.
package enum VerificationFailure: Error {
  case rejected(TokenRejection)
  /// No verdict is possible.
  case keysUnavailable

  /// The failure that a key lookup alone decides.
  package init(_ failure: KeyLookupFailure) {
    self = failure == .unavailable ? .keysUnavailable : .rejected(.unknownKey)
  }
}

extension TokenVerifier {
  /// Verifies a candidate with its issuer's key. If the signature does not match, and the issuer has published new
  /// material under the same key ID, verifies it with that.
  ///
  /// - Parameters:
  ///   - keys: hands out the keys, after at most two fetches.
  ///   - issuer: whose keys verify the candidate; `nil` for those at the position of its profile.
  package mutating func verify<Transport: KeyTransport>(
    _ candidate: CandidateToken, with keys: inout KeyCache<Transport>, of issuer: IssuerID? = nil,
    at time: InvocationTime
  ) throws(VerificationFailure) -> (token: VerifiedToken, key: VerificationKey) {
    let header = candidate.token.header
    let issuer = issuer ?? candidate.issuer
    let key: VerificationKey
    do throws(KeyLookupFailure) {
      key = try keys.key(of: issuer, header, at: time)
    } catch {
      throw VerificationFailure(error)
    }
    do throws(TokenRejection) {
      return (try verify(candidate, with: key, at: time.unixSeconds), key)
    } catch {
      guard error == .signatureMismatch else { throw .rejected(error) }
    }
    let other: VerificationKey?
    do throws(KeyLookupFailure) {
      other = try keys.keyAfterMismatch(of: issuer, header, key, at: time)
    } catch {
      throw VerificationFailure(error)
    }
    guard let other else { throw .rejected(.signatureMismatch) }
    do throws(TokenRejection) {
      return (try verify(candidate, with: other, at: time.unixSeconds), other)
    } catch {
      throw .rejected(error)
    }
  }
}
