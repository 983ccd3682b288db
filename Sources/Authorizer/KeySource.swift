public import JOSE
public import KeyFetcher

/// What an issuer's signatures are checked with.
public enum IssuerKeyMaterial: Sendable {
  /// Its public keys.
  case published(KeySource)
  /// A secret that it shares with us, for HMAC.
  case secret(SharedSecret)
}

/// Where an issuer's public keys come from, and for how long they may be believed.
public struct KeySource: Sendable {
  /// Where the key set is published; `nil` for keys that are never fetched.
  public let address: KeyAddress?
  /// The keys that were deployed with the function.
  let seed: Seed?
  /// What every key set is held to.
  let policy: KeyPolicy
  /// What the issuer signs with.
  let algorithms: [Algorithm]
  /// How long a key set is believed.
  let lifetimes: KeyLifetimes
  /// Whether keys of the development issuer are accepted.
  let acceptsDevelopmentKeys: Bool

  /// A key set from a file.
  struct Seed: Sendable {
    let keys: KeySet
    /// When it was fetched, in Unix seconds; `nil` where it is pinned and has no age.
    let fetchedAt: Int64?
  }

  /// Reads a fetched document as these settings want it.
  ///
  /// - Throws: `KeySetError`, `developmentKeys` among them.
  func keySet(parsing document: [UInt8]) throws(KeySetError) -> KeySet {
    let keys = try KeySet(parsing: document, policy: policy)
    guard acceptsDevelopmentKeys || !keys.holdsDevelopmentKeys else { throw .developmentKeys }
    guard keys.fit(algorithms) else { throw .noFittingKey }
    return keys
  }
}

/// How key sets are fetched.
public struct FetchSettings: Equatable, Sendable {
  /// Milliseconds for a connection, TLS included.
  public var connectMilliseconds = FetchSettings.defaultConnectMilliseconds
  /// Milliseconds for everything; cut short by the deadline of the invocation.
  public var totalMilliseconds = FetchSettings.defaultTotalMilliseconds
  /// A file of certificate authorities to trust instead of the system's.
  public var certificateAuthorities: String?
  /// A proxy to go through; the environment's is never used.
  public var proxy: String?

  /// Within the 10 s that API Gateway waits for the authorizer of an HTTP API.
  package static let defaultTotalMilliseconds = 3000
  /// Of these, for the connection.
  package static let defaultConnectMilliseconds = 2000
}

/// The times of a key set's life, in seconds.
public struct KeyLifetimes: Equatable, Sendable {
  /// For how long after its life a key set still answers while it is refreshed after the response.
  let grace: Int64
  /// For how long after its life a key set still answers while it cannot be fetched.
  let staleOnError: Int64
  /// The age past which a seed counts as expired.
  let seedMaximumAge: Int64

  /// A key set's life where the issuer states none; what Supabase states, and what panva/jose and Envoy assume.
  static let unstated: Int64 = 600
  /// A shorter life would make the issuer's cache headers a way to slow us down; a longer one keeps withdrawn keys.
  static let bounds: ClosedRange<Int64> = 60...86_400
  /// Five minutes.
  package static let defaultGrace: Int64 = 300
  /// A day: an issuer's outage should not become ours.
  package static let defaultStaleOnError: Int64 = 86_400
  /// Thirty days: issuers rotate more slowly than that, deployments happen more often.
  package static let defaultSeedMaximumAgeDays: Int64 = 30

  /// The life of a key set that came with this `max-age`.
  static func life(maxAge: Int64?) -> Int64 {
    min(max(maxAge ?? unstated, bounds.lowerBound), bounds.upperBound)
  }
}
