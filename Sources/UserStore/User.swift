/// A stored user: the subject and the data that Apple gave.
///
/// Texts are UTF-8 and compared as bytes.
package struct User: Equatable, Sendable {
  /// Our own identifier, a UUID in lower case (RFC 9562 section 5.4). Other tables should refer to it, since a
  /// subject changes when an app moves to another team (Apple, TN3159).
  package let identifier: [UInt8]
  /// `sub` of the user's identity tokens, 1 to 255 bytes. Users are looked up by it alone.
  package let subject: [UInt8]
  /// When they first signed in, in Unix milliseconds.
  package let createdMilliseconds: Int64
  /// Name, addresses and related data.
  package var profile: UserProfile
  /// Whether Apple's relay forwards mail to them; `nil` until Apple sends an event about it.
  package var relayForwards: Bool?

  /// Creates a stored user.
  package init(
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

/// Name and addresses of a user. Apple sends them only at the first sign-in, so later sign-ins do not erase them.
package struct UserProfile: Equatable, Sendable {
  /// The email address, from the token if it has one.
  package var email: [UInt8]?
  /// Whether the last token declared this address verified; false for an address from the request.
  package var isEmailVerified = false
  /// The last known address at Apple's relay, if they hide their own.
  package var relayEmail: [UInt8]?
  /// The first name.
  package var givenName: [UInt8]?
  /// The last name.
  package var familyName: [UInt8]?
  /// `transfer_sub`, which tokens have for 60 days after an app moves to another team (Apple, TN3159).
  package var transferSubject: [UInt8]?

  /// Creates an empty profile.
  package init() {}

  /// Whether a name is known, so that an app need not ask for it.
  package var isComplete: Bool { givenName != nil || familyName != nil }

  /// The profile after another sign-in. The first known name stays; relay address and transfer subject follow the
  /// latest sign-in.
  ///
  /// The first address stays until a token has another verified address. A token with another address, or with the
  /// same address and without `email_verified`, makes the known address unverified.
  package func updated(by signIn: SignIn) -> UserProfile {
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
