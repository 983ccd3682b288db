internal import Foundation

/// The clocks and the timer of the emulator. A test can replace them.
package struct LambdaClock: Sendable {
  package let now: @Sendable () -> Moment
  /// Returns after this many milliseconds; throws when the task is cancelled before.
  package let wait: @Sendable (_ milliseconds: Int) async throws -> Void
  /// The factor on the timeouts that no option sets: those of API Gateway, of a process that
  /// ends, and of a restart of `serve`.
  package private(set) var timeoutFactor = 1

  /// Returns the same clock with its timeouts multiplied, for a machine that is slower by this factor.
  package func multiplyingTimeouts(by factor: Int) -> LambdaClock {
    var clock = self
    clock.timeoutFactor = factor
    return clock
  }

  /// This machine's clocks. A function reads them too, so its deadline always refers to them.
  package static let system = LambdaClock(
    now: {
      Moment(
        monotonicNanoseconds: DispatchTime.now().uptimeNanoseconds,
        unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    },
    wait: { try await Task.sleep(for: .milliseconds($0)) })
}

/// The time of an event. The state machine itself reads no clock.
package struct Moment: Equatable, Sendable {
  /// The monotonic time in nanoseconds, for durations.
  package let monotonicNanoseconds: UInt64
  /// The Unix time in milliseconds, for the deadline.
  package let unixMilliseconds: Int64

  /// Returns the nanoseconds since another moment; 0 if that is later.
  package func nanoseconds(since other: Moment) -> UInt64 {
    let elapsed = monotonicNanoseconds.subtractingReportingOverflow(other.monotonicNanoseconds)
    return elapsed.overflow ? 0 : elapsed.partialValue
  }
}
