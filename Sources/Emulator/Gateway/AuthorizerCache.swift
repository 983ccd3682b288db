/// The answers that API Gateway keeps: whole, under stage, authorizer and the values of the identity sources.
///
/// What is kept is the policy, never a decision, and never an error ("Use API Gateway Lambda authorizers").
struct AuthorizerCache: Sendable {
  /// What an answer is kept under.
  struct Key: Hashable, Sendable {
    let api: String
    let stage: String
    let authorizer: String
    let identityValues: [String]

    /// `nil` where the authorizer keeps nothing.
    init?(_ authorizer: GatewayAuthorizer, of exchange: Exchange, identityValues: [String]) {
      guard authorizer.timeToLiveSeconds > 0, !identityValues.isEmpty else { return nil }
      api = exchange.api.name
      stage = exchange.api.stage.name
      self.authorizer = authorizer.name
      self.identityValues = identityValues
    }
  }

  /// What is kept.
  enum Entry: Sendable {
    case granted(AuthorizerGrant)
    /// Only where an unsettled setting says so; with the function's own reason.
    case unauthorized(reason: String?)
  }

  private struct Kept {
    let entry: Entry
    let expiresAt: Int64
    let number: UInt64
  }

  /// Entries kept at most; the oldest goes first. Ours: AWS names no number.
  static let defaultCapacity = 10_000

  private let capacity: Int
  private var kept: [Key: Kept] = [:]
  /// Keys in the order of their coming; those whose number has changed since are passed over.
  private var order: [(key: Key, number: UInt64)] = []
  private var nextNumber: UInt64 = 0

  init(capacity: Int = defaultCapacity) { self.capacity = capacity }

  var count: Int { kept.count }

  /// The entry, unless its time is over.
  mutating func entry(for key: Key, at unixMilliseconds: Int64) -> Entry? {
    guard let found = kept[key] else { return nil }
    if found.expiresAt > unixMilliseconds { return found.entry }
    kept[key] = nil
    return nil
  }

  mutating func keep(_ entry: Entry, for key: Key, seconds: Int, at unixMilliseconds: Int64) {
    nextNumber += 1
    kept[key] = Kept(entry: entry, expiresAt: unixMilliseconds + Int64(seconds) * 1000, number: nextNumber)
    order.append((key, nextNumber))
    while kept.count > capacity, let oldest = order.first {
      order.removeFirst()
      if kept[oldest.key]?.number == oldest.number { kept[oldest.key] = nil }
    }
    if order.count > 2 * capacity { order.removeAll { kept[$0.key]?.number != $0.number } }
  }

  /// `FlushStageAuthorizersCache`, for every stage.
  mutating func flush() -> Int {
    defer { (kept, order) = ([:], []) }
    return kept.count
  }
}
