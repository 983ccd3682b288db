/// The delay after failed fetches: 1, 2, 4 … 60 seconds.
package struct BackOff {
  private var failures = 0
  private(set) var retryAt: Int64 = .min

  package init() {}

  /// One minute, so that a recovered issuer is noticed within that time.
  static let maximumDelay: Int64 = 60

  package mutating func failed(now: Int64) {
    let delay = failures < 6 ? Int64(1) << failures : Self.maximumDelay
    failures += 1
    retryAt = now + min(delay, Self.maximumDelay)
  }

  package mutating func succeeded() { self = BackOff() }

  /// Whether a fetch is allowed. A clock that was set back must not extend the delay.
  package func allowsAttempt(now: Int64) -> Bool { now >= retryAt || now < retryAt - Self.maximumDelay }
}
