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
  private var unreported: [KeyFlaw] = []

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
    unreported = Self.flaws(seed.keys)
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
      keys: seed.keys, document: [], since: now, refreshFrom: now, answersUntil: isOld ? now : now + life.grace,
      believedUntil: (isOld ? oldAt : now) + life.staleOnError)
  }

  /// Whether a fetch is due before anybody asks.
  var isEmpty: Bool { current == nil }

  func freshness(at now: Int64) -> Freshness {
    guard let current else { return .none }
    // A clock that was set back would prolong the life of a withdrawn key; pinned keys have no life to prolong.
    if now < current.since - Self.clockTolerance, current.refreshFrom != .max { return .expired }
    if now < current.refreshFrom { return .fresh }
    return now < current.answersUntil ? .stale : .expired
  }

  /// Whether to refresh after the response.
  func isRefreshDue(at now: Int64) -> Bool {
    source.address != nil && freshness(at: now) != .fresh && backOff.allowsAttempt(now: now)
  }

  /// Looks for the key of a token.
  mutating func lookup(_ header: TokenHeader, at now: Int64, afterFetch: Bool) -> Lookup {
    switch freshness(at: now) {
    case .none, .expired:
      if source.address != nil, !afterFetch, backOff.allowsAttempt(now: now) { return .fetch }
      guard let current, now < current.believedUntil else { return .unavailable }
    case .fresh, .stale: break
    }
    guard let keys = current?.keys else { return .unavailable }
    if let key = keys.key(for: header) { return .use(key) }
    // No identifier, or that of a key for another algorithm: nothing that a fetch could mend.
    guard source.address != nil, let keyID = header.keyID, !keys.keys.contains(where: { $0.keyID == keyID })
    else {
      return .unknownKey
    }
    if !afterFetch {
      let isJunk = junk.contains(keyID, now: now)
      if backOff.allowsAttempt(now: now), isJunk ? bucket.takeIfFull(now: now) : bucket.take(now: now) {
        return .fetch
      }
    } else if !lastFetchFailed {
      junk.insert(keyID, now: now)
    }
    return lastFetchFailed ? .unavailable : .unknownKey
  }

  /// Whether a signature that does not fit may be tried again with newly fetched keys: the issuer may have published new
  /// material under the same identifier.
  mutating func allowsFetchAfterMismatch(at now: Int64) -> Bool {
    source.address != nil && backOff.allowsAttempt(now: now) && bucket.take(now: now)
  }

  /// Takes in how a fetch went. New keys replace the old ones whole, so that a withdrawn key is gone.
  ///
  /// - Returns: what was wrong with the document or the fetch; `nil` where all is well.
  mutating func fetched(_ result: KeyFetch, at now: Int64) -> String? {
    switch result {
    case .failed(let code): return fail(code, now)
    case .document(let document, let maxAge):
      let keys: KeySet
      if let current, current.document == document {
        keys = current.keys
      } else {
        do throws(KeySetError) {
          keys = try source.keySet(parsing: document)
          unreported = Self.flaws(keys)
        } catch {
          return fail(error.code, now)
        }
      }
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

  /// Why keys of the current set are not used, each set once.
  mutating func takeUnreportedFlaws() -> [KeyFlaw] {
    defer { unreported = [] }
    return unreported
  }

  private static func flaws(_ keys: KeySet) -> [KeyFlaw] {
    keys.unusable.map { $0.flaw }.filter {
      switch $0 {
      case .notForSignatures, .unsupportedType, .unsupportedCurve, .algorithmMismatch: false
      default: true
      }
    }
  }

  private mutating func fail(_ code: String, _ now: Int64) -> String {
    lastFetchFailed = true
    backOff.failed(now: now)
    return code
  }
}
