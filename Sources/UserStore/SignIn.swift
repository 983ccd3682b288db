/// A sign-in for the store, with a verified token and a matching nonce.
public struct SignIn: Equatable, Sendable {
  /// The token's `sub`.
  public let subject: [UInt8]
  /// The user's data from the token and the request.
  public let profile: UserProfile
  /// Whether the profile's address comes from a claim of the token, not from the request.
  public let isEmailClaimed: Bool
  /// The identifier of the user if they are new, a fresh UUID.
  public let newIdentifier: [UInt8]
  /// The nonce that this sign-in consumes; `nil` for none.
  public let nonce: NonceUse?
  /// When it happens, in Unix milliseconds.
  public let milliseconds: Int64
  /// When its token was issued, in Unix milliseconds: a revocation at this time or later refuses it. If `nil`, any
  /// revocation refuses it.
  public let issuedMilliseconds: Int64?

  /// Creates a sign-in.
  public init(
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
  public func isRefused(byRevocationAt eventMilliseconds: Int64) -> Bool {
    guard let issuedMilliseconds else { return true }
    return issuedMilliseconds <= eventMilliseconds
  }
}

/// One use of a nonce. The store holds the digest, never the nonce.
public struct NonceUse: Equatable, Sendable {
  /// SHA-256 of the nonce, 32 bytes.
  public let digest: [UInt8]
  /// When its use can be forgotten because the nonce has expired, in Unix seconds.
  public let expiresAt: Int64

  /// Creates a use of the nonce with this digest.
  public init(digest: [UInt8], expiresAt: Int64) {
    self.digest = digest
    self.expiresAt = expiresAt
  }
}

/// The result of storing a sign-in.
public enum SignInOutcome: Equatable, Sendable {
  /// The user is new.
  case created(User)
  /// The user existed; with their current data.
  case found(User)
  /// The nonce was used before: nothing was stored.
  case nonceUsedBefore
  /// The user withdrew consent after the token was issued: nothing was stored.
  case revoked
}
