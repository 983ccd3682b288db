internal import TestTokens

/// `--clock` of several commands.
enum ClockOption {
  /// - Throws: `CommandFailure` for a text that is no distance with a sign.
  static func seconds(_ text: String) throws(CommandFailure) -> Int64 {
    if let offset = RelativeTime(text) { return offset.seconds }
    throw CommandFailure(
      options: Moment.problem("--clock", text, expected: "an offset such as +1h or -10m"))
  }
}
