import JOSE

/// Tokens that were verified before: what a signature check would say again.
///
/// Holds good tokens alone, each under the SHA-256 of its whole text and bound to the very key that verified it. A key set
/// that was replaced or withdrawn gives other keys, so its verdicts are gone at once; configuration does not change while a
/// process lives. Whoever asks checks the times again. Bounded: a set of four places for each bucket, of which the token that
/// ends first makes room.
struct VerdictCache {
  /// One verdict.
  struct Entry {
    let digest: [UInt8]
    let header: TokenHeader
    let token: VerifiedToken
    /// The key that verified it; `nil` for a shared secret.
    let key: VerificationKey?
  }

  private var places: [Entry?]

  /// Longer tokens are verified each time: what is remembered of one takes about twice its bytes, and `maximumEntries` of
  /// them must fit a function of 128 MB (our own limit).
  static let maximumTokenBytes = 4096
  /// Entries that one configuration may ask for: about 4 KiB each, 8 KiB at most (our own limit).
  static let maximumEntries = 10_000
  private static let placesPerBucket = 4

  /// A cache for at least this many tokens; 0 remembers nothing.
  init(entries: Int) {
    let buckets = (entries + Self.placesPerBucket - 1) / Self.placesPerBucket
    places = Array(repeating: nil, count: buckets * Self.placesPerBucket)
  }

  /// Whether it can hold anything.
  var isEnabled: Bool { !places.isEmpty }

  /// The verdict under a digest; nothing but the whole digest will do.
  func entry(for digest: [UInt8]) -> Entry? {
    for place in bucket(of: digest) {
      if let entry = places[place], entry.digest == digest { return entry }
    }
    return nil
  }

  /// Remembers a verdict.
  mutating func insert(_ entry: Entry) {
    var victim: Int?
    for place in bucket(of: entry.digest) {
      guard let other = places[place], other.digest != entry.digest else {
        places[place] = entry
        return
      }
      if let chosen = victim, let best = places[chosen], best.token.expiresAt <= other.token.expiresAt {
        continue
      }
      victim = place
    }
    if let victim { places[victim] = entry }
  }

  /// The digest's first bytes choose the bucket: nobody can choose the digest of a token that an issuer signs.
  private func bucket(of digest: [UInt8]) -> Range<Int> {
    guard isEnabled, digest.count == 32 else { return 0..<0 }
    var number: UInt = 0
    for byte in digest.prefix(8) { number = number << 8 | UInt(byte) }
    let start = Int(number % UInt(places.count / Self.placesPerBucket)) * Self.placesPerBucket
    return start..<start + Self.placesPerBucket
  }
}
