/// A sign-in whose token was verified and whose nonce fits: what a store is asked to keep.
public struct SignIn: Equatable, Sendable {
  /// `sub` of the token.
  public let subject: [UInt8]
  /// What the token and the request tell of the user.
  public let profile: UserProfile
  /// Whether the profile's address is a claim of the token, and not the request's.
  public let isEmailClaimed: Bool
  /// The identifier that the user gets where he is new, a fresh UUID.
  public let newIdentifier: [UInt8]
  /// The nonce that this sign-in uses up; `nil` where it has none.
  public let nonce: NonceUse?
  /// When it happens, in Unix milliseconds.
  public let milliseconds: Int64
  /// When its token was issued, in Unix milliseconds: a revocation that is not earlier refuses it. `nil` where the token
  /// does not say, so that any revocation does.
  public let issuedMilliseconds: Int64?

  /// A sign-in.
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

/// One use of a nonce. A store keeps its digest, never the nonce.
public struct NonceUse: Equatable, Sendable {
  /// SHA-256 of the nonce, 32 bytes.
  public let digest: [UInt8]
  /// Unix seconds from which on the nonce is refused for its age, so that its use need no longer be remembered.
  public let expiresAt: Int64

  /// A use of the nonce with this digest.
  public init(digest: [UInt8], expiresAt: Int64) {
    self.digest = digest
    self.expiresAt = expiresAt
  }
}

/// What became of a sign-in.
public enum SignInOutcome: Equatable, Sendable {
  /// The user is new.
  case created(User)
  /// The user was there; as he stands now.
  case found(User)
  /// Its nonce had been used before: nothing was stored.
  case nonceUsedBefore
  /// The user has withdrawn since the token was issued: nothing was stored.
  case revoked
}
