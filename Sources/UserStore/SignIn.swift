/// A sign-in for the store, with a verified token and a matching nonce.
package struct SignIn: Equatable, Sendable {
  /// The token's `sub`.
  package let subject: [UInt8]
  /// The user's data from the token and the request.
  package let profile: UserProfile
  /// Whether the profile's address comes from a claim of the token, not from the request.
  package let isEmailClaimed: Bool
  /// The identifier of the user if they are new, a fresh UUID.
  package let newIdentifier: [UInt8]
  /// The nonce that this sign-in consumes; `nil` for none.
  package let nonce: NonceUse?
  /// When it happens, in Unix milliseconds.
  package let milliseconds: Int64
  /// When its token was issued, in Unix milliseconds: a revocation at this time or later refuses it. If `nil`, any
  /// revocation refuses it.
  package let issuedMilliseconds: Int64?

  package init(
    subject: [UInt8], profile: UserProfile, isEmailClaimed: Bool = false, newIdentifier: [UInt8],
    nonce: NonceUse?, milliseconds: Int64, issuedMilliseconds: Int64? = nil
  ) {
    self.subject = subject
    self.profile = profile
    self.isEmailClaimed = isEmailClaimed
    self.newIdentifier = newIdentifier
    self.nonce = nonce
    self.milliseconds = milliseconds
    self.issuedMilliseconds = issuedMilliseconds
  }

  /// Whether a revocation at this time, in Unix milliseconds, refuses the token.
  package func isRefused(byRevocationAt eventMilliseconds: Int64) -> Bool {
    guard let issuedMilliseconds else { return true }
    return issuedMilliseconds <= eventMilliseconds
  }
}

/// One use of a nonce. The store holds the digest, never the nonce.
package struct NonceUse: Equatable, Sendable {
  /// SHA-256 of the nonce, 32 bytes.
  package let digest: [UInt8]
  /// When its use can be forgotten because the nonce has expired, in Unix seconds.
  package let expiresAt: Int64

  /// Creates a use of the nonce with this digest.
  package init(digest: [UInt8], expiresAt: Int64) {
    self.digest = digest
    self.expiresAt = expiresAt
  }
}

/// The result of storing a sign-in.
package enum SignInOutcome: Equatable, Sendable {
  case created(User)
  /// The user existed; with their current data.
  case found(User)
  /// The nonce was used before: nothing was stored.
  case nonceUsedBefore
  /// The user withdrew consent after the token was issued: nothing was stored.
  case revoked
}
