/// A condition that distinguishes one kind of an issuer's tokens from its other tokens.
package enum ClaimRule: Equatable, Sendable {
  /// The claim is this string, else `wrongType`.
  case equals(String, String)
  /// The claim is absent, else `wrongType`.
  case absent(String)
  /// The claim is present, else `missingClaim`.
  case present(String)
  /// The claim is a string of at most this many bytes, else `malformedClaim`.
  case atMostBytes(String, Int)
  /// The claim is a NumericDate in the past, leeway included, else `issuedInFuture`.
  case inPast(String)
  /// If `aud` has several members and `azp` is present, `azp` must be a configured audience (OpenID Connect Core
  /// section 3.1.3.7), else `wrongAudience`.
  case authorizedParty
}
