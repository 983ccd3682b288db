import IssuerKeys
import JOSE
import JSON

/// Checks whether the tokens of a subject are revoked. Asks a source before the first verdict on a subject, and again
/// when the cached answer is too old.
///
/// Belongs to one worker with its own source. If it were shared, a worker would wait while another waits for the
/// store, and results would be no more accurate: no cached answer is older than `freshSeconds`.
final class RevocationCheck {
  private let settings: RevocationSettings
  private let ask: ([UInt8], Int64?) -> RevocationAnswer
  private let another: () -> RevocationCheck
  private var states: RevocationStates
  private var backOff = BackOff()
  /// The subject of the last verdict, if its state should be refreshed.
  private var due: [UInt8]?
  private var notices: [String] = []
  private var noticedAt: Int64?
  /// The number of lookups.
  private(set) var lookups = 0

  /// - Parameters:
  ///   - ask: asks the source about a subject, with an end time in Unix milliseconds.
  ///   - another: makes a check with its own source.
  fileprivate init(
    _ settings: RevocationSettings, ask: @escaping ([UInt8], Int64?) -> RevocationAnswer,
    another: @escaping () -> RevocationCheck
  ) {
    self.settings = settings
    self.ask = ask
    self.another = another
    states = RevocationStates(entries: settings.entries)
  }

  func forAnotherWorker() -> RevocationCheck { another() }

  /// The revocation state of a token.
  enum State: Equatable {
    case good
    case revoked
    case unavailable(String)
  }

  /// Returns the state of a verified token; `good` without a lookup if its issuer is not configured for revocation.
  func state(of token: VerifiedToken, at time: InvocationTime) -> State {
    due = nil
    guard settings.issuers.contains(token.issuer) else { return .good }
    // Without a subject the token's user is unknown.
    guard let subject = token.subject else { return .revoked }
    let event: Int64?
    switch knowledge(of: subject, at: time) {
    case .known(let milliseconds): event = milliseconds
    case .unavailable(let detail): return .unavailable(detail)
    }
    guard let event else { return .good }
    return Self.isIssued(token, after: event) ? .good : .revoked
  }

  /// Refreshes the state of the last caller if half of its fresh time is over, so that frequent callers never wait.
  func refresh(at time: InvocationTime) {
    guard let subject = due else { return }
    due = nil
    guard time.allowsFetch, backOff.allowsAttempt(now: time.unixSeconds) else { return }
    _ = look(up: subject, at: time)
  }

  /// Returns the errors since the last call, at most one a minute.
  func takeNotices() -> [String] {
    guard !notices.isEmpty else { return [] }
    defer { notices = [] }
    return notices
  }

  /// Seconds between two notices, so that an outage does not fill the log.
  private static let noticeInterval: Int64 = 60

  private enum Knowledge {
    /// The time of the latest event in Unix milliseconds; nil if there is none.
    case known(Int64?)
    case unavailable(String)
  }

  private func knowledge(of subject: [UInt8], at time: InvocationTime) -> Knowledge {
    let now = time.unixSeconds
    let state = states.use(subject)
    // A clock that was set back must not extend the life of a cached state.
    let age = state.flatMap { $0.askedAt <= now ? now - $0.askedAt : nil }
    if let state, let age, age < settings.freshSeconds {
      if age * 2 >= settings.freshSeconds { due = subject }
      return .known(state.eventMilliseconds)
    }
    let isLastKnown = age.map { $0 < settings.freshSeconds + settings.lastKnownSeconds } ?? false
    if let state, isLastKnown, !backOff.allowsAttempt(now: now) {
      // One caller waits for a store that does not answer. The next callers do not wait, and the retry follows after
      // the response.
      due = subject
      return .known(state.eventMilliseconds)
    }
    switch look(up: subject, at: time) {
    case .notRevoked: return .known(nil)
    case .revoked(let milliseconds): return .known(milliseconds)
    case .unavailable(let detail):
      if let state, isLastKnown { return .known(state.eventMilliseconds) }
      return .unavailable(detail)
    }
  }

  private func look(up subject: [UInt8], at time: InvocationTime) -> RevocationAnswer {
    let now = time.unixSeconds
    lookups += 1
    let answer = ask(subject, time.endMilliseconds)
    switch answer {
    case .notRevoked: states.insert(subject, nil, askedAt: now)
    case .revoked(let milliseconds): states.insert(subject, milliseconds, askedAt: now)
    case .unavailable(let detail):
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

  /// Whether a token was issued later than an event. `iat` has seconds, and fractions are rounded down: in doubt the
  /// token is older. A token without `iat` counts as older.
  private static func isIssued(_ token: VerifiedToken, after eventMilliseconds: Int64) -> Bool {
    guard let seconds = token.claims["iat"]?.number?.bounds?.floor else { return false }
    let (milliseconds, overflows) = seconds.multipliedReportingOverflow(by: 1000)
    return overflows ? seconds > 0 : milliseconds > eventMilliseconds
  }
}

extension RevocationSettings {
  /// Returns a check with this source. Not an initializer, since classes in Embedded Swift have no generic ones.
  func check<Source: RevocationSource>(with source: Source) -> RevocationCheck {
    var source = source
    return RevocationCheck(
      self, ask: { source.answer(about: $0, endMilliseconds: $1) },
      another: { check(with: source.forAnotherWorker()) })
  }
}
