/// Limits how often a caller's token may make us ask the issuer: two at once, then one in 30 seconds.
struct TokenBucket {
  /// Seconds saved up; one fetch costs `cost`.
  private var credit = capacity
  private var updatedAt: Int64

  /// Seconds in which one fetch is earned.
  static let cost: Int64 = 30
  /// Seconds that can be saved up: two fetches.
  static let capacity: Int64 = 2 * cost

  init(now: Int64) { updatedAt = now }

  /// Takes one fetch if there is one.
  mutating func take(now: Int64) -> Bool {
    refill(now)
    guard credit >= Self.cost else { return false }
    credit -= Self.cost
    return true
  }

  /// Takes one fetch only if none has been taken for a minute.
  mutating func takeIfFull(now: Int64) -> Bool {
    refill(now)
    guard credit == Self.capacity else { return false }
    credit -= Self.cost
    return true
  }

  private mutating func refill(_ now: Int64) {
    // A clock that goes back and forth earns nothing twice; one that was set back for good starts over.
    if now > updatedAt {
      credit = min(Self.capacity, credit + now - updatedAt)
      updatedAt = now
    } else if now < updatedAt - Self.capacity {
      updatedAt = now
    }
  }
}

/// Remembers key identifiers that the issuer did not know when we asked, so that the same junk does not ask again.
///
/// A remembered identifier is only put last in line, never locked out: it may have been asked for a moment before the
/// issuer published it.
struct JunkKeyIDs {
  private var entries: [(keyID: [UInt8], until: Int64)] = []

  /// Enough for the keys of a rotation; a flood of distinct ones is held by the bucket.
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

/// How long to leave an issuer alone after failures: 1, 2, 4 … 60 seconds.
struct BackOff {
  private var failures = 0
  private(set) var retryAt: Int64 = .min

  /// A minute: an issuer that is back is noticed within it.
  static let maximumDelay: Int64 = 60

  mutating func failed(now: Int64) {
    let delay = failures < 6 ? Int64(1) << failures : Self.maximumDelay
    failures += 1
    retryAt = now + min(delay, Self.maximumDelay)
  }

  mutating func succeeded() { self = BackOff() }

  /// A clock that was set back must not prolong the wait.
  func allowsAttempt(now: Int64) -> Bool { now >= retryAt || now < retryAt - Self.maximumDelay }
}
