import TestSupport

@testable import Emulator

extension ExecutionEnvironment.Limits {
  /// For functions whose time is not what a test is about: Lambda's 10 s may be too short on a busy machine.
  static var patient: Self {
    var limits = Self()
    limits.initializationMilliseconds = HangLimit.milliseconds
    limits.invocationMilliseconds = HangLimit.milliseconds
    return limits
  }
}

extension LambdaClock {
  /// This machine's clocks, and timers that all ring at `HangLimit`.
  static let patient = LambdaClock(now: LambdaClock.system.now) { _ in
    try await Task.sleep(for: .seconds(HangLimit.seconds))
  }
}
