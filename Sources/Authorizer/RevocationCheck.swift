import JOSE
import JSON

/// Whether subjects have withdrawn, as far as it is known: asks a source before the first verdict on a subject, and again
/// when the answer has become old.
///
/// Belongs to one worker with a source of its own. Shared, it would hold one worker up while another waits for the store, and
/// would be no more right: what each knows is no older than `freshSeconds`.
final class RevocationCheck {
  private let settings: RevocationSettings
  private let ask: ([UInt8], Int64?) -> RevocationAnswer
  private let another: () -> RevocationCheck
  private var states: RevocationStates
  private var backOff = BackOff()
  /// Whom the last verdict was about, where what is known of him should be looked up again.
  private var due: [UInt8]?
  private var notices: [String] = []
  private var noticedAt: Int64?
  /// How often the source was asked.
  private(set) var lookups = 0

  /// - Parameters:
  ///   - ask: asks the source about a subject, until a time in Unix milliseconds.
  ///   - another: makes a check with a source of its own.
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

  /// What a token is worth as to revocation.
  enum State: Equatable {
    case good
    case revoked
    case unavailable(String)
  }

  /// Looks a verified token up, where its issuer is one of those that are looked up.
  ///
  /// - Parameter now: Unix seconds.
  func state(of token: VerifiedToken, at now: Int64, budget: FetchBudget) -> State {
    due = nil
    guard settings.issuers.contains(token.profileIndex) else { return .good }
    // Without a subject nobody can know whose token it is.
    guard let subject = token.subject else { return .revoked }
    let event: Int64?
    switch knowledge(of: subject, at: now, budget) {
    case .known(let milliseconds): event = milliseconds
    case .unavailable(let detail): return .unavailable(detail)
    }
    guard let event else { return .good }
    return Self.isIssued(token, after: event) ? .good : .revoked
  }

  /// Looks up again what is known of the last caller, where half of its time is over: whoever comes that often never waits.
  func refresh(at now: Int64, budget: FetchBudget) {
    guard let subject = due else { return }
    due = nil
    guard budget.allowsFetch, backOff.allowsAttempt(now: now) else { return }
    _ = look(up: subject, at: now, budget)
  }

  /// What went wrong since the last call, once a minute at most.
  func takeNotices() -> [String] {
    guard !notices.isEmpty else { return [] }
    defer { notices = [] }
    return notices
  }

  /// Seconds between two notices: an outage must not fill the log.
  private static let noticeInterval: Int64 = 60

  private enum Knowledge {
    /// The time of the latest event in Unix milliseconds; nil where there is none.
    case known(Int64?)
    case unavailable(String)
  }

  private func knowledge(of subject: [UInt8], at now: Int64, _ budget: FetchBudget) -> Knowledge {
    let state = states.use(subject)
    // A clock that was set back must not prolong what is known.
    let age = state.flatMap { $0.askedAt <= now ? now - $0.askedAt : nil }
    if let state, let age, age < settings.freshSeconds {
      if age * 2 >= settings.freshSeconds { due = subject }
      return .known(state.eventMilliseconds)
    }
    let isLastKnown = age.map { $0 < settings.freshSeconds + settings.lastKnownSeconds } ?? false
    if let state, isLastKnown, !backOff.allowsAttempt(now: now) {
      // One caller waits for a store that does not answer; the next ones do not, and the retry comes after the response.
      due = subject
      return .known(state.eventMilliseconds)
    }
    switch look(up: subject, at: now, budget) {
    case .notRevoked: return .known(nil)
    case .revoked(let milliseconds): return .known(milliseconds)
    case .unavailable(let detail):
      if let state, isLastKnown { return .known(state.eventMilliseconds) }
      return .unavailable(detail)
    }
  }

  private func look(up subject: [UInt8], at now: Int64, _ budget: FetchBudget) -> RevocationAnswer {
    lookups += 1
    let answer = ask(subject, budget.endMilliseconds)
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

  /// Whether a token was issued later than an event. `iat` has seconds, or fractions of them that are left out here: in
  /// doubt it was not. Nor was one that does not say.
  private static func isIssued(_ token: VerifiedToken, after eventMilliseconds: Int64) -> Bool {
    guard let seconds = token.claims["iat"]?.number?.bounds?.floor else { return false }
    let (milliseconds, overflows) = seconds.multipliedReportingOverflow(by: 1000)
    return overflows ? seconds > 0 : milliseconds > eventMilliseconds
  }
}

extension RevocationSettings {
  /// A check with this source. Not an initializer: Embedded Swift has no generic ones in classes.
  func check<Source: RevocationSource>(with source: Source) -> RevocationCheck {
    var source = source
    return RevocationCheck(
      self, ask: { source.answer(about: $0, endMilliseconds: $1) },
      another: { check(with: source.forAnotherWorker()) })
  }
}

/// What was looked up, bounded: sets of four places, of which the one that was not used for longest makes room.
struct RevocationStates {
  /// What is known of one subject.
  struct State {
    let subject: [UInt8]
    /// Unix milliseconds; nil where he has not withdrawn.
    let eventMilliseconds: Int64?
    /// Unix seconds, from before the question was asked.
    let askedAt: Int64
    fileprivate var usedAt: UInt64
  }

  private var places: [State?]
  private var uses: UInt64 = 0
  private static let placesPerBucket = 4

  /// Room for at least this many subjects.
  init(entries: Int) {
    let buckets = max(1, (entries + Self.placesPerBucket - 1) / Self.placesPerBucket)
    places = Array(repeating: nil, count: buckets * Self.placesPerBucket)
  }

  /// What is known of a subject, which is thereby in use.
  mutating func use(_ subject: [UInt8]) -> State? {
    for place in bucket(of: subject) {
      if let state = places[place], state.subject == subject {
        uses += 1
        places[place]?.usedAt = uses
        return state
      }
    }
    return nil
  }

  /// Takes in what was looked up.
  mutating func insert(_ subject: [UInt8], _ eventMilliseconds: Int64?, askedAt: Int64) {
    uses += 1
    let state = State(
      subject: subject, eventMilliseconds: eventMilliseconds, askedAt: askedAt, usedAt: uses)
    var victim: Int?
    var oldest: UInt64 = .max
    for place in bucket(of: subject) {
      guard let other = places[place], other.subject != subject else {
        // The subject's own place may come after a free one: a state that stands twice must not come back.
        forget(subject)
        places[place] = state
        return
      }
      if other.usedAt < oldest {
        oldest = other.usedAt
        victim = place
      }
    }
    if let victim { places[victim] = state }
  }

  private mutating func forget(_ subject: [UInt8]) {
    for place in bucket(of: subject) where places[place]?.subject == subject { places[place] = nil }
  }

  /// FNV-1a of 64 bits (RFC 9923). Whoever could choose subjects that meet in a bucket could make others' be asked for more
  /// often, and no more than that.
  private func bucket(of subject: [UInt8]) -> Range<Int> {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in subject { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    let start = Int(hash % UInt64(places.count / Self.placesPerBucket)) * Self.placesPerBucket
    return start..<start + Self.placesPerBucket
  }
}
