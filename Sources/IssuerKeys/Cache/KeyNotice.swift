package import FunctionHost
package import JOSE

/// An event of an issuer's keys, for the log.
package struct KeyNotice: Equatable {
  package let issuer: IssuerID
  let event: Event

  enum Event: Equatable {
    /// The error code of the fetch.
    case fetchFailed(String)
    /// Expired keys were used, since no newer ones could be fetched.
    case servedStale
    /// A published key is not used.
    case keyUnusable(KeySet.UnusableKey)
    /// A published key is used although its spelling violates its definition.
    case keySpelling(keyID: [UInt8]?, KeySpelling)
  }
}

/// Limits notices so that an outage does not fill the log: failed fetches and expired keys, each once a minute for
/// each issuer. Notices about single keys need no limit: they occur once for each key set.
struct KeyNotices {
  private var waiting: [KeyNotice] = []
  private var lastAt: [(issuer: IssuerID, isFailure: Bool, at: Int64)] = []

  /// Seconds.
  private static let interval: Int64 = 60

  mutating func add(_ event: KeyNotice.Event, issuer: IssuerID, now: Int64) {
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

extension Notice {
  /// Creates the notice for an event of this issuer's keys.
  package init(_ notice: KeyNotice, issuerName: String) {
    switch notice.event {
    case .fetchFailed(let code): self.init(code: "keyFetchFailed", issuerName: issuerName, detail: code)
    case .keyUnusable(let key):
      self.init(
        code: "keyUnusable", issuerName: issuerName, detail: key.flaw.code,
        key: Key(
          keyID: key.keyID.map { KeySet.printable($0) }, member: key.flaw.member, reason: key.flaw.description
        ))
    case .keySpelling(let keyID, let spelling):
      // The key is used, so no action is needed.
      self.init(
        code: "keySpelling", issuerName: issuerName, detail: spelling.deviation.rawValue,
        key: Key(
          keyID: keyID.map { KeySet.printable($0) }, member: spelling.member, reason: spelling.description),
        level: .info)
    case .servedStale: self.init(code: "keysServedPastTheirLife", issuerName: issuerName, detail: nil)
    }
  }
}
