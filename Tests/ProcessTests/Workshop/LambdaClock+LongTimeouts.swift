@testable import LambdaEmulator
import TestSupport

extension ExecutionEnvironment.Limits {
  /// Limits for functions whose time a test does not measure. Lambda's 10 s may be too short on a busy machine.
  static var longTimeouts: Self {
    var limits = Self()
    limits.initializationMilliseconds = HangLimit.milliseconds
    limits.invocationMilliseconds = HangLimit.milliseconds
    return limits
  }
}

extension LambdaClock {
  /// The clocks of this machine, and timers that all fire at `HangLimit`.
  static let longTimeouts = LambdaClock(now: LambdaClock.system.now) { _ in
    try await Task.sleep(for: .seconds(HangLimit.seconds))
  }
}
