public import Authorizer

/// What the world gives to one invocation.
public struct Moment: Sendable {
  /// Unix milliseconds, by which tokens and nonces are judged.
  public let unixMilliseconds: Int64
  /// When the store has to be done, in Unix milliseconds of the machine's clock.
  public let deadlineMilliseconds: Int64
  /// How long a fetch of keys may take.
  public let fetchBudget: FetchBudget
  /// Sixteen bytes that nobody can foresee; empty where there are none.
  public let randomBytes: [UInt8]

  /// A moment.
  public init(
    unixMilliseconds: Int64, deadlineMilliseconds: Int64, fetchBudget: FetchBudget, randomBytes: [UInt8]
  ) {
    self.unixMilliseconds = unixMilliseconds
    self.deadlineMilliseconds = deadlineMilliseconds
    self.fetchBudget = fetchBudget
    self.randomBytes = randomBytes
  }

  var unixSeconds: Int64 { unixMilliseconds / 1000 }
}

/// One request and its answer, and what the log may say of them.
public struct Exchange: Sendable {
  /// For API Gateway: status, headers and body.
  public internal(set) var response: [UInt8] = []
  /// The status of the answer.
  public internal(set) var status: Int64 = 0
  /// What came of it.
  public internal(set) var outcome = Outcome.failure
  /// Why it was not done.
  public internal(set) var refusal: Refusal?
  /// The route's name; `nil` where there is none.
  public let route: String?
  /// The form of the event.
  public let format: PayloadFormat
  /// Eight hexadecimal digits of the SHA-256 of the token.
  public internal(set) var tokenHash: [UInt8]?
  /// Key sets that were asked for before the answer.
  public internal(set) var keyFetches = 0

  init(format: PayloadFormat, route: String?) {
    self.format = format
    self.route = route
  }

  /// What came of a request.
  public enum Outcome: String, CaseIterable, Sendable {
    /// A nonce was issued.
    case issued
    /// A user has signed in for the first time.
    case created
    /// A user was there.
    case found
    /// A notification was kept.
    case recorded
    /// A notification had been kept before.
    case seenBefore
    /// A notification of something that this version does not know.
    case ignored
    /// The request was refused: 4xx.
    case refused
    /// We could not do it: 5xx.
    case failure
  }

  mutating func refused(for refusal: Refusal) {
    self.refusal = refusal
    outcome = refusal.publicError.status >= 500 ? .failure : .refused
  }
}
