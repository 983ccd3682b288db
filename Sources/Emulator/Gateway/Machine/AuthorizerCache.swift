/// API Gateway's authorizer cache: complete answers by stage, authorizer and values of the identity sources.
///
/// It caches what the function answered: a policy, a simple answer or, by a setting, "Unauthorized". It never caches the
/// decision about a request or a failure ("Use API Gateway Lambda authorizers").
struct AuthorizerCache: Sendable {
  /// The cache key.
  struct Key: Hashable, Sendable {
    let api: String
    let stage: String
    let authorizer: String
    let identityValues: [String]

    /// Returns `nil` if the authorizer does not cache.
    init?(_ authorizer: GatewayAuthorizer, of exchange: Exchange, identityValues: [String]) {
      guard authorizer.timeToLiveSeconds > 0, !identityValues.isEmpty else { return nil }
      api = exchange.api.name
      stage = exchange.api.stage.name
      self.authorizer = authorizer.name
      self.identityValues = identityValues
    }
  }

  /// A cached answer.
  enum Entry: Sendable {
    case granted(AuthorizerGrant)
    /// Cached only if `returnedUnauthorizedIsCached` is `yes`; with the function's reason code.
    case unauthorized(reason: String?)
  }

  private struct Record {
    let entry: Entry
    let expiresAt: Int64
    let number: UInt64
  }

  /// The maximum number of entries; the oldest is removed first. Our limit: AWS documents none.
  static let defaultCapacity = 10_000

  private let capacity: Int
  private var entries: [Key: Record] = [:]
  /// The keys in order of insertion; a key whose number has changed since is skipped.
  private var order: [(key: Key, number: UInt64)] = []
  private var nextNumber: UInt64 = 0

  init(capacity: Int = defaultCapacity) { self.capacity = capacity }

  var count: Int { entries.count }

  /// Returns the entry, unless its TTL has expired.
  mutating func entry(for key: Key, at unixMilliseconds: Int64) -> Entry? {
    guard let found = entries[key] else { return nil }
    if found.expiresAt > unixMilliseconds { return found.entry }
    entries[key] = nil
    return nil
  }

  mutating func store(_ entry: Entry, for key: Key, seconds: Int, at unixMilliseconds: Int64) {
    nextNumber += 1
    entries[key] = Record(
      entry: entry, expiresAt: unixMilliseconds + Int64(seconds) * 1000, number: nextNumber)
    order.append((key, nextNumber))
    while entries.count > capacity, let oldest = order.first {
      order.removeFirst()
      if entries[oldest.key]?.number == oldest.number { entries[oldest.key] = nil }
    }
    if order.count > 2 * capacity { order.removeAll { entries[$0.key]?.number != $0.number } }
  }

  /// Removes all entries, like `FlushStageAuthorizersCache` for every stage.
  mutating func flush() -> Int {
    defer { (entries, order) = ([:], []) }
    return entries.count
  }
}
