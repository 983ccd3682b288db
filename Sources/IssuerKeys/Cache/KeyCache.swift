package import JOSE
import KeyFetcher

/// The key cache of all issuers. No caller waits for a fetch while there are valid keys.
///
/// This is one worker's view of the cache. An invocation fetches the keys that it needs, or refreshes them after its
/// response. All workers share them. If several workers need the same issuer's keys, one fetches and the others wait.
package struct KeyCache<Transport: KeyTransport> {
  private let shared: SharedKeys
  private var transport: Transport
  /// The number of fetches by this worker since the start.
  package private(set) var fetches = 0

  /// - Parameter sources: the key sources of all issuers without a secret.
  package init(_ sources: [(issuer: IssuerID, source: KeySource)], transport: Transport, now: Int64) {
    shared = SharedKeys(sources.map { SharedKeys.Slot($0.issuer, CachedKeySet($0.source, now: now)) })
    self.transport = transport
    for slot in shared.slots { reportKeys(in: slot, at: now) }
  }

  /// Returns another worker's view. Call it before the worker's thread starts. Returns nil if there is no memory for
  /// a lock.
  package func forAnotherWorker() -> KeyCache? {
    guard shared.share() else { return nil }
    var other = self
    other.fetches = 0
    return other
  }

  /// Whether the cache has keys of this issuer. It has none of an issuer with a secret.
  package func covers(_ issuer: IssuerID) -> Bool { shared.slot(of: issuer) != nil }

  /// Fetches the keys of every issuer that has none, all at the same time. A failed fetch is repeated when needed.
  package mutating func fillEmpty(at time: InvocationTime) {
    shared.lock()
    defer { shared.unlock() }
    fetch(shared.slots.filter { $0.keys.isEmpty && $0.keys.fetchUnderWay == nil }, at: time)
  }

  /// Refreshes the keys that are due. Runs after the response, so that no caller waits.
  package mutating func refresh(at time: InvocationTime) {
    shared.lock()
    defer { shared.unlock() }
    var due: [SharedKeys.Slot] = []
    for slot in shared.slots where slot.keys.isRefreshDue(at: time.unixSeconds) { due.append(slot) }
    fetch(due, at: time)
  }

  /// Returns the key for a token of an issuer, after at most one fetch.
  package mutating func key(
    of issuer: IssuerID, _ header: TokenHeader, at time: InvocationTime
  ) throws(KeyLookupFailure) -> VerificationKey {
    guard let slot = shared.slot(of: issuer) else { throw .unavailable }
    shared.lock()
    defer { shared.unlock() }
    var now = time.unixSeconds
    var lookup = slot.keys.lookup(header, at: now, canFetch: time.allowsFetch)
    if case .fetch = lookup {
      let end = fetchOrJoin(slot, at: time)
      now = end ?? now
      lookup = slot.keys.lookup(header, at: now, canFetch: false, afterFetch: end != nil)
    }
    switch lookup {
    case .use(let key):
      if slot.keys.freshness(at: now) == .expired {
        shared.notices.add(.servedStale, issuer: issuer, now: now)
      }
      return key
    case .unknownKey: throw .unknownKey
    case .fetch, .unavailable: throw .unavailable
    }
  }

  /// Returns another key for a token whose signature did not match, if the issuer has published one; at most one
  /// fetch.
  ///
  /// - Throws: `unavailable` if the fetch failed: the issuer may have published one.
  package mutating func keyAfterMismatch(
    of issuer: IssuerID, _ header: TokenHeader, _ refused: VerificationKey, at time: InvocationTime
  ) throws(KeyLookupFailure) -> VerificationKey? {
    guard let slot = shared.slot(of: issuer) else { throw .unavailable }
    shared.lock()
    defer { shared.unlock() }
    // Another worker may have fetched it in the meantime.
    if case .use(let key) = slot.keys.lookup(header, at: time.unixSeconds, canFetch: false),
      key !== refused
    {
      return key
    }
    guard time.allowsFetch, slot.keys.allowsFetchAfterMismatch(at: time.unixSeconds) else {
      return nil
    }
    guard let now = fetchOrJoin(slot, at: time), !slot.keys.isFailing else {
      throw .unavailable
    }
    guard
      case .use(let key) = slot.keys.lookup(header, at: now, canFetch: false, afterFetch: true),
      key !== refused
    else { return nil }
    return key
  }

  /// Returns the notices on keys since the last call. All workers share them; each notice is returned once.
  package func takeNotices() -> [KeyNotice] {
    shared.lock()
    defer { shared.unlock() }
    return shared.notices.take()
  }
}

extension KeyCache {
  /// Fetches an issuer's keys, or waits for the worker that is fetching them.
  ///
  /// - Returns: the time afterwards, in Unix seconds; nil if the fetch of another worker took too long.
  private mutating func fetchOrJoin(_ slot: SharedKeys.Slot, at time: InvocationTime) -> Int64? {
    guard slot.keys.fetchUnderWay != nil else { return fetch([slot], at: time) }
    guard shared.awaitFetch(in: slot, milliseconds: time.fetchMilliseconds) else { return nil }
    return max(time.unixSeconds, slot.keys.fetchEndedAt)
  }

  /// Fetches keys and stores the results; releases the lock while it waits.
  ///
  /// - Returns: the time afterwards, in Unix seconds; the back-off of failures starts there.
  @discardableResult
  private mutating func fetch(_ slots: [SharedKeys.Slot], at time: InvocationTime) -> Int64 {
    guard time.allowsFetch else { return time.unixSeconds }
    let pending = slots.compactMap { slot in
      slot.keys.source.address.map { (slot: slot, address: $0, fetch: slot.keys.beginFetch()) }
    }
    guard !pending.isEmpty else { return time.unixSeconds }
    shared.unlock()
    let answer = transport.fetch(pending.map { $0.address }, milliseconds: time.fetchMilliseconds)
    var results = answer.results.makeIterator()
    let fetched = pending.map { slot, _, fetch in
      // A missing result must not leave the fetch in progress forever.
      (slot: slot, fetch: fetch, outcome: fetch.read(results.next() ?? .failure(.malformedOutput)))
    }
    shared.lock()
    fetches += fetched.count
    let later = time.unixSeconds + (max(0, answer.elapsedMilliseconds) + 500) / 1000
    for (slot, fetch, outcome) in fetched {
      if let event = slot.keys.take(outcome, of: fetch, at: later) {
        shared.notices.add(event, issuer: slot.issuer, now: later)
      }
      reportKeys(in: slot, at: later)
    }
    shared.announceFetch()
    return later
  }

  /// Reports signing keys that cannot be used and keys with unusual encoding, once for each key set.
  private func reportKeys(in slot: SharedKeys.Slot, at now: Int64) {
    for event in slot.keys.takeUnreported() {
      shared.notices.add(event, issuer: slot.issuer, now: now)
    }
  }
}

/// Why there is no key for a token. Not nested in the generic type, since the compiler cannot throw a type that
/// depends on a generic parameter when it specializes for Embedded Swift.
package enum KeyLookupFailure: Error { case unknownKey, unavailable }
