package import JOSE

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
    shared = SharedKeys(sources.map { ($0.issuer, IssuerKeys($0.source, now: now)) })
    self.transport = transport
    for slot in shared.slots.indices { reportKeys(in: slot, at: now) }
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
    fetch(
      shared.slots.indices.filter { shared.slots[$0].isEmpty && shared.slots[$0].fetchUnderWay == nil },
      at: time)
  }

  /// Refreshes the keys that are due. Runs after the response, so that no caller waits.
  package mutating func refresh(at time: InvocationTime) {
    shared.lock()
    defer { shared.unlock() }
    var due: [Int] = []
    for slot in shared.slots.indices where shared.slots[slot].isRefreshDue(at: time.unixSeconds) {
      due.append(slot)
    }
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
    var lookup = shared.slots[slot].lookup(header, at: now, canFetch: time.allowsFetch)
    if case .fetch = lookup {
      let end = fetchOrJoin(slot, at: time)
      now = end ?? now
      lookup = shared.slots[slot].lookup(header, at: now, canFetch: false, afterFetch: end != nil)
    }
    switch lookup {
    case .use(let key):
      if shared.slots[slot].freshness(at: now) == .expired {
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
    if case .use(let key) = shared.slots[slot].lookup(header, at: time.unixSeconds, canFetch: false),
      key !== refused
    {
      return key
    }
    guard time.allowsFetch, shared.slots[slot].allowsFetchAfterMismatch(at: time.unixSeconds) else {
      return nil
    }
    guard let now = fetchOrJoin(slot, at: time), !shared.slots[slot].isFailing else {
      throw .unavailable
    }
    guard
      case .use(let key) = shared.slots[slot].lookup(header, at: now, canFetch: false, afterFetch: true),
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
  private mutating func fetchOrJoin(_ slot: Int, at time: InvocationTime) -> Int64? {
    guard shared.slots[slot].fetchUnderWay != nil else { return fetch([slot], at: time) }
    guard shared.awaitFetch(in: slot, milliseconds: time.fetchMilliseconds) else { return nil }
    return max(time.unixSeconds, shared.slots[slot].fetchEndedAt)
  }

  /// Fetches keys and stores the results; releases the lock while it waits.
  ///
  /// - Returns: the time afterwards, in Unix seconds; the back-off of failures starts there.
  @discardableResult
  private mutating func fetch(_ slots: [Int], at time: InvocationTime) -> Int64 {
    let slots = slots.filter { shared.slots[$0].source.address != nil }
    guard !slots.isEmpty, time.allowsFetch else { return time.unixSeconds }
    let addresses = slots.compactMap { shared.slots[$0].source.address }
    let pending = slots.map { shared.slots[$0].beginFetch() }
    shared.unlock()
    let outcome = transport.fetch(addresses, milliseconds: time.fetchMilliseconds)
    let fetched = pending.indices.map { index in
      // A missing result must not leave the fetch in progress forever.
      pending[index].read(
        outcome.results.indices.contains(index) ? outcome.results[index] : .failure(.malformedOutput))
    }
    shared.lock()
    fetches += slots.count
    let later = time.unixSeconds + (max(0, outcome.elapsedMilliseconds) + 500) / 1000
    for (index, slot) in slots.enumerated() {
      if let event = shared.slots[slot].take(fetched[index], of: pending[index], at: later) {
        shared.notices.add(event, issuer: shared.issuers[slot], now: later)
      }
      reportKeys(in: slot, at: later)
    }
    shared.announceFetch()
    return later
  }

  /// Reports signing keys that cannot be used and keys with unusual spelling, once for each key set.
  private func reportKeys(in slot: Int, at now: Int64) {
    for event in shared.slots[slot].takeUnreported() {
      shared.notices.add(event, issuer: shared.issuers[slot], now: now)
    }
  }
}

/// Why there is no key for a token. Not nested in the generic type, since the compiler cannot throw a type that
/// depends on a generic parameter when it specializes for Embedded Swift.
package enum KeyLookupFailure: Error { case unknownKey, unavailable }
