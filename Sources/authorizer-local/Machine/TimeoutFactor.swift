internal import LambdaEmulator

/// The factor on the timeouts of Lambda and API Gateway, for machines that are slow or busy, such as those of CI.
struct TimeoutFactor {
  let environment: [String: String]

  /// This program's own variable. A function never gets it.
  static let variable = "AUTHORIZER_LOCAL_TIMEOUT_FACTOR"

  /// With 90 the default timeout of 10 s becomes Lambda's maximum of 900 s.
  private static let factors = 1...90

  /// Returns the factor; 1 if the variable is not set.
  ///
  /// - Throws: `CommandFailure` for an invalid value.
  func factor() throws(CommandFailure) -> Int {
    let text = environment[Self.variable] ?? ""
    guard !text.isEmpty else { return 1 }
    guard let factor = Int(text), Self.factors.contains(factor) else {
      let limit = Self.factors.upperBound
      throw CommandFailure(
        .usage,
        "\(Self.variable) must be a whole number from 1 to \(limit), found \(Printable.text(text))",
        hint: "with 6 a function has 60 seconds instead of 10; unset it for the limits of Lambda")
    }
    return factor
  }

  /// Returns the machine's clocks, with the factor for the timeouts that no option sets.
  func clock() throws(CommandFailure) -> LambdaClock { .system.multiplyingTimeouts(by: try factor()) }

  /// Returns a function's timeout times the factor, at most Lambda's maximum. A longer timeout remains unchanged.
  func milliseconds(_ milliseconds: Int) throws(CommandFailure) -> Int {
    max(milliseconds, min(milliseconds * (try factor()), Self.maximumMilliseconds))
  }

  /// Returns the limits for a function without options.
  func limits() throws(CommandFailure) -> ExecutionEnvironment.Limits {
    var limits = ExecutionEnvironment.Limits()
    limits.invocationMilliseconds = try milliseconds(limits.invocationMilliseconds)
    limits.initializationMilliseconds = try milliseconds(limits.initializationMilliseconds)
    return limits
  }

  /// AWS Lambda quotas, "Function timeout".
  private static let maximumMilliseconds = 900_000
}
