import JSON

/// The checks of `exp`, `nbf` and `iat` (RFC 7519 sections 4.1.4 to 4.1.6), each with the issuer's leeway.
extension IssuerProfile {
  /// `exp`; the latest date for a token that need not have it.
  func expiry(of claims: ClaimReader) throws(TokenRejection) -> Int64 {
    guard !requiresExpiry, claims.claims["exp"] == nil else { return try claims.expiry() }
    return ClaimReader.latestDate
  }

  /// Checks `exp`. A token is expired "on or after" `exp`, so equality means expired.
  func checkExpiry(_ expiry: Int64, now: Int64) throws(TokenRejection) {
    guard now < expiry + leewaySeconds else { throw .expired(at: expiry, now: now) }
  }

  func checkNotBefore(_ start: Int64?, now: Int64) throws(TokenRejection) {
    if let start, start > now + leewaySeconds { throw .notYetValid(from: start, now: now) }
  }

  func checkIssuedAt(_ issued: Int64?, now: Int64) throws(TokenRejection) {
    if let issued, issued > now + leewaySeconds { throw .issuedInFuture(at: issued, now: now) }
  }

  /// Checks the lifetime, which requires `iat`.
  func checkLifetime(expiry: Int64, issued: Int64?, limit: Int64) throws(TokenRejection) {
    guard let issued else { throw .missingClaim("iat") }
    guard expiry - issued <= limit + leewaySeconds else {
      throw .lifetimeTooLong(seconds: expiry - issued, limit: limit)
    }
  }

  func checkAge(issued: Int64?, now: Int64, limit: Int64) throws(TokenRejection) {
    guard let issued else { throw .missingClaim("iat") }
    guard now - issued <= limit + leewaySeconds else {
      throw .tooOld(seconds: now - issued, limit: limit)
    }
  }
}
