/// The cached states, limited in number: sets of four slots, in which the least recently used one is replaced.
struct RevocationStates {
  /// The state of one item.
  struct State {
    let item: [UInt8]
    /// The latest revocation in Unix milliseconds; nil if there is none.
    let eventMilliseconds: Int64?
    /// The time before the lookup, in Unix seconds.
    let askedAt: Int64
    fileprivate var usedAt: UInt64
  }

  private var slots: [State?]
  private var uses: UInt64 = 0
  private static let slotsPerBucket = 4

  /// Creates a cache for at least this many items.
  init(entries: Int) {
    let buckets = max(1, (entries + Self.slotsPerBucket - 1) / Self.slotsPerBucket)
    slots = Array(repeating: nil, count: buckets * Self.slotsPerBucket)
  }

  /// Returns the state of an item and marks it as used.
  mutating func use(_ item: [UInt8]) -> State? {
    for slot in bucket(of: item) {
      if let state = slots[slot], state.item == item {
        uses += 1
        slots[slot]?.usedAt = uses
        return state
      }
    }
    return nil
  }

  /// Stores the result of a lookup.
  mutating func insert(_ item: [UInt8], _ eventMilliseconds: Int64?, askedAt: Int64) {
    uses += 1
    let state = State(
      item: item, eventMilliseconds: eventMilliseconds, askedAt: askedAt, usedAt: uses)
    var victim: Int?
    var oldest: UInt64 = .max
    for slot in bucket(of: item) {
      guard let other = slots[slot], other.item != item else {
        // The item's old slot may come after a free one. Remove it, so that the old state cannot reappear.
        forget(item)
        slots[slot] = state
        return
      }
      if other.usedAt < oldest {
        oldest = other.usedAt
        victim = slot
      }
    }
    if let victim { slots[victim] = state }
  }

  private mutating func forget(_ item: [UInt8]) {
    for slot in bucket(of: item) where slots[slot]?.item == item { slots[slot] = nil }
  }

  /// Returns the slots for a item by the 64-bit FNV-1a hash (RFC 9923). A user who could choose colliding items
  /// could only cause more lookups of other items.
  private func bucket(of item: [UInt8]) -> Range<Int> {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in item { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    let start = Int(hash % UInt64(slots.count / Self.slotsPerBucket)) * Self.slotsPerBucket
    return start..<start + Self.slotsPerBucket
  }
}
