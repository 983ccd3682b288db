/// The rate limit for fetches that tokens with unknown keys cause: a burst of two, then one in 30 seconds.
struct TokenBucket {
  /// The saved seconds; one fetch costs `cost`.
  private var credit = capacity
  private var updatedAt: Int64

  /// The seconds per fetch.
  static let cost: Int64 = 30
  /// The maximum of saved seconds: two fetches.
  static let capacity: Int64 = 2 * cost

  init(now: Int64) { updatedAt = now }

  /// Takes one fetch, if available.
  mutating func take(now: Int64) -> Bool {
    refill(now)
    guard credit >= Self.cost else { return false }
    credit -= Self.cost
    return true
  }

  /// Takes one fetch only if none was taken for a minute.
  mutating func takeIfFull(now: Int64) -> Bool {
    refill(now)
    guard credit == Self.capacity else { return false }
    credit -= Self.cost
    return true
  }

  private mutating func refill(_ now: Int64) {
    // A clock that jumps back and forth earns nothing twice. A clock set back by more than the capacity starts over.
    if now > updatedAt {
      credit = min(Self.capacity, credit + now - updatedAt)
      updatedAt = now
    } else if now < updatedAt - Self.capacity {
      updatedAt = now
    }
  }
}

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

/// The delay after failed fetches: 1, 2, 4 … 60 seconds.
struct BackOff {
  private var failures = 0
  private(set) var retryAt: Int64 = .min

  /// One minute, so that a recovered issuer is noticed within that time.
  static let maximumDelay: Int64 = 60

  mutating func failed(now: Int64) {
    let delay = failures < 6 ? Int64(1) << failures : Self.maximumDelay
    failures += 1
    retryAt = now + min(delay, Self.maximumDelay)
  }

  mutating func succeeded() { self = BackOff() }

  /// Whether a fetch is allowed. A clock that was set back must not extend the delay.
  func allowsAttempt(now: Int64) -> Bool { now >= retryAt || now < retryAt - Self.maximumDelay }
}
