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
