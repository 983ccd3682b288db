import JOSE

/// The keys of one issuer over time: which are believed, when they are fetched, what an unknown one costs.
///
/// A state machine without input or output: `KeyCache` asks, fetches where it is told to, and reports back. Times are Unix
/// seconds and come in.
struct IssuerKeys {
  let source: KeySource
  private var current: Current?
  private var bucket: TokenBucket
  private var junk = JunkKeyIDs()
  private var backOff = BackOff()
  private var lastFetchFailed = false
  private var unreported: [KeyNotice.Event] = []
  /// The keys of the last document that was refused, so that one that stays is reported once.
  private var refused: [KeySet.UnusableKey] = []
  /// The number of the fetch that is under way; nil where there is none.
  private(set) var fetchUnderWay: Int?
  private var begunFetches = 0
  /// When the last fetch ended, in Unix seconds.
  private(set) var fetchEndedAt: Int64 = .min

  private struct Current {
    let keys: KeySet
    let document: [UInt8]
    /// When these keys were taken in.
    let since: Int64
    /// From here on a refresh is due after the response.
    let refreshFrom: Int64
    /// Until here they answer without a fetch.
    let answersUntil: Int64
    /// Until here they answer while the issuer cannot be reached.
    let believedUntil: Int64
  }

  /// Seconds by which clocks may differ before a time of the future is taken for an error; the largest leeway of a token.
  private static let clockTolerance = IssuerProfile.maximumLeewaySeconds

  /// How old the keys are.
  enum Freshness: Equatable { case none, fresh, stale, expired }

  /// What to do about a token.
  enum Lookup {
    case use(VerificationKey)
    /// Fetch, report how it went, and ask again with `afterFetch`.
    case fetch
    case unknownKey
    case unavailable
  }

  init(_ source: KeySource, now: Int64) {
    self.source = source
    bucket = TokenBucket(now: now)
    guard let seed = source.seed else { return }
    unreported = Self.notices(of: seed.keys)
    let life = source.lifetimes
    guard source.address != nil, let fetchedAt = seed.fetchedAt else {
      current = Current(
        keys: seed.keys, document: [], since: now, refreshFrom: .max, answersUntil: .max, believedUntil: .max)
      return
    }
    // A seed is stale from the first answer on: it answers at once and is refreshed after the response. One that is too
    // old is fetched before the verdict.
    let oldAt = fetchedAt + life.seedMaximumAge
    // A seed from the future has no age that could be believed.
    let isOld = now >= oldAt || fetchedAt > now + Self.clockTolerance
    current = Current(
      keys: seed.keys, document: [], since: now, refreshFrom: now,
      answersUntil: isOld ? now : now + life.grace,
      believedUntil: (isOld ? min(oldAt, now) : now) + life.staleOnError)
  }

  /// Whether a fetch is due before anybody asks.
  var isEmpty: Bool { current == nil }

  func freshness(at now: Int64) -> Freshness {
    guard let current else { return .none }
    if now < current.refreshFrom { return .fresh }
    return now < current.answersUntil ? .stale : .expired
  }

  /// Whether to refresh after the response.
  mutating func isRefreshDue(at now: Int64) -> Bool {
    noticeClock(now)
    return source.address != nil && fetchUnderWay == nil && freshness(at: now) != .fresh
      && backOff.allowsAttempt(now: now)
  }

  /// Looks for the key of a token.
  ///
  /// - Parameter canFetch: whether there is time for a fetch; false also after one.
  mutating func lookup(_ header: TokenHeader, at now: Int64, canFetch: Bool, afterFetch: Bool = false)
    -> Lookup
  {
    noticeClock(now)
    switch freshness(at: now) {
    case .none, .expired:
      let isBelieved = current.map { now < $0.believedUntil } ?? false
      // One caller waits for an issuer that does not answer; the next ones get the old keys, and the retry comes after
      // the response.
      let waits = !(isBelieved && lastFetchFailed)
      if source.address != nil, canFetch, waits, backOff.allowsAttempt(now: now) { return .fetch }
      guard isBelieved else { return .unavailable }
    case .fresh, .stale: break
    }
    guard let keys = current?.keys else { return .unavailable }
    if let key = keys.key(for: header) { return .use(key) }
    guard source.address != nil, let keyID = header.keyID else { return .unknownKey }
    if afterFetch {
      if !lastFetchFailed { junk.insert(keyID, now: now) }
    } else if backOff.allowsAttempt(now: now) {
      // Without time for a fetch nothing is known of the key, and nothing is spent on it.
      guard canFetch else { return .unavailable }
      // Whoever joins a fetch spends nothing on it.
      if fetchUnderWay != nil { return .fetch }
      let isJunk = junk.contains(keyID, now: now)
      if isJunk ? bucket.takeIfFull(now: now) : bucket.take(now: now) { return .fetch }
    }
    return lastFetchFailed ? .unavailable : .unknownKey
  }

  /// Whether the last attempt to fetch failed.
  var isFailing: Bool { lastFetchFailed }

  /// A clock that was set back would prolong the life of a withdrawn key: the keys count as expired, and are believed
  /// without the issuer for as long as from now on. Pinned keys have no life to prolong.
  private mutating func noticeClock(_ now: Int64) {
    guard let keys = current, keys.refreshFrom != .max, now < keys.since - Self.clockTolerance else { return }
    current = Current(
      keys: keys.keys, document: keys.document, since: now, refreshFrom: now, answersUntil: now,
      believedUntil: now + source.lifetimes.staleOnError)
  }

  /// Whether a signature that does not fit may be tried again with newly fetched keys: the issuer may have published new
  /// material under the same identifier.
  mutating func allowsFetchAfterMismatch(at now: Int64) -> Bool {
    guard source.address != nil, backOff.allowsAttempt(now: now) else { return false }
    return fetchUnderWay != nil || bucket.take(now: now)
  }

  /// The issuer is asked from here on.
  mutating func beginFetch() -> PendingFetch {
    begunFetches += 1
    fetchUnderWay = begunFetches
    return PendingFetch(
      number: begunFetches, source: source, document: current?.document ?? [], keys: current?.keys)
  }

  /// Takes in how a fetch went. New keys replace the old ones whole, so that a withdrawn key is gone. A fetch that is no
  /// longer the one under way changes nothing.
  ///
  /// - Returns: what was wrong with the document or the fetch; `nil` where all is well.
  mutating func take(_ fetched: FetchedKeys, of fetch: PendingFetch, at now: Int64) -> String? {
    guard fetchUnderWay == fetch.number else { return nil }
    fetchUnderWay = nil
    fetchEndedAt = now
    switch fetched {
    case .failed(let code): return fail(code, now)
    case .refused(let error):
      if case .noUsableKey(let unusable) = error, unusable != refused {
        refused = unusable
        unreported = unusable.map { .keyUnusable($0) }
      }
      return fail(error.code, now)
    case .keys(let keys, let document, let maxAge):
      if current?.document != document { unreported = Self.notices(of: keys) }
      refused = []
      let life = KeyLifetimes.life(maxAge: maxAge)
      current = Current(
        keys: keys, document: document, since: now, refreshFrom: now + life * 4 / 5,
        answersUntil: now + life + source.lifetimes.grace,
        believedUntil: now + life + source.lifetimes.staleOnError)
      lastFetchFailed = false
      backOff.succeeded()
      return nil
    }
  }

  /// What is to be said about the keys of the last document, each document once.
  mutating func takeUnreported() -> [KeyNotice.Event] {
    defer { unreported = [] }
    return unreported
  }

  private static func notices(of keys: KeySet) -> [KeyNotice.Event] {
    keys.unusable.filter { $0.flaw.isMistake }.map { .keyUnusable($0) }
      + keys.keys.flatMap { key in key.spellings.map { .keySpelling(keyID: key.keyID, $0) } }
  }

  private mutating func fail(_ code: String, _ now: Int64) -> String {
    lastFetchFailed = true
    backOff.failed(now: now)
    return code
  }
}
