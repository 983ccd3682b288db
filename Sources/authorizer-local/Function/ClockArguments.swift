internal import ArgumentParser

/// `--clock` of several commands.
struct ClockArguments: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Uses this time instead of now: 2026-11-21T10:00:00Z, or relative to now: +10m, -1h, +90s, +2d.",
      valueName: "time"))
  var clock: String?

  /// Returns the time in Unix seconds; `nil` without the option.
  ///
  /// - Throws: `CommandFailure` for a text that is no time.
  func moment(at now: Int64) throws(CommandFailure) -> Int64? {
    guard let clock else { return nil }
    guard let moment = Moment.parse(clock, at: now) else {
      throw CommandFailure(options: Moment.problem("--clock", clock))
    }
    return moment
  }

  /// Returns how far the time is ahead of the machine's, in seconds.
  func offset(at now: Int64) throws(CommandFailure) -> Int64 { try (moment(at: now) ?? now) - now }
}
