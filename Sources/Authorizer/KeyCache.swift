package import JOSE

/// The keys of all issuers. Nobody waits for a fetch while there are keys to answer with.
///
/// One worker's view of them: new keys are fetched by the invocation that needs them, or after its response, and are every
/// worker's. Of workers that need the same issuer's keys one fetches, and the others wait for it.
package struct KeyCache<Transport: KeyTransport> {
  private let shared: SharedKeys
  private var transport: Transport
  /// Fetches of this worker since the start.
  package private(set) var fetches = 0

  package init(_ sources: [KeySource], transport: Transport, now: Int64) {
    shared = SharedKeys(sources.map { IssuerKeys($0, now: now) })
    self.transport = transport
    for index in shared.issuers.indices { reportKeys(of: index, at: now) }
  }

  /// Another worker's view; before it has a thread. Nil where there is no memory for a lock.
  package func forAnotherWorker() -> KeyCache? {
    guard shared.share() else { return nil }
    var other = self
    other.fetches = 0
    return other
  }

  /// Why there is no key.
  package typealias Failure = KeyLookupFailure

  /// Fetches the keys of every issuer that has none, all at the same time. Whoever fails is asked again when needed.
  package mutating func fillEmpty(at now: Int64, budget: FetchBudget) {
    shared.lock()
    defer { shared.unlock() }
    fetch(
      shared.issuers.indices.filter { shared.issuers[$0].isEmpty && shared.issuers[$0].fetchUnderWay == nil },
      at: now, budget)
  }

  /// Refreshes what is due. Runs after the response, so that no caller waits.
  package mutating func refresh(at now: Int64, budget: FetchBudget) {
    shared.lock()
    defer { shared.unlock() }
    var due: [Int] = []
    for index in shared.issuers.indices where shared.issuers[index].isRefreshDue(at: now) {
      due.append(index)
    }
    fetch(due, at: now, budget)
  }

  /// The key for a token of an issuer; at most one fetch.
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

  /// Another key for a token whose signature did not fit, if the issuer has published one; at most one fetch.
  ///
  /// - Throws: `unavailable` where the issuer was asked and did not answer: it may have published one.
  package mutating func keyAfterMismatch(
    issuer: Int, _ header: TokenHeader, _ refused: VerificationKey, at now: Int64, budget: FetchBudget
  ) throws(Failure) -> VerificationKey? {
    shared.lock()
    defer { shared.unlock() }
    // Another worker's fetch may have brought it meanwhile.
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

  /// What is to be logged about keys since the last call; each notice comes once, whichever worker asks.
  package func takeNotices() -> [KeyNotice] {
    shared.lock()
    defer { shared.unlock() }
    return shared.notices.take()
  }
}

extension KeyCache {
  /// Fetches an issuer's keys, or waits for the worker that does.
  ///
  /// - Returns: the time afterwards, in Unix seconds; nil where another worker's fetch took too long for this one.
  private mutating func fetchOrJoin(_ issuer: Int, at now: Int64, _ budget: FetchBudget) -> Int64? {
    guard shared.issuers[issuer].fetchUnderWay != nil else { return fetch([issuer], at: now, budget) }
    guard shared.awaitFetch(of: issuer, milliseconds: budget.milliseconds) else { return nil }
    return max(now, shared.issuers[issuer].fetchEndedAt)
  }

  /// Fetches and takes in what came; without the lock while it waits.
  ///
  /// - Returns: the time afterwards, in Unix seconds: failures back off from there.
  @discardableResult
  private mutating func fetch(_ indices: [Int], at now: Int64, _ budget: FetchBudget) -> Int64 {
    let indices = indices.filter { shared.issuers[$0].source.address != nil }
    guard !indices.isEmpty, budget.allowsFetch else { return now }
    let addresses = indices.compactMap { shared.issuers[$0].source.address }
    let pending = indices.map { shared.issuers[$0].beginFetch() }
    shared.unlock()
    let outcome = transport.fetch(addresses, milliseconds: budget.milliseconds)
    let fetched = pending.indices.map { place in
      // An answer that is missing must not leave the fetch under way for ever.
      pending[place].read(
        outcome.results.indices.contains(place) ? outcome.results[place] : .failed("fetchOutput"))
    }
    shared.lock()
    fetches += indices.count
    let later = now + (max(0, outcome.elapsedMilliseconds) + 500) / 1000
    for (place, index) in indices.enumerated() {
      if let flaw = shared.issuers[index].take(fetched[place], of: pending[place], at: later) {
        shared.notices.add(.fetchFailed(flaw), issuer: index, now: later)
      }
      reportKeys(of: index, at: later)
    }
    shared.announceFetch()
    return later
  }

  /// Keys that are published for signatures and cannot be used, and keys whose spelling is unusual, once for each key set.
  private func reportKeys(of index: Int, at now: Int64) {
    for event in shared.issuers[index].takeUnreported() {
      shared.notices.add(event, issuer: index, now: now)
    }
  }
}

/// Why there is no key for a token. Not within the generic type: the compiler cannot throw what depends on a parameter where
/// it specializes for Embedded Swift.
package enum KeyLookupFailure: Error { case unknownKey, unavailable }

/// Something that happened to an issuer's keys, for the log.
package struct KeyNotice: Equatable {
  let issuer: Int
  let event: Event

  enum Event: Equatable {
    /// The code of what went wrong.
    case fetchFailed(String)
    /// Keys past their life answered, since no newer ones could be fetched.
    case servedStale
    /// A published key is not used.
    case keyUnusable(KeySet.UnusableKey)
    /// A published key is used, and written against its definition.
    case keySpelling(keyID: [UInt8]?, KeySpelling)
  }
}

/// Keeps an outage from filling the log: each kind of notice once a minute for each issuer.
struct KeyNotices {
  private var waiting: [KeyNotice] = []
  private var lastAt: [(issuer: Int, isFailure: Bool, at: Int64)] = []

  /// Seconds.
  private static let interval: Int64 = 60

  mutating func add(_ event: KeyNotice.Event, issuer: Int, now: Int64) {
    switch event {
    case .keyUnusable, .keySpelling:
      waiting.append(KeyNotice(issuer: issuer, event: event))
      return
    case .fetchFailed, .servedStale: break
    }
    let isFailure = event != .servedStale
    if let index = lastAt.firstIndex(where: { $0.issuer == issuer && $0.isFailure == isFailure }) {
      guard now >= lastAt[index].at + Self.interval || now < lastAt[index].at else { return }
      lastAt[index].at = now
    } else {
      lastAt.append((issuer, isFailure, now))
    }
    waiting.append(KeyNotice(issuer: issuer, event: event))
  }

  mutating func take() -> [KeyNotice] {
    guard !waiting.isEmpty else { return [] }
    defer { waiting = [] }
    return waiting
  }
}
