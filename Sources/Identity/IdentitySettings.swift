package import IssuerKeys
import JOSE

/// A validated configuration of the identity function, made only by ``init(reading:)``.
package struct IdentitySettings: Sendable {
  /// Sign in with Apple; `nil` if only withdrawals are served.
  let apple: AppleSettings?
  /// Who may tell that users are logged out, in the order of the configuration.
  package let receivers: [Receiver]
  /// How nonces are issued; `nil` if clients create them.
  let nonces: NonceSettings?
  /// Where users are stored.
  package let store: StoreSettings
  /// An optional prefix of each route, such as `/v1`; empty for none.
  let basePath: [UInt8]
  /// The name of these users' issuer in the authorizer's configuration.
  let authorizerIssuer: String
  /// How key sets are fetched.
  package let fetch: FetchSettings
  /// Whether development keys are accepted.
  package let isDevelopment: Bool

  /// The default maximum age of an identity token at sign-in: ten minutes, the shortest lifetime observed in Apple's
  /// tokens.
  package static let defaultMaximumAgeSeconds: Int64 = 600
}

/// The tokens of Apple.
struct AppleSettings: Sendable {
  /// The profile of Apple's identity tokens for the configured audiences.
  let identity: IssuerProfile
  /// The profile of Apple's notifications for the same audiences.
  let notification: IssuerProfile
  /// The source of Apple's keys.
  let keys: KeySource
}

/// How nonces are issued.
package struct NonceSettings: Sendable {
  let authentication: MessageAuthentication
  let lifetimeSeconds: Int64

  /// The time that a person takes to confirm a sign-in, and the common lifetime of nonces for Sign in with Apple.
  package static let defaultLifetimeSeconds: Int64 = 60
  /// Our own limits: a shorter lifetime ends before the sign-in does, a longer one makes replays easier.
  static let lifetimeRange: ClosedRange<Int64> = 10...600
}

/// Where users are stored.
package enum StoreSettings: Equatable, Sendable {
  /// An SQLite database on this machine's disk.
  ///
  /// - Parameters:
  ///   - path: the path of the database.
  ///   - revocations: the path of the revocation file for the authorizer; `nil` for none.
  case sqlite(path: String, revocations: String?)
  /// A DynamoDB table; `region` is `nil` for the function's own region.
  case dynamoDB(table: String, region: String?)
}
