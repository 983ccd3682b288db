public import Authorizer
import JOSE

/// A configuration of the identity function that has been read and found sound. There is no other way to make one.
public struct IdentitySettings: Sendable {
  /// What Apple's identity tokens look like for these audiences.
  let identity: IssuerProfile
  /// What Apple's notifications look like for the same audiences.
  let notification: IssuerProfile
  /// Where Apple's keys are.
  let keys: KeySource
  /// How nonces are issued; `nil` where the clients make them.
  let nonces: NonceSettings?
  /// Where users are kept.
  public let store: StoreSettings
  /// What may stand before each route, such as `/v1`; empty for nothing.
  let basePath: [UInt8]
  /// The name that the authorizer gives to the issuer of these users.
  let authorizerIssuer: String
  /// How key sets are fetched.
  public let fetch: FetchSettings
  /// Whether keys of development are accepted.
  public let isDevelopment: Bool

  /// How old an identity token may be at sign-in where the configuration does not say: ten minutes, the shortest lifetime
  /// that Apple's tokens were seen with.
  package static let defaultMaximumAgeSeconds: Int64 = 600
}

/// How nonces are issued.
package struct NonceSettings: Sendable {
  let authentication: MessageAuthentication
  /// For how many seconds a nonce is good.
  let lifetimeSeconds: Int64

  /// What a person takes to confirm a sign-in, and what the nonces of Sign in with Apple are commonly given.
  package static let defaultLifetimeSeconds: Int64 = 60
  /// Ours: a shorter life is over before the sign-in is, a longer one is no nonce.
  static let lifetimeRange: ClosedRange<Int64> = 10...600
}

/// Where users are kept.
public enum StoreSettings: Equatable, Sendable {
  /// A database on this machine's disk.
  ///
  /// - Parameters:
  ///   - path: of the database.
  ///   - revocations: of the file that the authorizer reads; `nil` for none.
  case sqlite(path: String, revocations: String?)
  /// A table of DynamoDB; `region` is `nil` for the one that the function runs in.
  case dynamoDB(table: String, region: String?)
}
