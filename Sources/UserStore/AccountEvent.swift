/// An event about a user's account, from a verified notification of Apple's.
package struct AccountEvent: Equatable, Sendable {
  /// `jti` of the notification. Apple repeats a notification until it gets a 200; repetitions are ignored.
  package let identifier: [UInt8]
  /// The user, as in the `sub` of their identity tokens. The store may not know this user.
  package let subject: [UInt8]
  /// What happened.
  package let kind: Kind
  /// When it happened, in Unix milliseconds.
  package let eventMilliseconds: Int64
  /// When the notification was received, in Unix milliseconds.
  package let receivedMilliseconds: Int64

  package enum Kind: Equatable, Sendable {
    /// Consent withdrawn or account deleted: tokens issued up to then are refused.
    case revocation
    /// Apple's relay started or stopped forwarding mail.
    case relay(forwards: Bool)
  }

  package init(
    identifier: [UInt8], subject: [UInt8], kind: Kind, eventMilliseconds: Int64, receivedMilliseconds: Int64
  ) {
    self.identifier = identifier
    self.subject = subject
    self.kind = kind
    self.eventMilliseconds = eventMilliseconds
    self.receivedMilliseconds = receivedMilliseconds
  }

  /// Seconds that an event's identifier is remembered after receipt: 30 days, our own limit. Apple's notifications
  /// expire a day after they are signed, so none can be repeated later.
  package static let rememberedSeconds: Int64 = 30 * 86_400
}

/// The result of recording an event.
package enum Recording: Equatable, Sendable {
  /// It was stored.
  case recorded
  /// It had already been stored: nothing changed.
  case seenBefore
}
