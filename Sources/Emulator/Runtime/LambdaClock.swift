internal import Foundation

/// The clocks and the timer of the emulated cloud, so that a test can hold them.
public struct LambdaClock: Sendable {
  let now: @Sendable () -> Moment
  /// Returns after this many milliseconds; throws when the task is cancelled before.
  let wait: @Sendable (_ milliseconds: Int) async throws -> Void
  /// How many times as long as in the cloud a limit is that nobody can set: of API Gateway, and of a process that ends.
  private(set) var patience = 1

  init(now: @escaping @Sendable () -> Moment, wait: @escaping @Sendable (Int) async throws -> Void) {
    self.now = now
    self.wait = wait
  }

  /// The same clock for a machine that is so many times as slow.
  public func patient(_ factor: Int) -> LambdaClock {
    var clock = self
    clock.patience = factor
    return clock
  }

  /// This machine's clocks. A function reads them too, so its deadline is always told by them.
  public static let system = LambdaClock(
    now: {
      Moment(
        monotonicNanoseconds: DispatchTime.now().uptimeNanoseconds,
        unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    },
    wait: { try await Task.sleep(for: .milliseconds($0)) })
}

/// What the clocks said when something happened; the state machine itself reads no clock.
struct Moment: Equatable, Sendable {
  /// A clock that never goes back, in nanoseconds; for durations.
  let monotonicNanoseconds: UInt64
  /// Unix time in milliseconds; for the deadline.
  let unixMilliseconds: Int64

  /// Nanoseconds since another moment; 0 where that was later.
  func nanoseconds(since other: Moment) -> UInt64 {
    let elapsed = monotonicNanoseconds.subtractingReportingOverflow(other.monotonicNanoseconds)
    return elapsed.overflow ? 0 : elapsed.partialValue
  }
}
