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

  package init(_ sources: [KeySource], transport: Transport, now: Int64) {
    shared = SharedKeys(sources.map { IssuerKeys($0, now: now) })
    self.transport = transport
    for index in shared.issuers.indices { reportKeys(of: index, at: now) }
  }

  /// Returns another worker's view. Call it before the worker's thread starts. Returns nil if there is no memory for
  /// a lock.
  package func forAnotherWorker() -> KeyCache? {
    guard shared.share() else { return nil }
    var other = self
    other.fetches = 0
    return other
  }

  /// Why there is no key.
  package typealias Failure = KeyLookupFailure

  /// Fetches the keys of every issuer that has none, all at the same time. A failed fetch is repeated when needed.
  package mutating func fillEmpty(at now: Int64, budget: FetchBudget) {
    shared.lock()
    defer { shared.unlock() }
    fetch(
      shared.issuers.indices.filter { shared.issuers[$0].isEmpty && shared.issuers[$0].fetchUnderWay == nil },
      at: now, budget)
  }

  /// Refreshes the keys that are due. Runs after the response, so that no caller waits.
  package mutating func refresh(at now: Int64, budget: FetchBudget) {
    shared.lock()
    defer { shared.unlock() }
    var due: [Int] = []
    for index in shared.issuers.indices where shared.issuers[index].isRefreshDue(at: now) {
      due.append(index)
    }
    fetch(due, at: now, budget)
  }

  /// Returns the key for a token of an issuer, after at most one fetch.
  package mutating func key(
    issuer: Int, _ header: TokenHeader, at now: Int64, budget: FetchBudget
  ) throws(Failure) -> VerificationKey {
    shared.lock()
    defer { shared.unlock() }
    var now = now
    var lookup = shared.issuers[issuer].lookup(header, at: now, canFetch: budget.allowsFetch)
    if case .fetch = lookup {
      let end = fetchOrJoin(issuer, at: now, budget)
      now = end ?? now
      lookup = shared.issuers[issuer].lookup(header, at: now, canFetch: false, afterFetch: end != nil)
    }
    switch lookup {
    case .use(let key):
      if shared.issuers[issuer].freshness(at: now) == .expired {
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
    issuer: Int, _ header: TokenHeader, _ refused: VerificationKey, at now: Int64, budget: FetchBudget
  ) throws(Failure) -> VerificationKey? {
    shared.lock()
    defer { shared.unlock() }
    // Another worker may have fetched it in the meantime.
    if case .use(let key) = shared.issuers[issuer].lookup(header, at: now, canFetch: false), key !== refused {
      return key
    }
    guard budget.allowsFetch, shared.issuers[issuer].allowsFetchAfterMismatch(at: now) else { return nil }
    guard let now = fetchOrJoin(issuer, at: now, budget), !shared.issuers[issuer].isFailing else {
      throw .unavailable
    }
    guard
      case .use(let key) = shared.issuers[issuer].lookup(header, at: now, canFetch: false, afterFetch: true),
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
  private mutating func fetchOrJoin(_ issuer: Int, at now: Int64, _ budget: FetchBudget) -> Int64? {
    guard shared.issuers[issuer].fetchUnderWay != nil else { return fetch([issuer], at: now, budget) }
    guard shared.awaitFetch(of: issuer, milliseconds: budget.milliseconds) else { return nil }
    return max(now, shared.issuers[issuer].fetchEndedAt)
  }

  /// Fetches keys and stores the results; releases the lock while it waits.
  ///
  /// - Returns: the time afterwards, in Unix seconds; the back-off of failures starts there.
  @discardableResult
  private mutating func fetch(_ indices: [Int], at now: Int64, _ budget: FetchBudget) -> Int64 {
    let indices = indices.filter { shared.issuers[$0].source.address != nil }
    guard !indices.isEmpty, budget.allowsFetch else { return now }
    let addresses = indices.compactMap { shared.issuers[$0].source.address }
    let pending = indices.map { shared.issuers[$0].beginFetch() }
    shared.unlock()
    let outcome = transport.fetch(addresses, milliseconds: budget.milliseconds)
    let fetched = pending.indices.map { slot in
      // A missing result must not leave the fetch in progress forever.
      pending[slot].read(
        outcome.results.indices.contains(slot) ? outcome.results[slot] : .failed("fetchOutput"))
    }
    shared.lock()
    fetches += indices.count
    let later = now + (max(0, outcome.elapsedMilliseconds) + 500) / 1000
    for (slot, index) in indices.enumerated() {
      if let flaw = shared.issuers[index].take(fetched[slot], of: pending[slot], at: later) {
        shared.notices.add(.fetchFailed(flaw), issuer: index, now: later)
      }
      reportKeys(of: index, at: later)
    }
    shared.announceFetch()
    return later
  }

  /// Reports signing keys that cannot be used and keys with unusual spelling, once for each key set.
  private func reportKeys(of index: Int, at now: Int64) {
    for event in shared.issuers[index].takeUnreported() {
      shared.notices.add(event, issuer: index, now: now)
    }
  }
}

/// Why there is no key for a token. Not nested in the generic type, since the compiler cannot throw a type that
/// depends on a generic parameter when it specializes for Embedded Swift.
package enum KeyLookupFailure: Error { case unknownKey, unavailable }
