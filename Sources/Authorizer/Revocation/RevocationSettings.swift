package import JOSE

/// Which issuers' revocations are looked up, where, and how long an answer is valid.
package struct RevocationSettings: Equatable, Sendable {
  package let store: Store
  /// The issuers whose tokens are looked up.
  package let issuers: [IssuerID]
  /// How long an answer is valid before the next lookup.
  package let freshSeconds: Int64
  /// How much longer an answer is used while the store is unreachable; 0 for no longer.
  package let lastKnownSeconds: Int64
  /// The number of items whose answers are cached.
  package let entries: Int
  /// What is looked up for each of `issuers`; empty where these are a list, which looks up `sub` alone in items of the
  /// first form.
  package var lookups: [WithdrawalLookup] = []

  package enum Store: Equatable, Sendable {
    /// The file that the identity function writes beside its SQLite database.
    case file(String)
    /// The table of the identity function; in the function's own region if none is named.
    case dynamoDB(TableReference)
  }

  /// Seconds: a revocation takes effect within half a minute.
  package static let defaultFreshSeconds: Int64 = 30
  /// About 200 bytes each with a subject of 44 bytes, 2 MB in total; 400 bytes each with the longest subject.
  package static let defaultEntries = 10_000
  /// 40 MB at most (our own limit).
  static let maximumEntries: Int64 = 100_000
}
