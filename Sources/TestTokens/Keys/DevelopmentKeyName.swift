/// The names of the development keys; the raw value is the `key` in a recipe.
package enum DevelopmentKeyName: String, CaseIterable, Sendable {
  /// The published keys, each for the algorithm of its name; `eddsa` is an Ed25519 key.
  case rs256, rs384, rs512, ps256, ps384, ps512, es256, es384, es512, eddsa
  /// The secrets for HMAC, which are never published.
  case hs256, hs384, hs512
  /// An RS256 key that is in no key set.
  case other
  /// An ES256 key that is in no key set.
  case otherES256 = "other-es256"
  /// An RS256 key with the `kid` of `rs256`, but different material.
  case forged
  /// An ES256 key with the `kid` of `es256`, but different material.
  case forgedES256 = "forged-es256"

  /// The prefix of every development key's `kid`, so that a deployed function can refuse it.
  package static let idPrefix = "development-"

  /// The `kid`: `development-rs256` and so on, or `development-unknown` for keys that are in no key set.
  package var id: String {
    switch self {
    case .other, .otherES256: Self.idPrefix + "unknown"
    case .forged: DevelopmentKeyName.rs256.id
    case .forgedES256: DevelopmentKeyName.es256.id
    default: Self.idPrefix + rawValue
    }
  }

  package var algorithm: SigningAlgorithm {
    switch self {
    case .rs256, .other, .forged: .rs256
    case .rs384: .rs384
    case .rs512: .rs512
    case .ps256: .ps256
    case .ps384: .ps384
    case .ps512: .ps512
    case .es256, .otherES256, .forgedES256: .es256
    case .es384: .es384
    case .es512: .es512
    case .eddsa: .edDSA
    case .hs256: .hs256
    case .hs384: .hs384
    case .hs512: .hs512
    }
  }

  /// Whether the public key is in the key set.
  package var isPublished: Bool {
    switch self {
    case .hs256, .hs384, .hs512, .other, .otherES256, .forged, .forgedES256: false
    default: true
    }
  }

  /// The published key, or the secret, for an algorithm; each algorithm has one before all keys of attackers.
  package init(for algorithm: SigningAlgorithm) {
    self = Self.allCases.first { $0.algorithm == algorithm } ?? .rs256
  }
}
