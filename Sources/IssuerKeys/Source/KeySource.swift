package import JOSE
package import KeyFetcher

/// The keys that verify an issuer's signatures.
package enum IssuerKeyMaterial: Sendable {
  /// Its public keys.
  case published(KeySource)
  /// A secret shared with the issuer, for HMAC.
  case secret(SharedSecret)
}

extension IssuerKeyMaterial {
  /// The material that was deployed with the function, its seed or its secret; `nil` if all keys are fetched.
  ///
  /// For `explain` and for checks of a configuration. The function itself uses its cache.
  package var deployed: VerificationMaterial? {
    switch self {
    case .published(let source): source.seed.map { .keys($0.keys) }
    case .secret(let secret): .secret(secret)
    }
  }
}

/// The source of an issuer's public keys, and how long they are valid.
package struct KeySource: Sendable {
  /// The URL of the key set; `nil` for keys that are never fetched.
  package let address: KeyAddress?
  /// The keys that were deployed with the function.
  let seed: Seed?
  /// The requirements on every key set.
  let policy: KeyPolicy
  /// The signing algorithms of the issuer.
  let algorithms: [Algorithm]
  /// How long a key set is valid.
  let lifetimes: KeyLifetimes
  /// Whether keys of the development issuer are accepted.
  let acceptsDevelopmentKeys: Bool

  /// A key set from a file.
  struct Seed: Sendable {
    let keys: KeySet
    /// When it was fetched, in Unix seconds; `nil` if it is pinned and has no age.
    let fetchedAt: Int64?
  }

  /// Parses a fetched document and checks it against these settings.
  ///
  /// - Throws: `KeySetError`, for example `developmentKeys`.
  func keySet(parsing document: [UInt8]) throws(KeySetError) -> KeySet {
    try KeySet(
      parsing: document, policy: policy, algorithms: algorithms,
      acceptsDevelopmentKeys: acceptsDevelopmentKeys)
  }
}

extension KeySet {
  /// Parses the key set of an issuer.
  ///
  /// - Parameter algorithms: the issuer's signing algorithms, one of which needs a key; `nil` if they are unknown.
  package init(
    parsing document: [UInt8], policy: KeyPolicy, algorithms: [Algorithm]?, acceptsDevelopmentKeys: Bool
  ) throws(KeySetError) {
    try self.init(parsing: document, policy: policy)
    guard acceptsDevelopmentKeys || !holdsDevelopmentKeys else { throw .developmentKeys }
    if let algorithms, !hasKey(for: algorithms) { throw .noFittingKey }
  }
}

/// The lifetimes of a key set, in seconds.
package struct KeyLifetimes: Equatable, Sendable {
  /// How long a key set is still used after its life while it is refreshed after the response.
  let grace: Int64
  /// How long a key set is still used after its life while it cannot be fetched.
  let staleOnError: Int64
  /// The age at which a seed expires.
  let seedMaximumAge: Int64

  /// The life of a key set if the issuer states none: what Supabase states, and what panva/jose and Envoy assume.
  static let unstated: Int64 = 600
  /// A shorter life would let the issuer's cache headers slow us down; a longer one would keep withdrawn keys in use.
  static let bounds: ClosedRange<Int64> = 60...86_400
  /// Five minutes.
  package static let defaultGrace: Int64 = 300
  /// One day, so that an issuer's outage does not cause ours.
  package static let defaultStaleOnError: Int64 = 86_400
  /// Thirty days: issuers rotate keys less often, and deployments are more frequent.
  package static let defaultSeedMaximumAgeDays: Int64 = 30

  /// Returns the life of a key set with this `max-age`.
  static func life(maxAge: Int64?) -> Int64 {
    min(max(maxAge ?? unstated, bounds.lowerBound), bounds.upperBound)
  }
}
