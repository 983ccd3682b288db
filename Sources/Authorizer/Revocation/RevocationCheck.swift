import IssuerKeys
import JOSE
import JSON
import Withdrawals

/// Checks whether tokens are revoked. Asks a source about an item before the first verdict that depends on it, and again
/// when the cached answer is too old.
///
/// Belongs to one worker with its own source. If it were shared, a worker would wait while another waits for the
/// store, and results would be no more accurate: no cached answer is older than `freshSeconds`.
final class RevocationCheck {
  private let settings: RevocationSettings
  private let ask: ([[UInt8]], Int64, Int64?) -> RevocationAnswer
  private let another: () -> RevocationCheck
  private var states: RevocationStates
  private var backOff = BackOff()
  /// The items of the last verdict whose states should be refreshed.
  private var due: [[UInt8]] = []
  private var notices: [String] = []
  private var noticedAt: Int64?
  /// The number of lookups.
  private(set) var lookups = 0
  /// The kinds of keys that the last token did not have, so that they were not looked up.
  private(set) var notLookedUp: [WithdrawalKey.Kind] = []

  /// - Parameters:
  ///   - ask: asks the source about items, with the time in Unix seconds and the end in Unix milliseconds.
  ///   - another: makes a check with its own source.
  fileprivate init(
    _ settings: RevocationSettings, ask: @escaping ([[UInt8]], Int64, Int64?) -> RevocationAnswer,
    another: @escaping () -> RevocationCheck
  ) {
    self.settings = settings
    self.ask = ask
    self.another = another
    states = RevocationStates(entries: settings.entries)
  }

  func forAnotherWorker() -> RevocationCheck { another() }

  enum State: Equatable {
    case good
    case revoked
    /// It is refused before anything is looked up.
    case flawed(WithdrawalFlaw)
    case unavailable(String)
  }

  /// Returns the state of a verified token; `good` without a lookup if its issuer is not configured for revocation.
  func state(of token: VerifiedToken, at time: InvocationTime) -> State {
    (due, notLookedUp) = ([], [])
    guard settings.issuers.contains(token.issuer) else { return .good }
    let keys: [RevocationKey]
    if settings.lookups.isEmpty {
      // Without a subject the token's user is unknown.
      guard let subject = token.subject else { return .revoked }
      keys = [RevocationKey(item: WithdrawalKey.itemPrefix + subject, kind: .subject)]
    } else {
      do throws(WithdrawalFlaw) {
        guard let found = try self.keys(of: token) else { return .unavailable("libcrypto cannot hash a key") }
        keys = found
      } catch {
        return .flawed(error)
      }
    }
    return state(of: token, keys, at: time)
  }

  /// Returns the items that are looked up for a token where `"issuers"` is an object; `nil` if libcrypto fails.
  private func keys(of token: VerifiedToken) throws(WithdrawalFlaw) -> [RevocationKey]? {
    var keys: [RevocationKey] = []
    for lookup in settings.lookups where lookup.issuer == token.issuer {
      let (found, absent) = try lookup.keys(of: token)
      notLookedUp = absent
      for key in found {
        guard let item = key.itemKey else { return nil }
        keys.append(RevocationKey(item: item, kind: key.kind))
        if lookup.isApple, key.kind == .subject, let first = WithdrawalKey.firstItemKey(of: key.value) {
          keys.append(RevocationKey(item: first, kind: .subject))
        }
      }
    }
    return keys
  }

  /// Refreshes the states of the last caller if half of their fresh time is over, so that frequent callers never wait.
  func refresh(at time: InvocationTime) {
    guard !due.isEmpty else { return }
    let items = due
    due = []
    guard time.allowsFetch, backOff.allowsAttempt(now: time.unixSeconds) else { return }
    _ = look(up: items, at: time)
  }

  /// Returns the errors since the last call, at most one a minute.
  func takeNotices() -> [String] {
    guard !notices.isEmpty else { return [] }
    defer { notices = [] }
    return notices
  }

  /// Seconds between two notices, so that an outage does not fill the log.
  private static let noticeInterval: Int64 = 60

  private func state(of token: VerifiedToken, _ keys: [RevocationKey], at time: InvocationTime) -> State {
    let now = time.unixSeconds
    // The keys without a fresh state, and what the last known state of each says, if it may be used without the store.
    var stale: [RevocationKey] = []
    var isRefused: [Bool?] = []
    for key in keys {
      let state = states.use(key.item)
      // A clock that was set back must not extend the life of a cached state.
      let age = state.flatMap { $0.askedAt <= now ? now - $0.askedAt : nil }
      if let state, let age, age < settings.freshSeconds {
        if age * 2 >= settings.freshSeconds { due.append(key.item) }
        if key.isRefused(token, after: state.eventMilliseconds) { return .revoked }
        continue
      }
      stale.append(key)
      if let state, let age, age < settings.freshSeconds + settings.lastKnownSeconds {
        isRefused.append(key.isRefused(token, after: state.eventMilliseconds))
      } else {
        isRefused.append(nil)
      }
    }
    guard !stale.isEmpty else { return .good }
    let items = stale.map { $0.item }
    if !isRefused.contains(nil), !backOff.allowsAttempt(now: now) {
      // One caller waits for a store that does not answer. The next callers do not wait, and the retry follows after
      // the response.
      due += items
      return isRefused.contains(true) ? .revoked : .good
    }
    switch look(up: items, at: time) {
    case .events(let events):
      for (index, key) in stale.enumerated() where key.isRefused(token, after: events[index]) {
        return .revoked
      }
      return .good
    case .unavailable(let detail, let known):
      for event in known {
        if stale[event.index].isRefused(token, after: event.eventMilliseconds) { return .revoked }
        isRefused[event.index] = false
      }
      guard !isRefused.contains(nil) else { return .unavailable(detail) }
      return isRefused.contains(true) ? .revoked : .good
    }
  }

  private func look(up items: [[UInt8]], at time: InvocationTime) -> RevocationAnswer {
    let now = time.unixSeconds
    lookups += 1
    let answer = ask(items, now, time.endMilliseconds)
    switch answer {
    case .events(let events):
      for (index, item) in items.enumerated() { states.insert(item, events[index], askedAt: now) }
    case .unavailable(let detail, let known):
      for event in known { states.insert(items[event.index], event.eventMilliseconds, askedAt: now) }
      backOff.failed(now: now)
      let isDue = noticedAt.map { now < $0 || now - $0 >= Self.noticeInterval } ?? true
      if isDue {
        noticedAt = now
        notices.append(detail)
      }
      return answer
    }
    backOff.succeeded()
    return answer
  }
}

extension RevocationSettings {
  /// Returns a check with this source. Not an initializer, since classes in Embedded Swift have no generic ones.
  func check<Source: RevocationSource>(with source: Source) -> RevocationCheck {
    var source = source
    return RevocationCheck(
      self, ask: { source.answer(about: $0, at: $1, endMilliseconds: $2) },
      another: { check(with: source.forAnotherWorker()) })
  }
}

/// What a source is asked about: one item of the table, or the entries of the file that stand for it.
struct RevocationKey: Equatable {
  /// The `pk` of the item.
  let item: [UInt8]
  /// Which claim it is about.
  let kind: WithdrawalKey.Kind

  /// Whether an event refuses a token. `iat` has seconds, and fractions are rounded down: in doubt the token is older.
  /// A token without `iat` counts as older. Other claims than `sub` name what has ended, whatever `iat` says.
  func isRefused(_ token: VerifiedToken, after eventMilliseconds: Int64?) -> Bool {
    guard let eventMilliseconds else { return false }
    guard kind == .subject, let seconds = token.claims["iat"]?.number?.bounds?.floor else { return true }
    let (milliseconds, overflows) = seconds.multipliedReportingOverflow(by: 1000)
    return overflows ? seconds <= 0 : milliseconds <= eventMilliseconds
  }
}
