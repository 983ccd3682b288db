import JOSE
import JSON
import UserStore

extension AccountEvent {
  /// The account event of a verified notification; `nil` if this version does not know the event.
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
    // Every notification has `iat`: the preset requires it.
    let signed = token.claims["iat"]?.number?.bounds?.ceiling ?? receivedMilliseconds / 1000
    self.init(
      identifier: notification.identifier, subject: notification.subject, kind: kind,
      eventMilliseconds: Self.moment(notification.eventMilliseconds, signedAt: signed),
      receivedMilliseconds: receivedMilliseconds)
  }

  /// The time of an event in Unix milliseconds, at most the end of the second in which Apple signed its notification.
  /// Otherwise a revocation dated 2100 would lock the user out until then.
  ///
  /// Apple documents milliseconds and shows seconds in its example. A value that would be before March 1973 is read
  /// as seconds, because a revocation dated 1970 would refuse no token.
  static func moment(_ time: Int64, signedAt signed: Int64) -> Int64 {
    let milliseconds = time < leastMilliseconds ? time * 1000 : time
    return min(milliseconds, signed * 1000 + 999)
  }

  /// In milliseconds March 1973, in seconds the year 5138.
  private static let leastMilliseconds: Int64 = 100_000_000_000
}
