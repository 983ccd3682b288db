import Bytes
import JOSE
package import Withdrawals

/// What one message of a sender, or one request of a user, withdraws. Stored as a whole or not at all.
package struct WithdrawalOrder: Equatable, Sendable {
  /// Identifies the message, so that a repetition changes nothing; `nil` for a request of a user.
  package let identifier: [UInt8]?
  /// At least one.
  package let withdrawals: [Withdrawal]
  /// When the message was received, in Unix milliseconds.
  package let receivedMilliseconds: Int64

  package init(identifier: [UInt8]?, _ withdrawals: [Withdrawal], receivedMilliseconds: Int64) {
    self.identifier = identifier
    self.withdrawals = withdrawals
    self.receivedMilliseconds = receivedMilliseconds
  }

  /// The order of a notification of Apple's that revokes a user.
  package init(revoking event: AccountEvent) {
    self.init(
      identifier: event.identifier,
      [Withdrawal(.apple(event.subject), eventMilliseconds: event.eventMilliseconds)],
      receivedMilliseconds: event.receivedMilliseconds)
  }

  /// The identifier of a message with this `jti`: two receivers may get the same one, and so may two kinds of message.
  /// `nil` if libcrypto fails.
  ///
  /// Earlier versions left the kind out. A message that they received is stored again if it is repeated, which changes
  /// nothing: its event is the same. Only what an operator has undone since then ends again.
  package static func identifier(receiver: String, kind: String, jti: [UInt8]) -> [UInt8]? {
    Fingerprint.sha256(of: [Array(receiver.utf8), Array(kind.utf8), jti])
      .map { Array("2#".utf8) + $0.hexadecimal }
  }
}

extension WithdrawalKey {
  /// The key of a user of Sign in with Apple.
  package static func apple(_ subject: [UInt8]) -> WithdrawalKey {
    WithdrawalKey(issuer: Array(IssuerPreset.appleIssuer.utf8), kind: .subject, value: subject)
  }

  /// Whether this is a key of Apple's, whose users are stored in both forms.
  package var isOfApple: Bool { issuer.elementsEqual(IssuerPreset.appleIssuer.utf8) }

  /// Whether the withdrawal has the first form too.
  package var hasFirstForm: Bool {
    isOfApple && kind == .subject && Self.firstItemKey(of: value) != nil
  }
}
