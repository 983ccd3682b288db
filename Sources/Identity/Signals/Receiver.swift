import Bytes
package import IssuerKeys
import JOSE

/// A sender of logout tokens or security event tokens, such as an identity provider, and whose users it may end.
package struct Receiver: Sendable {
  /// The name in its routes, and in the log.
  package let name: String
  /// The authorizer's issuers whose users the sender may end, each the first `issuer` of its entry.
  package let users: [String]
  /// The source of the sender's keys, which are never secrets.
  package let keys: KeySource
  /// `iss` of the sender's tokens.
  let issuer: String
  /// The profile of logout tokens; `nil` if they are not accepted.
  let logout: IssuerProfile?
  /// The profile of security event tokens; `nil` if they are not accepted.
  let events: IssuerProfile?
  /// The expected value of `Authorization`; `nil` if any request is read.
  let authorization: KnownText?

  /// 10, our own limit: one transaction ends them all, with two items for a user of Apple (DynamoDB: 100 items).
  package static let maximumUsers = 10
  /// Seconds from `iat` in which a message is taken: a day less than its `jti` is remembered, as clocks may differ (our
  /// own limit). A later repetition would be taken for a new message, and undo what an operator has undone.
  static let maximumAgeSeconds: Int64 = 29 * 86_400
  /// The number of receivers, our own limit: each start may fetch the keys of all.
  package static let maximumReceivers = 20

  /// The issuer of `users` that this one means, with or without a slash at its end; `nil` if the sender may not end its
  /// users.
  func userIssuer(_ issuer: [UInt8]) -> [UInt8]? {
    users.first { Self.isSame(Array($0.utf8), issuer) }.map { Array($0.utf8) }
  }

  /// The issuers whose users a logout token ends: the sender itself if it has users of its own, else all.
  var loggedOutIssuers: [[UInt8]] {
    userIssuer(Array(issuer.utf8)).map { [$0] } ?? users.map { Array($0.utf8) }
  }

  /// The time from which a user's tokens end, in Unix milliseconds (docs/contributing/decisions/0018-clocks.md). That of
  /// the event is one of the sender's clock. Tokens of another issuer have the time of another clock, so that an event
  /// that is told at once counts until now.
  func time(of event: Int64, of issuer: [UInt8], receivedAt now: Int64) -> Int64 {
    Self.isSame(issuer, Array(self.issuer.utf8)) || now - event > IssuerProfile.maximumLeewaySeconds * 1000
      ? event : max(event, now)
  }

  /// Whether two spellings of an issuer differ at most by one slash at the end.
  package static func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    withoutSlash(left).elementsEqual(withoutSlash(right))
  }

  private static func withoutSlash(_ issuer: [UInt8]) -> ArraySlice<UInt8> {
    issuer.last == .slash ? issuer.dropLast() : issuer[...]
  }
}

/// What a sender sends.
package enum SignalKind: String, CaseIterable, Sendable {
  /// OpenID Connect Back-Channel Logout 1.0.
  case logout = "back-channel-logout"
  /// Push delivery of security event tokens (RFC 8935).
  case event = "security-event-token"
}
