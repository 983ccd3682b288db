import JOSE

/// The keys of all issuers. Nobody waits for a fetch while there are keys to answer with.
///
/// Belongs to one thread; new keys are fetched by the invocation that needs them, or after its response.
struct KeyCache<Transport: KeyTransport> {
  private var issuers: [IssuerKeys]
  private var transport: Transport
  /// Fetches since the start.
  private(set) var fetches = 0
  private var notices = KeyNotices()

  init(_ sources: [KeySource], transport: Transport, now: Int64) {
    issuers = sources.map { IssuerKeys($0, now: now) }
    self.transport = transport
    for index in issuers.indices { reportUnusableKeys(of: index, at: now) }
  }

  /// Why there is no key.
  enum Failure: Error { case unknownKey, unavailable }

  /// Fetches the keys of every issuer that has none, all at the same time. Whoever fails is asked again when needed.
  mutating func fillEmpty(at now: Int64, budget: FetchBudget) {
    fetch(
      issuers.indices.filter { issuers[$0].isEmpty && issuers[$0].source.address != nil }, at: now, budget)
  }

  /// Refreshes what is due. Runs after the response, so that no caller waits.
  mutating func refresh(at now: Int64, budget: FetchBudget) {
    var due: [Int] = []
    for index in issuers.indices where issuers[index].isRefreshDue(at: now) { due.append(index) }
    fetch(due, at: now, budget)
  }

  /// The key for a token of an issuer; at most one fetch.
  mutating func key(
    issuer: Int, _ header: TokenHeader, at now: Int64, budget: FetchBudget
  ) throws(Failure) -> VerificationKey {
    var now = now
    var lookup = issuers[issuer].lookup(header, at: now, canFetch: budget.allowsFetch)
    if case .fetch = lookup {
      now = fetch([issuer], at: now, budget)
      lookup = issuers[issuer].lookup(header, at: now, canFetch: false, afterFetch: true)
    }
    switch lookup {
    case .use(let key):
      if issuers[issuer].freshness(at: now) == .expired {
        notices.add(.servedStale, issuer: issuer, now: now)
      }
      return key
    case .unknownKey: throw .unknownKey
    case .fetch, .unavailable: throw .unavailable
    }
  }

  /// Another key for a token whose signature did not fit, if the issuer has published one; at most one fetch.
  ///
  /// - Throws: `unavailable` where the issuer was asked and did not answer: it may have published one.
  mutating func keyAfterMismatch(
    issuer: Int, _ header: TokenHeader, _ refused: VerificationKey, at now: Int64, budget: FetchBudget
  ) throws(Failure) -> VerificationKey? {
    guard budget.allowsFetch, issuers[issuer].allowsFetchAfterMismatch(at: now) else { return nil }
    let now = fetch([issuer], at: now, budget)
    guard !issuers[issuer].isFailing else { throw .unavailable }
    guard case .use(let key) = issuers[issuer].lookup(header, at: now, canFetch: false, afterFetch: true),
      key !== refused
    else { return nil }
    return key
  }

  /// What is to be logged about keys since the last call.
  mutating func takeNotices() -> [KeyNotice] { notices.take() }

  /// Fetches and takes in what came.
  ///
  /// - Returns: the time afterwards, in Unix seconds: failures back off from there.
  @discardableResult
  private mutating func fetch(_ indices: [Int], at now: Int64, _ budget: FetchBudget) -> Int64 {
    let indices = indices.filter { issuers[$0].source.address != nil }
    guard !indices.isEmpty, budget.allowsFetch else { return now }
    let outcome = transport.fetch(
      indices.compactMap { issuers[$0].source.address }, milliseconds: budget.milliseconds)
    fetches += indices.count
    let later = now + (max(0, outcome.elapsedMilliseconds) + 500) / 1000
    for (index, result) in zip(indices, outcome.results) {
      if let flaw = issuers[index].fetched(result, at: later) {
        notices.add(.fetchFailed(flaw), issuer: index, now: later)
      } else {
        reportUnusableKeys(of: index, at: later)
      }
    }
    return later
  }
}

extension KeyCache {
  /// Keys that are published for signatures and cannot be used, once for each key set. Keys for encryption and of other
  /// types belong in a set and are nothing to speak of.
  private mutating func reportUnusableKeys(of index: Int, at now: Int64) {
    for key in issuers[index].takeUnreportedFlaws() {
      notices.add(.keyUnusable(key.code), issuer: index, now: now)
    }
  }
}

/// Something that happened to an issuer's keys, for the log.
struct KeyNotice: Equatable {
  let issuer: Int
  let event: Event

  enum Event: Equatable {
    /// The code of what went wrong.
    case fetchFailed(String)
    /// Keys past their life answered, since no newer ones could be fetched.
    case servedStale
    /// A published key is not used; the code says why.
    case keyUnusable(String)
  }
}

/// Keeps an outage from filling the log: each kind of notice once a minute for each issuer.
private struct KeyNotices {
  private var waiting: [KeyNotice] = []
  private var lastAt: [(issuer: Int, isFailure: Bool, at: Int64)] = []

  /// Seconds.
  private static let interval: Int64 = 60

  mutating func add(_ event: KeyNotice.Event, issuer: Int, now: Int64) {
    if case .keyUnusable = event {
      waiting.append(KeyNotice(issuer: issuer, event: event))
      return
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
