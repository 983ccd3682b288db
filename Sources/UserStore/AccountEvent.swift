/// Something that Apple tells about a user's account, by a notification that was verified.
public struct AccountEvent: Equatable, Sendable {
  /// `jti` of the notification: Apple repeats one until it is answered with 200, and it counts once.
  public let identifier: [UInt8]
  /// The user, as in the `sub` of his identity tokens. He need not be known to us.
  public let subject: [UInt8]
  /// What happened.
  public let kind: Kind
  /// When it happened, in Unix milliseconds.
  public let eventMilliseconds: Int64
  /// When we were told, in Unix milliseconds.
  public let receivedMilliseconds: Int64

  /// What Apple tells of.
  public enum Kind: Equatable, Sendable {
    /// Consent withdrawn or account deleted: tokens that were issued until then are refused.
    case revocation
    /// The relay forwards mail, or no longer does.
    case relay(forwards: Bool)
  }

  /// An event.
  public init(
    identifier: [UInt8], subject: [UInt8], kind: Kind, eventMilliseconds: Int64, receivedMilliseconds: Int64
  ) {
    self.identifier = identifier
    self.subject = subject
    self.kind = kind
    self.eventMilliseconds = eventMilliseconds
    self.receivedMilliseconds = receivedMilliseconds
  }

  /// For how many seconds an event's identifier is remembered after it was received: 30 days, our own limit. Apple's
  /// notification expires a day after it was signed, so that none can come again later.
  public static let rememberedSeconds: Int64 = 30 * 86_400
}

/// What became of an event.
public enum Recording: Equatable, Sendable {
  /// It is kept.
  case recorded
  /// It was kept before: nothing was stored.
  case seenBefore
}
