import JOSE
import JSON
import UserStore

extension AccountEvent {
  /// What a verified notification tells; `nil` for an event that this version does not know.
  ///
  /// - Parameter receivedMilliseconds: Unix milliseconds.
  init?(_ notification: AppleNotification, _ token: VerifiedToken, receivedMilliseconds: Int64) {
    let kind: Kind
    switch notification.event {
    case .consentRevoked, .accountDeleted: kind = .revocation
    case .emailEnabled: kind = .relay(forwards: true)
    case .emailDisabled: kind = .relay(forwards: false)
    case .unknown: return nil
    }
    // Every notification says when it was signed: the preset asks for it.
    let signed = token.claims["iat"]?.number?.bounds?.ceiling ?? receivedMilliseconds / 1000
    self.init(
      identifier: notification.identifier, subject: notification.subject, kind: kind,
      eventMilliseconds: Self.moment(notification.eventMilliseconds, signedAt: signed),
      receivedMilliseconds: receivedMilliseconds)
  }

  /// The moment of an event, in Unix milliseconds: never after the second in which Apple signed the notification of it, for a
  /// revocation of the year 2100 would lock its user out till then.
  ///
  /// Apple documents milliseconds and shows seconds in its example. What would be a moment before March 1973 is taken for
  /// seconds, for a revocation of the year 1970 would refuse no token.
  static func moment(_ time: Int64, signedAt signed: Int64) -> Int64 {
    let milliseconds = time < leastMilliseconds ? time * 1000 : time
    return min(milliseconds, signed * 1000 + 999)
  }

  /// A hundred thousand million: as seconds the year 5138.
  private static let leastMilliseconds: Int64 = 100_000_000_000
}
