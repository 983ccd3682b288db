import JOSE
import KeyFetcher

/// The keys of one issuer over time: how long they are valid, when they are fetched, and the cost of an unknown key
/// ID.
///
/// A state machine without input or output: `KeyCache` calls it, fetches when told to, and passes the result back.
/// Times are parameters in Unix seconds.
struct CachedKeySet {
  let source: KeySource
  private var current: Current?
  private var bucket: TokenBucket
  private var negativeCache = NegativeCache()
  private var backOff = BackOff()
  private var lastFetchFailed = false
  private var unreported: [KeyNotice.Event] = []
  /// The keys of the last refused document, so that an unchanged document is reported once.
  private var refused: [KeySet.UnusableKey] = []
  /// The number of the fetch in progress; nil if there is none.
  private(set) var fetchUnderWay: Int?
  private var begunFetches = 0
  /// When the last fetch ended, in Unix seconds.
  private(set) var fetchEndedAt: Int64 = .min

  private struct Current {
    let keys: KeySet
    let document: [UInt8]
    /// When these keys were received.
    let since: Int64
    /// From this time on, a refresh is due after the response.
    let refreshFrom: Int64
    /// Until this time, the keys are used without a fetch.
    let usableUntil: Int64
    /// Until this time, the keys are used while the issuer is unreachable.
    let usableOnErrorUntil: Int64
  }

  /// The clock difference in seconds from which a time in the future counts as an error; the largest leeway of a
  /// token.
  private static let clockTolerance = IssuerProfile.maximumLeewaySeconds

  /// The age of the keys.
  enum Freshness: Equatable { case none, fresh, stale, expired }

  /// The next step for a token.
  enum Lookup {
    case use(VerificationKey)
    /// Fetch, report the result, and look up again with `afterFetch`.
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
        keys: seed.keys, document: [], since: now, refreshFrom: .max, usableUntil: .max,
        usableOnErrorUntil: .max)
      return
    }
    // A seed is stale from the start: it is used at once and refreshed after the response. A seed that is too old is
    // refetched before the verdict.
    let oldAt = fetchedAt + life.seedMaximumAge
    // A seed from the future has no valid age.
    let isOld = now >= oldAt || fetchedAt > now + Self.clockTolerance
    current = Current(
      keys: seed.keys, document: [], since: now, refreshFrom: now,
      usableUntil: isOld ? now : now + life.grace,
      usableOnErrorUntil: (isOld ? min(oldAt, now) : now) + life.staleOnError)
  }

  /// Whether a fetch is due before the first lookup.
  var isEmpty: Bool { current == nil }

  func freshness(at now: Int64) -> Freshness {
    guard let current else { return .none }
    if now < current.refreshFrom { return .fresh }
    return now < current.usableUntil ? .stale : .expired
  }

  /// Whether to refresh after the response.
  mutating func isRefreshDue(at now: Int64) -> Bool {
    checkClock(now)
    return source.address != nil && fetchUnderWay == nil && freshness(at: now) != .fresh
      && backOff.allowsAttempt(now: now)
  }

  /// Looks up the key of a token.
  ///
  /// - Parameter canFetch: whether there is time for a fetch; also false after one.
  mutating func lookup(_ header: TokenHeader, at now: Int64, canFetch: Bool, afterFetch: Bool = false)
    -> Lookup
  {
    checkClock(now)
    switch freshness(at: now) {
    case .none, .expired:
      let isUsableOnError = current.map { now < $0.usableOnErrorUntil } ?? false
      // One caller waits for an issuer that does not answer. The next callers get the old keys, and the retry follows
      // after the response.
      let waits = !(isUsableOnError && lastFetchFailed)
      if source.address != nil, canFetch, waits, backOff.allowsAttempt(now: now) { return .fetch }
      guard isUsableOnError else { return .unavailable }
    case .fresh, .stale: break
    }
    guard let keys = current?.keys else { return .unavailable }
    if let key = keys.key(for: header) { return .use(key) }
    guard source.address != nil, let keyID = header.keyID else { return .unknownKey }
    if afterFetch {
      if !lastFetchFailed { negativeCache.insert(keyID, now: now) }
    } else if backOff.allowsAttempt(now: now) {
      // Without time for a fetch the key stays undecided, and the rate limit is not used up.
      guard canFetch else { return .unavailable }
      // Joining a fetch in progress does not use up the rate limit.
      if fetchUnderWay != nil { return .fetch }
      let isInNegativeCache = negativeCache.contains(keyID, now: now)
      if isInNegativeCache ? bucket.takeIfFull(now: now) : bucket.take(now: now) { return .fetch }
    }
    return lastFetchFailed ? .unavailable : .unknownKey
  }

  /// Whether the last attempt to fetch failed.
  var isFailing: Bool { lastFetchFailed }

  /// Expires the keys if the clock was set back, since that would extend the life of a withdrawn key. They are then
  /// valid on error for `staleOnError` from now on. Pinned keys have no life to extend.
  private mutating func checkClock(_ now: Int64) {
    guard let keys = current, keys.refreshFrom != .max, now < keys.since - Self.clockTolerance else { return }
    current = Current(
      keys: keys.keys, document: keys.document, since: now, refreshFrom: now, usableUntil: now,
      usableOnErrorUntil: now + source.lifetimes.staleOnError)
  }

  /// Whether a signature that does not match may be checked again with newly fetched keys: the issuer may have
  /// published new material under the same key ID.
  mutating func allowsFetchAfterMismatch(at now: Int64) -> Bool {
    guard source.address != nil, backOff.allowsAttempt(now: now) else { return false }
    return fetchUnderWay != nil || bucket.take(now: now)
  }

  /// Marks a fetch as in progress and returns it.
  mutating func beginFetch() -> PendingFetch {
    begunFetches += 1
    fetchUnderWay = begunFetches
    return PendingFetch(
      number: begunFetches, source: source, document: current?.document ?? [], keys: current?.keys)
  }

  /// Takes the result of a fetch. New keys replace the old key set as a whole, so that withdrawn keys are removed. A
  /// fetch that is no longer the one in progress changes nothing.
  ///
  /// - Returns: what was wrong with the document or the fetch; `nil` if nothing.
  mutating func take(_ outcome: FetchOutcome, of fetch: PendingFetch, at now: Int64) -> KeyNotice.Event? {
    guard fetchUnderWay == fetch.number else { return nil }
    fetchUnderWay = nil
    fetchEndedAt = now
    switch outcome {
    case .failed(let error): return fail(error.code, error.description, now)
    case .refused(let error):
      if case .noUsableKey(let unusable) = error, unusable != refused {
        refused = unusable
        unreported = unusable.map { .keyUnusable($0) }
      }
      return fail(error.code, error.description, now)
    case .keys(let keys, let response):
      if current?.document != response.body { unreported = Self.notices(of: keys) }
      refused = []
      let life = KeyLifetimes.life(maxAge: response.maximumAgeSeconds)
      current = Current(
        keys: keys, document: response.body, since: now, refreshFrom: now + life * 4 / 5,
        usableUntil: now + life + source.lifetimes.grace,
        usableOnErrorUntil: now + life + source.lifetimes.staleOnError)
      lastFetchFailed = false
      backOff.succeeded()
      return nil
    }
  }

  /// Returns the notices on the keys of the last document, once for each document.
  mutating func takeUnreported() -> [KeyNotice.Event] {
    defer { unreported = [] }
    return unreported
  }

  private static func notices(of keys: KeySet) -> [KeyNotice.Event] {
    keys.unusable.filter { $0.flaw.isMistake }.map { .keyUnusable($0) }
      + keys.keys.flatMap { key in key.deviations.map { .keySpelling(keyID: key.keyID, $0) } }
  }

  private mutating func fail(_ code: String, _ description: String, _ now: Int64) -> KeyNotice.Event {
    lastFetchFailed = true
    backOff.failed(now: now)
    return .fetchFailed(code, reason: KeyNotice.reason(description))
  }
}
