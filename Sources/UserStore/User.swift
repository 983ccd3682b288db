/// A user of ours: whoever signed in with this subject first, and what Apple told of him then.
///
/// Texts are UTF-8 and compared as bytes.
public struct User: Equatable, Sendable {
  /// Our own identifier, a UUID in lower case (RFC 9562 section 5.4): what other tables should refer to, since a subject
  /// changes when an app moves to another team (Apple, TN3159).
  public let identifier: [UInt8]
  /// `sub` of his identity tokens, 1 to 255 bytes: the only thing that he is found by.
  public let subject: [UInt8]
  /// When he first signed in, in Unix milliseconds.
  public let createdMilliseconds: Int64
  /// What is known of him.
  public var profile: UserProfile
  /// Whether Apple's relay forwards mail to him; `nil` until Apple says so.
  public var relayForwards: Bool?

  /// A user as a store keeps him.
  public init(
    identifier: [UInt8], subject: [UInt8], createdMilliseconds: Int64, profile: UserProfile,
    relayForwards: Bool? = nil
  ) {
    self.identifier = identifier
    self.subject = subject
    self.createdMilliseconds = createdMilliseconds
    self.profile = profile
    self.relayForwards = relayForwards
  }
}

/// What a sign-in tells of a user. Apple gives name and address the first time only, so what is known is kept.
public struct UserProfile: Equatable, Sendable {
  /// His address; of the token where it has one.
  public var email: [UInt8]?
  /// Whether Apple vouches for this very address, as far as its last token says: false for one that came beside the token.
  public var isEmailVerified = false
  /// The address of Apple's relay that was seen last, where he hides his own.
  public var relayEmail: [UInt8]?
  /// His first name.
  public var givenName: [UInt8]?
  /// His last name.
  public var familyName: [UInt8]?
  /// `transfer_sub`, seen for 60 days after an app has moved to another team (Apple, TN3159).
  public var transferSubject: [UInt8]?

  /// Nothing known.
  public init() {}

  /// Whether a name is known: then an app need not ask for one.
  public var isComplete: Bool { givenName != nil || familyName != nil }

  /// What is known after another sign-in: the first name stays, the keys that help to find a user again follow the latest
  /// one.
  ///
  /// The first address stays until a token has another one that Apple vouches for. A token with another address, or with
  /// the same one and without `email_verified`, ends Apple's word for the address that is known.
  public func updated(by signIn: SignIn) -> UserProfile {
    let later = signIn.profile
    var merged = self
    if email == nil || (later.email != nil && later.isEmailVerified) {
      merged.email = later.email
      merged.isEmailVerified = later.isEmailVerified
    } else if later.email != nil, signIn.isEmailClaimed {
      merged.isEmailVerified = false
    }
    if !isComplete {
      merged.givenName = later.givenName
      merged.familyName = later.familyName
    }
    merged.relayEmail = later.relayEmail ?? relayEmail
    merged.transferSubject = later.transferSubject ?? transferSubject
    return merged
  }
}
