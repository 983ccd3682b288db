/// The negative cache: key IDs that the issuer did not know at the last fetch, so that they do not cause another one.
///
/// A cached key ID has the lowest priority but is not blocked: it may have been looked up just before the issuer
/// published it.
struct NegativeCache {
  private var entries: [(keyID: [UInt8], until: Int64)] = []

  /// Enough for the keys of a rotation. The rate limit bounds a flood of distinct key IDs.
  static let maximumEntries = 128
  /// Seconds.
  static let lifetime: Int64 = 300

  func contains(_ keyID: [UInt8], now: Int64) -> Bool {
    entries.contains { $0.keyID == keyID && $0.until > now }
  }

  mutating func insert(_ keyID: [UInt8], now: Int64) {
    entries.removeAll { $0.until <= now || $0.keyID == keyID }
    if entries.count == Self.maximumEntries { entries.removeFirst() }
    entries.append((keyID, now + Self.lifetime))
  }
}
