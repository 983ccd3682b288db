import Bytes
package import FunctionHost
package import JOSE

/// An event of an issuer's keys, for the log.
package struct KeyNotice: Equatable {
  package let issuer: IssuerID
  let event: Event

  enum Event: Equatable {
    /// The error code of the fetch or of its document, and a reason made by `reason(_:)`.
    case fetchFailed(String, reason: String)
    /// Expired keys were used, since no newer ones could be fetched.
    case servedStale
    /// A published key is not used.
    case keyUnusable(KeySet.UnusableKey)
    /// A published key is used although the encoding of a number deviates from RFC 7518.
    case keySpelling(keyID: [UInt8]?, EncodingDeviation)
  }
}

extension KeyNotice {
  /// Our own limit in bytes; an error of libcurl has at most 256 (CURL_ERROR_SIZE).
  static let maximumReasonBytes = 320

  /// Returns the first line of an error's description for the log: printable ASCII, cut at the limit, and without any
  /// word that may be a URL, which may contain a credential.
  static func reason(_ description: String) -> String {
    let line = description.utf8.prefix { $0 != .lineFeed }.filter { $0.isPrintable }
    let words = line.split(separator: .space).map { word in
      let isSuspect =
        word.contains { $0 == .questionMark || $0 == UInt8(ascii: "@") }
        || zip(word, word.dropFirst()).contains { $0 == .slash && $1 == .slash }
      return isSuspect ? Array("[URL]".utf8)[...] : word
    }
    let text = Array(words.joined(separator: [.space]))
    return String(decoding: text.prefix(maximumReasonBytes), as: UTF8.self)
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
    case .fetchFailed(let code, let reason):
      self.init(code: "keyFetchFailed", issuerName: issuerName, detail: code, reason: reason)
    case .keyUnusable(let key):
      self.init(
        code: "keyUnusable", issuerName: issuerName, detail: key.flaw.code,
        key: Key(keyID: key.keyID.map { KeySet.printable($0) }, member: key.flaw.member),
        reason: key.flaw.description)
    case .keySpelling(let keyID, let deviation):
      // The key is used, so no action is needed.
      self.init(
        code: "keySpelling", issuerName: issuerName, detail: deviation.kind.rawValue,
        key: Key(keyID: keyID.map { KeySet.printable($0) }, member: deviation.member),
        reason: deviation.description, level: .info)
    case .servedStale: self.init(code: "keysServedPastTheirLife", issuerName: issuerName, detail: nil)
    }
  }
}
