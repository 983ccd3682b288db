internal import GatewayModel
internal import Text

/// API Gateway's authorizer cache: complete answers by stage, authorizer and values of the identity sources.
///
/// It caches what the function answered: a policy, a simple answer or, by a setting, "Unauthorized". It never caches the
/// decision about a request or a failure ("Use API Gateway Lambda authorizers").
package struct AuthorizerCache: Sendable {
  /// The cache key. Texts are compared by their bytes, so that no other token passes as the cached one.
  package struct Key: Hashable, Sendable {
    /// The API, the stage, and all that makes the authorizer: two may have one name.
    private let authorizer: [ByteString]
    private let identityValues: [[ByteString]]

    /// The names of the API, the stage and the authorizer.
    package var names: (api: String, stage: String, authorizer: String) {
      let texts = authorizer.map(\.text)
      return (texts[0], texts[1], texts[2])
    }

    /// The key without ambiguities, for a digest.
    package var bytes: [UInt8] {
      var bytes: [UInt8] = []
      for texts in [authorizer] + identityValues {
        bytes += "\(texts.count)\0".utf8
        for text in texts { bytes += "\(text.text.utf8.count)\0\(text.text)".utf8 }
      }
      return bytes
    }

    /// Returns `nil` if the authorizer does not cache.
    ///
    /// - Parameter identityValues: the values of each source. How AWS writes several values of one source into its key is
    ///   not documented, so here `a,b` and `a` with `b` are two keys.
    init?(_ authorizer: GatewayAuthorizer, of exchange: RequestContext, identityValues: [[String]]) {
      guard authorizer.timeToLiveSeconds > 0, !identityValues.isEmpty else { return nil }
      self.authorizer =
        ([exchange.api.name, exchange.api.stage.name, authorizer.name, authorizer.function]
        + authorizer.identitySources.map(\.description)).map(ByteString.init)
      self.identityValues = identityValues.map { $0.map(ByteString.init) }
    }
  }

  /// A cached answer for a list.
  package struct Entry: Sendable {
    package let grant: AuthorizerGrant
    /// The times in milliseconds since 1970.
    package let storedAt: Int64
    package let expiresAt: Int64
    fileprivate let number: UInt64
  }

  /// Returns the entries that have not expired, the newest first. Their keys contain tokens: only for a digest.
  func listings(limit: Int, at unixMilliseconds: Int64) -> [(key: Key, value: Entry)] {
    Array(
      entries.filter { $0.value.expiresAt > unixMilliseconds }
        .sorted { $0.value.number > $1.value.number }.prefix(limit))
  }

  /// The maximum number of entries; the oldest is removed first. Our limit: AWS documents none.
  static let defaultCapacity = 10_000

  /// The maximum bytes of all cached answers; the oldest is removed first. Our limit.
  static let maximumBytes = 64 << 20

  private let capacity: Int
  private var bytes = 0
  private var entries: [Key: Entry] = [:]
  /// The keys in order of insertion; a key whose number has changed since is skipped.
  private var order: [(key: Key, number: UInt64)] = []
  private var nextNumber: UInt64 = 0

  init(capacity: Int = defaultCapacity) { self.capacity = capacity }

  var count: Int { entries.count }

  /// Returns the entry, unless its TTL has expired.
  mutating func entry(for key: Key, at unixMilliseconds: Int64) -> AuthorizerGrant? {
    guard let found = entries[key] else { return nil }
    if found.expiresAt > unixMilliseconds { return found.grant }
    remove(key)
    return nil
  }

  mutating func store(_ grant: AuthorizerGrant, for key: Key, seconds: Int, at unixMilliseconds: Int64) {
    remove(key)
    nextNumber += 1
    entries[key] = Entry(
      grant: grant, storedAt: unixMilliseconds, expiresAt: unixMilliseconds + Int64(seconds) * 1000,
      number: nextNumber)
    bytes += grant.bytes.count
    order.append((key, nextNumber))
    while entries.count > capacity || bytes > Self.maximumBytes, let oldest = order.first {
      order.removeFirst()
      if entries[oldest.key]?.number == oldest.number { remove(oldest.key) }
    }
    if order.count > 2 * capacity { order.removeAll { entries[$0.key]?.number != $0.number } }
  }

  private mutating func remove(_ key: Key) {
    bytes -= entries.removeValue(forKey: key)?.grant.bytes.count ?? 0
  }

  /// Removes all entries, like `FlushStageAuthorizersCache` for every stage.
  mutating func flush() -> Int {
    defer { (entries, order, bytes) = ([:], [], 0) }
    return entries.count
  }
}
