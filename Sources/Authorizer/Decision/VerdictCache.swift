import JOSE

/// The verdict cache: verified tokens whose signature need not be checked again.
///
/// Contains only accepted tokens, each under the SHA-256 of its whole text and bound to the key that verified it. A
/// replaced or withdrawn key set has other key objects, so its verdicts are invalid at once; the configuration does
/// not change during the life of a process. The caller checks the times again. The size is limited: sets of four
/// slots, in which the token with the earliest expiry is replaced.
struct VerdictCache {
  struct Entry {
    let digest: [UInt8]
    let header: TokenHeader
    let token: VerifiedToken
    /// The key that verified it; `nil` for a shared secret.
    let key: VerificationKey?
  }

  private var slots: [Entry?]

  /// Longer tokens are verified each time. An entry takes about twice the bytes of its token, and `maximumEntries` of
  /// them must fit into a function of 128 MB (our own limit).
  static let maximumTokenBytes = 4096
  /// The maximum size in a configuration: entries of about 4 KiB each, 8 KiB at most (our own limit).
  static let maximumEntries = 10_000
  private static let slotsPerBucket = 4

  /// Creates a cache for at least this many tokens; 0 disables it.
  init(entries: Int) {
    let buckets = (entries + Self.slotsPerBucket - 1) / Self.slotsPerBucket
    slots = Array(repeating: nil, count: buckets * Self.slotsPerBucket)
  }

  /// Whether the cache has any slot.
  var isEnabled: Bool { !slots.isEmpty }

  /// Returns the verdict for a digest; the whole digest must match.
  func entry(for digest: [UInt8]) -> Entry? {
    for slot in bucket(of: digest) {
      if let entry = slots[slot], entry.digest == digest { return entry }
    }
    return nil
  }

  mutating func insert(_ entry: Entry) {
    var victim: Int?
    for slot in bucket(of: entry.digest) {
      guard let other = slots[slot], other.digest != entry.digest else {
        slots[slot] = entry
        return
      }
      if let chosen = victim, let best = slots[chosen], best.token.expiresAt <= other.token.expiresAt {
        continue
      }
      victim = slot
    }
    if let victim { slots[victim] = entry }
  }

  /// The first bytes of the digest choose the set. A caller cannot choose the digest of a token that an issuer signs.
  private func bucket(of digest: [UInt8]) -> Range<Int> {
    guard isEnabled, digest.count == 32 else { return 0..<0 }
    var number: UInt = 0
    for byte in digest.prefix(8) { number = number << 8 | UInt(byte) }
    let start = Int(number % UInt(slots.count / Self.slotsPerBucket)) * Self.slotsPerBucket
    return start..<start + Self.slotsPerBucket
  }
}
